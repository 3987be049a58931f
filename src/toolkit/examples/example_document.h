// One RDF document of examples: what it says of executables and of prefixes. example_reader.h puts
// the documents of a folder together.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/memory_budget.h"
#include "sources/rdf/reader.h"
#include "toolkit/examples/example_reader.h"

namespace helve::toolkit {

// Keeps what matters of the statements; take() gives it, once.
class ExampleDocument final : public rdf::StatementSink {
 public:
  // What is kept is charged.
  explicit ExampleDocument(MemoryCharge& memory) : memory_(memory) {}

  Result<void> statement(const rdf::StatementView& statement) override;

  struct Content {
    std::vector<ExampleQuery> queries;  // without file, prefixes and reach
    PrefixList prefixes;                // in the order of the document
    std::uint64_t others = 0;           // texts of queries of what is no executable
  };
  Content take();
  // The memory did not suffice: statement() failed for that.
  bool is_out_of_memory() const { return is_out_of_memory_; }

 private:
  // A node that something of interest is said of.
  struct Node {
    std::string key;
    bool is_executable = false;
    std::vector<std::pair<ExampleForm, std::string>> texts;
    std::string comment;
    int comment_rank = 3;
    std::vector<std::string> keywords;
    std::vector<std::string> targets;
    std::vector<std::string> federates_with;
    std::vector<std::string> declared;  // nodes of sh:declare
    std::string prefix;
    std::string name_space;
    bool has_prefix = false;
  };

  Node& node_of(const rdf::TermView& term);
  static void add_comment(Node& node, const rdf::TermView& comment);
  static void add_shacl(Node& node, std::string_view name, const rdf::TermView& object);

  MemoryCharge& memory_;
  bool is_out_of_memory_ = false;
  std::vector<Node> nodes_;  // as they come first
  std::unordered_map<std::string, std::size_t> by_key_;
};

}  // namespace helve::toolkit
