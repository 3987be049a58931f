// Terminal: what an output stream can show (colours, width) and how text is styled on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace helve::cli {

enum class ColorChoice : std::uint8_t { Auto, Always, Never };

enum class Style : std::uint8_t { Plain, Bold, Dim, Error, Warning, Good, Accent };

// Colours on a terminal only, and not where NO_COLOR is set or TERM is dumb.
class Terminal {
 public:
  static Terminal of(int fd, ColorChoice choice);
  // No terminal: no colours, this width.
  static Terminal plain(std::size_t width) { return {false, false, width, kHeightUnknown}; }

  bool is_interactive() const { return is_interactive_; }
  std::size_t width() const { return width_; }    // 80 when unknown; at least 40
  std::size_t height() const { return height_; }  // 24 when unknown

  // REQUIRES: the text is harmless (escape_for_terminal).
  std::string styled(Style style, std::string_view text) const;

 private:
  static constexpr std::size_t kHeightUnknown = 24;

  Terminal(bool is_interactive, bool has_colors, std::size_t width, std::size_t height)
      : is_interactive_(is_interactive), has_colors_(has_colors), width_(width), height_(height) {}

  bool is_interactive_;
  bool has_colors_;
  std::size_t width_;
  std::size_t height_;
};

}  // namespace helve::cli
