#include "base/unicode_case.h"

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/stringpiece.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/ascii.h"
#include "base/check.h"

namespace helve {

namespace {

using Mapper = void (*)(const char* locale, std::uint32_t options, icu::StringPiece source,
                        icu::ByteSink& sink, icu::Edits* edits, UErrorCode& error);

// ICU counts in 32 bits and grows a text at most threefold; Limits keep literals far below that.
std::string map(std::string_view text, Mapper mapper) {
  HELVE_CHECK(text.size() <= std::numeric_limits<std::int32_t>::max() / 4);
  std::string mapped;
  icu::StringByteSink<std::string> sink(&mapped, static_cast<std::int32_t>(text.size()));
  UErrorCode error = U_ZERO_ERROR;
  mapper("", 0, {text.data(), static_cast<std::int32_t>(text.size())}, sink, nullptr, error);
  HELVE_CHECK(U_SUCCESS(error));
  return mapped;
}

}  // namespace

std::string to_upper_case(std::string_view text) {
  if (!is_ascii(text)) return map(text, &icu::CaseMap::utf8ToUpper);
  return ascii_upper(text);
}

std::string to_lower_case(std::string_view text) {
  if (!is_ascii(text)) return map(text, &icu::CaseMap::utf8ToLower);
  return ascii_lower(text);
}

}  // namespace helve
