//===- LaunchABI.cpp - Conversion of a program to a range of programs ------===//
//
// Builds the two functions of the launch ABI: an inner function with the kernel's body in a loop over program ids, and
// an outer function that unpacks argument slots. DebugCalls.cpp lowers asserts and prints.
//
//===----------------------------------------------------------------------===//

#include "DebugCalls.h"
#include "blockdsl/Conversion/Passes.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace blockdsl {

#define GEN_PASS_DEF_CONVERTLAUNCHABI
#include "blockdsl/Conversion/Passes.h.inc"

static constexpr StringLiteral kernelAttribute = "blockdsl.kernel";
static constexpr StringLiteral scratchAttribute = "blockdsl.scratch";
static constexpr StringLiteral firstAttribute = "blockdsl.first_program";
static constexpr StringLiteral sourceLoopAttribute = "blockdsl.source_loop";
/// A buffer of i64 that is zero before the first program.
static constexpr StringLiteral zeroedAttribute = "blockdsl.zeroed";
static constexpr StringLiteral retryAttribute = "blockdsl.retries";
static constexpr int64_t bufferAlignment = 64;

/// Verifies the form of a kernel and emits an error if it is violated.
static LogicalResult checkKernel(func::FuncOp kernel) {
  if (kernel.isExternal() || !kernel.getBody().hasOneBlock() || kernel.getNumResults() != 0)
    return kernel.emitOpError("expects a kernel to have a body of one block and no results");
  unsigned last = kernel.getNumArguments() - 1;
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    bool isScratch = kernel.getArgAttr(index, scratchAttribute) != nullptr;
    if (isScratch && (index != last || !isa<LLVM::LLVMPointerType>(type)))
      return kernel.emitOpError("expects the scratch memory to be the last argument and a pointer");
    bool fitsSlot = isa<LLVM::LLVMPointerType>(type) || (type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 64);
    if (!fitsSlot)
      return kernel.emitOpError("expects argument ")
             << index << " to be a pointer or a number of at most 64 bits, but it is " << type;
  }
  return success();
}

namespace {

/// Converts one kernel to its two functions.
class KernelLaunch {
public:
  explicit KernelLaunch(func::FuncOp kernel)
      : kernel(kernel), b(kernel.getLoc(), kernel), pointer(LLVM::LLVMPointerType::get(kernel.getContext())) {
    hasScratch =
        kernel.getNumArguments() != 0 && kernel.getArgAttr(kernel.getNumArguments() - 1, scratchAttribute) != nullptr;
    parameters = kernel.getNumArguments() - hasScratch;
  }

  void build() {
    std::string name = kernel.getName().str();
    kernel.setName((name + ".kernel"));
    buildInner(name + ".programs");
    buildOuter(name);
    kernel.erase();
  }

private:
  void buildInner(StringRef name);
  void buildOuter(StringRef name);
  scf::ForOp buildProgramLoop(Value first, Value last, ValueRange grid);
  void replaceProgramOps(scf::ForOp loop, ValueRange grid, Value context);
  void hoistBuffer(Operation *buffer);
  void pollInLoops(scf::ForOp programs, BlockArgument context);
  Value readSlot(Value slots, unsigned index, Type type);

  func::FuncOp kernel;
  ImplicitLocOpBuilder b;
  LLVM::LLVMPointerType pointer;
  func::FuncOp inner;
  bool hasScratch;
  unsigned parameters;
};

} // namespace

void KernelLaunch::buildInner(StringRef name) {
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  SmallVector<Type> types(kernel.getArgumentTypes().take_front(parameters));
  types.append({i64, i64, i32, i32, i32, pointer, pointer}); // first, last, grid, context, scratch
  inner = func::FuncOp::create(b, name, b.getFunctionType(types, {}));
  inner.setPrivate();
  // The func dialect's own no_inline does not reach LLVM.
  inner->setAttr("passthrough", b.getStrArrayAttr({"noinline"}));
  inner->setAttr("llvm.linkage", LLVM::LinkageAttr::get(b.getContext(), LLVM::Linkage::Internal));
  // Only LLVM's attributes are copied. Scratch memory is the last argument of both functions.
  for (unsigned index = 0; index != kernel.getNumArguments(); ++index)
    for (NamedAttribute attribute : function_interface_impl::getArgAttrs(kernel, index))
      if (attribute.getName().strref().starts_with("llvm."))
        inner.setArgAttr(index < parameters ? index : types.size() - 1, attribute.getName(), attribute.getValue());

  inner.setArgAttr(parameters, firstAttribute, b.getUnitAttr());
  inner.setArgAttr(types.size() - 1, scratchAttribute, b.getUnitAttr());

  Block *entry = inner.addEntryBlock();
  auto extra = entry->getArguments().drop_front(parameters);
  b.setInsertionPointToStart(entry);
  SmallVector<Value> arguments(entry->getArguments().take_front(parameters));
  if (hasScratch)
    arguments.push_back(extra[6]);
  ValueRange grid = ValueRange(extra).slice(2, 3);
  scf::ForOp loop = buildProgramLoop(extra[0], extra[1], grid);
  loop->setAttr("blockdsl.programs", b.getUnitAttr());
  func::ReturnOp::create(b);

  Block &body = kernel.getBody().front();
  body.getTerminator()->erase();
  for (auto [from, to] : llvm::zip_equal(body.getArguments(), arguments))
    from.replaceAllUsesWith(to);
  Block *programs = loop.getBody();
  programs->getOperations().splice(std::prev(programs->end()), body.getOperations());
  replaceProgramOps(loop, grid, extra[5]);
  pollInLoops(loop, extra[5]);
}

/// Builds the loop over linear ids. It carries x, y and z: x is incremented, and wrapping carries into y and z.
scf::ForOp KernelLaunch::buildProgramLoop(Value first, Value last, ValueRange grid) {
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  auto widened = [&](Value n) -> Value {
    // Avoids a division by zero for an empty grid, which is never launched.
    Value one = arith::ConstantIntOp::create(b, 1, 32);
    return arith::ExtUIOp::create(b, i64, arith::MaxUIOp::create(b, n, one));
  };
  Value gx = widened(grid[0]), gy = widened(grid[1]);
  Value rows = arith::DivUIOp::create(b, first, gx);
  auto narrowed = [&](Value n) -> Value { return arith::TruncIOp::create(b, i32, n); };
  Value x = narrowed(arith::RemUIOp::create(b, first, gx));
  Value y = narrowed(arith::RemUIOp::create(b, rows, gy));
  Value z = narrowed(arith::DivUIOp::create(b, rows, gy));
  Value one = arith::ConstantIntOp::create(b, 1, 64);
  return scf::ForOp::create(
      b, first, last, one, ValueRange{x, y, z}, [&](OpBuilder &, Location, Value, ValueRange ids) {
        Value one32 = arith::ConstantIntOp::create(b, 1, 32), zero = arith::ConstantIntOp::create(b, 0, 32);
        auto next = [&](Value id, Value increment, Value limit) {
          Value sum = arith::AddIOp::create(b, id, increment);
          Value wraps = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, sum, limit);
          return std::pair<Value, Value>(arith::SelectOp::create(b, wraps, zero, sum),
                                         arith::ExtUIOp::create(b, i32, wraps));
        };
        auto [nextX, carryX] = next(ids[0], one32, grid[0]);
        auto [nextY, carryY] = next(ids[1], carryX, grid[1]);
        Value nextZ = arith::AddIOp::create(b, ids[2], carryY);
        scf::YieldOp::create(b, ValueRange{nextX, nextY, nextZ});
      });
}

/// Hoists a buffer of constant size to the entry block: in the loop it would allocate new stack for each program.
void KernelLaunch::hoistBuffer(Operation *buffer) {
  Block &entry = inner.getBody().front();
  if (auto alloca = dyn_cast<memref::AllocaOp>(buffer)) {
    if (alloca->getNumOperands() != 0)
      return;
    alloca.setAlignment(bufferAlignment);
    alloca->moveBefore(&entry, entry.begin());
    return;
  }
  auto alloca = cast<LLVM::AllocaOp>(buffer);
  IntegerAttr size;
  if (!matchPattern(alloca.getArraySize(), m_Constant(&size)))
    return;
  b.setInsertionPointToStart(&entry);
  Value count = LLVM::ConstantOp::create(b, alloca.getArraySize().getType(), size);
  alloca.getArraySizeMutable().assign(count);
  alloca.setAlignment(std::max<int64_t>(alloca.getAlignment().value_or(0), bufferAlignment));
  alloca->moveAfter(count.getDefiningOp());
  if (!alloca->hasAttr(zeroedAttribute))
    return;
  b.setInsertionPointAfter(alloca);
  Value bytes = LLVM::ConstantOp::create(b, b.getI64Type(), size.getInt() * 8);
  Value zero = LLVM::ConstantOp::create(b, b.getI8Type(), 0);
  LLVM::MemsetOp::create(b, alloca, zero, bytes, /*isVolatile=*/false);
}

/// Returns true if a loop may wait for a write of another program.
static bool readsOthers(scf::WhileOp loop) {
  return loop
      .walk([](Operation *op) {
        auto load = dyn_cast<LLVM::LoadOp>(op);
        bool isAtomic = isa<LLVM::AtomicRMWOp, LLVM::AtomicCmpXchgOp>(op) ||
                        (load && load.getOrdering() != LLVM::AtomicOrdering::not_atomic);
        return isAtomic || (load && load.getVolatile_()) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Inserts polls for interruption into the loops of the kernel's source, which may be long or infinite.
void KernelLaunch::pollInLoops(scf::ForOp programs, BlockArgument context) {
  SmallVector<std::pair<Block *, bool>> bodies;
  programs.getBody()->walk([&](Operation *op) {
    // Any `scf.while` is from the source or from StripMineScalarLoops, except for retries of atomic updates.
    if (auto loop = dyn_cast<scf::WhileOp>(op); loop && !loop->removeAttr(retryAttribute))
      bodies.push_back({loop.getAfterBody(), readsOthers(loop)});
    else if (op->hasAttr(sourceLoopAttribute))
      bodies.push_back({cast<scf::ForOp>(op).getBody(), false});
  });
  if (bodies.empty())
    return;
  auto module = inner->getParentOfType<ModuleOp>();
  DebugCalls calls(module, inner, context, {});
  // The context does not alias the kernel's tensors.
  inner.setArgAttr(context.getArgNumber(), "llvm.noalias", b.getUnitAttr());
  for (auto [body, waits] : bodies) {
    b.setInsertionPointToStart(body);
    b.setLoc(body->getParentOp()->getLoc());
    func::FuncOp poll = calls.declare(b, waits ? "blockdsl_poll_waiting" : "blockdsl_poll", context.getType());
    func::CallOp::create(b, poll, ValueRange{context});
  }
}

void KernelLaunch::replaceProgramOps(scf::ForOp loop, ValueRange grid, Value context) {
  ValueRange ids = loop.getRegionIterArgs();
  DebugCalls debug(kernel->getParentOfType<ModuleOp>(), inner, context, ids);
  SmallVector<Operation *> ops;
  loop.getBody()->walk([&](Operation *op) {
    if (isa<GetProgramIdOp, GetNumProgramsOp, AssertOp, PrintOp, memref::AllocaOp, LLVM::AllocaOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (isa<memref::AllocaOp, LLVM::AllocaOp>(op)) {
      hoistBuffer(op);
      continue;
    }
    if (auto id = dyn_cast<GetProgramIdOp>(op))
      id.replaceAllUsesWith(ids[static_cast<unsigned>(id.getAxis())]);
    else if (auto count = dyn_cast<GetNumProgramsOp>(op))
      count.replaceAllUsesWith(grid[static_cast<unsigned>(count.getAxis())]);
    else if (auto check = dyn_cast<AssertOp>(op))
      debug.lower(check);
    else
      debug.lower(cast<PrintOp>(op));
    op->erase();
  }
}

Value KernelLaunch::readSlot(Value slots, unsigned index, Type type) {
  Value slot = LLVM::GEPOp::create(b, pointer, b.getI64Type(), slots, ArrayRef<LLVM::GEPArg>{int32_t(index)});
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::LoadOp::create(b, type, slot);
  // Numbers are whole bytes at the start of the slot.
  unsigned width = type.getIntOrFloatBitWidth();
  if (isa<IntegerType>(type) && width % 8 != 0) {
    Value byte = LLVM::LoadOp::create(b, b.getI8Type(), slot);
    return arith::TruncIOp::create(b, type, byte);
  }
  if (width == 8 && isa<FloatType>(type)) {
    Value bits = LLVM::LoadOp::create(b, b.getI8Type(), slot);
    return arith::BitcastOp::create(b, type, bits);
  }
  return LLVM::LoadOp::create(b, type, slot);
}

void KernelLaunch::buildOuter(StringRef name) {
  b.setInsertionPointAfter(inner);
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  auto outer = func::FuncOp::create(b, name, b.getFunctionType({pointer, i64, i64, pointer}, {}));
  Block *entry = outer.addEntryBlock();
  b.setInsertionPointToStart(entry);
  Value slots = entry->getArgument(0);
  SmallVector<Value> operands;
  for (unsigned index = 0; index != parameters; ++index)
    operands.push_back(readSlot(slots, index, inner.getArgumentTypes()[index]));
  operands.append({entry->getArgument(1), entry->getArgument(2)});
  for (unsigned axis = 0; axis != 3; ++axis)
    operands.push_back(readSlot(slots, parameters + axis, i32));
  operands.push_back(readSlot(slots, parameters + 3, pointer));
  operands.push_back(entry->getArgument(3));
  func::CallOp::create(b, inner, operands);
  func::ReturnOp::create(b);
}

namespace {

struct ConvertLaunchABIPass : impl::ConvertLaunchABIBase<ConvertLaunchABIPass> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> kernels;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(kernelAttribute))
        kernels.push_back(function);
    for (func::FuncOp kernel : kernels) {
      if (failed(checkKernel(kernel)))
        return signalPassFailure();
      KernelLaunch(kernel).build();
    }
  }
};

} // namespace

} // namespace blockdsl
