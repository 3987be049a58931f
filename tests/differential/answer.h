// One query about one small graph, answered as JSON. main.cc reads the questions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "sources/sparql/engine/dataset.h"

namespace helve::differential {

enum class DatasetKind : std::uint8_t { Store, Memory };

// Keeps the last graph: questions about the same one follow each other.
class DatasetCache {
 public:
  explicit DatasetCache(DatasetKind kind) : kind_(kind) {}
  Result<std::shared_ptr<const sparql::Snapshot>> get(const std::string& nquads);

 private:
  DatasetKind kind_;
  std::string nquads_;
  std::shared_ptr<const sparql::Snapshot> snapshot_;
};

// {"kind":"solutions","vars":[...],"rows":[[term or null ...] ...]},
// {"kind":"boolean","answer":...} or {"kind":"graph","triples":[[term ...] ...]}; terms as in the
// SPARQL JSON format.
Result<std::string> answer(std::string_view query,
                           const std::shared_ptr<const sparql::Snapshot>& snapshot);
// {"error":"...","code":"..."}
std::string error_reply(const Error& error);

}  // namespace helve::differential
