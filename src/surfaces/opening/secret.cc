#include "surfaces/opening/secret.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/redaction.h"
#include "surfaces/opening/policy_file.h"

namespace helve::opening {

namespace {

constexpr std::size_t kCharsMin = 16;
constexpr std::size_t kCharsMax = 4'096;

Result<std::string> find_variable(const std::string& name, const Environment& environment) {
  const char* const value = name.empty() ? nullptr : environment(name.c_str());
  if (value == nullptr || *value == '\0') {
    return Error{ErrorCode::NotFound,
                 fmt::format("the environment variable {} is not set", name.empty() ? "''" : name),
                 "set it first"};
  }
  return std::string(value);
}

// Without blanks around it.
Result<std::string> follow(std::string_view reference, const std::filesystem::path& folder,
                           Env& env, const Environment& environment) {
  if (!is_secret_reference(reference)) {
    return Error{ErrorCode::InvalidInput, "a secret is named, not written out",
                 "put it into an environment variable and write \"env:NAME\", or into a file that "
                 "only you may read and write \"file:PATH\""};
  }
  std::string secret;
  if (reference.starts_with("env:")) {
    HELVE_ASSIGN(secret, find_variable(std::string(reference.substr(4)), environment));
  } else {
    const std::filesystem::path path = reference.substr(5);
    HELVE_ASSIGN(secret, read_small_file(folder / path, env, 2 * kCharsMax));
  }
  constexpr std::string_view kBlank = " \t\r\n";
  secret.erase(0, std::min(secret.find_first_not_of(kBlank), secret.size()));
  secret.erase(secret.find_last_not_of(kBlank) + 1);
  return secret;
}

}  // namespace

bool is_secret_reference(std::string_view text) {
  return (text.starts_with("env:") && text.size() > 4) ||
         (text.starts_with("file:") && text.size() > 5);
}

Result<std::string> read_credential(std::string_view reference, const std::filesystem::path& folder,
                                    Env& env, const Environment& environment) {
  HELVE_ASSIGN(std::string secret, follow(reference, folder, env, environment));
  const bool is_line = std::none_of(secret.begin(), secret.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
  });
  if (secret.empty() || secret.size() > kCharsMax || !is_line) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("what {} gives is no credential: one line of 1 to {} characters is",
                             reference, kCharsMax)};
  }
  register_secret(secret);
  return secret;
}

Result<std::string> read_secret(std::string_view reference, const std::filesystem::path& folder,
                                Env& env, const Environment& environment) {
  HELVE_ASSIGN(std::string secret, follow(reference, folder, env, environment));
  if (secret.size() < kCharsMin || secret.size() > kCharsMax) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("what {} gives has {} characters: {} to {} are wanted", reference,
                             secret.size(), kCharsMin, kCharsMax),
                 "make one: openssl rand -hex 32"};
  }
  const bool is_plain =
      std::all_of(secret.begin(), secret.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  if (!is_plain) {
    return Error{
        ErrorCode::InvalidInput,
        fmt::format("what {} gives has blanks or characters beyond ASCII in it", reference),
        "make one: openssl rand -hex 32"};
  }
  register_secret(secret);
  return secret;
}

}  // namespace helve::opening
