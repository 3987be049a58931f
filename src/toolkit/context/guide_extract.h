// L3, the guide: the part of a longer guide that fits, cut at a sentence.
#pragma once

#include <cstddef>
#include <string_view>

#include "toolkit/context/guide.h"
#include "toolkit/context/layer_text.h"

namespace helve::context {

inline constexpr std::size_t kGuideChars = 1'000;

// Sections that share words with the task before the others, rare words before common ones; in the
// order of the guide. Code is whole or not there. Without a task: from the beginning on.
LayerText pack_guide(const Guide& guide, std::string_view task, std::size_t budget = kGuideChars);

}  // namespace helve::context
