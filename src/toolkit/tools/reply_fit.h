// What of the lines of a sheet fits into a number of characters. Neighbour of reply_sheet.h.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "toolkit/tools/reply_sheet.h"

namespace helve::toolkit {

// The prefixes that the chosen lines use, and what listing them costs.
class PrefixUse {
 public:
  explicit PrefixUse(ReplyForm form) : form_(form) {}

  // Characters that using these costs in addition.
  std::size_t add(std::span<const Prefix* const> prefixes);
  std::span<const Prefix* const> used() const { return used_; }
  // For trying: back to that many.
  std::size_t size() const { return used_.size(); }
  void shrink(std::size_t size) { used_.resize(size); }

 private:
  ReplyForm form_;
  std::vector<const Prefix*> used_;
};

enum class FitMode : std::uint8_t {
  Leading,  // lines from the first on, without gaps
  Any,      // a line that is too long is passed over
};

struct Fit {
  std::vector<std::size_t> chosen;  // lines, ascending
  std::size_t share = kWhole;       // of each of their cells
  std::size_t chars = 0;            // of them with their separators and new prefixes
};

// Chooses lines and the share of their cells: everything whole if that fits; else as many lines as
// fit with `share_min` for each cell (less, if not even one does), and then the largest share they
// fit with. Each line costs `separator` characters more. The prefixes of the chosen are then in
// use.
Fit fit_lines(const ReplySheet& sheet, std::span<const ReplyLine> lines, std::size_t separator,
              std::size_t room, FitMode mode, std::size_t share_min, PrefixUse& prefixes);

// Shares of `room` for parts that would like so much each: small ones get all they want, the others
// equally much.
std::vector<std::size_t> divide_room(std::size_t room, std::span<const std::size_t> wanted);

}  // namespace helve::toolkit
