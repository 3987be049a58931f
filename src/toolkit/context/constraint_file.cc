#include "toolkit/context/constraint_file.h"

#include "base/toml.h"

namespace helve::context {

Result<ConstraintFile> parse_constraints(std::string_view text, std::string name) {
  HELVE_ASSIGN(const TomlDocument document, parse_toml(text, std::move(name)));
  ConstraintFile file;
  file.name = document.name;
  return file;
}

std::span<const ConstraintFile> built_in_constraints() { return {}; }

const ConstraintFile* find_constraints(const GraphFacts& /*facts*/,
                                       std::span<const ConstraintFile> own) {
  return own.empty() ? nullptr : own.data();
}

}  // namespace helve::context
