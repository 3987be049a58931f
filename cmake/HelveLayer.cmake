# helve_register_tests(PROGRAM LABEL)
#
# Tells CTest of each test in a program. Under sanitizers, of the program as a whole: a sanitized
# process starts slowly, and there are thousands of tests.
function(helve_register_tests program label)
  if(HELVE_SANITIZE)
    add_test(NAME ${program} COMMAND ${program} --gtest_brief=1)
    set_tests_properties(${program} PROPERTIES TIMEOUT 1200 LABELS ${label})
  else()
    gtest_discover_tests(${program} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300 LABELS ${label})
  endif()
endfunction()

# helve_layer(NAME [LINK targets ...] [PRIVATE_LINK targets ...] [TEST_LINK targets ...])
#
# A folder is a layer: makes the static library helve_NAME from every .cc of the current folder and,
# with HELVE_TESTS, the program NAME_test from its *_test.cc. PRIVATE_LINK names the third-party
# libraries whose types stay inside this layer, TEST_LINK what its tests need beside it.
function(helve_layer name)
  cmake_parse_arguments(ARG "" "" "LINK;PRIVATE_LINK;TEST_LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cc)
  file(GLOB tests CONFIGURE_DEPENDS *_test.cc)
  list(REMOVE_ITEM sources ${tests})
  add_library(helve_${name} STATIC ${sources})
  target_include_directories(helve_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(helve_${name} PUBLIC ${ARG_LINK} PRIVATE ${ARG_PRIVATE_LINK})
  if(HELVE_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE helve_${name} helve_test_support GTest::gtest_main
                                               GTest::gmock ${ARG_PRIVATE_LINK} ${ARG_TEST_LINK})
    # The code of the tests themselves runs once: optimising it takes longer than it saves.
    if(CMAKE_BUILD_TYPE STREQUAL "Debug")
      target_compile_options(${name}_test PRIVATE -O0)
    endif()
    helve_register_tests(${name}_test unit)
  endif()
endfunction()
