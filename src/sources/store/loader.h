// Loads RDF documents into a Snapshot: read (in parallel), number the terms, sort, count.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/env.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/rdf/document.h"
#include "sources/store/snapshot.h"
#include "sources/store/stage_work.h"

namespace helve::store {

struct LoadOptions {
  std::string base_iri;  // empty: each document's own address
  bool lenient = false;
  std::size_t piece_bytes = 4 * kMiB;  // line-based documents are read in pieces of this size
  // By document: the IRI of the graph that takes the place of the document's default graph; empty,
  // or none for this document: the default graph. Its named graphs stay as they are.
  std::vector<std::string> graphs;
  // A folder on disk for what does not fit into the memory budget, made if need be and left as it
  // was. Empty: there is none, and what does not fit is an error.
  std::filesystem::path scratch;
  // What a loading thread takes before it puts it aside there; 0: as the memory budget allows.
  std::size_t batch_bytes = 0;
  Env* env = nullptr;  // where `scratch` is; null: the real one
};

enum class LoadStage : std::uint8_t { Reading, Terms, Sorting, Counting };

// For a progress display on another thread.
struct LoadProgress {
  // Adds how far a document has been read since it was last told of.
  void advance(std::uint64_t& told, std::uint64_t read) {
    bytes_read.fetch_add(read - told, std::memory_order_relaxed);
    told = read;
  }

  std::atomic<std::uint64_t> bytes_total{0};
  std::atomic<std::uint64_t> bytes_read{0};
  std::atomic<std::uint64_t> statements{0};
  std::atomic<LoadStage> stage{LoadStage::Reading};
  StageWork work;  // of the stages behind Reading, where it is known
};

struct LoadReport {
  std::uint64_t statements_read = 0;  // repeats included
  std::uint64_t skipped = 0;          // lenient only
  std::vector<Error> problems;        // the first Limits::problems_kept
  bool is_external = false;           // the data did not fit into memory
  // How long each stage took.
  Duration reading{};
  Duration terms{};
  Duration sorting{};
  Duration counting{};
};

struct Loaded {
  std::shared_ptr<const Snapshot> snapshot;
  LoadReport report;
};

// With LoadOptions::scratch, the data may be larger than memory: what does not fit is sorted on
// disk, and the snapshot lies in files that have no name any more and go with it. The snapshot is
// the same.
//
// Documents are read side by side on context.executor; blank nodes of different documents stay
// different. Strict: the first error in the order of documents and lines is the result.
Result<Loaded> load_documents(std::vector<rdf::Document> documents, const LoadOptions& options,
                              const OpContext& context, LoadProgress* progress = nullptr);

}  // namespace helve::store
