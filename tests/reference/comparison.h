// Runs a query on the engine, with passes of the optimizer on or off, and holds the answer against
// that of the reference evaluator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "sources/sparql/algebra/query.h"
#include "sources/sparql/engine/passes.h"
#include "tests/reference/random_data.h"
#include "tests/reference/reference.h"

namespace helve::reference {

enum class Backend : std::uint8_t { Memory, Store };

// One way of running a query.
struct Setup {
  sparql::PassSet passes = sparql::PassSet::all();
  Backend backend = Backend::Store;

  std::string name() const;
};

// All passes on each backend and none of them, and one pass off or on, another one each time.
std::vector<Setup> setups(std::uint64_t turn);
// The same without the memory backend, which looks at all triples for each question.
std::vector<Setup> store_setups(std::uint64_t turn);
// Every pass off, and every pass alone.
std::vector<Setup> all_setups();

// A dataset in every backend, for any number of queries.
class TestedData {
 public:
  explicit TestedData(std::vector<MemoryQuad> quads);

  const std::vector<MemoryQuad>& quads() const { return quads_; }
  const SnapshotPtr& snapshot(Backend backend) const {
    return backend == Backend::Memory ? memory_ : store_;
  }

 private:
  std::vector<MemoryQuad> quads_;
  SnapshotPtr memory_;
  SnapshotPtr store_;
};

struct Asked {
  sparql::Query query;
  bool is_union_default = false;
};

enum class Verdict : std::uint8_t {
  Same,
  Different,
  Skipped,  // too much work, or several answers are right
};

struct Compared {
  Verdict verdict = Verdict::Same;
  bool has_rows = false;   // the reference found any
  std::size_t runs = 0;    // of the engine
  std::string setup;       // Different: which one
  std::string difference;  // Different: what was expected and what came
};

struct CompareLimits {
  std::uint64_t steps_max = 300'000;  // of the reference
  std::size_t rows_max = 200'000;     // of the reference
  std::size_t memory_max = std::size_t{1} << 30;
};

Compared compare(const TestedData& data, const Asked& asked, const std::vector<Setup>& with,
                 const CompareLimits& limits = {});

// Parses what it prints as: what is run is what a report shows. nullopt: no text says this.
std::optional<sparql::Query> as_text_says(const sparql::Query& query);

// The graph, the query and the difference, for people.
std::string report(const std::vector<MemoryQuad>& quads, const Asked& asked,
                   const Compared& compared);

}  // namespace helve::reference
