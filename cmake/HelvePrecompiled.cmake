# Precompiled headers: the standard library, fmt and the headers that most sources read. A precompiled
# header works for one optimization level only, so there are three: helve_pch (as CMAKE_CXX_FLAGS say),
# helve_pch_fast (with -O1, for layers with HELVE_LAYER_IS_FAST) and helve_pch_test (with GoogleTest).
# Clang only: GCC's are ignored where a flag differs, and cannot be cached.
set(HELVE_COMMON_HEADERS
    <algorithm> <array> <atomic> <charconv> <chrono> <cstdint> <cstring> <deque> <filesystem>
    <functional> <limits> <map> <memory> <mutex> <optional> <set> <span> <string> <string_view>
    <thread> <tuple> <unordered_map> <utility> <variant> <vector> <fmt/format.h>
    ${PROJECT_SOURCE_DIR}/src/base/env.h ${PROJECT_SOURCE_DIR}/src/base/json.h
    ${PROJECT_SOURCE_DIR}/src/base/result.h ${PROJECT_SOURCE_DIR}/src/base/text.h)
# Nearly all sources above the engine read these too.
set(HELVE_SOURCE_HEADERS
    ${PROJECT_SOURCE_DIR}/src/sources/graph_source.h ${PROJECT_SOURCE_DIR}/src/sources/table_source.h)

# helve_add_precompiled(NAME [OPTIONS option...] [HEADERS header...] [LINK target...])
function(helve_add_precompiled name)
  cmake_parse_arguments(ARG "" "" "OPTIONS;HEADERS;LINK" ${ARGN})
  if(NOT HELVE_PCH)
    return()
  endif()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/pch/${name}.cc CONTENT "")  # written once
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/pch/${name}.cc)
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE fmt::fmt tl::expected ${ARG_LINK})
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${HELVE_COMMON_HEADERS} ${PROJECT_SOURCE_DIR}/cmake/common_templates.h
                            ${ARG_HEADERS})
endfunction()

# helve_common_templates: the functions that the precompiled headers declare as instantiated elsewhere.
if(HELVE_PCH)
  add_library(helve_common_templates STATIC ${PROJECT_SOURCE_DIR}/cmake/common_templates.cc)
  target_include_directories(helve_common_templates PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(helve_common_templates PRIVATE fmt::fmt tl::expected)
  target_compile_options(helve_common_templates PRIVATE -O2)
else()
  add_library(helve_common_templates INTERFACE)
endif()

# helve_use_precompiled(TARGET NAME)
function(helve_use_precompiled target name)
  if(TARGET ${name})
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()

# helve_link_first(LIBRARY): puts an optimized library before the objects of every program that links it. Of an inline
# function that many objects have, the linker takes the first, which else is that of a test without optimization.
function(helve_link_first library)
  target_link_options(${library} INTERFACE $<BUILD_INTERFACE:$<$<CONFIG:Debug>:$<TARGET_FILE:${library}>>>)
endfunction()

# helve_optimize(TARGET): compiles it with -O1 in a development build, for the few CPU-bound libraries
# outside of the layers with HELVE_LAYER_IS_FAST.
function(helve_optimize target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Debug>:SHELL:-O1>)  # SHELL: else an earlier -O1 removes it
  helve_use_precompiled(${target} helve_pch_fast)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL STATIC_LIBRARY)
    helve_link_first(${target})
  endif()
endfunction()
