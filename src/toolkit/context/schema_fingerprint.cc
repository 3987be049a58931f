#include "toolkit/context/schema_fingerprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/digest.h"

namespace helve::context {

namespace {

constexpr std::size_t kDigits = 16;

std::string digest_of(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  std::string text;
  for (const std::string& name : names) text += fmt::format("{}:{}\n", name.size(), name);
  return digest_hex(DigestKind::Sha256, text).substr(0, kDigits);
}

}  // namespace

std::string schema_fingerprint(const GraphSchema& schema) {
  if (!schema.is_complete) return {};
  std::vector<std::string> names;
  for (const ClassInfo& one : schema.classes) names.push_back("class " + one.iri);
  for (const PropertyInfo& one : schema.properties) names.push_back("property " + one.iri);
  return digest_of(std::move(names));
}

std::string schema_fingerprint(const TableFacts& facts) {
  if (!facts.catalogue->is_complete) return {};
  std::vector<std::string> names;
  for (const TableInfo& table : facts.catalogue->tables) {
    std::string name = fmt::format("table {}.{}", table.schema, table.name);
    for (const ColumnInfo& column : table.columns) {
      name += fmt::format("\n{}:{} {}", column.name.size(), column.name, column.type);
    }
    names.push_back(std::move(name));
  }
  return digest_of(std::move(names));
}

}  // namespace helve::context
