//===- TileRegisters.h - The registers of AMX ---------------------------------------------------------------------===//

#ifndef BLOCKDSL_RUNTIME_TILEREGISTERS_H
#define BLOCKDSL_RUNTIME_TILEREGISTERS_H

namespace blockdsl::runtime {

/// Asks the system, once, to let all threads of this process use tile registers. Without its consent the first
/// instruction that touches one ends the process. Children of a fork inherit the consent, other programs do not.
bool requestTileRegisters();

} // namespace blockdsl::runtime

#endif // BLOCKDSL_RUNTIME_TILEREGISTERS_H
