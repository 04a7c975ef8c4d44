//===- PlaceBuffers.cpp - Stack layout and sharing of buffers --------------===//
//
// A buffer is live from its first to its last use in one execution of the block that allocates it. If all buffers fit
// the stack, each has its own slot, which LLVM can split. Otherwise buffers with disjoint live ranges share slots, and
// the largest slots are in the thread's scratch memory.
//
//===----------------------------------------------------------------------===//

#include "blockdsl/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

#include <map>
#include <queue>

using namespace mlir;

namespace blockdsl {

#define GEN_PASS_DEF_PLACEBUFFERS
#include "blockdsl/Conversion/Passes.h.inc"

static constexpr StringLiteral scratchAttribute = "blockdsl.scratch";
/// Marks a buffer that the next program reads too.
static constexpr StringLiteral keptAttribute = "blockdsl.kept";
/// Marks a small buffer that is zero before the first program. It must be on the stack: scratch memory is not zeroed.
static constexpr StringLiteral zeroedAttribute = "blockdsl.zeroed";
static constexpr StringLiteral scratchBytesAttribute = "blockdsl.scratch_bytes";
static constexpr int64_t kAlignment = 64;
/// Larger buffers are never on the stack.
static constexpr int64_t kLargestOnStack = 64 * 1024;
/// The largest ratio of sizes between a slot and a buffer that reuses it.
static constexpr int64_t kMisfit = 4;

namespace {

struct Buffer {
  LLVM::AllocaOp op;
  int64_t bytes;
  unsigned begin, end; ///< numbers of the first and the last op that use it
  unsigned slot = 0;
};

struct Slot {
  int64_t bytes;
  unsigned tenants = 0;
  bool isOnStack = false;
  bool isZeroed = false;
  Value pointer = {};
};

class Placement {
public:
  Placement(func::FuncOp function, int64_t stackBytes) : function(function), stackBytes(stackBytes) {}

  /// Places all buffers and returns the bytes of scratch memory that they take.
  FailureOr<int64_t> run();

private:
  void number(Region &region);
  LogicalResult collect();
  void findLiveRange(Buffer &buffer);
  void shareSlots();
  FailureOr<int64_t> placeSlots();

  func::FuncOp function;
  int64_t stackBytes;
  SmallVector<Buffer> buffers;
  SmallVector<Slot> slots;
  llvm::DenseMap<Operation *, std::pair<unsigned, unsigned>> span; ///< numbers of an op and of the last op inside it
  unsigned numbered = 0;
};

void Placement::number(Region &region) {
  for (Operation &op : region.getOps()) {
    unsigned first = numbered++;
    for (Region &inner : op.getRegions())
      number(inner);
    span[&op] = {first, numbered - 1};
  }
}

static std::optional<int64_t> bytesOf(LLVM::AllocaOp op) {
  IntegerAttr count;
  Type element = getElementTypeOrSelf(op.getElemType());
  if (!matchPattern(op.getArraySize(), m_Constant(&count)) || !element.isIntOrFloat())
    return std::nullopt;
  auto vector = dyn_cast<VectorType>(op.getElemType());
  int64_t elements = count.getInt() * (vector ? vector.getNumElements() : 1);
  return llvm::alignTo(elements * llvm::divideCeil(element.getIntOrFloatBitWidth(), 8), kAlignment);
}

/// Computes the live range of a buffer, from the first to the last op that can access it. In the allocating block a
/// loop counts as one op: a buffer that is used in a part of its body is live in all of it.
void Placement::findLiveRange(Buffer &buffer) {
  if (buffer.op->hasAttr(keptAttribute)) {
    buffer.begin = 0;
    buffer.end = numbered;
    return;
  }
  Block *home = buffer.op->getBlock();
  llvm::SetVector<Value> pointers;
  pointers.insert(buffer.op.getResult());
  buffer.begin = numbered;
  buffer.end = 0;
  for (unsigned next = 0; next < pointers.size(); ++next)
    for (Operation *user : pointers[next].getUsers()) {
      Operation *seen = home->findAncestorOpInBlock(*user);
      if (user->hasTrait<OpTrait::IsTerminator>() || user->getNumRegions() != 0 || isa<LLVM::PtrToIntOp>(user)) {
        // The pointer escapes, so it may be used anywhere.
        buffer.begin = 0;
        buffer.end = numbered;
        return;
      }
      auto [first, last] = span.at(seen);
      buffer.begin = std::min(buffer.begin, first);
      buffer.end = std::max(buffer.end, last);
      if (isMemoryEffectFree(user))
        pointers.insert_range(user->getResults());
    }
}

LogicalResult Placement::collect() {
  auto result = function.walk([&](LLVM::AllocaOp op) {
    std::optional<int64_t> bytes = bytesOf(op);
    if (!bytes) {
      op.emitOpError("expects a buffer of numbers whose size is a constant");
      return WalkResult::interrupt();
    }
    if (!op->use_empty()) {
      buffers.push_back({op, *bytes, 0, 0});
      findLiveRange(buffers.back());
    } else {
      op.erase();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Assigns slots in the order in which live ranges begin: each buffer reuses a free slot if one fits.
void Placement::shareSlots() {
  SmallVector<Buffer *> order;
  for (Buffer &buffer : buffers)
    order.push_back(&buffer);
  llvm::sort(order, [](Buffer *a, Buffer *b) { return std::pair(a->begin, a) < std::pair(b->begin, b); });
  using Ending = std::pair<unsigned, unsigned>;
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> taken;
  std::multimap<int64_t, unsigned> free;
  for (Buffer *buffer : order) {
    for (; !taken.empty() && taken.top().first < buffer->begin; taken.pop())
      free.insert({slots[taken.top().second].bytes, taken.top().second});
    auto found = free.lower_bound(buffer->bytes);
    if (found == free.end() || found->first > buffer->bytes * kMisfit) {
      // If no free slot fits, the largest of the smaller ones may grow.
      bool hasSmaller = found != free.begin() && std::prev(found)->first >= buffer->bytes / kMisfit;
      found = hasSmaller ? std::prev(found) : free.end();
    }
    if (found == free.end()) {
      buffer->slot = slots.size();
      slots.push_back({buffer->bytes, 1});
    } else {
      buffer->slot = found->second;
      Slot &slot = slots[buffer->slot];
      slot.bytes = std::max(slot.bytes, buffer->bytes);
      ++slot.tenants;
      free.erase(found);
    }
    taken.push({buffer->end, buffer->slot});
  }
}

/// Places small slots on the stack and the others in scratch memory, one after another.
FailureOr<int64_t> Placement::placeSlots() {
  SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(slots.size()));
  llvm::sort(order,
             [&](unsigned a, unsigned b) { return std::pair(slots[a].bytes, a) < std::pair(slots[b].bytes, b); });
  for (Buffer &buffer : buffers)
    slots[buffer.slot].isZeroed |= buffer.op->hasAttr(zeroedAttribute);
  int64_t onStack = 0, inScratch = 0;
  for (unsigned index : order) {
    Slot &slot = slots[index];
    slot.isOnStack = slot.isZeroed || (slot.bytes <= kLargestOnStack && onStack + slot.bytes <= stackBytes);
    onStack += slot.isOnStack ? slot.bytes : 0;
  }
  SmallVector<LLVM::AllocaOp> last(slots.size());
  for (Buffer &buffer : buffers)
    last[buffer.slot] = buffer.op;
  OpBuilder b = OpBuilder::atBlockBegin(&function.front());
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  for (auto [slot, op] : llvm::zip_equal(slots, last)) {
    Location loc = op.getLoc();
    auto number = [&](int64_t value) -> Value { return arith::ConstantIntOp::create(b, loc, value, 64); };
    if (slot.isOnStack) {
      bool isShared = slot.tenants > 1;
      IntegerAttr count;
      matchPattern(op.getArraySize(), m_Constant(&count));
      slot.pointer = LLVM::AllocaOp::create(b, loc, pointer, isShared ? b.getI8Type() : op.getElemType(),
                                            number(isShared ? slot.bytes : count.getInt()), kAlignment);
      slot.pointer.getDefiningOp()->setDiscardableAttrs(op->getDiscardableAttrDictionary());
      continue;
    }
    unsigned argument = function.getNumArguments() - 1;
    if (function.getNumArguments() == 0 || !function.getArgAttr(argument, scratchAttribute))
      return function.emitOpError("expects scratch memory as its last argument, for buffers beyond the stack");
    slot.pointer = LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), function.getArgument(argument),
                                       ArrayRef<LLVM::GEPArg>{number(inScratch)});
    inScratch += slot.bytes;
  }
  for (Buffer &buffer : buffers) {
    buffer.op.replaceAllUsesWith(slots[buffer.slot].pointer);
    buffer.op.erase();
  }
  return inScratch;
}

FailureOr<int64_t> Placement::run() {
  number(function.getBody());
  if (failed(collect()))
    return failure();
  int64_t all = 0, largest = 0;
  for (const Buffer &buffer : buffers) {
    all += buffer.bytes;
    largest = std::max(largest, buffer.bytes);
  }
  if (all <= stackBytes && largest <= kLargestOnStack) {
    for (auto [index, buffer] : llvm::enumerate(buffers)) {
      buffer.slot = index;
      slots.push_back({buffer.bytes, 1});
    }
  } else {
    shareSlots();
  }
  return placeSlots();
}

struct PlaceBuffers : impl::PlaceBuffersBase<PlaceBuffers> {
  using PlaceBuffersBase::PlaceBuffersBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto known = module->getAttrOfType<IntegerAttr>(scratchBytesAttribute);
    int64_t most = known ? known.getInt() : 0;
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      FailureOr<int64_t> bytes = Placement(function, stackBytes).run();
      if (failed(bytes))
        return signalPassFailure();
      most = std::max(most, *bytes);
    }
    if (most != 0)
      module->setAttr(scratchBytesAttribute, Builder(module).getI64IntegerAttr(most));
  }
};

} // namespace
} // namespace blockdsl
