#include "agent/llm/text_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/read_whole.h"
#include "base/redaction.h"

namespace helve::llm {

namespace {

constexpr std::size_t kKeyCharsMax = 4'096;

Result<std::string> follow(std::string_view reference, Env& env) {
  if (!is_reference(reference)) {
    return Error{ErrorCode::InvalidInput, "a key is named, not written out",
                 "put it into an environment variable and write env:NAME, or into a file that only "
                 "you may read and write file:PATH"};
  }
  if (reference.starts_with("env:")) {
    const std::string name(reference.substr(4));
    std::string value = variable(name.c_str());
    if (value.empty()) {
      return Error{ErrorCode::NotFound, fmt::format("the environment variable {} is not set", name),
                   "set it to the key of the model"};
    }
    return value;
  }
  return read_text_file(reference.substr(5), 2 * kKeyCharsMax, env);
}

Result<std::string> read_secret(std::string_view reference, char least, std::string_view what,
                                Env& env) {
  HELVE_ASSIGN(std::string secret, follow(reference, env));
  constexpr std::string_view kBlank = " \t\r\n";
  secret.erase(0, std::min(secret.find_first_not_of(kBlank), secret.size()));
  secret.erase(secret.find_last_not_of(kBlank) + 1);
  const bool is_plain = std::all_of(secret.begin(), secret.end(),
                                    [least](char c) { return c >= least && c < '\x7f'; });
  if (secret.empty() || secret.size() > kKeyCharsMax || !is_plain) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("what {} gives is no {} of 1 to {} ASCII characters", reference, what,
                             kKeyCharsMax),
                 "look at what is stored there"};
  }
  register_secret(secret);
  return secret;
}

}  // namespace

Result<std::string> read_text_file(const std::filesystem::path& path, std::size_t bytes_max,
                                   Env& env) {
  HELVE_ASSIGN(const FileStatus status, env.files().status(path));
  if (status.kind != FileKind::Regular) {  // a pipe would be waited for
    return Error{ErrorCode::InvalidInput, fmt::format("{} is no file", path.string())};
  }
  HELVE_ASSIGN(const auto source, env.files().open_read(path));
  return read_whole(*source, path.string(), bytes_max);
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool is_reference(std::string_view text) {
  return (text.starts_with("env:") && text.size() > 4) ||
         (text.starts_with("file:") && text.size() > 5);
}

Result<std::string> read_key(std::string_view reference, Env& env) {
  return read_secret(reference, '!', "key: one word", env);
}

Result<std::string> read_header_value(std::string_view reference, Env& env) {
  HELVE_ASSIGN(std::string value, read_secret(reference, ' ', "value of a header: one line", env));
  // Behind "Bearer" it is a secret too where it stands alone.
  const std::size_t blank = value.rfind(' ');
  if (blank != std::string::npos) register_secret(std::string_view(value).substr(blank + 1));
  return value;
}

}  // namespace helve::llm
