//===- SplitKernels.cpp - Outlining of pieces of long functions ------------===//
//
// LLVM's compile time partly grows with the square of the length of a function or block, and every value with a long
// live range takes stack. So longer code is cut where the fewest values are live, and each piece is outlined. Values
// that cross a cut are passed in scratch memory, so that the stack of a piece is bounded by its length.
//
//===----------------------------------------------------------------------===//

#include "Outlining.h"

#include "blockdsl/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include <map>

using namespace mlir;

namespace blockdsl {

#define GEN_PASS_DEF_SPLITKERNELS
#include "blockdsl/Conversion/Passes.h.inc"

static constexpr StringLiteral scratchAttribute = "blockdsl.scratch";
static constexpr StringLiteral scratchBytesAttribute = "blockdsl.scratch_bytes";
static constexpr StringLiteral pollName = "blockdsl_poll";
static constexpr int64_t kLine = 64;
/// How many times longer a loop body may be than other pieces.
static constexpr int64_t kLoopBodyFactor = 4;

/// Function attribute of a piece without loops, which disables LLVM's second scheduling for AMD's CPUs, after register
/// allocation. It compares each pair of accesses in a block, which takes two fifths of the compile time, and gains
/// nothing for code that runs once on an out-of-order CPU. All targets of LLVM have this name; it does not change the
/// instruction set.
static constexpr StringRef kScheduledOnce[] = {"tune-cpu", "generic"};

/// Returns true for ops that every piece recomputes: constants, and addresses at a constant offset from a pointer that
/// is defined before the block.
static bool isRecomputed(Operation *op) {
  auto address = dyn_cast<LLVM::GEPOp>(op);
  if (!address)
    return isConstant(op);
  return (isa<BlockArgument>(address.getBase()) || address.getBase().getParentBlock() != op->getBlock()) &&
         llvm::all_of(address.getDynamicIndices(), [](Value index) { return matchPattern(index, m_Constant()); });
}

/// Returns the type of a value in memory: integers for booleans, indices and 8-bit floats. Null if it cannot be stored.
static Type memoryType(Type type) {
  Type element = getElementTypeOrSelf(type);
  Builder b(type.getContext());
  Type held;
  if (element.isIndex() || isa<LLVM::LLVMPointerType>(element))
    held = element.isIndex() ? b.getI64Type() : element;
  else if (element.isInteger(1) || (isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8))
    held = b.getI8Type();
  else if (element.isIntOrFloat())
    held = element;
  else
    return {};
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(held)) : held;
}

namespace {

/// Splits one function; loop bodies are split before the blocks that contain the loops.
class Splitter {
public:
  Splitter(func::FuncOp function, int64_t pieceLength, int64_t scratchBytes)
      : function(function), pieceLength(pieceLength), scratchBytes(llvm::alignTo(scratchBytes, kLine)) {}

  /// Returns the bytes of scratch memory that are in use afterwards.
  int64_t run() {
    splitRegion(function.getBody());
    return scratchBytes;
  }

private:
  struct Piece {
    SmallVector<Operation *> ops;
    func::FuncOp function;
    SmallVector<Value> arguments;      ///< arguments of the call
    llvm::DenseMap<Value, Value> here; ///< from values of outside to values in the piece
  };

  void splitRegion(Region &region) {
    for (Block &block : region) {
      for (Operation &op : block)
        for (Region &inner : op.getRegions())
          splitRegion(inner);
      splitBlock(block);
    }
  }
  void splitBlock(Block &block);
  bool findPieces(Block &block, int64_t longest);
  void findSlots(Block &block);
  void outline(Piece &piece);
  Value valueIn(Piece &piece, Value value, Operation *user);
  void store(OpBuilder &b, Value value);
  Value load(OpBuilder &b, Value value, Value scratch);
  Value addressOf(OpBuilder &b, Location loc, Value value, Value scratch);
  Value scratchOf(func::FuncOp of) { return of.getArguments().back(); }

  func::FuncOp function;
  int64_t pieceLength, scratchBytes;
  unsigned count = 0;
  Block *block = nullptr; ///< the block that is being split
  std::vector<Piece> pieces;
  llvm::DenseMap<Operation *, unsigned> pieceOf;
  llvm::DenseMap<Value, int64_t> slots; ///< offsets in scratch memory of the values that cross a cut
};

} // namespace

/// Divides a block into pieces that are not too long, with cuts where the fewest values are live.
bool Splitter::findPieces(Block &block, int64_t longest) {
  SmallVector<Operation *> ops;
  SmallVector<int64_t> upTo = {0};
  llvm::DenseMap<Operation *, size_t> place;
  for (Operation &op : block.without_terminator()) {
    if (isRecomputed(&op) || isa<LLVM::AllocaOp>(op))
      continue;
    place[&op] = ops.size();
    ops.push_back(&op);
    upTo.push_back(upTo.back() + lengthOf(&op));
  }
  if (upTo.back() <= longest)
    return false;
  // The number of live values after each op.
  SmallVector<int64_t> alive(ops.size() + 1, 0);
  for (auto [index, op] : llvm::enumerate(ops))
    for (Value result : op->getResults()) {
      if (!result.use_empty() && !memoryType(result.getType()))
        return false;
      size_t last = index;
      for (Operation *user : result.getUsers()) {
        auto found = place.find(block.findAncestorOpInBlock(*user));
        last = std::max(last, found == place.end() ? ops.size() : found->second);
      }
      alive[index] += 1;
      alive[last] -= 1;
    }
  for (size_t index = 1; index < alive.size(); ++index)
    alive[index] += alive[index - 1];
  for (size_t from = 0; from < ops.size();) {
    size_t cut = from;
    for (size_t to = from + 1; to < ops.size() && upTo[to + 1] - upTo[from] <= longest; ++to)
      if (upTo[to + 1] - upTo[from] <= longest / 2 || alive[to] <= alive[cut])
        cut = to;
    Piece piece;
    piece.ops.assign(ops.begin() + from, ops.begin() + cut + 1);
    for (Operation *op : piece.ops)
      pieceOf[op] = pieces.size();
    pieces.push_back(std::move(piece));
    from = cut + 1;
  }
  return pieces.size() > 1;
}

/// Assigns a slot in scratch memory to each value that crosses a cut. Slots are reused after the last use.
void Splitter::findSlots(Block &block) {
  std::multimap<unsigned, std::pair<int64_t, int64_t>> ending; // last piece -> bytes, offset
  std::map<int64_t, SmallVector<int64_t>> free;
  for (auto [index, piece] : llvm::enumerate(pieces)) {
    for (; !ending.empty() && ending.begin()->first < index; ending.erase(ending.begin()))
      free[ending.begin()->second.first].push_back(ending.begin()->second.second);
    for (Operation *op : piece.ops)
      for (Value result : op->getResults()) {
        unsigned last = index;
        for (Operation *user : result.getUsers()) {
          auto found = pieceOf.find(block.findAncestorOpInBlock(*user));
          last = std::max<unsigned>(last, found == pieceOf.end() ? pieces.size() : found->second);
        }
        if (last == index)
          continue;
        int64_t bytes = llvm::alignTo(llvm::divideCeil(bitsOf(memoryType(result.getType())), 8), kLine);
        SmallVector<int64_t> &fitting = free[bytes];
        if (fitting.empty()) {
          fitting.push_back(scratchBytes);
          scratchBytes += bytes;
        }
        slots[result] = fitting.pop_back_val();
        ending.insert({last, {bytes, slots[result]}});
      }
  }
}

Value Splitter::addressOf(OpBuilder &b, Location loc, Value value, Value scratch) {
  Value offset = arith::ConstantIntOp::create(b, loc, slots.at(value), 64);
  return LLVM::GEPOp::create(b, loc, scratch.getType(), b.getI8Type(), scratch, ArrayRef<LLVM::GEPArg>{offset});
}

/// Converts between the type of a value and its type in memory.
static Value convert(OpBuilder &b, Location loc, Value value, Type to) {
  Type from = value.getType();
  Type source = getElementTypeOrSelf(from), target = getElementTypeOrSelf(to);
  if (from == to)
    return value;
  if (source.isIndex() || target.isIndex())
    return arith::IndexCastOp::create(b, loc, to, value);
  if (isa<FloatType>(source) || isa<FloatType>(target))
    return arith::BitcastOp::create(b, loc, to, value);
  if (source.isInteger(1))
    return arith::ExtUIOp::create(b, loc, to, value);
  return arith::TruncIOp::create(b, loc, to, value);
}

void Splitter::store(OpBuilder &b, Value value) {
  Location loc = value.getLoc();
  Value scratch = scratchOf(pieces[pieceOf.at(value.getDefiningOp())].function);
  Value held = convert(b, loc, value, memoryType(value.getType()));
  LLVM::StoreOp::create(b, loc, held, addressOf(b, loc, value, scratch), kLine);
}

Value Splitter::load(OpBuilder &b, Value value, Value scratch) {
  Location loc = value.getLoc();
  Type type = memoryType(value.getType());
  Value held = LLVM::LoadOp::create(b, loc, type, addressOf(b, loc, value, scratch), kLine);
  return convert(b, loc, held, value.getType());
}

/// Returns `value` in a piece: recomputed, loaded from scratch memory, or passed as an argument.
Value Splitter::valueIn(Piece &piece, Value value, Operation *user) {
  if (Value known = piece.here.lookup(value))
    return known;
  Block &entry = piece.function.front();
  OpBuilder b(user);
  Operation *op = value.getDefiningOp();
  Value found;
  if (op && isConstant(op)) {
    b.setInsertionPointToStart(&entry);
    found = b.clone(*op)->getResult(0);
  } else if (op && op->getBlock() == block && isRecomputed(op)) {
    Operation *clone = b.clone(*op);
    for (OpOperand &operand : clone->getOpOperands())
      operand.set(valueIn(piece, operand.get(), clone));
    found = clone->getResult(0);
  } else if (slots.contains(value)) {
    found = load(b, value, scratchOf(piece.function));
  } else {
    found = entry.insertArgument(entry.getNumArguments() - 1, value.getType(), value.getLoc());
    piece.arguments.push_back(value);
  }
  return piece.here[value] = found;
}

void Splitter::outline(Piece &piece) {
  Location loc = piece.ops.front()->getLoc();
  // Pieces of one depth never call each other, so only one of them takes stack at a time.
  unsigned depth = 0;
  for (Operation *op = piece.ops.front()->getParentOp(); op != function; op = op->getParentOp())
    ++depth;
  piece.function = createOutlined(function, loc, Twine(depth) + "." + Twine(count++));
  if (llvm::none_of(piece.ops, [](Operation *op) { return op->getNumRegions() != 0; })) {
    Builder attributes(function.getContext());
    piece.function->setAttr("passthrough", attributes.getArrayAttr({attributes.getStringAttr("noinline"),
                                                                    attributes.getStrArrayAttr(kScheduledOnce)}));
  }
  Block *entry = piece.function.addEntryBlock();
  Value scratch = scratchOf(function);
  piece.here[scratch] = entry->addArgument(scratch.getType(), loc);
  // Needed by `avoid-llvm-faults`, which creates an opaque value in each function.
  BlockArgument first = firstProgramOf(function);
  if (first) {
    piece.here[first] = entry->insertArgument(0u, first.getType(), loc);
    piece.arguments.push_back(first);
  }
  OpBuilder inside = OpBuilder::atBlockEnd(entry);
  auto end = func::ReturnOp::create(inside, loc);

  OpBuilder b(block, std::next(piece.ops.back()->getIterator()));
  Value context; // of a poll, which may return from the piece: the caller has to poll again
  for (Operation *op : piece.ops) {
    op->moveBefore(end);
    op->walk([&](Operation *inner) {
      if (auto call = dyn_cast<func::CallOp>(inner); call && call.getCallee() == pollName)
        context = call.getOperand(0);
      for (OpOperand &operand : inner->getOpOperands()) {
        Operation *parent = operand.get().getParentRegion()->getParentOp();
        if (!piece.function->isAncestor(parent))
          operand.set(valueIn(piece, operand.get(), op));
      }
    });
    inside.setInsertionPointAfter(op);
    for (Value result : op->getResults())
      if (slots.contains(result))
        store(inside, result);
    inside.setInsertionPoint(end);
  }
  SmallVector<Value> arguments = piece.arguments;
  arguments.push_back(scratch);
  piece.function.setFunctionType(b.getFunctionType(entry->getArgumentTypes(), {}));
  if (first)
    piece.function.setArgAttr(0, kFirstProgram, b.getUnitAttr());
  func::CallOp::create(b, loc, piece.function, arguments);
  if (context)
    func::CallOp::create(b, loc, pollName, TypeRange(), ValueRange{context});
}

void Splitter::splitBlock(Block &block) {
  this->block = &block;
  pieces.clear();
  pieceOf.clear();
  slots.clear();
  // Loops of the program run often: a body that is not split keeps its carried values in registers.
  bool isLoopBody =
      isa<scf::ForOp, scf::WhileOp>(block.getParentOp()) && !isa<func::FuncOp>(block.getParentOp()->getParentOp());
  if (!findPieces(block, isLoopBody ? kLoopBodyFactor * pieceLength : pieceLength))
    return;
  findSlots(block);
  for (Piece &piece : pieces)
    outline(piece);
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
    if (isRecomputed(&op) && op.use_empty())
      op.erase();
  Operation *end = block.getTerminator();
  OpBuilder b(end);
  for (OpOperand &operand : end->getOpOperands())
    if (slots.contains(operand.get()))
      operand.set(load(b, operand.get(), scratchOf(function)));
}

namespace {

struct SplitKernels : impl::SplitKernelsBase<SplitKernels> {
  using SplitKernelsBase::SplitKernelsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto known = module->getAttrOfType<IntegerAttr>(scratchBytesAttribute);
    int64_t before = known ? known.getInt() : 0, most = before;
    SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
    for (func::FuncOp function : functions) {
      unsigned last = function.getNumArguments() - 1;
      if (function.isExternal() || function.getNumArguments() == 0 || !function.getArgAttr(last, scratchAttribute))
        continue;
      function.removeArgAttr(last, scratchAttribute);
      if (lengthOf(function) > longest)
        most = std::max(most, Splitter(function, pieceLength, before).run());
    }
    if (most != before)
      module->setAttr(scratchBytesAttribute, Builder(module).getI64IntegerAttr(most));
  }
};

} // namespace
} // namespace blockdsl
