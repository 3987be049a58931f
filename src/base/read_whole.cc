#include "base/read_whole.h"

#include <fmt/format.h>

#include <array>

#include "base/limits.h"
#include "base/text.h"

namespace helve {

Result<std::string> read_whole(ByteSource& source, std::string_view name, std::size_t bytes_max) {
  std::string text;
  std::array<char, 64 * kKiB> piece;
  while (true) {
    HELVE_ASSIGN(const std::size_t count, source.read(piece));
    if (count == 0) return text;
    if (count > bytes_max - text.size()) {
      return Error{ErrorCode::LimitExceeded,
                   fmt::format("{} is longer than {}", name, format_bytes(bytes_max))};
    }
    text.append(piece.data(), count);
  }
}

}  // namespace helve
