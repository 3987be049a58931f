// Ref: what stands in a prompt for a thing that lives in a store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"

namespace helve::toolkit {

enum class HandleType : std::uint8_t {
  Results,
  Graph,
  Ontology,
  Text,
  Mem,
  Registry,
  ServiceDesc,
  Tasks,
  Trajectory,
};
std::string_view name_of(HandleType type);  // "results", "service_desc"
std::optional<HandleType> find_handle_type(std::string_view name);

struct Ref {
  static constexpr std::size_t kPreviewMax = 80;  // characters of prev

  std::string key;  // "results_0"
  HandleType dtype = HandleType::Results;
  std::uint64_t rows = 0;  // rows, statements, lines
  std::uint64_t sz = 0;    // characters of the whole, as text
  std::string prev;        // at most kPreviewMax characters
  std::string source;
  std::vector<std::string> columns;  // of rows
  std::string query_hash;            // may be empty
  WallTime created_at;
  std::optional<WallTime> expires_at;
  bool complete = true;  // false: partial, see the origin of the handle

  friend bool operator==(const Ref&, const Ref&) = default;
};

// Ref('results_0', 'results', 10 items, 2847 chars from UniProt)
std::string to_string(const Ref& ref);
// {key, dtype, rows, sz, prev, source, columns?, query_hash?, created_at, expires_at?, complete}
JsonValue to_json(const Ref& ref);

}  // namespace helve::toolkit
