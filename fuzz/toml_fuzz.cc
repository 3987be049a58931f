// Any bytes as TOML: a value with a place for every key, or an error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/toml.h"

namespace {

using namespace helve;

void check_places(const TomlDocument& document, const std::string& pointer,
                  const JsonValue& value) {
  if (const auto* members = value.if_object()) {
    for (const JsonMember& member : *members) {
      const std::string inner = json_pointer(pointer, member.key);
      HELVE_CHECK(document.places.contains(inner));
      check_places(document, inner, member.value);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto document = parse_toml(text, "fuzz.toml");
  if (document) {
    check_places(*document, "", document->root);
  } else {
    HELVE_CHECK(document.error().code == ErrorCode::InvalidInput ||
                document.error().code == ErrorCode::LimitExceeded);
  }
  return 0;
}
