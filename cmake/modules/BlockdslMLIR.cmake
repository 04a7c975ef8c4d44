# Finds MLIR and LLVM 22, and lists the archives to link.
#
# Debian's CMake targets link the shared libLLVM, which users may not have, so the static archives are listed here. lld
# resolves archives in any order and only reads the index of unused ones, so additional names have no cost.
find_package(MLIR 22.1 REQUIRED CONFIG PATHS /usr/lib/llvm-22)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

set(BLOCKDSL_MLIR_ARCHIVES
  AffineAnalysis AffineDialect AffineToStandard AffineTransforms AffineUtils AMXDialect AMXTransforms Analysis
  ArithAttrToLLVMConversion ArithDialect ArithToLLVM ArithTransforms ArithUtils ArithValueBoundsOpInterfaceImpl
  ArmNeonDialect ArmNeonToLLVMIRTranslation ArmNeonTransforms ArmSVEDialect ArmSVETransforms AsmParser
  BufferizationDialect BufferizationPipelines BufferizationTransforms BuiltinToLLVMIRTranslation BytecodeOpInterface
  BytecodeReader BytecodeWriter CallInterfaces CastInterfaces ComplexDialect ComplexDivisionConversion ComplexToLLVM
  ControlFlowDialect ControlFlowInterfaces ControlFlowToLLVM ControlFlowToSCF ControlFlowTransforms
  ConvertToLLVMInterface ConvertToLLVMPass DataLayoutInterfaces Debug DestinationStyleOpInterface Dialect DialectUtils
  DLTIDialect FuncDialect FuncInlinerExtension FunctionInterfaces FuncToLLVM FuncTransforms GPUDialect GPUUtils
  IndexDialect IndexingMapOpInterface IndexToLLVM InferIntRangeCommon InferIntRangeInterface
  InferStridedMetadataInterface InferTypeOpInterface IR IRDL LinalgDialect LinalgToStandard LinalgTransforms
  LinalgUtils LLVMCommonConversion LLVMDialect LLVMIRToLLVMTranslation LLVMIRTransforms LLVMToLLVMIRTranslation
  LoopLikeInterface LspServerLib LspServerSupportLib MaskableOpInterface MaskingOpInterface MathDialect MathToFuncs
  MathToLibm MathToLLVM MathTransforms MemOpInterfaces MemorySlotInterfaces MemRefDialect MemRefToLLVM
  MemRefTransforms MemRefUtils NVGPUDialect NVVMDialect Observers OpenACCMPCommon OpenMPDialect OptLib
  ParallelCombiningOpInterface Parser Pass PDLDialect PDLInterpDialect PDLToPDLInterp PluginsLib Presburger
  PtrMemorySpaceInterfaces QuantDialect QuantUtils ReconcileUnrealizedCasts RemarkStreamer Rewrite RewritePDL
  RuntimeVerifiableOpInterface SCFDialect SCFToControlFlow SCFTransforms SCFUtils ShapedOpInterfaces ShardDialect
  ShardingInterface ShardTransforms SideEffectInterfaces SparseTensorDialect SubsetOpInterface Support
  TargetLLVMIRExport TensorDialect TensorInferTypeOpInterfaceImpl TensorTilingInterfaceImpl TensorToLinalg
  TensorTransforms TensorUtils TilingInterface TosaDialect TosaShardingInterfaceImpl Transforms TransformUtils
  TranslateLib UBDialect UBToLLVM ValueBoundsOpInterface VectorDialect VectorInterfaces VectorToLLVM VectorToLLVMPass
  VectorToSCF VectorTransforms VectorUtils ViewLikeInterface X86VectorDialect X86VectorTransforms X86VectorUtils)

set(BLOCKDSL_LLVM_ARCHIVES
  Analysis AsmParser BinaryFormat BitReader BitstreamReader BitWriter Core Demangle FrontendAtomic FrontendDirective
  FrontendOffloading FrontendOpenMP IRReader MC Object Option ProfileData Remarks Support SupportLSP TableGen
  TargetParser TextAPI TransformUtils)

add_library(blockdsl_mlir INTERFACE)
target_include_directories(blockdsl_mlir SYSTEM INTERFACE ${CMAKE_SYSROOT}${MLIR_INCLUDE_DIRS} ${CMAKE_SYSROOT}${LLVM_INCLUDE_DIRS})
foreach(name IN LISTS BLOCKDSL_MLIR_ARCHIVES)
  target_link_libraries(blockdsl_mlir INTERFACE ${CMAKE_SYSROOT}${LLVM_LIBRARY_DIRS}/libMLIR${name}.a)
endforeach()
foreach(name IN LISTS BLOCKDSL_LLVM_ARCHIVES)
  target_link_libraries(blockdsl_mlir INTERFACE ${CMAKE_SYSROOT}${LLVM_LIBRARY_DIRS}/libLLVM${name}.a)
endforeach()

# Dependencies of LLVMSupport. Debian usually installs the shared library of zstd without its development files.
find_library(BLOCKDSL_ZSTD NAMES zstd libzstd.so.1 REQUIRED)
find_package(Threads REQUIRED)
target_link_libraries(blockdsl_mlir INTERFACE ZLIB::ZLIB ${BLOCKDSL_ZSTD} Threads::Threads ${CMAKE_DL_LIBS} m)
