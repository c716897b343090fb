# Compilers go through ccache where it is installed: a second clone, or a clean build, compiles only what is new.
find_program(ROOFLINE_CCACHE ccache)
if(ROOFLINE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths below the source folder count as relative, so that a clone elsewhere finds the same entries.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_PCH_EXTSUM=1 ${ROOFLINE_CCACHE})
endif()
