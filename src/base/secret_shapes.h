// Texts that look like secrets: keys and tokens of well-known forms, wherever they stand. Logs and
// audit files hold them in no form; replies say that they are there.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace helve {

struct SecretPlace {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// The first at or behind `from`. Linear. What has no form of its own (a password) is not found.
std::optional<SecretPlace> find_secret(std::string_view text, std::size_t from = 0);

// With "[redacted]" in the place of each.
std::string without_secrets(std::string_view text);

}  // namespace helve
