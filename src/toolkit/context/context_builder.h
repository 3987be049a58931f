// The context of a task: what an agent should know of a source before its first call, in four
// layers, each within its own budget. The same source, bank and task give the same bytes.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/graph_source.h"
#include "sources/table_source.h"
#include "toolkit/context/brief_cache.h"
#include "toolkit/context/constraint_file.h"
#include "toolkit/context/guide.h"
#include "toolkit/context/layer_text.h"
#include "toolkit/memory/bank.h"

namespace helve::context {

enum class Layer : std::uint8_t { SenseCard, SchemaConstraints, Procedures, Guide };
inline constexpr std::size_t kLayers = 4;
std::string_view name_of(Layer layer);   // "L0"
std::string_view title_of(Layer layer);  // "Source"

using LayerSet = std::bitset<kLayers>;
using LayerBudgets = std::array<std::size_t, kLayers>;  // characters, headings included
inline constexpr LayerBudgets kFullBudgets = {600, 1'000, 2'000, 1'000};
inline constexpr LayerBudgets kCompactBudgets = {600, 400, 600, 200};
inline constexpr std::size_t kCompactItemChars = 300;
inline constexpr std::size_t kLayerCharsMax = 20'000;

struct ContextRequest {
  std::string task;  // without one there are no procedures
  LayerSet layers = LayerSet().set();
  LayerBudgets budgets = kFullBudgets;
  std::size_t item_chars_max = 0;  // of one procedure; 0: its share
  // Instead of L0 and L1, in their room: the source is then not asked. Nothing says which guide it
  // has, and whether its schema is that of the lessons.
  std::optional<std::string> schema_summary;
  const Guide* guide = nullptr;                 // null: one of the program, where there is one
  const ConstraintFile* constraints = nullptr;  // likewise
  bool uses_history = false;                    // see ProcedureRequest
};

// "full", "compact", the characters of all layers together, or "l0=300,l2=0": those that are not
// named keep what they have. 0 leaves a layer out. InvalidInput for anything else.
Result<void> set_budget(ContextRequest& request, std::string_view words);
// "L0,L2"; "all".
Result<LayerSet> read_layers(std::string_view words);

struct BuiltLayer {
  Layer layer = Layer::SenseCard;
  LayerText text;  // its heading too
};

struct BuiltContext {
  std::string text;
  std::size_t chars = 0;
  std::vector<BuiltLayer> layers;      // those that have something to say
  std::vector<std::string> injected;   // ids of lessons: who uses the text counts them
  std::vector<std::string> stale;      // ids that were left out: learnt on another schema
  std::string schema_fingerprint;      // of the source; empty: not known
  std::string guide;                   // its name; empty: none
  std::vector<std::string> red_flags;  // one line each
  std::vector<std::string> notes;      // what is missing and why, one line each
  bool is_from_cache = false;          // L0 and L1 are
};

// Where the context comes from; all but the source may be null.
struct ContextParts {
  const GraphSource* graph = nullptr;          // this
  const TableSource* tables = nullptr;         // or this
  std::optional<memory::MemoryReader> memory;  // for lessons
  const BriefCache* cache = nullptr;  // of graphs; catalogues of databases are quick to read
};

Result<BuiltContext> build_context(const ContextParts& parts, const ContextRequest& request,
                                   const OpContext& context);

// Above these a context is told of in red_flags.
inline constexpr std::size_t kContextCharsMax = 4'000;
inline constexpr std::size_t kInjectedMax = 3;

}  // namespace helve::context
