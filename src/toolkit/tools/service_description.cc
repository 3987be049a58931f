#include "toolkit/tools/service_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/text.h"
#include "sources/rdf/reader.h"
#include "sources/rdf/vocabulary.h"
#include "sources/sparql/algebra/parser.h"

namespace helve::toolkit {

namespace {

constexpr std::string_view kService = "http://www.w3.org/ns/sparql-service-description#";
constexpr std::string_view kVoid = "http://rdfs.org/ns/void#";
constexpr std::uint64_t kStatementsMax = 1'000'000;

// Properties of sd: whose values are features of a service, by what replies call them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kFeatures = {{
    {"feature", "feature"},
    {"supportedLanguage", "language"},
    {"languageExtension", "language_extension"},
    {"resultFormat", "result_format"},
    {"inputFormat", "input_format"},
    {"extensionFunction", "extension_function"},
    {"extensionAggregate", "extension_aggregate"},
    {"propertyFeature", "property_feature"},
    {"defaultEntailmentRegime", "entailment_regime"},
    {"defaultSupportedEntailmentProfile", "entailment_profile"},
}};

std::string_view name_in(std::string_view space, std::string_view iri) {
  return iri.starts_with(space) ? iri.substr(space.size()) : std::string_view();
}

bool is_title(std::string_view predicate) {
  return predicate == "http://purl.org/dc/terms/title" ||
         predicate == "http://purl.org/dc/elements/1.1/title" ||
         name_in(rdf::kRdfs, predicate) == "label";
}

std::string term_key(const rdf::TermView& term) {
  return (term.is_blank() ? "_:" : "") + std::string(term.value);
}

std::optional<std::uint64_t> number_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::uint64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = failed == std::errc() && end == text.data() + text.size();
  return is_whole ? std::optional(number) : std::nullopt;
}

struct Node {
  std::string title;
  bool is_service = false;
  bool is_dataset = false;
  bool is_named_graph = false;
  bool is_linkset = false;
  bool is_partition = false;
  bool is_subset = false;
  bool is_graph = false;        // of a named or default graph: not a dataset of its own
  std::string endpoint;         // sd:endpoint
  std::string sparql_endpoint;  // void:sparqlEndpoint
  std::string name;             // sd:name
  std::string graph;            // sd:graph
  std::string default_dataset;
  std::string default_graph;
  std::set<std::string> named_graphs;
  DescribedSizes sizes;
  std::uint64_t class_partitions = 0;
  std::uint64_t property_partitions = 0;
};

class DescriptionReader final : public rdf::StatementSink {
 public:
  explicit DescriptionReader(const OpContext& context) : memory_(*context.memory, "description") {}

  Result<void> statement(const rdf::StatementView& one) override {
    ++description_.statements;
    const std::string_view predicate = one.predicate.value;
    const std::string_view sd = name_in(kService, predicate);
    const std::string_view in_void = name_in(kVoid, predicate);
    const bool is_type = predicate == rdf::kRdfType;
    if (sd.empty() && in_void.empty() && !is_type && !is_title(predicate)) return {};
    HELVE_TRY(memory_.add(sizeof(Node) + 2 * one.subject.value.size() + one.object.value.size()));
    const std::string key = term_key(one.subject);
    if (!sd.empty()) add_service(key, sd, one.object);
    if (!in_void.empty()) add_void(key, in_void, one.object);
    if (is_type) add_type(nodes_[key], one.object.value);
    if (is_title(predicate) && one.object.is_literal()) {
      std::string& title = nodes_[key].title;
      if (title.empty()) title = one.object.value;
    }
    return {};
  }

  ServiceDescription take() {
    for (const auto& [key, node] : nodes_) {
      if (node.is_service) description_.services.push_back({key, node.endpoint, node.title});
      if (node.is_named_graph) add_graph(key, node);
      const bool is_part = node.is_partition || node.is_graph || node.is_named_graph;
      if (node.is_linkset) {
        ++description_.linksets;
      } else if (node.is_dataset && !is_part) {
        add_dataset(key, node);
      }
    }
    std::sort(description_.services.begin(), description_.services.end(),
              [](const auto& a, const auto& b) { return a.node < b.node; });
    add_default_dataset();
    sort_by_size(description_.datasets, &DescribedDataset::node);
    sort_by_size(description_.graphs, &DescribedGraph::name);
    description_.features.assign(features_.begin(), features_.end());
    return std::move(description_);
  }

 private:
  static void add_type(Node& node, std::string_view type) {
    const std::string_view sd = name_in(kService, type);
    const std::string_view in_void = name_in(kVoid, type);
    if (sd == "Service") node.is_service = true;
    if (sd == "NamedGraph") node.is_named_graph = true;
    if (in_void == "Dataset") node.is_dataset = true;
    if (in_void == "Linkset") node.is_linkset = true;
  }

  void add_service(const std::string& key, std::string_view name, const rdf::TermView& object) {
    for (const auto& [property, kind] : kFeatures) {
      if (name == property && object.is_iri()) features_.insert({kind, std::string(object.value)});
    }
    Node& node = nodes_[key];
    const std::string other = term_key(object);
    if (name == "endpoint") {
      node.is_service = true;
      if (node.endpoint.empty()) node.endpoint = other;
    }
    if (name == "name" && object.is_iri()) {
      node.is_named_graph = true;
      node.name = other;
    }
    if (object.is_literal()) return;
    if (name == "graph") node.graph = other;
    if (name == "defaultDataset") node.default_dataset = other;
    if (name == "defaultGraph") node.default_graph = other;
    if (name == "namedGraph") node.named_graphs.insert(other);
    if (name == "graph" || name == "defaultGraph") nodes_[other].is_graph = true;
    if (name == "namedGraph") nodes_[other].is_named_graph = true;
  }

  void add_void(const std::string& key, std::string_view name, const rdf::TermView& object) {
    Node& node = nodes_[key];
    for (std::size_t i = 0; i < kSizeNames.size(); ++i) {
      if (name != kSizeNames[i] || !object.is_literal()) continue;
      node.is_dataset = true;
      const auto number = number_of(object.value);
      if (number) node.sizes[i] = std::max(node.sizes[i].value_or(0), *number);
    }
    if (name == "sparqlEndpoint") {
      node.is_dataset = true;
      if (node.sparql_endpoint.empty()) node.sparql_endpoint = term_key(object);
    }
    if (object.is_literal()) return;
    if (name == "subset") nodes_[term_key(object)].is_subset = true;
    const bool is_of_class = name == "classPartition";
    const bool is_of_property = name == "propertyPartition";
    if (is_of_class) ++node.class_partitions;
    if (is_of_property) ++node.property_partitions;
    if (is_of_class || is_of_property) {
      node.is_dataset = true;
      nodes_[term_key(object)].is_partition = true;
    }
  }

  const Node* find(const std::string& key) const {
    const auto found = nodes_.find(key);
    return found != nodes_.end() ? &found->second : nullptr;
  }

  // The sizes stand at the graph that the node tells of, or at the node.
  void add_graph(const std::string& key, const Node& node) {
    const Node* graph = find(node.graph);
    const bool has_own = node.sizes[0].has_value() || graph == nullptr;
    description_.graphs.push_back(
        {node.name.empty() ? key : node.name,
         node.title.empty() && graph != nullptr ? graph->title : node.title,
         has_own ? node.sizes : graph->sizes});
  }

  void add_dataset(const std::string& key, const Node& node) {
    description_.datasets.push_back({key, node.title, node.sparql_endpoint, node.sizes,
                                     node.class_partitions, node.property_partitions,
                                     node.is_subset});
  }

  // Of several services the first that has one.
  void add_default_dataset() {
    for (const DescribedService& service : description_.services) {
      const std::string& key = nodes_.at(service.node).default_dataset;
      const Node* node = find(key);
      if (node == nullptr) continue;
      DefaultDataset dataset{key, node->title, node->default_graph, node->sizes,
                             node->named_graphs.size()};
      if (const Node* graph = find(node->default_graph); graph != nullptr && graph->sizes[0]) {
        dataset.sizes = graph->sizes;
      }
      description_.default_dataset = std::move(dataset);
      return;
    }
  }

  template <typename T>
  static void sort_by_size(std::vector<T>& list, std::string T::*name) {
    std::sort(list.begin(), list.end(), [name](const T& a, const T& b) {
      const std::uint64_t x = a.sizes[0].value_or(0);
      const std::uint64_t y = b.sizes[0].value_or(0);
      return x != y ? x > y : a.*name < b.*name;
    });
  }

  MemoryCharge memory_;
  ServiceDescription description_;
  std::unordered_map<std::string, Node> nodes_;
  std::set<DescribedFeature> features_;
};

}  // namespace

std::optional<std::uint64_t> ServiceDescription::triples() const {
  if (default_dataset && default_dataset->sizes[0]) return default_dataset->sizes[0];
  for (const DescribedDataset& one : datasets) {
    if (!one.is_subset) return one.sizes[0];
  }
  return std::nullopt;
}

Result<ServiceDescription> read_service_description(const GraphSource& graph,
                                                    const OpContext& context) {
  HELVE_ASSIGN(const auto all, sparql::parse_query("CONSTRUCT WHERE { ?s ?p ?o }"));
  DescriptionReader reader(context);
  const GraphRun run = graph.run(all.query, kStatementsMax, reader, context);
  if (run.error) return *run.error;
  if (run.has_more) {
    return Error{
        ErrorCode::LimitExceeded,
        fmt::format("a description of more than {} statements", format_count(kStatementsMax)),
        "ask it as a graph: g_query, g_classes"};
  }
  return reader.take();
}

}  // namespace helve::toolkit
