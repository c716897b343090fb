# A file X_test.cpp becomes the program PREFIXX_test. Where the sources of a folder are compiled together (cmake/joined.cmake), the
# files become one program, NAME, but those in the list `apart`: what a script calls by its name. Elsewhere NAME builds all of them.
#
#   test_programs(NAME TIMEOUT PREFIX FILE...)   after it the programs' names are in the list test_programs, and that of X_test.cpp
#                                                is in program_of_X_test
#
# Tests that are slow and rarely break carry the label `slow`: `./lab test` leaves them out, `./lab test --all` runs them and CI,
# too. Of each kind one stays. Those of X_test.cpp are in the list slow_X_test.
include_guard()
include(GoogleTest)
function(test_programs together timeout prefix)
  set(programs "")
  foreach(source ${ARGN})
    get_filename_component(name ${source} NAME_WE)
    if(ROOFLINE_JOINED AND NOT name IN_LIST apart)
      set(program ${together})
    else()
      set(program ${prefix}${name})
    endif()
    set(program_of_${name} ${program} PARENT_SCOPE)
    list(APPEND programs ${program})
    list(APPEND sources_${program} ${source})
    list(APPEND slow_of_${program} ${slow_${name}})
  endforeach()
  list(REMOVE_DUPLICATES programs)
  foreach(program ${programs})
    add_executable(${program} ${sources_${program}})
    target_link_libraries(${program} PRIVATE GTest::gtest_main)
    precompiled(tests ${program})
    list(JOIN slow_of_${program} ":" slow)
    set(common DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT ${timeout})
    if(slow)
      gtest_discover_tests(${program} TEST_FILTER "-${slow}" ${common})
      gtest_discover_tests(${program} TEST_FILTER "${slow}" ${common} LABELS slow)
    else()
      gtest_discover_tests(${program} ${common})
    endif()
  endforeach()
  if(NOT TARGET ${together})
    add_custom_target(${together} DEPENDS ${programs})
  endif()
  set(test_programs ${programs} PARENT_SCOPE)
endfunction()
