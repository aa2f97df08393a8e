# Compiler flags that all of Trireme shares.
add_compile_options(-fPIC -Wall -Wextra -Wno-unused-parameter)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # One precompiled header serves all libraries; ccache needs its stamp gone.
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
endif()
add_link_options(-fuse-ld=lld)

find_program(TRIREME_CCACHE ccache)
if(TRIREME_CCACHE)
  set(TRIREME_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      ${TRIREME_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${TRIREME_LAUNCHER})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TRIREME_LAUNCHER})
endif()
