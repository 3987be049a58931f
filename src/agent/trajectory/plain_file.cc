#include "agent/trajectory/plain_file.h"

#include <fmt/format.h>

#include <system_error>

namespace helve::agent {

Result<void> check_readable_file(const std::filesystem::path& path, std::string_view option,
                                 Env& env) {
  const auto status = env.files().status(path);
  if (!status || status->kind == FileKind::Regular) return {};
  std::error_code failure;
  if (std::filesystem::is_character_file(path, failure)) return {};
  const bool is_folder = status->kind == FileKind::Directory;
  return Error{ErrorCode::InvalidInput,
               fmt::format("{} '{}' is {}", option, path.string(),
                           is_folder ? "a folder" : "a pipe, a socket or a block device"),
               is_folder ? "name a file in it" : "name a regular file: others may hang for ever"};
}

Result<void> check_writable_file(const std::filesystem::path& path, std::string_view option,
                                 Env& env) {
  if (path == "-") {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("{} - would mix with the answer on standard output", option),
                 fmt::format("name a file; a file named so is {} ./-", option)};
  }
  return check_readable_file(path, option, env);
}

}  // namespace helve::agent
