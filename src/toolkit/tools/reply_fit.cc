#include "toolkit/tools/reply_fit.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace helve::toolkit {

namespace {

class Fitting {
 public:
  Fitting(const ReplySheet& sheet, std::span<const ReplyLine> lines, std::size_t separator,
          std::size_t room, PrefixUse& prefixes)
      : sheet_(sheet), lines_(lines), separator_(separator), room_(room), prefixes_(prefixes) {}

  // Characters of these lines, no further than beyond the room.
  std::size_t chars(std::span<const std::size_t> chosen, std::size_t share) {
    const std::size_t before = prefixes_.size();
    std::size_t total = 0;
    for (const std::size_t index : chosen) {
      total += chars_of(lines_[index], share);
      if (total > room_) break;
    }
    prefixes_.shrink(before);
    return total;
  }

  std::vector<std::size_t> choose(std::size_t share, FitMode mode) {
    const std::size_t before = prefixes_.size();
    std::vector<std::size_t> chosen;
    std::size_t total = 0;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const std::size_t used = prefixes_.size();
      const std::size_t chars = chars_of(lines_[i], share);
      if (chars <= room_ - total) {
        total += chars;
        chosen.push_back(i);
        continue;
      }
      prefixes_.shrink(used);
      if (mode == FitMode::Leading) break;
    }
    prefixes_.shrink(before);
    return chosen;
  }

  // The largest share with which the chosen fit. REQUIRES: they do with `least`.
  std::size_t widen(std::span<const std::size_t> chosen, std::size_t least) {
    std::size_t most = std::max(least, room_);
    while (least < most) {
      const std::size_t middle = least + (most - least + 1) / 2;
      if (chars(chosen, middle) <= room_) {
        least = middle;
      } else {
        most = middle - 1;
      }
    }
    return least;
  }

  void commit(Fit& fit) {
    for (const std::size_t index : fit.chosen) fit.chars += chars_of(lines_[index], fit.share);
  }

 private:
  std::size_t chars_of(const ReplyLine& line, std::size_t share) {
    return sheet_.chars(line, share) + separator_ +
           prefixes_.add(sheet_.prefixes_of(line, buffer_));
  }

  const ReplySheet& sheet_;
  std::span<const ReplyLine> lines_;
  std::size_t separator_;
  std::size_t room_;
  PrefixUse& prefixes_;
  std::vector<const Prefix*> buffer_;
};

}  // namespace

std::size_t PrefixUse::add(std::span<const Prefix* const> prefixes) {
  std::size_t cost = 0;
  for (const Prefix* prefix : prefixes) {
    if (std::find(used_.begin(), used_.end(), prefix) != used_.end()) continue;
    if (used_.empty()) cost += 15;  // "prefixes":{}, or a line of its own
    used_.push_back(prefix);
    // "ex":"http://example.org/", or ex: <http://example.org/>
    cost += 6 + shown_chars(prefix->name, Spelling::Plain, form_, kWhole) +
            shown_chars(prefix->iri, Spelling::Plain, form_, kWhole);
  }
  return cost;
}

Fit fit_lines(const ReplySheet& sheet, std::span<const ReplyLine> lines, std::size_t separator,
              std::size_t room, FitMode mode, std::size_t share_min, PrefixUse& prefixes) {
  constexpr std::array<std::size_t, 5> kShares = {kFairShare, 60, 40, 24, kLeastShare};
  Fitting fitting(sheet, lines, separator, room, prefixes);
  Fit fit;
  fit.chosen.resize(lines.size());
  std::iota(fit.chosen.begin(), fit.chosen.end(), std::size_t{0});
  if (fitting.chars(fit.chosen, kWhole) > room) {
    for (const std::size_t share : kShares) {
      if (share > share_min) continue;
      fit.share = share;
      fit.chosen = fitting.choose(share, mode);
      if (!fit.chosen.empty()) break;
    }
    fit.share = fitting.widen(fit.chosen, fit.share);
  }
  fitting.commit(fit);
  return fit;
}

std::vector<std::size_t> divide_room(std::size_t room, std::span<const std::size_t> wanted) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  std::vector<std::size_t> shares(wanted.size());
  std::size_t parts = wanted.size();
  for (const std::size_t index : order) {
    shares[index] = std::min(wanted[index], room / parts);
    room -= shares[index];
    --parts;
  }
  return shares;
}

}  // namespace helve::toolkit
