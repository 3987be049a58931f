// The table behind error_from_errno.
#include "base/errno_error.h"

#include <fmt/core.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace helve {

namespace {

struct Verdict {
  ErrorCode code;
  std::string_view hint;
};

Verdict judge(int errno_value) {
  switch (errno_value) {
    case ENOENT:
    case ENOTDIR:
      return {ErrorCode::NotFound, "check the spelling of the path"};
    case EACCES:
    case EPERM:
      return {ErrorCode::Denied, "check the permissions of the file and its folders"};
    case EROFS:
      return {ErrorCode::Denied, "write to another place: the file system is read-only"};
    case EISDIR:
      return {ErrorCode::InvalidInput, "name a file, not a directory"};
    case EEXIST:
      return {ErrorCode::InvalidInput, "remove the existing file or choose another name"};
    case ENOTEMPTY:
      return {ErrorCode::InvalidInput, "remove what the directory holds first"};
    case ENAMETOOLONG:
    case ELOOP:
    case EINVAL:
      return {ErrorCode::InvalidInput, "check the path"};
    case ENOSPC:
    case EDQUOT:
      return {ErrorCode::Unavailable, "free some space or write to another disk"};
    case EMFILE:
    case ENFILE:
      return {ErrorCode::Unavailable, "close other files or raise the limit on open files"};
    case EPIPE:
      return {ErrorCode::Unavailable, "the reader at the other end has gone"};
    default:
      return {ErrorCode::Unavailable, ""};
  }
}

}  // namespace

Error error_from_errno(int errno_value, std::string_view action, std::string_view subject) {
  const auto [code, hint] = judge(errno_value);
  return Error{code,
               fmt::format("cannot {} '{}': {}", action, subject,
                           std::error_code(errno_value, std::generic_category()).message()),
               std::string(hint)};
}

}  // namespace helve
