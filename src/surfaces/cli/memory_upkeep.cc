// helve memory verify, merge, consolidate, forget, seed and embed: how a bank stays true and clean.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "surfaces/cli/any_source.h"
#include "surfaces/cli/json_output.h"
#include "surfaces/cli/memory_command.h"
#include "surfaces/opening/open_embeddings.h"
#include "toolkit/learning/consolidate.h"
#include "toolkit/learning/fingerprint.h"
#include "toolkit/learning/forget.h"
#include "toolkit/learning/seeds.h"
#include "toolkit/learning/verify.h"

namespace helve::cli {

namespace {

using learning::Trial;
using memory::MemoryBank;

constexpr std::size_t kItemsMax = 1'000'000;  // of one run

WallTime now_of(const CommandContext& context) {
  return std::chrono::time_point_cast<std::chrono::seconds>(context.env.clock().wall());
}

std::string range_of(const std::vector<std::uint64_t>& changes) {
  if (changes.size() == 1) return fmt::format("change {}", changes.front());
  return fmt::format("changes {} to {}", changes.front(), changes.back());
}

void write_pairs(JsonWriter& json, std::string_view name,
                 const std::vector<learning::MergePair>& pairs) {
  write_objects(json, name, pairs, [&](const learning::MergePair& pair) {
    json.member("superseded", pair.superseded);
    json.member("by", pair.by);
    json.member("title_similarity", pair.similarity.title);
    json.member("content_similarity", pair.similarity.content);
  });
}

// What lessons may call the source.
std::vector<std::string> domains_of(const opening::NamedSource& named, const AnySource& source,
                                    const OpContext& op) {
  std::vector<std::string> domains = {named.name};
  if (source.graph == nullptr) return domains;
  domains.push_back(source.graph->info().name);
  const auto schema = source.graph->schema(op);
  if (!schema) return domains;
  for (const NamespaceInfo& space : (*schema)->namespaces) domains.push_back(space.iri);
  return domains;
}

std::string trial_json(const learning::TrialReport& report) {
  return json_object([&](JsonWriter& json) {
    write_objects(json, "trials", report.trials, [&](const Trial& trial) {
      json.member("id", trial.id);
      json.member("state", name_of(trial.state));
      json.member("is_stale", trial.is_stale);
      if (!trial.says.empty()) json.member("says", trial.says);
      write_texts(json, "missing", trial.missing);
    });
    write_numbers(json, "changes", report.changes);
    json.member("is_complete", report.is_complete);
  });
}

std::string trial_text(const learning::TrialReport& report, const Terminal& terminal) {
  std::string text;
  for (const Trial& trial : report.trials) {
    text += fmt::format("{}  {:<9}{}  {}\n", terminal.styled(Style::Accent, trial.id),
                        name_of(trial.state), trial.is_stale ? "  (another schema)" : "",
                        escape_for_terminal(trial.says));
  }
  return text;
}

}  // namespace

Result<void> run_memory_verify(const MemoryOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const auto filter, filter_of(options));
  const auto named = opening::read_source(options.words.front(), context.env.files());
  return with_bank(options, false, context, [&](MemoryBank& bank) -> Result<void> {
    HELVE_ASSIGN(const AnySource source, open_any_source(named, {}, context));
    learning::TrialOptions trial;
    HELVE_ASSIGN(trial.schema_fingerprint,
                 source.graph != nullptr
                     ? learning::schema_fingerprint(*source.graph, context.op)
                     : learning::schema_fingerprint(*source.tables, context.op));
    // Who names a domain means its items, whatever the source is called here.
    if (filter.domain.empty()) trial.domains = domains_of(named, source, context.op);
    const auto try_one = [&](const memory::Item& item) {
      return source.graph != nullptr
                 ? learning::try_item(item, *source.graph, trial, context.env.clock(), context.op)
                 : learning::try_item(item, *source.tables, trial, context.env.clock(), context.op);
    };
    HELVE_ASSIGN(const auto report,
                 learning::try_items(bank.repository(), filter, try_one, trial, options.limit,
                                     now_of(context), context.op));
    source.finish(context.op);
    if (options.is_json) return context.show(trial_json(report));
    HELVE_TRY(context.show(trial_text(report, context.out_terminal)));
    const auto count = [&](learning::TrialState state) {
      return std::count_if(report.trials.begin(), report.trials.end(),
                           [&](const Trial& one) { return one.state == state; });
    };
    context.note(fmt::format("{} tried: {} passed, {} failed, {} undecided", report.trials.size(),
                             count(learning::TrialState::Passed),
                             count(learning::TrialState::Failed),
                             count(learning::TrialState::Undecided)));
    if (!report.is_complete) context.note("there are more; --limit raises the number");
    return {};
  });
}

Result<void> run_memory_merge(const MemoryOptions& options, CommandContext& context) {
  for (const std::string& id : options.words) HELVE_TRY(memory::check_id(id));
  return with_bank(options, false, context, [&](MemoryBank& bank) -> Result<void> {
    HELVE_ASSIGN(const auto report, learning::merge(bank.repository(), options.words, context.op));
    if (options.is_json) {
      return context.show(json_object([&](JsonWriter& json) {
        json.member("id", options.words.front());
        write_texts(json, "superseded", {options.words.begin() + 1, options.words.end()});
        write_numbers(json, "changes", report.changes);
      }));
    }
    context.note(fmt::format("superseded by {}: {}; helve memory undo takes it back",
                             options.words.front(), range_of(report.changes)));
    return {};
  });
}

Result<void> run_memory_consolidate(const MemoryOptions& options, CommandContext& context) {
  return with_bank(options, false, context, [&](MemoryBank& bank) -> Result<void> {
    HELVE_ASSIGN(const auto plan, learning::plan_consolidation(bank.repository(), {}, context.op));
    learning::ConsolidationReport report;
    if (!options.is_dry_run && !plan.pairs.empty()) {
      HELVE_ASSIGN(report, learning::apply(bank.repository(), plan, context.op));
    }
    if (options.is_json) {
      return context.show(json_object([&](JsonWriter& json) {
        write_pairs(json, "pairs", plan.pairs);
        write_pairs(json, "skipped", report.skipped);
        json.member("items", plan.items);
        json.member("is_complete", plan.is_complete);
        json.member("is_applied", !options.is_dry_run);
        write_numbers(json, "changes", report.changes);
      }));
    }
    std::string text;
    for (const auto& pair : plan.pairs) {
      text += fmt::format("{}  superseded by {}  (title {:.2f}, content {:.2f})\n", pair.superseded,
                          pair.by, pair.similarity.title, pair.similarity.content);
    }
    HELVE_TRY(context.show(text));
    context.note(fmt::format("{} of {} looked at say the same as another", plan.pairs.size(),
                             format_count(plan.items)));
    if (!report.changes.empty()) {
      context.note(fmt::format("{}; helve memory undo takes each back", range_of(report.changes)));
    }
    if (!report.skipped.empty()) {
      context.warn(fmt::format("{} were changed meanwhile and left", report.skipped.size()));
    }
    if (options.is_dry_run) context.note("nothing was changed");
    return {};
  });
}

Result<void> run_memory_evict(const MemoryOptions& options, CommandContext& context) {
  return with_bank(options, false, context, [&](MemoryBank& bank) -> Result<void> {
    learning::ForgetOptions forget;
    forget.items_max = *options.keep;
    forget.floor = std::min<std::uint64_t>(forget.floor, *options.keep / memory::kItemSources);
    HELVE_ASSIGN(const auto plan,
                 learning::plan_eviction(bank.repository(), forget, now_of(context), context.op));
    std::vector<std::uint64_t> changes;
    if (!options.is_dry_run && !plan.ids.empty()) {
      HELVE_ASSIGN(changes, learning::apply(bank.repository(), plan, context.op));
    }
    if (options.is_json) {
      return context.show(json_object([&](JsonWriter& json) {
        write_texts(json, "evicted", plan.ids);
        json.member("items", plan.items);
        json.member("is_bound_met", plan.is_bound_met);
        json.member("is_applied", !options.is_dry_run);
        write_numbers(json, "changes", changes);
      }));
    }
    std::string text;
    for (const std::string& id : plan.ids) text += id + "\n";
    HELVE_TRY(context.show(text));
    if (options.is_dry_run || plan.ids.empty()) {
      context.note(fmt::format("{} of {} items would go; nothing was changed", plan.ids.size(),
                               format_count(plan.items)));
      return {};
    }
    context.note(fmt::format("{} of {} items are gone: {}; helve memory undo brings them back",
                             plan.ids.size(), format_count(plan.items), range_of(changes)));
    return {};
  });
}

Result<void> run_memory_seed(const MemoryOptions& options, CommandContext& context) {
  return with_bank(options, true, context, [&](MemoryBank& bank) -> Result<void> {
    HELVE_ASSIGN(const auto report, learning::add_seeds(bank.repository(), context.op));
    const auto added = std::count_if(report.items.begin(), report.items.end(), [](const auto& one) {
      return one.state == memory::AddState::Added;
    });
    if (options.is_json) {
      return context.show(json_object([&](JsonWriter& json) {
        json.member("added", static_cast<std::uint64_t>(added));
        json.member("items", report.items.size());
        if (report.change) json.member("change", *report.change);
      }));
    }
    context.note(fmt::format("{} added, {} were there or are retracted", added,
                             static_cast<std::ptrdiff_t>(report.items.size()) - added));
    return {};
  });
}

Result<void> run_memory_embed(const MemoryOptions& options, CommandContext& context) {
  return with_bank(options, false, context, [&](MemoryBank& bank) -> Result<void> {
    HELVE_TRY(use_embeddings(options, bank, context));
    HELVE_ASSIGN(const std::size_t made, bank.embed_missing(kItemsMax, context.op));
    if (options.is_json) {
      return context.show(json_object([&](JsonWriter& json) { json.member("embedded", made); }));
    }
    context.note(fmt::format("{} items have vectors now", format_count(made)));
    return {};
  });
}

Result<void> use_embeddings(const MemoryOptions& options, MemoryBank& bank,
                            CommandContext& context) {
  const auto word = [](const std::string& given, const char* name) -> std::string {
    const char* const variable = std::getenv(name);
    return !given.empty() || variable == nullptr ? given : variable;
  };
  opening::EmbeddingsInput input;
  input.url = word(options.embeddings, "HELVE_EMBEDDINGS");
  input.model = word(options.embedding_model, "HELVE_EMBEDDING_MODEL");
  input.key = word(options.embedding_key, "HELVE_EMBEDDING_KEY");
  input.environment = [](const char* name) { return std::getenv(name); };
  if (input.url.empty() || input.model.empty()) {
    return Error{ErrorCode::InvalidInput, "there is no embeddings endpoint",
                 "--embeddings URL --embedding-model NAME, or HELVE_EMBEDDINGS and "
                 "HELVE_EMBEDDING_MODEL"};
  }
  HELVE_ASSIGN(auto client, opening::open_embeddings(input, context.env));
  bank.set_embeddings(std::move(client));
  return {};
}

}  // namespace helve::cli
