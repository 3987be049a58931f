# Compiler and linker settings shared by every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

find_program(HELVE_CCACHE ccache)
if(HELVE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${HELVE_CCACHE})
endif()

add_compile_options(-Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
                    -Wno-missing-field-initializers)
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

# Groups of sources fill the compiler's heap; collected from 128 MB on, as it is by default, they take a twelfth longer.
# Not where sources stand alone: clang-tidy reads those commands, and does not know the option.
if(HELVE_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(--param=ggc-min-heapsize=600000)
endif()

if(HELVE_LTO)
  set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
endif()

find_program(HELVE_MOLD mold)
if(HELVE_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
