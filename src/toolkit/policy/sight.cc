// What a policy hides: sight_of(), hides_graphs(), allows_source().
#include <algorithm>
#include <optional>

#include "toolkit/policy/policy.h"

namespace helve::toolkit {

namespace {

// Each name with its length: no name can be taken for two, or for the key behind it.
void add(std::string& text, char key, std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  text += key;
  for (const std::string& name : names) {
    text += std::to_string(name.size());
    text += ':';
    text += name;
  }
}

using Allowed = std::optional<std::vector<std::string>>;
void add_allowed(std::string& text, char key, const Allowed& names) {
  if (names) add(text, key, *names);
}

void add_some(std::string& text, char key, const std::vector<std::string>& names) {
  if (!names.empty()) add(text, key, names);
}

}  // namespace

std::string sight_of(const Policy& policy) {
  std::string text;
  add_allowed(text, 'g', policy.allowed_graphs);
  add_some(text, 'G', policy.denied_graphs);
  add_allowed(text, 't', policy.allowed_tables);
  add_some(text, 'T', policy.denied_tables);
  add_allowed(text, 'c', policy.allowed_columns);
  add_some(text, 'C', policy.denied_columns);
  add_some(text, 'e', policy.allowed_endpoints);
  add_some(text, 'E', policy.denied_endpoints);
  add_allowed(text, 'p', policy.allowed_paths);
  add_allowed(text, 's', policy.allowed_sources);
  return text;
}

bool hides_graphs(const Policy& policy) {
  return policy.allowed_graphs.has_value() || !policy.denied_graphs.empty();
}

bool allows_source(const Policy& policy, std::string_view name) {
  return !policy.allowed_sources ||
         std::find(policy.allowed_sources->begin(), policy.allowed_sources->end(), name) !=
             policy.allowed_sources->end();
}

}  // namespace helve::toolkit
