# Precompiled headers of the standard library and of third parties, one set for all targets that are compiled with the
# same options. Ours are not among them: they change, and a missing include would not show. An include of the standard
# library that is missing is found by .ci/includes.
#
#   precompiled(computing TARGET...)   rooms that compute: optimised as the build type says
#   precompiled(talking TARGET...)     rooms that read and write text, or wait: -O1 takes half the time to compile
#   precompiled(tests TARGET...)       test programs: -O0, with GoogleTest
#   precompiled(runtime TARGET...)     the drop-in libcudart: -O1, its symbols hidden, without sanitizers
set(PRECOMPILED_STANDARD <algorithm> <array> <chrono> <cmath> <cstdint> <cstdio> <cstring> <filesystem> <fstream> <functional>
  <map> <memory> <mutex> <optional> <ranges> <set> <span> <sstream> <stdexcept> <string> <string_view> <thread> <utility>
  <unordered_map> <variant> <vector>)

# The target that the group's header is compiled for. A compiler takes it only where the options are the same.
function(precompiled_owner group options)
  set(owner precompiled_${group})
  set(headers ${PRECOMPILED_STANDARD})
  set(source ${CMAKE_BINARY_DIR}/${owner}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// Generated: its headers are what is wanted.\n")
  add_library(${owner} OBJECT ${source})
  target_compile_options(${owner} PRIVATE ${options})
  target_link_libraries(${owner} PRIVATE roofline_warnings)
  if("${group}" STREQUAL "talking")
    list(APPEND headers <nlohmann/json.hpp>)
  elseif("${group}" STREQUAL "runtime")
    set_target_properties(${owner} PROPERTIES CXX_VISIBILITY_PRESET hidden)
  elseif("${group}" STREQUAL "tests")  # programs, not libraries: GCC refuses a precompiled header of the other kind
    list(APPEND headers <nlohmann/json.hpp> <gtest/gtest.h>)
    set_target_properties(${owner} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${owner} PRIVATE -fPIE)
    target_link_libraries(${owner} PRIVATE GTest::gtest_main)
  endif()
  target_precompile_headers(${owner} PRIVATE ${headers})
  # It is made anew in each clone, while ccache knows it by this sum: a clone elsewhere finds the same entries.
  set_target_properties(${owner} PROPERTIES CXX_COMPILER_LAUNCHER "")
  string(SHA256 sum "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_BUILD_TYPE} ${CMAKE_CXX_FLAGS} ${options} ${headers} ${GTest_VERSION}")
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${owner}.dir/cmake_pch.hxx.gch.sum CONTENT "${sum}\n")
endfunction()

function(precompiled group)
  set(options "")
  if("${group}" STREQUAL "talking")
    set(options -O1)
  elseif("${group}" STREQUAL "tests")
    set(options -O0)
  elseif("${group}" STREQUAL "runtime")
    set(options -O1 -fno-sanitize=all)
  endif()
  foreach(target ${ARGN})
    target_compile_options(${target} PRIVATE ${options})
    joined(${target})
  endforeach()
  if(CMAKE_DISABLE_PRECOMPILE_HEADERS)
    return()
  endif()
  if(NOT TARGET precompiled_${group})
    precompiled_owner(${group} "${options}")
  endif()
  foreach(target ${ARGN})
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
      # The first is for ccache. With the others GCC 12 reports std::string in more ways than those in warnings.cmake.
      target_compile_options(${target} PRIVATE -fpch-preprocess -Wno-array-bounds -Wno-stringop-overread)
    endif()
    target_precompile_headers(${target} REUSE_FROM precompiled_${group})
  endforeach()
endfunction()
