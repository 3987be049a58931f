#include "surfaces/mcp/server/request_state.h"

#include <fmt/format.h>

#include <charconv>

#include "base/digest.h"

namespace helve::mcp {

namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kSealedMax = 64 * kKiB;

std::int64_t seconds_of(WallTime time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

std::string to_hex(std::string_view bytes) {
  std::string out;
  out.reserve(2 * bytes.size());
  for (const char byte : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return out;
}

std::optional<std::string> from_hex(std::string_view digits) {
  if (digits.size() % 2 != 0) return std::nullopt;
  std::string out;
  out.reserve(digits.size() / 2);
  for (std::size_t at = 0; at < digits.size(); at += 2) {
    unsigned value = 0;
    const char* end = digits.data() + at + 2;
    if (std::from_chars(digits.data() + at, end, value, 16).ptr != end) return std::nullopt;
    out += static_cast<char>(value);
  }
  return out;
}

Error refused(std::string why) {
  return {ErrorCode::Denied, "requestState " + std::move(why), "make the call anew, without it"};
}

}  // namespace

RequestStates::RequestStates(std::string key, Duration valid_for, Env& env)
    : key_(key.empty() ? env.random().hex(kKeyBytes) : std::move(key)),
      valid_for_(valid_for),
      env_(env) {}

std::string RequestStates::signature(const StateScope& scope, std::string_view body) const {
  // Lengths keep the parts apart.
  return hmac_sha256_hex(key_, fmt::format("{}:{}{}:{}{}", scope.principal.size(), scope.principal,
                                           scope.call.size(), scope.call, body));
}

std::string RequestStates::seal(const StateScope& scope, std::string_view state) const {
  const auto until =
      seconds_of(env_.clock().wall() + std::chrono::duration_cast<WallTime::duration>(valid_for_));
  // A state is never the same twice, so that a round can be told from the one before.
  const std::string body = fmt::format("{}.{}.{}", until, env_.random().hex(8), to_hex(state));
  return fmt::format("{}.{}", body, signature(scope, body));
}

Result<std::string> RequestStates::open(const StateScope& scope, std::string_view sealed) const {
  if (sealed.size() > kSealedMax) return refused("is too long");
  const std::size_t last = sealed.rfind('.');
  if (last == std::string_view::npos) return refused("was not made here");
  const std::string_view body = sealed.substr(0, last);
  if (!is_equal_secret(signature(scope, body), sealed.substr(last + 1))) {
    return refused("was changed, or belongs to another call");
  }
  std::int64_t until = 0;
  std::from_chars(body.data(), body.data() + body.size(), until);
  if (seconds_of(env_.clock().wall()) > until) return refused("is too old");
  auto state = from_hex(body.substr(body.rfind('.') + 1));
  if (!state) return refused("was not made here");
  return *std::move(state);
}

}  // namespace helve::mcp
