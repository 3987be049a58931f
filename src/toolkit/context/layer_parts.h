// LayerParts: the parts of a layer, each with a share of the room by its weight. What a part does
// not need goes to those after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

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

}  // namespace helve::context
