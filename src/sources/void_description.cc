#include "sources/void_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>
#include <vector>

namespace helve {

namespace {

constexpr std::string_view kVoid = "http://rdfs.org/ns/void#";
constexpr std::string_view kServiceDescription = "http://www.w3.org/ns/sparql-service-description#";
constexpr std::size_t kFactsMax = 5'000'000;

// A dataset, a part of one, or a named graph of a service.
struct Described {
  std::uint64_t triples = 0;
  std::uint64_t entities = 0;
  std::uint64_t subjects = 0;
  std::uint64_t objects = 0;
  std::string property;
  std::string class_iri;
  std::string graph_name;
  std::string graph;  // the node that describes the named graph
  std::vector<std::string> class_partitions;
  std::vector<std::string> property_partitions;
  std::vector<std::string> subsets;
  bool is_partition = false;

  bool has_partitions() const { return !class_partitions.empty() || !property_partitions.empty(); }
};

std::string key_of(const rdf::TermView& term) {
  return (term.is_blank() ? "_:" : "") + std::string(term.value);
}

std::uint64_t number_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

void add_void(Described& node, std::string_view name, const rdf::TermView& object) {
  const std::uint64_t number = object.is_literal() ? number_of(object.value) : 0;
  if (name == "triples") node.triples = std::max(node.triples, number);
  if (name == "entities") node.entities = std::max(node.entities, number);
  if (name == "distinctSubjects") node.subjects = std::max(node.subjects, number);
  if (name == "distinctObjects") node.objects = std::max(node.objects, number);
  if (object.is_literal()) return;
  if (name == "property") node.property = object.value;
  if (name == "class") node.class_iri = object.value;
  if (name == "classPartition") node.class_partitions.push_back(key_of(object));
  if (name == "propertyPartition") node.property_partitions.push_back(key_of(object));
  if (name == "subset") node.subsets.push_back(key_of(object));
}

class DescriptionMaker {
 public:
  explicit DescriptionMaker(std::unordered_map<std::string, Described> described)
      : described_(std::move(described)) {}

  VoidDescription make() {
    mark_partitions();
    const Described* whole = largest();
    if (whole != nullptr) {
      told_.triples = std::max(whole->triples, sum_of_subsets(*whole));
      told_.subjects = whole->subjects;
      told_.objects = whole->objects;
    }
    if (whole != nullptr && whole->has_partitions()) {
      add_partitions(*whole);
    } else {
      for (const auto& [key, node] : described_) {
        if (!node.is_partition) add_partitions(node);
      }
    }
    for (const auto& [key, node] : described_) {
      const Described* graph = node.graph.empty() ? nullptr : find(node.graph);
      if (graph != nullptr && !node.graph_name.empty() && graph->triples > 0) {
        told_.graph_triples[node.graph_name] = graph->triples;
      }
    }
    std::uint64_t of_properties = 0;
    for (const auto& [iri, property] : told_.properties) of_properties += property.triples;
    told_.triples = std::max(told_.triples, of_properties);
    return std::move(told_);
  }

 private:
  const Described* find(const std::string& key) const {
    const auto found = described_.find(key);
    return found != described_.end() ? &found->second : nullptr;
  }

  // Partitions of partitions tell of a class's properties: they are not the graph's.
  void mark_partitions() {
    std::set<std::string> partitions;
    for (const auto& [key, node] : described_) {
      partitions.insert(node.class_partitions.begin(), node.class_partitions.end());
      partitions.insert(node.property_partitions.begin(), node.property_partitions.end());
    }
    for (auto& [key, node] : described_) node.is_partition = partitions.contains(key);
  }

  std::uint64_t sum_of_subsets(const Described& node) const {
    std::uint64_t sum = 0;
    for (const std::string& key : node.subsets) {
      if (const Described* subset = find(key)) sum += subset->triples;
    }
    // Linksets lie over other parts: what is given for the whole wins.
    return node.triples > 0 ? 0 : sum;
  }

  // Of equals the one that says most.
  const Described* largest() const {
    const Described* best = nullptr;
    const auto size = [this](const Described& node) {
      return std::pair(std::max(node.triples, sum_of_subsets(node)),
                       node.class_partitions.size() + node.property_partitions.size() +
                           (node.subjects > 0 ? 1 : 0));
    };
    for (const auto& [key, node] : described_) {
      if (!node.is_partition && (best == nullptr || size(node) > size(*best))) best = &node;
    }
    return best;
  }

  void add_partitions(const Described& node) {
    for (const std::string& key : node.class_partitions) {
      const Described* part = find(key);
      if (part == nullptr || part->class_iri.empty()) continue;
      told_.class_instances[part->class_iri] += std::max(part->entities, part->subjects);
    }
    for (const std::string& key : node.property_partitions) {
      const Described* part = find(key);
      if (part == nullptr || part->property.empty()) continue;
      PropertySizes& property = told_.properties[part->property];
      property.triples += part->triples;
      property.subjects += part->subjects;
      property.objects += part->objects;
    }
  }

  std::unordered_map<std::string, Described> described_;
  VoidDescription told_;
};

}  // namespace

struct VoidReader::Nodes {
  std::unordered_map<std::string, Described> described;
  std::size_t facts = 0;

  Result<Described*> at(const rdf::TermView& subject) {
    if (++facts <= kFactsMax) return &described[key_of(subject)];
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("a description of more than {} facts", kFactsMax),
                 "describe the dataset with fewer partitions"};
  }
};

VoidReader::VoidReader() : nodes_(std::make_unique<Nodes>()) {}
VoidReader::~VoidReader() = default;

Result<void> VoidReader::statement(const rdf::StatementView& statement) {
  std::string_view name = statement.predicate.value;
  if (name.starts_with(kVoid)) {
    name.remove_prefix(kVoid.size());
    HELVE_ASSIGN(Described* const node, nodes_->at(statement.subject));
    add_void(*node, name, statement.object);
  } else if (name.starts_with(kServiceDescription)) {
    name.remove_prefix(kServiceDescription.size());
    HELVE_ASSIGN(Described* const node, nodes_->at(statement.subject));
    if (name == "name") node->graph_name = statement.object.value;
    if (name == "graph") node->graph = key_of(statement.object);
  }
  return {};
}

VoidDescription VoidReader::finish() {
  return DescriptionMaker(std::move(nodes_->described)).make();
}

}  // namespace helve
