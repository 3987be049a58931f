// The CPython that guests run on: its program, and the files that it has to read.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace helve::sandbox {

struct Interpreter {
  std::filesystem::path program;              // no link, and an ELF file
  std::filesystem::path loader;               // the dynamic loader that it names; may be empty
  std::filesystem::path library;              // lib/python3.11
  std::vector<std::filesystem::path> shared;  // files and folders of shared libraries
};

// `wished` may be empty: then /usr/bin/python3, /usr/local/bin/python3 and what PATH has, the first
// that is one. NotFound where there is none; InvalidInput where `wished` is none.
Result<Interpreter> find_interpreter(const std::filesystem::path& wished);

// For guests of another user: all can pass to it and read it. Denied names what is closed.
Result<void> check_open_to_all(const Interpreter& interpreter);

}  // namespace helve::sandbox
