#include <helve/helve.h>

#include <iostream>

namespace api = helve::api;

int fail(const api::Error& error) {
  std::cerr << error.to_string() << "\n";
  return static_cast<int>(error.code);
}

int main() {
  const auto source = api::connect("sample:");  // or a file, or an index folder
  if (!source) return fail(source.error());
  const auto tools = api::get_tools(*source);
  if (!tools) return fail(tools.error());

  // For a model: by name, JSON in, text and JSON of bounded length out.
  const api::Reply found = tools->call("sparql_find", R"({"pattern": "dwarf planet", "limit": 1})");
  std::cout << found.text << "\n\n";

  // For a program: terms. All rows stay behind the handle, for more calls.
  const auto moons = api::query(*tools, R"(SELECT ?planet (COUNT(?moon) AS ?moons) {
      ?planet a/rdfs:subClassOf* sol:Planet . ?moon sol:orbits ?planet
    } GROUP BY ?planet ORDER BY DESC(?moons) LIMIT 2)");
  if (!moons) return fail(moons.error());
  for (const api::Row& row : moons->rows) {
    std::cout << row[0]->value << " has " << row[1]->value << " moons\n";
  }
  std::cout << moons->handle << " holds " << moons->rows_stored << " rows\n";
}
