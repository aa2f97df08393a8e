# Finds Debian's LLVM and MLIR 22 by llvm-config and declares the helpers with
# which lib/ is built.
find_program(LLVM_CONFIG NAMES llvm-config-22 llvm-config REQUIRED)
execute_process(COMMAND ${LLVM_CONFIG} --prefix OUTPUT_VARIABLE LLVM_PREFIX
                OUTPUT_STRIP_TRAILING_WHITESPACE)
find_package(MLIR REQUIRED CONFIG PATHS ${LLVM_PREFIX}/lib/cmake/mlir
             NO_DEFAULT_PATH)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
include_directories(${CMAKE_SOURCE_DIR}/include) # for tablegen
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})

set(TRIREME_MLIR_INCLUDES ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})

# Every library of the compiler reuses this target's precompiled header.
file(WRITE ${CMAKE_BINARY_DIR}/trireme_pch.cpp "")
add_library(trireme_pch OBJECT ${CMAKE_BINARY_DIR}/trireme_pch.cpp)
target_include_directories(trireme_pch SYSTEM PRIVATE ${TRIREME_MLIR_INCLUDES})
target_precompile_headers(trireme_pch PRIVATE
  ${CMAKE_SOURCE_DIR}/cmake/Precompiled.h)

# trireme_library(NAME SOURCES... USES LIBRARIES... DEPENDS TABLEGEN TARGETS...)
function(trireme_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/include
                             ${CMAKE_BINARY_DIR}/include)
  target_include_directories(${name} SYSTEM PRIVATE ${TRIREME_MLIR_INCLUDES})
  target_precompile_headers(${name} REUSE_FROM trireme_pch)
  target_link_libraries(${name} PUBLIC ${ARG_USES} MLIR LLVM)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# trireme_tool(NAME SOURCES... USES LIBRARIES...)
function(trireme_tool name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/include
                             ${CMAKE_BINARY_DIR}/include)
  target_include_directories(${name} SYSTEM PRIVATE ${TRIREME_MLIR_INCLUDES})
  target_precompile_headers(${name} REUSE_FROM trireme_pch)
  target_link_libraries(${name} PRIVATE ${ARG_USES} MLIR LLVM)
endfunction()
