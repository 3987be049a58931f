#include "agent/learn/contrast.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "base/ascii.h"
#include "toolkit/context/known_terms.h"

namespace helve::agent {

namespace {

using learning::QueryPattern;

constexpr std::size_t kNamesMax = 8;

// Keywords that make two queries of the same names ask for other things.
constexpr std::array<std::string_view, 17> kShapes = {
    "DISTINCT", "OPTIONAL", "UNION",    "FILTER",    "MINUS",  "NOT EXISTS",
    "GROUP BY", "HAVING",   "ORDER BY", "LIMIT",     "COUNT",  "SUM",
    "AVG",      "MIN",      "MAX",      "LEFT JOIN", "SERVICE"};

bool is_letter_or_underscore(char c) { return is_letter(c) || c == '_'; }

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || (!is_letter_or_underscore(text[at - 1]) && text[at - 1] != '?');
    if (begins && (end == text.size() || !is_letter_or_underscore(text[end]))) return true;
  }
  return false;
}

using Names = std::set<std::string>;

Names names_of(const QueryPattern& pattern) {
  Names names;
  for (const auto* list : {&pattern.classes, &pattern.properties}) {
    for (const learning::SchemaName& name : *list) names.insert(name.shown);
  }
  return names;
}

// Whole names; labels stand beside what was asked for, or in its place.
Names named_by(const QueryPattern& pattern) {
  Names names;
  for (const auto* list : {&pattern.classes, &pattern.properties}) {
    for (const learning::SchemaName& name : *list) names.insert(name.name);
  }
  for (const std::string_view label : context::kLabelProperties) names.erase(std::string(label));
  return names;
}

Names shapes_of(const QueryPattern& pattern) {
  Names shapes;
  for (const std::string_view shape : kShapes) {
    if (has_word(pattern.text, shape)) shapes.emplace(shape);
  }
  // Behind a property, not in an expression.
  for (const std::string_view path : {"*", "+"}) {
    for (const auto& name : pattern.properties) {
      if (pattern.text.find(name.shown + std::string(path)) != std::string::npos) {
        shapes.insert("paths of any length");
      }
    }
  }
  return shapes;
}

// Of the first, without what any of the others has.
std::vector<std::string> of_first_alone(const Names& first, const std::vector<Names>& others) {
  std::vector<std::string> alone;
  for (const std::string& name : first) {
    const bool is_shared = std::any_of(others.begin(), others.end(),
                                       [&](const Names& other) { return other.contains(name); });
    if (!is_shared && alone.size() < kNamesMax) alone.push_back(name);
  }
  return alone;
}

std::vector<std::string> of_all_others(const Names& first, const std::vector<Names>& others) {
  std::vector<std::string> common;
  for (const std::string& name : others.front()) {
    const bool is_common = std::all_of(others.begin(), others.end(),
                                       [&](const Names& other) { return other.contains(name); });
    if (is_common && !first.contains(name) && common.size() < kNamesMax) common.push_back(name);
  }
  return common;
}

void say(std::string_view who, std::string_view what, const std::vector<std::string>& names,
         std::string& text) {
  if (!names.empty()) text += fmt::format("{} {}: {}.\n", who, what, fmt::join(names, ", "));
}

}  // namespace

bool has_same_names(const QueryPattern& right, const QueryPattern& other, bool may_lack) {
  const Names wanted = named_by(right);
  const Names used = named_by(other);
  const bool has_no_others = std::includes(wanted.begin(), wanted.end(), used.begin(), used.end());
  return has_no_others && !used.empty() && (may_lack || wanted.size() == used.size());
}

Contrast contrast_of(const QueryPattern& right, const std::vector<QueryPattern>& wrong) {
  std::vector<Names> names;
  std::vector<Names> shapes;
  for (const QueryPattern& one : wrong) {
    names.push_back(names_of(one));
    shapes.push_back(shapes_of(one));
  }
  return {of_first_alone(names_of(right), names), of_all_others(names_of(right), names),
          of_first_alone(shapes_of(right), shapes), of_all_others(shapes_of(right), shapes)};
}

std::string words_of(const Contrast& contrast) {
  std::string text;
  say("What was right had, and what was wrong lacked", "these names", contrast.names, text);
  say("What was right had, and what was wrong lacked", "this in its shape", contrast.shapes, text);
  say("What was wrong had instead", "these names", contrast.wrong_names, text);
  say("What was wrong had instead", "this in its shape", contrast.wrong_shapes, text);
  return text;
}

}  // namespace helve::agent
