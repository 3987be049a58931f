// What `helve reflect --json` prints.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/reflect/reflection.h"
#include "agent/reflect/rerun.h"

namespace helve::cli {

struct ReflectReport {
  memory::Item item;  // as it was drafted and reviewed
  std::vector<agent::SimilarItem> similar;
  agent::StoredDraft stored;
  std::optional<std::pair<agent::Rerun, agent::Rerun>> reruns;  // without the item, and with it
};

std::string reflect_json(const ReflectReport& report);

}  // namespace helve::cli
