#include "toolkit/learning/fingerprint.h"

#include <fmt/format.h>

#include <set>

#include "base/ascii.h"
#include "base/digest.h"

namespace helve::learning {

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

std::string schema_fingerprint(const Catalogue& catalogue) {
  if (!catalogue.is_complete) return {};
  std::set<std::string> names;
  for (const TableInfo& table : catalogue.tables) {
    for (const ColumnInfo& column : table.columns) {
      names.insert(ascii_lower(
          fmt::format("{}.{}.{} {}", table.schema, table.name, column.name, column.type)));
    }
  }
  return word_of(names);
}

Result<std::string> schema_fingerprint(const GraphSource& source, const OpContext& context) {
  HELVE_ASSIGN(const auto schema, source.schema(context));
  return schema_fingerprint(*schema);
}

Result<std::string> schema_fingerprint(const TableSource& source, const OpContext& context) {
  HELVE_ASSIGN(const auto catalogue, source.catalogue(context));
  return schema_fingerprint(*catalogue);
}

}  // namespace helve::learning
