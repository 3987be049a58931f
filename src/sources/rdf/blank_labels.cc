#include "sources/rdf/blank_labels.h"

#include <fmt/format.h>

#include <iterator>

namespace helve::rdf {

namespace {

constexpr std::string_view kMadeUp = "genid";

bool looks_made_up(std::string_view label) {
  const std::size_t start = label.find_first_not_of('u');
  return start != std::string_view::npos && label.substr(start).starts_with(kMadeUp);
}

}  // namespace

void BlankLabels::append_written(std::string& out, std::string_view label) const {
  out += prefix_;
  if (looks_made_up(label)) out += 'u';
  out += label;
}

void BlankLabels::append_fresh(std::string& out) {
  fmt::format_to(std::back_inserter(out), "{}{}{}", prefix_, kMadeUp, ++made_);
}

}  // namespace helve::rdf
