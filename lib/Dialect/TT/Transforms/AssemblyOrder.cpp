//===- AssemblyOrder.cpp - Barriers, fences and hints of PTX ----*- C++ -*-===//
// A program is one thread on a CPU: barriers between its threads have no effect, nor do hints and waits for copies.
// Fences between programs order memory. Instructions that also compute a value are elsewhere.
//===----------------------------------------------------------------------===//
#include "Assembly.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace blockdsl;

namespace {
/// A pattern of opcodes, and their number of operands. ptx_order.py has the same table.
struct OrderPattern {
  const char *opcode;
  unsigned least, most;
};
constexpr OrderPattern patterns[] = {
    {"(bar|barrier)(\\.cta)?\\.(sync|arrive)(\\.aligned)?", 1, 2},
    {"bar\\.warp\\.sync", 1, 1},
    {"barrier\\.cluster\\.(arrive(\\.(release|relaxed))?|wait(\\.acquire)?)(\\.aligned)?", 0, 0},
    {"membar\\.(cta|gl|sys)", 0, 0},
    {"fence(\\.(sc|acq_rel|acquire|release))?(\\.sync_restrict::[a-z:]+)?\\.(cta|cluster|gpu|sys)", 0, 0},
    {"(membar|fence)\\.proxy\\.[a-z0-9_:.]+", 0, 2},
    {"fence\\.mbarrier_init\\.release\\.cluster", 0, 0},
    {"griddepcontrol\\.(wait|launch_dependents)", 0, 0},
    {"nanosleep\\.u32", 1, 1},
    {"prefetchu?\\.[A-Za-z0-9_:.]+", 1, 1},
    {"(applypriority|discard)\\.[A-Za-z0-9_:.]+", 2, 2},
    {"setmaxnreg\\.(inc|dec)\\.sync\\.aligned\\.u32", 1, 1},
    {"cp\\.async\\.(commit_group|wait_all|bulk\\.commit_group)", 0, 0},
    {"cp\\.async\\.(bulk\\.)?wait_group(\\.read)?", 1, 1},
};
} // namespace

std::optional<MemoryOrder> blockdsl::findMemoryOrder(const AssemblyInstruction &instruction) {
  StringRef opcode = instruction.opcode;
  size_t operands = instruction.operands.size();
  bool isKnown = llvm::any_of(patterns, [&](const OrderPattern &pattern) {
    return operands >= pattern.least && operands <= pattern.most &&
           llvm::Regex("^(" + std::string(pattern.opcode) + ")$").match(opcode);
  });
  if (!isKnown)
    return std::nullopt;
  bool isFence = opcode.starts_with("membar.") || opcode.starts_with("fence.");
  // The threads of a CTA are one program.
  if (!isFence || opcode.contains(".proxy.") || opcode.ends_with(".cta"))
    return MemoryOrder::None;
  bool isSequential = opcode.starts_with("membar.") || opcode.starts_with("fence.sc.");
  return isSequential ? MemoryOrder::SequentiallyConsistent : MemoryOrder::AcquireRelease;
}
