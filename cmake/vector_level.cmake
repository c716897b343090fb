# `native` among ROOFLINE_LEVELS becomes the level of the processor that builds.
if("native" IN_LIST ROOFLINE_LEVELS)
  try_run(runs compiles ${CMAKE_BINARY_DIR}/vector_level ${CMAKE_CURRENT_LIST_DIR}/vector_level.cpp
    CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${CMAKE_SOURCE_DIR}/common" RUN_OUTPUT_VARIABLE level)
  string(STRIP "${level}" level)
  if(NOT compiles OR NOT runs EQUAL 0 OR NOT level MATCHES "^(v[234]|armv8)$")
    message(FATAL_ERROR "The simulated GPU needs a processor of x86-64-v2 (SSE 4.2) or later, or of Armv8-A (aarch64).")
  endif()
  list(TRANSFORM ROOFLINE_LEVELS REPLACE "^native$" ${level})
  list(REMOVE_DUPLICATES ROOFLINE_LEVELS)
endif()
