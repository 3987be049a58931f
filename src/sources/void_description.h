// Reading VoID: how large a dataset is, as its owner describes it. https://www.w3.org/TR/void/
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "sources/rdf/reader.h"

namespace helve {

struct PropertySizes {
  std::uint64_t triples = 0;
  std::uint64_t subjects = 0;  // 0: not told
  std::uint64_t objects = 0;
};

// The triples of the largest dataset, the class and property partitions of that dataset or, where
// it has none, of all its parts together.
struct VoidDescription {
  std::uint64_t triples = 0;
  std::uint64_t subjects = 0;
  std::uint64_t objects = 0;
  std::unordered_map<std::string, std::uint64_t> class_instances;
  std::unordered_map<std::string, PropertySizes> properties;
  std::unordered_map<std::string, std::uint64_t> graph_triples;  // of named graphs

  bool tells_sizes() const { return triples > 0 || !properties.empty(); }
};

// Takes the statements of a document that may tell of other things too.
class VoidReader final : public rdf::StatementSink {
 public:
  VoidReader();
  ~VoidReader() override;
  VoidReader(const VoidReader&) = delete;
  VoidReader& operator=(const VoidReader&) = delete;

  // LimitExceeded beyond some millions of facts.
  Result<void> statement(const rdf::StatementView& statement) override;
  VoidDescription finish();

 private:
  struct Nodes;
  std::unique_ptr<Nodes> nodes_;
};

}  // namespace helve
