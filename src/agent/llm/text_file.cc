#include "agent/llm/text_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/redaction.h"
#include "base/text.h"

namespace helve::llm {

namespace {

constexpr std::size_t kKeyCharsMax = 4'096;

Result<std::string> follow(std::string_view reference, Env& env) {
  if (reference.starts_with("env:") && reference.size() > 4) {
    const std::string name(reference.substr(4));
    std::string value = variable(name.c_str());
    if (value.empty()) {
      return Error{ErrorCode::NotFound, fmt::format("the environment variable {} is not set", name),
                   "set it to the key of the model"};
    }
    return value;
  }
  if (reference.starts_with("file:") && reference.size() > 5) {
    return read_text_file(reference.substr(5), 2 * kKeyCharsMax, env);
  }
  return Error{ErrorCode::InvalidInput, "a key is named, not written out",
               "put it into an environment variable and write env:NAME, or into a file that only "
               "you may read and write file:PATH"};
}

}  // namespace

Result<std::string> read_text_file(const std::filesystem::path& path, std::size_t bytes_max,
                                   Env& env) {
  HELVE_ASSIGN(const FileStatus status, env.files().status(path));
  if (status.kind != FileKind::Regular) {  // a pipe would be waited for
    return Error{ErrorCode::InvalidInput, fmt::format("{} is no file", path.string())};
  }
  HELVE_ASSIGN(const auto source, env.files().open_read(path));
  std::string text;
  std::string piece(64 * kKiB, '\0');
  while (true) {
    HELVE_ASSIGN(const std::size_t count, source->read(piece));
    if (count == 0) return text;
    if (count > bytes_max - text.size()) {
      return Error{ErrorCode::LimitExceeded,
                   fmt::format("{} is longer than {}", path.string(), format_bytes(bytes_max))};
    }
    text.append(piece, 0, count);
  }
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

Result<std::string> read_key(std::string_view reference, Env& env) {
  HELVE_ASSIGN(std::string key, follow(reference, env));
  constexpr std::string_view kBlank = " \t\r\n";
  key.erase(0, std::min(key.find_first_not_of(kBlank), key.size()));
  key.erase(key.find_last_not_of(kBlank) + 1);
  const bool is_line =
      std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  if (key.empty() || key.size() > kKeyCharsMax || !is_line) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("what {} gives is no key: one word of 1 to {} ASCII characters is",
                             reference, kKeyCharsMax)};
  }
  register_secret(key);
  return key;
}

}  // namespace helve::llm
