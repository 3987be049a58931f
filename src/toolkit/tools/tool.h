// Tool: the one declaration of a tool, from which come binding, validation, schemas, help, the
// command line and the documents.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "toolkit/tools/reply.h"

namespace helve::toolkit {

struct ToolCall;
struct ToolNature;

enum class ParameterType : std::uint8_t {
  Text,
  Integer,
  Boolean,
  Choice,   // one of `choices`
  Seconds,  // a number of seconds; "30s", "500ms" and "2 min" are read too
  Handle,  // the key of a handle; a Ref object, a one-element list of it, "@results_0" are read too
  Texts,   // a list of texts; one text, or one with commas, is read as a list
  Object,  // any JSON object
  Json,    // any JSON value
  Values,  // a list of JSON values; one alone is a list too
};

struct Parameter {
  std::string name;
  ParameterType type = ParameterType::Text;
  std::string doc;                     // one line
  std::optional<JsonValue> otherwise;  // the default; nullopt without is_required: may be absent
  bool is_required = false;
  std::int64_t min = 0;  // of Integer and Seconds: what is outside is clamped, with a warning
  std::int64_t max = INT64_MAX;
  std::vector<std::string> choices;
  std::vector<std::string> aliases;  // read as this where no real name is used
};

enum class ToolCategory : std::uint8_t { Query, Explore, Analyze, Memory, Sql, Endpoint, Tasks };
std::string_view name_of(ToolCategory category);

enum class ReplyPhase : std::uint8_t { Search, Get };  // 2,000 or 6,000 characters by default

// Where few tools are listed, with the others behind call_tool: those listed at least, those listed
// unless more are asked for, and the rest. The first are few and still suffice: what is in the
// graph, how things are named, a query, its rows, and the way to all the others.
enum class Listing : std::uint8_t { Minimal, Standard, OnRequest };

struct ReturnKey {
  std::string name;
  std::string type;  // of JSON Schema: string, integer, number, boolean, array, object
  std::string doc;
  bool is_optional = false;
};

struct ToolExample {
  std::string says;  // what it is for
  JsonValue arguments;
};

// What a handler answers.
using ToolAnswer = std::variant<Reply, ToolError>;
using ToolHandler = std::function<ToolAnswer(ToolCall&)>;

// Whether a tool writes the memory bank. One that never does gets no writer.
enum class MemoryWrites : std::uint8_t {
  Never,
  IfAllowed,  // in addition to what it is for, such as the pattern of a query
  Always,     // refused if the policy does not allow it
};

struct Tool {
  std::string name;
  std::string title;  // for people, a few words
  ToolCategory category = ToolCategory::Query;
  Listing listing = Listing::OnRequest;
  ReplyPhase phase = ReplyPhase::Search;
  std::string purpose;  // a sentence or two: what it gives and when to use it
  std::vector<Parameter> parameters;
  std::vector<ReturnKey> returns;
  std::vector<ToolExample> examples;
  bool needs_graph = false;   // a graph source must be there; the call has it
  bool takes_graph = false;   // the call has one where there is one
  bool needs_tables = false;  // the same for a SQL database
  bool needs_either = false;  // a source must be there, of whichever kind; the call has it
  bool is_writing = false;    // refused where the policy is read_only
  bool is_defining = false;   // changes definitions of tables: refused without allow_ddl too
  MemoryWrites memory_writes = MemoryWrites::Never;
  ToolHandler handler;
};

// As a policy sees it (policy/gate.h). It is of the tool's name and lives as long.
ToolNature nature_of(const Tool& tool);

// The arguments of a call, bound and within their limits. Getters of what is declared with a
// default or as required always find it; a wrong name or type is a bug of ours and stops the
// process.
class Arguments {
 public:
  const std::string& text(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  bool boolean(std::string_view name) const;
  Duration seconds(std::string_view name) const;
  const std::vector<std::string>& texts(std::string_view name) const;
  const JsonValue& object(std::string_view name) const;
  bool has(std::string_view name) const;  // given, or with a default
  bool was_given(std::string_view name) const;

  using Value =
      std::variant<std::string, std::int64_t, bool, Duration, std::vector<std::string>, JsonValue>;
  struct Bound {
    std::string name;
    Value value;
    bool was_given = false;
  };
  std::vector<Bound> bound;

 private:
  template <typename T>
  const T& get(std::string_view name) const;
};

struct BoundCall {
  Arguments arguments;
  std::vector<std::string> warnings;  // how the call was read, where it could be read two ways
  std::optional<std::size_t> max_chars;
  std::optional<std::string> output_format;  // text or json
  std::optional<std::string> source;         // which source is meant
};

// Binds forgivingly: named arguments (an object), or positional ones (an array, in the order of the
// parameters), or one bare value. Every tool also takes max_chars, output_format and source.
Result<BoundCall> bind_arguments(const Tool& tool, const JsonValue& given);

// JSON Schema of what it takes and of what it gives.
JsonValue input_schema(const Tool& tool);
JsonValue output_schema(const Tool& tool);

}  // namespace helve::toolkit
