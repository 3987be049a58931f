// Groups of strings with a common prefix are sorted by the eight bytes behind it, held as an
// integer; runs of equal integers become groups of their own.
#include "sources/store/string_sort.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/paced_check.h"

namespace helve::store {

namespace {

constexpr std::size_t kSmallGroup = 12;
// A prefix is followed this far at a time: two strings that share megabytes must not be compared
// over and over while others still leave their group.
constexpr std::size_t kPrefixStep = 256;

struct Group {
  std::size_t first;
  std::size_t last;
  std::size_t depth;  // bytes that all strings of the group are known to share
};

struct Item {
  std::uint64_t key;
  std::uint32_t index;
};

// Eight bytes from `depth` on, most significant first; bytes behind the end count as zero.
std::uint64_t key_at(std::string_view text, std::size_t depth) {
  std::uint64_t key = 0;
  const std::size_t left = text.size() - std::min(text.size(), depth);
  if (left >= sizeof key) {
    std::memcpy(&key, text.data() + depth, sizeof key);
  } else if (left > 0) {
    std::memcpy(&key, text.data() + depth, left);
  }
  if constexpr (std::endian::native == std::endian::little) key = __builtin_bswap64(key);
  return key;
}

std::size_t shared_length(std::string_view a, std::string_view b, std::size_t from) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t at = from;
  while (at + 8 <= most && std::memcmp(a.data() + at, b.data() + at, 8) == 0) at += 8;
  while (at < most && a[at] == b[at]) ++at;
  return at;
}

class StringSorter {
 public:
  StringSorter(std::vector<SortString>& strings, const OpContext& context)
      : strings_(strings), check_(context) {}

  Result<void> run() {
    pending_.push_back({0, strings_.size(), 0});
    while (!pending_.empty()) {
      const Group group = pending_.back();
      pending_.pop_back();
      HELVE_TRY(check_.add(0, group.last - group.first));
      sort_group(group);
    }
    return {};
  }

 private:
  void sort_group(const Group& group) {
    const std::size_t size = group.last - group.first;
    const auto first = strings_.begin() + static_cast<std::ptrdiff_t>(group.first);
    if (size <= kSmallGroup) {
      sort_directly(group);
      return;
    }
    const std::size_t depth = common_prefix(group);
    items_.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      items_[i] = {key_at(first[static_cast<std::ptrdiff_t>(i)].text, depth),
                   static_cast<std::uint32_t>(i)};
    }
    std::sort(items_.begin(), items_.end(),
              [](const Item& a, const Item& b) { return a.key < b.key; });
    sorted_.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      sorted_[i] = first[static_cast<std::ptrdiff_t>(items_[i].index)];
    }
    std::copy(sorted_.begin(), sorted_.end(), first);
    for (std::size_t run = 0; run < size;) {
      std::size_t end = run + 1;
      while (end < size && items_[end].key == items_[run].key) ++end;
      if (end - run > 1) split_run({group.first + run, group.first + end, depth});
      run = end;
    }
  }

  // Strings with equal keys: those that end within the key come first, ordered by length, since a
  // zero byte and no byte give the same key.
  void split_run(const Group& run) {
    const auto first = strings_.begin() + static_cast<std::ptrdiff_t>(run.first);
    const auto last = strings_.begin() + static_cast<std::ptrdiff_t>(run.last);
    const std::size_t key_end = run.depth + sizeof(std::uint64_t);
    const auto longer =
        std::partition(first, last, [&](const SortString& s) { return s.text.size() <= key_end; });
    std::sort(first, longer, [](const SortString& a, const SortString& b) {
      return a.text.size() != b.text.size() ? a.text.size() < b.text.size() : a.tie < b.tie;
    });
    if (last - longer > 1) {
      pending_.push_back({static_cast<std::size_t>(longer - strings_.begin()), run.last, key_end});
    }
  }

  void sort_directly(const Group& group) {
    const std::size_t depth = group.depth;
    std::sort(strings_.begin() + static_cast<std::ptrdiff_t>(group.first),
              strings_.begin() + static_cast<std::ptrdiff_t>(group.last),
              [depth](const SortString& a, const SortString& b) {
                const int order = a.text.substr(depth).compare(b.text.substr(depth));
                return order != 0 ? order < 0 : a.tie < b.tie;
              });
  }

  std::size_t common_prefix(const Group& group) const {
    const std::string_view head = strings_[group.first].text;
    std::size_t shared = std::min(head.size(), group.depth + kPrefixStep);
    for (std::size_t i = group.first + 1; i < group.last && shared > group.depth; ++i) {
      shared =
          std::min(shared, shared_length(head.substr(0, shared), strings_[i].text, group.depth));
    }
    return shared;
  }

  std::vector<SortString>& strings_;
  PacedCheck check_;
  std::vector<Group> pending_;
  std::vector<Item> items_;
  std::vector<SortString> sorted_;
};

}  // namespace

Result<void> sort_strings(std::vector<SortString>& strings, const OpContext& context) {
  return StringSorter(strings, context).run();
}

}  // namespace helve::store
