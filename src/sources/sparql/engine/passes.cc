#include "sources/sparql/engine/passes.h"

namespace helve::sparql {

namespace {

struct PassText {
  std::string_view name;
  std::string_view description;
};

// By Pass.
constexpr std::array<PassText, kPasses> kTexts = {{
    {"fold-constants", "compute expressions without variables once"},
    {"push-filters", "ask conditions as early as their variables are bound"},
    {"order-joins", "order joins by cost instead of as written"},
    {"characteristic-sets", "estimate stars from the sets of predicates that subjects have"},
    {"sampling", "estimate joins by looking some of them up"},
    {"batch-joins", "look many rows up at once"},
    {"leapfrog", "intersect where several patterns meet in one variable"},
    {"semi-joins", "run EXISTS and MINUS as joins"},
    {"sideways", "pass bound values into OPTIONAL, EXISTS, MINUS and the ends of paths"},
    {"prune-columns", "drop columns that nothing above needs"},
    {"counts-from-index", "take numbers that the indexes know from them"},
    {"push-limits", "stop parts of a plan as soon as LIMIT allows"},
    {"top-k", "keep only the first rows where ORDER BY has a LIMIT"},
    {"sorted-groups", "group and make distinct by the order of an index"},
    {"batch-filters", "ask conditions for many rows at once, on ids where that suffices"},
    {"regex-prefilter", "look for a literal of a regular expression first"},
    {"parallel", "use several cores for one query"},
}};

}  // namespace

std::string_view name_of(Pass pass) { return kTexts[static_cast<std::size_t>(pass)].name; }

std::string_view describe(Pass pass) { return kTexts[static_cast<std::size_t>(pass)].description; }

std::optional<Pass> find_pass(std::string_view name) {
  for (std::size_t i = 0; i < kPasses; ++i) {
    if (kTexts[i].name == name) return static_cast<Pass>(i);
  }
  return std::nullopt;
}

std::string pass_names() {
  std::string names;
  for (const PassText& text : kTexts) {
    if (!names.empty()) names += ", ";
    names += text.name;
  }
  return names;
}

}  // namespace helve::sparql
