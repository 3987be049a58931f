#include "agent/experiment/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/loops/json_object.h"

namespace helve::agent {

namespace {

using context::Layer;
using context::LayerSet;

constexpr std::size_t kPasses = 2;  // of the cells that learn

LayerSet layers_of(std::initializer_list<Layer> layers) {
  LayerSet set;
  for (const Layer layer : layers) set.set(static_cast<std::size_t>(layer));
  return set;
}

// All that does not come from a bank.
LayerSet without_lessons() {
  return layers_of({Layer::SenseCard, Layer::SchemaConstraints, Layer::Guide});
}

CellPlan cell(std::string id, std::string title, std::string asks, LayerSet layers) {
  CellPlan plan;
  plan.id = std::move(id);
  plan.title = std::move(title);
  plan.asks = std::move(asks);
  plan.layers = layers;
  return plan;
}

CellPlan remembering(CellPlan plan, MemoryMode memory, BankStart bank) {
  plan.memory = memory;
  plan.bank = bank;
  return plan;
}

CellPlan learning_cell(std::string id, std::string title, std::string asks) {
  CellPlan plan =
      remembering(cell(std::move(id), std::move(title), std::move(asks), LayerSet().set()),
                  MemoryMode::Injected, BankStart::Empty);
  plan.learns = true;
  plan.passes = kPasses;
  return plan;
}

void add_single_layers(std::vector<CellPlan>& cells) {
  cells.push_back(cell("E1", "no layers", "What an agent does that is told nothing of the source.",
                       LayerSet()));
  cells.push_back(cell("E2", "L0: what the source is", "What knowing the source is worth.",
                       layers_of({Layer::SenseCard})));
  cells.push_back(cell("E3", "L1: constraints of the schema",
                       "What knowing the schema and its traps is worth.",
                       layers_of({Layer::SchemaConstraints})));
  cells.push_back(
      cell("E4", "L3: a guide", "What a guide by people is worth.", layers_of({Layer::Guide})));
  cells.push_back(
      remembering(cell("E5", "L2: seeded memory", "What lessons of general use are worth.",
                       layers_of({Layer::Procedures})),
                  MemoryMode::Injected, BankStart::Seeds));
  cells.push_back(
      remembering(cell("E6", "all layers", "Whether the layers add up.", LayerSet().set()),
                  MemoryMode::Injected, BankStart::Seeds));
}

void add_pairs(std::vector<CellPlan>& cells) {
  CellPlan naive = cell("E7a", "naive tools", "What goes into prompts when tools return payloads.",
                        without_lessons());
  naive.replies = ReplyForm::Payloads;
  cells.push_back(std::move(naive));
  cells.push_back(
      cell("E7b", "handle tools", "The same with handles and previews.", without_lessons()));
  cells.push_back(
      remembering(cell("E8a", "memory injected", "Lessons that are put into the prompt unasked.",
                       LayerSet().set()),
                  MemoryMode::Injected, BankStart::Seeds));
  cells.push_back(remembering(
      cell("E8b", "memory searched", "The same lessons for an agent that has to ask for them.",
           without_lessons()),
      MemoryMode::Searched, BankStart::Seeds));
}

void add_learning(std::vector<CellPlan>& cells, const PlanOptions& options) {
  cells.push_back(
      learning_cell("E9", "closed loop", "Whether lessons of a first pass help a second."));
  CellPlan tidy = learning_cell("E10", "with consolidation",
                                "Whether lessons that say the same can become one.");
  tidy.consolidates = true;
  cells.push_back(std::move(tidy));
  CellPlan bounded = learning_cell("E11", fmt::format("bounded bank of {}", options.bank_max),
                                   "Whether a bank that forgets still helps.");
  bounded.bank_max = options.bank_max;
  cells.push_back(std::move(bounded));
  CellPlan several = learning_cell("E12", fmt::format("{} rollouts, contrasted", options.rollouts),
                                   "What is learnt from right and wrong runs of one task.");
  several.rollouts = options.rollouts;
  cells.push_back(std::move(several));
}

std::vector<CellPlan> all_cells(const PlanOptions& options) {
  std::vector<CellPlan> cells;
  add_single_layers(cells);
  add_pairs(cells);
  add_learning(cells, options);
  return cells;
}

// "e7" is E7a and E7b.
bool is_named(const CellPlan& plan, std::string_view word) {
  std::string name(word);
  if (name == "all") return true;
  if (!name.empty() && name.front() == 'e') name.front() = 'E';
  return plan.id == name || plan.id == name + "a" || plan.id == name + "b";
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(", "), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

Error no_cell(std::string_view word) {
  return {ErrorCode::InvalidInput,
          word.empty() ? "no cell is named" : fmt::format("there is no cell named {}", word),
          "there are E1 to E12, such as E1,E6,E7 or E9; E7 and E8 are two each (E7a, E7b, E8a, "
          "E8b); all"};
}

}  // namespace

std::string_view name_of(MemoryMode mode) {
  switch (mode) {
    case MemoryMode::None:
      return "none";
    case MemoryMode::Injected:
      return "injected";
    case MemoryMode::Searched:
      return "searched";
  }
  return "";
}

std::string_view name_of(BankStart start) {
  switch (start) {
    case BankStart::None:
      return "none";
    case BankStart::Empty:
      return "empty";
    case BankStart::Seeds:
      return "seeds";
    case BankStart::Learnt:
      return "learnt";
  }
  return "";
}

Result<std::vector<CellPlan>> plan_cells(std::string_view words, const PlanOptions& options) {
  const std::vector<CellPlan> known = all_cells(options);
  std::vector<bool> is_wanted(known.size(), false);
  const auto wanted = words_of(words);
  if (wanted.empty()) return no_cell({});
  for (const std::string_view word : wanted) {
    bool is_found = false;
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (!is_named(known[i], word)) continue;
      is_wanted[i] = true;
      is_found = true;
    }
    if (!is_found) return no_cell(word);
  }
  std::vector<CellPlan> cells;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (is_wanted[i]) cells.push_back(known[i]);
  }
  const bool has_loop =
      std::any_of(cells.begin(), cells.end(), [](const CellPlan& one) { return one.id == "E9"; });
  for (CellPlan& plan : cells) {
    if (has_loop && !options.has_own_seeds && plan.id.starts_with("E8"))
      plan.bank = BankStart::Learnt;
  }
  return cells;
}

JsonValue to_json(const CellPlan& plan) {
  JsonValue::Array layers;
  for (std::size_t i = 0; i < context::kLayers; ++i) {
    if (plan.layers.test(i)) layers.emplace_back(name_of(static_cast<Layer>(i)));
  }
  return object_of({{"id", JsonValue(plan.id)},
                    {"title", JsonValue(plan.title)},
                    {"asks", JsonValue(plan.asks)},
                    {"layers", JsonValue(std::move(layers))},
                    {"memory", JsonValue(name_of(plan.memory))},
                    {"bank", JsonValue(name_of(plan.bank))},
                    {"replies", JsonValue(name_of(plan.replies))},
                    {"learns", JsonValue(plan.learns)},
                    {"passes", JsonValue(std::uint64_t{plan.passes})},
                    {"rollouts", JsonValue(std::uint64_t{plan.rollouts})},
                    {"consolidates", JsonValue(plan.consolidates)},
                    {"bank_max", plan.bank_max ? JsonValue(*plan.bank_max) : JsonValue()}});
}

}  // namespace helve::agent
