# Compiler and linker settings shared by every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# The same for libraries and programs, so that they can share precompiled headers.
add_compile_options(-fPIC -pthread)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
# Sources are compiled in groups, which read the headers that they share once.
set(CMAKE_UNITY_BUILD ${HELVE_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 24)

# Messages name files relative to the repository, and objects are the same in every clone.
add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)

find_program(HELVE_CCACHE ccache)
if(HELVE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PROJECT_SOURCE_DIR}/scripts/cached_compile.sh)
endif()

if(HELVE_PCH AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(HELVE_PCH OFF)
endif()

add_compile_options(-Wall -Wextra -Wconversion -Wno-sign-conversion -Wno-missing-field-initializers)
# In a group a local name may hide one of another file; clang-tidy reads each file alone.
if(NOT HELVE_UNITY)
  add_compile_options(-Wshadow)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wshadow=local)
endif()
if(HELVE_WERROR)
  add_compile_options(-Werror)
endif()

# Portable baselines: a binary built on one machine runs on every machine of that architecture.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|amd64|AMD64")
  add_compile_options(-march=x86-64-v2)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  add_compile_options(-march=armv8-a)
endif()

if(HELVE_SANITIZE)
  add_compile_options(-fsanitize=${HELVE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${HELVE_SANITIZE})
endif()

# GCC takes a source in a group for a header, where types should not contain those of anonymous
# namespaces; and what it finds uninitialized depends on what it inlines, and so on the group.
if(HELVE_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wno-subobject-linkage -Wno-maybe-uninitialized -Wno-restrict)
endif()

find_program(HELVE_MOLD mold)
if(HELVE_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
