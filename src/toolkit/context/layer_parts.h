// LayerParts: the parts of a layer, each with a share of the room by its weight. What a part does
// not need goes to those after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "toolkit/context/layer_text.h"

namespace helve::context {

class LayerParts {
 public:
  // `add` is given the characters that it may take.
  using Add = std::function<void(std::size_t)>;

  void add(std::size_t weight, bool is_there, Add part) {
    if (is_there) parts_.emplace_back(weight, std::move(part));
  }

  void fill(LayerBuilder& builder) const {
    std::size_t weights = 0;
    for (const auto& [weight, part] : parts_) weights += weight;
    for (const auto& [weight, part] : parts_) {
      builder.set_share(SIZE_MAX);
      const std::size_t share = builder.room() * weight / weights;
      builder.set_share(share);
      part(share);
      weights -= weight;
    }
    builder.set_share(SIZE_MAX);
  }

 private:
  std::vector<std::pair<std::size_t, Add>> parts_;
};

// LayerBuilder::add_list of what `show` makes of the items, of which there are `total`. No more
// words are made than may fit.
template <typename List, typename Show>
bool add_shown(LayerBuilder& builder, std::string_view part, std::string_view head,
               const List& list, std::size_t total, const Show& show) {
  std::vector<std::string> words;
  std::size_t chars = utf8_length(head);
  for (const auto& one : list) {
    if (chars > builder.room()) break;
    words.push_back(show(one));
    chars += utf8_length(words.back());
  }
  return builder.add_list(part, head, words, total);
}

}  // namespace helve::context
