#include <array>

#include "toolkit/diagnosis/diagnosis.h"

namespace helve::toolkit {

std::string_view name_of(EmptyCause cause) {
  constexpr std::array<std::string_view, 12> kNames = {
      "unknown_iri",        "no_match",     "reversed",      "literal_datatype",
      "literal_language",   "literal_case", "literal_space", "wrong_graph",
      "filter_removes_all", "empty_join",   "truly_empty",   "unknown"};
  return kNames.at(static_cast<std::size_t>(cause));
}

}  // namespace helve::toolkit
