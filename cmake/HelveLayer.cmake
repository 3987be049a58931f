# helve_register_tests(PROGRAM LABEL [SHARDS n] [TIMED pattern...])
#
# CTest runs a test program once: a process for each test would take longer to start than to run. A
# program that takes more than a minute is run as SHARDS processes, each with a part of the tests.
# TIMED names the tests that need real time, such as deadlines and cancellation (patterns of
# --gtest_filter): they are PROGRAM_timed, which runs alone, after everything else.
function(helve_register_tests program label)
  cmake_parse_arguments(ARG "" "SHARDS" "TIMED" ${ARGN})
  if(NOT ARG_SHARDS)
    set(ARG_SHARDS 1)
  endif()
  list(JOIN ARG_TIMED ":" timed)
  foreach(shard RANGE 1 ${ARG_SHARDS})
    set(name ${program})
    if(ARG_SHARDS GREATER 1)
      set(name ${program}_${shard})
    endif()
    math(EXPR index "${shard} - 1")
    add_test(NAME ${name} COMMAND ${program} --gtest_brief=1 "--gtest_filter=*-${timed}")
    set_tests_properties(${name} PROPERTIES TIMEOUT 600 LABELS ${label}
                         ENVIRONMENT "GTEST_TOTAL_SHARDS=${ARG_SHARDS};GTEST_SHARD_INDEX=${index}")
  endforeach()
  if(timed)
    add_test(NAME ${program}_timed COMMAND ${program} --gtest_brief=1 "--gtest_filter=${timed}")
    set_tests_properties(${program}_timed PROPERTIES TIMEOUT 600 LABELS "${label};timed" RUN_SERIAL TRUE)
  endif()
endfunction()

# helve_embed_text(TARGET FILE HEADER FUNCTION): puts the text of a file into TARGET, where FUNCTION returns it (declared
# in HEADER). A '-' in the name of the function becomes '_'.
function(helve_embed_text target file header function)
  string(REPLACE "-" "_" function ${function})
  string(REGEX REPLACE ".*::" "" name ${function})
  get_filename_component(file ${file} ABSOLUTE)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}_text.cc)
  set(script ${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake)
  add_custom_command(
    OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${file} -DOUTPUT=${source} -DHEADER=${header} -DFUNCTION=${function} -P ${script}
    DEPENDS ${file} ${script}
    VERBATIM)
  target_sources(${target} PRIVATE ${source})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/src)
endfunction()

# helve_layer(NAME [LINK targets ...] [PRIVATE_LINK targets ...] [TEST_LINK targets ...] [TEST_SHARDS n]
#             [TEST_TIMED pattern ...])
#
# A folder is a layer: makes the static library helve_NAME from every .cc of the current folder and,
# with HELVE_TESTS, the program NAME_test from its *_test.cc. PRIVATE_LINK names the third-party
# libraries whose types stay inside this layer, TEST_LINK what its tests need beside it. TEST_SHARDS and
# TEST_TIMED are those of helve_register_tests.
function(helve_layer name)
  cmake_parse_arguments(ARG "" "TEST_SHARDS" "LINK;PRIVATE_LINK;TEST_LINK;TEST_TIMED" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cc)
  file(GLOB tests CONFIGURE_DEPENDS *_test.cc)
  list(REMOVE_ITEM sources ${tests})
  add_library(helve_${name} STATIC ${sources})
  target_include_directories(helve_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(helve_${name} PUBLIC ${ARG_LINK} PRIVATE ${ARG_PRIVATE_LINK})
  if(HELVE_LAYER_IS_FAST)
    helve_use_precompiled(helve_${name} helve_pch_fast)
    helve_link_first(helve_${name})
  else()
    helve_use_precompiled(helve_${name} helve_pch)
  endif()
  if(HELVE_TESTS AND tests)
    add_executable(${name}_test ${tests})
    # One group: matchers and their printers are instantiated once.
    set_target_properties(${name}_test PROPERTIES UNITY_BUILD_BATCH_SIZE 48)
    target_link_libraries(${name}_test PRIVATE helve_${name} helve_test_support GTest::gtest_main
                                               GTest::gmock ${ARG_PRIVATE_LINK} ${ARG_TEST_LINK})
    # The code of the tests themselves runs once: optimizing it takes longer than it saves.
    if(CMAKE_BUILD_TYPE STREQUAL "Debug")
      target_compile_options(${name}_test PRIVATE -O0)
    endif()
    helve_use_precompiled(${name}_test helve_pch_test)
    helve_register_tests(${name}_test unit SHARDS ${ARG_TEST_SHARDS} TIMED ${ARG_TEST_TIMED})
  endif()
endfunction()
