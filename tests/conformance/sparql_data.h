// The data of a SPARQL test as datasets: the store's, and the simplest there can be as its witness.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sources/sparql/engine/dataset.h"
#include "sources/store/snapshot.h"
#include "tests/support/dataset/memory_dataset.h"

namespace helve::conformance {

using SnapshotPtr = std::shared_ptr<const sparql::Snapshot>;

inline constexpr std::array<std::string_view, 2> kBackends = {"memory", "store"};
// One dataset for each backend.
using BackendData = std::array<SnapshotPtr, kBackends.size()>;

class TestData {
 public:
  // Adds a document to a graph; an empty name is the default graph. Blank nodes of different
  // documents stay different.
  Result<void> add(const std::filesystem::path& path, const std::string& base_iri,
                   const std::string& graph);
  bool has_graph(const std::string& graph) const;

  Result<BackendData> make() const;
  // The store's alone, to be written.
  Result<std::shared_ptr<const store::Snapshot>> make_snapshot() const;

 private:
  std::vector<MemoryQuad> quads_;
  std::vector<std::string> graphs_;  // one for each document
};

}  // namespace helve::conformance
