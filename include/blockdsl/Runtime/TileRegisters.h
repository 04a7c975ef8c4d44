//===- TileRegisters.h - Permission to use the tile registers of AMX ----------------------------------------------===//

#ifndef BLOCKDSL_RUNTIME_TILEREGISTERS_H
#define BLOCKDSL_RUNTIME_TILEREGISTERS_H

namespace blockdsl::runtime {

/// Requests, once, the permission for all threads of this process to use tile registers. Without it the first
/// instruction that accesses one ends the process. Children of fork inherit the permission; programs that they execute
/// do not.
bool requestTileRegisters();

} // namespace blockdsl::runtime

#endif // BLOCKDSL_RUNTIME_TILEREGISTERS_H
