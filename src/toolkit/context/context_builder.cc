#include "toolkit/context/context_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "base/utf8.h"
#include "toolkit/context/cut_text.h"
#include "toolkit/context/guide_extract.h"
#include "toolkit/context/procedures.h"

namespace helve::context {

namespace {

std::size_t layer_index(Layer layer) { return static_cast<std::size_t>(layer); }

// Lines of a caller's own summary, as many as fit; the last is cut at a sentence.
LayerText pack_summary(std::string_view summary, std::size_t budget) {
  LayerBuilder builder(budget);
  std::size_t left_out = 0;
  while (!summary.empty()) {
    const std::size_t end = std::min(summary.find('\n'), summary.size());
    std::string_view raw = summary.substr(0, end);
    if (raw.ends_with('\r')) raw.remove_suffix(1);
    const std::string line = escape_for_terminal(raw);
    summary.remove_prefix(std::min(end + 1, summary.size()));
    if (left_out == 0 && utf8_length(line) + 1 <= builder.room()) {
      builder.add_line("summary", line);
      continue;
    }
    const std::string cut =
        left_out == 0 && builder.room() > 0 ? cut_line(line, builder.room() - 1) : std::string();
    if (!cut.empty()) builder.add_line("summary", cut);
    ++left_out;
  }
  LayerText made = std::move(builder).finish();
  made.left_out = left_out;
  return made;
}

class Builder {
 public:
  Builder(const ContextParts& parts, const ContextRequest& request, const OpContext& context)
      : parts_(parts), request_(request), context_(context) {
    HELVE_CHECK((parts.graph != nullptr) != (parts.tables != nullptr));
    for (std::size_t i = 0; i < kLayers; ++i) {
      if (!request.layers[i]) budgets_[i] = 0;
    }
  }

  Result<BuiltContext> build() {
    if (request_.schema_summary) {
      add_summary();
    } else {
      HELVE_TRY(read_brief());
      add(Layer::SenseCard, std::move(brief_.sense));
      add(Layer::SchemaConstraints, std::move(brief_.constraints));
    }
    HELVE_TRY(add_procedures());
    add_guide();
    flag();
    return std::move(built_);
  }

 private:
  static std::string heading_of(Layer layer) {
    return fmt::format("# {} {}\n", name_of(layer), title_of(layer));
  }

  // Of a layer without its heading; 0 where there is no room for more than that.
  std::size_t room(Layer layer) const {
    const std::size_t budget = budgets_[layer_index(layer)];
    const std::size_t heading = heading_of(layer).size();
    return budget > heading ? budget - heading : 0;
  }

  void add(Layer layer, LayerText made) {
    if (made.text.empty()) return;
    const std::string heading = heading_of(layer);
    made.text.insert(0, heading);
    made.chars += heading.size();
    made.budget = budgets_[layer_index(layer)];
    made.parts.insert(made.parts.begin(), {"heading", heading.size()});
    built_.text += made.text;
    built_.chars += made.chars;
    built_.layers.push_back({layer, std::move(made)});
  }

  // In the room of both.
  void add_summary() {
    std::size_t& budget = budgets_[layer_index(Layer::SenseCard)];
    budget += budgets_[layer_index(Layer::SchemaConstraints)];
    if (room(Layer::SenseCard) == 0) return;
    add(Layer::SenseCard, pack_summary(*request_.schema_summary, room(Layer::SenseCard)));
  }

  bool needs_brief() const {
    const bool asks_guide =
        room(Layer::Guide) > 0 && request_.guide == nullptr && parts_.graph != nullptr;
    const bool asks_lessons = room(Layer::Procedures) > 0 && parts_.memory.has_value();
    return room(Layer::SenseCard) > 0 || room(Layer::SchemaConstraints) > 0 || asks_guide ||
           asks_lessons;
  }

  Result<void> read_brief() {
    if (!needs_brief()) return {};
    const BriefBudgets budgets{room(Layer::SenseCard), room(Layer::SchemaConstraints)};
    if (parts_.tables != nullptr) {
      HELVE_ASSIGN(brief_, make_brief(*parts_.tables, budgets, context_));
    } else {
      HELVE_TRY(read_graph(budgets));
    }
    built_.schema_fingerprint = brief_.schema_fingerprint;
    for (const std::string& gap : brief_.gaps) built_.notes.push_back("not found out: " + gap);
    return {};
  }

  Result<void> read_graph(const BriefBudgets& budgets) {
    const auto key = [&] { return brief_key(*parts_.graph, request_.constraints, budgets); };
    if (parts_.cache != nullptr) {
      if (auto known = parts_.cache->find(key())) {
        brief_ = *std::move(known);
        built_.is_from_cache = true;
        return {};
      }
    }
    HELVE_ASSIGN(brief_, make_brief(*parts_.graph, request_.constraints, budgets, context_));
    // What failed may go well the next time. An endpoint was asked about itself meanwhile.
    if (parts_.cache != nullptr && brief_.gaps.empty()) parts_.cache->keep(key(), brief_);
    return {};
  }

  Result<void> add_procedures() {
    if (!parts_.memory || room(Layer::Procedures) == 0) return {};
    ProcedureRequest request;
    request.task = request_.task;
    request.budget = room(Layer::Procedures);
    request.item_chars_max = request_.item_chars_max;
    request.domains = domains();
    request.schema_fingerprint = brief_.schema_fingerprint;
    request.uses_history = request_.uses_history;
    HELVE_ASSIGN(Procedures packed, pack_procedures(*parts_.memory, request, context_));
    built_.injected = std::move(packed.injected);
    built_.stale = std::move(packed.stale);
    if (!built_.stale.empty()) {
      built_.notes.push_back(fmt::format("{} left out, learnt on another schema: {}",
                                         built_.stale.size() == 1 ? "1 lesson" : "lessons",
                                         fmt::join(built_.stale, ", ")));
    }
    if (request.schema_fingerprint.empty() && !built_.injected.empty()) {
      built_.notes.emplace_back("the schema is not known: lessons were not compared with it");
    }
    if (request_.task.empty()) built_.notes.emplace_back("no lessons: there is no task");
    add(Layer::Procedures, std::move(packed.layer));
    return {};
  }

  std::vector<std::string> domains() const {
    const SourceInfo& info = parts_.graph != nullptr ? parts_.graph->info() : parts_.tables->info();
    std::vector<std::string> domains = {info.name};
    for (const std::string& iri : {brief_.ontology, brief_.main_namespace}) {
      if (!iri.empty()) domains.push_back(iri);
    }
    domains.insert(domains.end(), brief_.ontologies.begin(), brief_.ontologies.end());
    return domains;
  }

  void add_guide() {
    if (room(Layer::Guide) == 0) return;
    const Guide* guide = request_.guide;
    if (guide == nullptr) {
      GraphFacts about;
      about.main.iri = brief_.ontology;
      about.main_namespace = brief_.main_namespace;
      about.ontologies = brief_.ontologies;
      guide = find_guide(about, built_in_guides());
    }
    if (guide == nullptr) return;
    built_.guide = guide->name;
    add(Layer::Guide, pack_guide(*guide, request_.task, room(Layer::Guide)));
  }

  void flag() {
    if (built_.chars > kContextCharsMax) {
      built_.red_flags.push_back(fmt::format("the context has {} characters, more than {}",
                                             format_count(built_.chars),
                                             format_count(kContextCharsMax)));
    }
    if (built_.injected.size() > kInjectedMax) {
      built_.red_flags.push_back(fmt::format("{} lessons are injected, more than {}",
                                             built_.injected.size(), kInjectedMax));
    }
  }

  const ContextParts& parts_;
  const ContextRequest& request_;
  const OpContext& context_;
  LayerBudgets budgets_ = request_.budgets;
  SourceBrief brief_;
  BuiltContext built_;
};

}  // namespace

std::string_view name_of(Layer layer) {
  constexpr std::array<std::string_view, kLayers> kNames = {"L0", "L1", "L2", "L3"};
  return kNames.at(layer_index(layer));
}

std::string_view title_of(Layer layer) {
  constexpr std::array<std::string_view, kLayers> kTitles = {"Source", "Schema", "Lessons",
                                                             "Guide"};
  return kTitles.at(layer_index(layer));
}

Result<BuiltContext> build_context(const ContextParts& parts, const ContextRequest& request,
                                   const OpContext& context) {
  return Builder(parts, request, context).build();
}

}  // namespace helve::context
