# Tests that are slow and rarely break carry the label `slow`: `./lab test` leaves them out, `./lab test --all` runs them
# and CI, too. Of each kind one stays.
#
#   discover_tests(TARGET TIMEOUT [TEST...])   the tests of a GoogleTest program; those that are named are slow
include_guard()
include(GoogleTest)
function(discover_tests target timeout)
  set(common DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT ${timeout})
  if(ARGN)
    list(JOIN ARGN ":" slow)
    gtest_discover_tests(${target} TEST_FILTER "-${slow}" ${common})
    gtest_discover_tests(${target} TEST_FILTER "${slow}" ${common} LABELS slow)
  else()
    gtest_discover_tests(${target} ${common})
  endif()
endfunction()
