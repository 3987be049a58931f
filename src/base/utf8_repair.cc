#include "base/utf8_repair.h"

#include "base/utf8.h"

namespace helve {

std::string repaired_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t good = utf8_valid_prefix(text);
    out += text.substr(0, good);
    text.remove_prefix(good);
    if (text.empty()) break;
    append_utf8(out, 0xFFFD);
    text.remove_prefix(1);
  }
  return out;
}

}  // namespace helve
