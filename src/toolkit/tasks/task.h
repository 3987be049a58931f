// Task: a question with the query that answers it, made of a SHACL SPARQL example (examples/).
// Tasks are what an agent is run on; they never become memory.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/op_context.h"
#include "base/result.h"
#include "toolkit/examples/endpoint_registry.h"
#include "toolkit/examples/example_reader.h"

namespace helve::toolkit {

enum class TaskComplexity : std::uint8_t { Simple, Moderate, Complex };
inline constexpr std::size_t kTaskComplexities = 3;
std::string_view name_of(TaskComplexity complexity);  // "simple"
std::optional<TaskComplexity> find_complexity(std::string_view name);

// Simple: under 200 characters, without UNION, OPTIONAL and sub-select. Complex: over 500, or with
// a sub-select. Moderate: all others. Characters are those of the query as it is written; what it
// has is told by its algebra.
TaskComplexity complexity_of(std::string_view query, const QueryShape& shape);

struct Task {
  std::string id;     // its file without the ending, "UniProt/1"; "UniProt/1#2" where that is taken
  std::string query;  // the question, as plain text
  std::string expected_sparql;
  std::string endpoint;               // schema:target; empty: none is told
  std::vector<std::string> also_for;  // more of them
  std::vector<std::string> keywords;
  std::vector<std::string> federated;  // other endpoints that are asked
  TaskComplexity complexity = TaskComplexity::Simple;
  ExampleForm form = ExampleForm::Select;
  std::string iri;

  friend bool operator==(const Task&, const Task&) = default;
};

// One of each query, in the order of the folder.
Result<std::vector<Task>> tasks_of(const ExampleFolder& folder, const OpContext& context);

struct TaskStats {
  std::uint64_t total = 0;
  std::array<std::uint64_t, kTaskComplexities> by_complexity{};
  // The commonest first. A task for several endpoints counts for each; http and https, and a slash
  // at the end, make no other endpoint.
  CountedTexts by_endpoint;
  CountedTexts keywords;  // without regard to case
  std::uint64_t without_endpoint = 0;
  std::uint64_t federated = 0;  // tasks that ask another endpoint too
};
TaskStats stats_of(const std::vector<Task>& tasks);

// So many of those of that complexity, or of all, as places in `tasks`. The same seed gives the
// same tasks whatever else is asked for: a smaller sample is the beginning of a larger one, and
// tasks that are added to a folder do not change the order of the others.
std::vector<std::size_t> sample_of(const std::vector<Task>& tasks, std::size_t count,
                                   std::optional<TaskComplexity> complexity, std::uint64_t seed);

JsonValue to_json(const Task& task);
// That on a line for each.
std::string to_text(const std::vector<Task>& tasks);
struct TaskLines {
  struct Line {
    std::uint64_t start = 0;  // of its text, in characters
    std::uint64_t end = 0;
  };
  std::vector<Task> tasks;
  std::vector<Line> lines;  // of each
};
// Unavailable where it is not such a text; nothing in it is trusted.
Result<TaskLines> tasks_from_text(std::string_view text, const OpContext& context);

}  // namespace helve::toolkit
