// The one sink for secrets: what goes to logs, errors, audit files and trajectories passes through
// redact(). Here are the secrets that this process was given; secret_positions.h knows where others
// stand, secret_shapes.h the forms of well-known tokens.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace helve {

// What takes the place of a secret.
inline constexpr std::string_view kRedacted = "[redacted]";

// The same in data: no longer than any secret that is taken out of it.
inline constexpr std::string_view kRedactedInData = "[secret]";

// Shorter secrets cannot be told from other texts and are not looked for.
inline constexpr std::size_t kKnownSecretMin = 4;
// Shorter ones are left in data, where they may be ordinary words.
inline constexpr std::size_t kSecretInDataMin = 8;

// A password, key or token that the process was given: from now on it goes out in no encoding
// (plain, percent, hexadecimal, base64 wherever it stands in the encoded text, or escaped for JSON,
// XML or SQL). One that is an ordinary word or a short number ("customer", "1234") is taken out
// plainly only where a secret is to be expected: otherwise tables and columns of that name could
// not be told of, and what is missing would tell it. It is known for the life of the process.
// Thread-safe; the same one again costs little.
void register_secret(std::string_view secret);

// For words of ours and of servers: without known secrets, tokens of well-known forms, what stands
// behind names as password or api_key ("password=...", "\"token\": ..."; references as env:NAME
// stay), and passwords in addresses. Linear. Thread-safe.
std::string redact(std::string_view text);

// For data that goes out: without known secrets of kSecretInDataMin characters at least. Changes
// nothing and costs little where there are none. Thread-safe.
void redact_known(std::string& text);

}  // namespace helve
