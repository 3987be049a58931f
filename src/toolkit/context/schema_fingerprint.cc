#include "toolkit/context/schema_fingerprint.h"

#include <fmt/format.h>

#include <set>

#include "base/ascii.h"
#include "base/digest.h"

namespace helve::context {

namespace {

std::string word_of(const std::set<std::string>& names) {
  constexpr std::size_t kDigits = 16;
  return digest_hex(DigestKind::Sha256, fmt::format("{}", fmt::join(names, "\n")))
      .substr(0, kDigits);
}

}  // namespace

std::string schema_fingerprint(const GraphSchema& schema) {
  if (!schema.is_complete) return {};
  std::set<std::string> names;
  for (const ClassInfo& one : schema.classes) names.insert("class " + one.iri);
  for (const PropertyInfo& one : schema.properties) names.insert("property " + one.iri);
  return word_of(names);
}

std::string schema_fingerprint(const TableFacts& facts) {
  if (!facts.catalogue->is_complete) return {};
  std::set<std::string> names;
  for (const TableInfo& table : facts.catalogue->tables) {
    for (const ColumnInfo& column : table.columns) {
      names.insert(ascii_lower(
          fmt::format("{}.{}.{} {}", table.schema, table.name, column.name, column.type)));
    }
  }
  return word_of(names);
}

}  // namespace helve::context
