# Wrapper functions for libraries, programs, and files that TableGen generates.

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(BLOCKDSL_CCACHE ccache)
if(BLOCKDSL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Cache entries do not depend on the path of the source tree.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${BLOCKDSL_CCACHE})
endif()

# RTTI is enabled, as in Debian's LLVM. Warnings of MLIR's headers are disabled.
add_library(blockdsl_options INTERFACE)
set(generated ${PROJECT_BINARY_DIR})
if(BLOCKDSL_LIBRARIES)
  set(generated ${BLOCKDSL_LIBRARIES})
endif()
target_include_directories(blockdsl_options INTERFACE ${PROJECT_SOURCE_DIR}/include ${generated}/include)
target_compile_definitions(blockdsl_options INTERFACE _GNU_SOURCE __STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS
                                                      __STDC_LIMIT_MACROS)
target_compile_options(blockdsl_options INTERFACE -ffunction-sections -fdata-sections -fno-semantic-interposition
                                                  -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # ccache needs precompiled headers without time stamps; instantiated templates in them speed up rebuilds.
  target_compile_options(blockdsl_options INTERFACE "SHELL:-Xclang -fno-pch-timestamp" -fpch-instantiate-templates)
endif()

find_program(BLOCKDSL_LLD NAMES ld.lld HINTS ${LLVM_TOOLS_BINARY_DIR} REQUIRED)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  set(BLOCKDSL_LLD_FLAG --ld-path=${BLOCKDSL_LLD})
else()
  set(BLOCKDSL_LLD_FLAG -fuse-ld=lld)
endif()
# --as-needed, because LLVMSupport refers to zlib and zstd in functions that are not called.
target_link_options(blockdsl_options INTERFACE ${BLOCKDSL_LLD_FLAG} -Wl,--gc-sections -Wl,--as-needed
                                               -Wl,--exclude-libs,ALL
                                               $<$<CONFIG:Release>:-Wl,-s>)
# lib/Dialect/TT/IR/ParserGuard.cpp checks text before MLIR's parser reads it.
target_link_options(blockdsl_options INTERFACE
  -Wl,--wrap=_ZN4mlir18parseAsmSourceFileERKN4llvm9SourceMgrEPNS_5BlockERKNS_12ParserConfigEPNS_14AsmParserStateEPNS_28AsmParserCodeCompleteContextE)

# blockdsl_require_own(name library...): rejects libraries other than the project's. A target of MLIR would link the
# shared libLLVM, which takes 15 ms to load; blockdsl_mlir has the static archives.
function(blockdsl_require_own name)
  foreach(library IN LISTS ARGN)
    if(NOT library MATCHES "^Blockdsl")
      message(FATAL_ERROR "${name}: LINK takes libraries of ours, named Blockdsl..., got ${library}; "
                          "what MLIR has is linked through blockdsl_mlir, see BlockdslMLIR.cmake")
    endif()
  endforeach()
endfunction()

# add_blockdsl_library(name source... [PCH header] [DEPENDS target...] [LINK library...])
# PCH: a header of the directory with the includes that all sources of the library need.
function(add_blockdsl_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PCH" "DEPENDS;LINK")
  blockdsl_require_own(${name} ${arg_LINK})
  add_library(${name} STATIC ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${arg_LINK} blockdsl_options blockdsl_mlir)
  # MLIR is compiled without exceptions; only the extension module throws.
  target_compile_options(${name} PRIVATE -fno-exceptions)
  if(arg_PCH)
    target_precompile_headers(${name} PRIVATE ${arg_PCH})
  endif()
  if(arg_DEPENDS)
    add_dependencies(${name} ${arg_DEPENDS})
  endif()
endfunction()

# add_blockdsl_program(name source... [LINK library...]): built into <build>/bin
function(add_blockdsl_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK")
  blockdsl_require_own(${name} ${arg_LINK})
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${arg_LINK} blockdsl_options blockdsl_mlir)
  target_compile_options(${name} PRIVATE -fno-exceptions)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endfunction()

# add_blockdsl_passes(target library): generates Passes.h.inc and a documentation page from Passes.td of this directory.
# `library` is the word in registerBlockdsl<library>Passes().
function(add_blockdsl_passes target library)
  set(LLVM_TARGET_DEFINITIONS Passes.td)
  mlir_tablegen(Passes.h.inc -gen-pass-decls -name Blockdsl${library})
  add_public_tablegen_target(${target})
  add_blockdsl_doc(${target}Doc Passes.td docs/passes/${library}.md -gen-pass-doc)
endfunction()

# add_blockdsl_doc(target file page arguments...): a page of docs/, written by `ninja blockdsl-doc`.
add_custom_target(blockdsl-doc)
function(add_blockdsl_doc target file page)
  get_filename_component(folder ${PROJECT_SOURCE_DIR}/${page} DIRECTORY)
  add_custom_target(${target}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND ${MLIR_TABLEGEN_EXE} ${ARGN} -I ${PROJECT_SOURCE_DIR}/include -I ${MLIR_INCLUDE_DIRS}
            ${CMAKE_CURRENT_SOURCE_DIR}/${file} -o ${PROJECT_SOURCE_DIR}/${page})
  add_dependencies(blockdsl-doc ${target})
endfunction()
