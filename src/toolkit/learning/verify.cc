#include "toolkit/learning/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/redaction.h"
#include "base/text.h"
#include "sources/sparql/algebra/analysis.h"
#include "sources/sparql/algebra/parser.h"
#include "toolkit/learning/extract.h"
#include "toolkit/learning/relax.h"

namespace helve::learning {

namespace {

using memory::Item;

// Rows are not looked at: that there is one suffices.
class RowCounter final : public RowSink {
 public:
  Result<void> columns(const std::vector<std::string>& /*names*/) override { return {}; }
  Result<void> row(Row /*cells*/) override { return {}; }
};

std::string words_of_source(std::string_view text) {
  constexpr std::size_t kChars = 200;
  return elide_end(escape_for_terminal(redact(text)), kChars);
}

// Whether it is the query that is wrong, and not the moment.
bool is_of_query(const Error& error) {
  return error.code == ErrorCode::InvalidInput || error.code == ErrorCode::NotFound;
}

Trial& ended(Trial& trial, TrialState state, std::string says) {
  trial.state = state;
  trial.says = std::move(says);
  return trial;
}

Trial& ended(Trial& trial, const Error& error) {
  return ended(trial, is_of_query(error) ? TrialState::Failed : TrialState::Undecided,
               words_of_source(error.full_message()));
}

Trial begun(const Item& item, const TrialOptions& options) {
  Trial trial;
  trial.id = item.id;
  trial.is_stale = !item.schema_fingerprint.empty() && !options.schema_fingerprint.empty() &&
                   item.schema_fingerprint != options.schema_fingerprint;
  return trial;
}

OpContext bounded(const OpContext& context, Duration time_max, const Clock& clock) {
  OpContext bounded = context;
  if (context.deadline.is_never() || context.deadline.remaining() > time_max) {
    bounded.deadline = Deadline(clock, time_max);
  }
  return bounded;
}

Result<void> find_missing(const QueryPattern& pattern, const GraphSource& source,
                          std::size_t names_max, const OpContext& context, Trial& trial) {
  std::size_t looked_up = 0;
  for (const auto* names : {&pattern.classes, &pattern.properties}) {
    for (const SchemaName& name : *names) {
      if (looked_up++ == names_max) return {};
      HELVE_ASSIGN(const bool is_there, source.has_term(rdf::TermView::iri(name.name), context));
      if (!is_there) trial.missing.push_back(name.name);
    }
  }
  return {};
}

// Nothing is written where nothing would change: SQLite would call that a mistake.
bool is_dated(const Item& item, const TrialOptions& options, WallTime now) {
  return item.verified_at == now && (options.schema_fingerprint.empty() ||
                                     item.schema_fingerprint == options.schema_fingerprint);
}

std::string list_of(const std::vector<std::string>& names) {
  return words_of_source(fmt::format("not there: {}", fmt::join(names, ", ")));
}

}  // namespace

std::string_view name_of(TrialState state) {
  constexpr std::array<std::string_view, 4> kNames = {"passed", "failed", "undecided",
                                                      "not_applicable"};
  return kNames[static_cast<std::size_t>(state)];
}

Trial try_item(const Item& item, const GraphSource& source, const TrialOptions& options,
               const Clock& clock, const OpContext& context) {
  Trial trial = begun(item, options);
  const auto remembered = remembered_query(item);
  if (!remembered || remembered->language != QueryLanguage::Sparql) {
    return ended(trial, TrialState::NotApplicable, "it remembers no SPARQL query");
  }
  GeneraliseOptions reading;
  reading.prefixes = source.prefixes();
  const auto pattern = generalise_sparql(remembered->text, reading);
  if (!pattern) return ended(trial, pattern.error());
  const OpContext within = bounded(context, options.time_max, clock);
  if (auto found = find_missing(*pattern, source, options.names_max, within, trial); !found) {
    return ended(trial, found.error());
  }
  if (item.src == memory::ItemSource::Failure) {
    return ended(trial, TrialState::NotApplicable, "what is to be avoided is not run");
  }
  if (!trial.missing.empty()) return ended(trial, TrialState::Failed, list_of(trial.missing));
  sparql::ParseOptions parsing;
  parsing.known_prefixes = reading.prefixes;
  const auto parsed = sparql::parse_query(remembered->text, parsing);
  if (!parsed) return ended(trial, parsed.error());
  // Whoever wrote the item must not have other servers asked, nor have them decide.
  for (const sparql::PatternPart& part : sparql::pattern_parts(parsed->query)) {
    if (part.kind == sparql::PatternPart::Kind::Service) {
      return ended(trial, TrialState::Undecided, "it asks other endpoints (SERVICE)");
    }
  }
  const bool runs_as_it_is =
      std::holds_alternative<sparql::Select>(parsed->query.form) && !has_slots(parsed->query);
  RowCounter rows;
  const GraphRun run =
      source.run(runs_as_it_is ? parsed->query : relaxed(parsed->query), 1, rows, within);
  if (run.rows > 0 || run.boolean.value_or(false)) {
    return ended(trial, TrialState::Passed, "");
  }
  if (run.error) return ended(trial, *run.error);
  if (!run.incomplete.empty()) {
    return ended(trial, TrialState::Undecided, words_of_source(run.incomplete));
  }
  return ended(trial, TrialState::Failed, "it matches nothing");
}

Trial try_item(const Item& item, const TableSource& source, const TrialOptions& options,
               const Clock& clock, const OpContext& context) {
  Trial trial = begun(item, options);
  const auto remembered = remembered_query(item);
  if (!remembered || remembered->language != QueryLanguage::Sql) {
    return ended(trial, TrialState::NotApplicable, "it remembers no SQL statement");
  }
  const auto pattern = generalise_sql(remembered->text, source.dialect(), {});
  if (!pattern) return ended(trial, pattern.error());
  const OpContext within = bounded(context, options.time_max, clock);
  const auto catalogue = source.catalogue(within);
  if (!catalogue) return ended(trial, catalogue.error());
  for (const SchemaName& table : pattern->classes) {
    const bool is_known = (*catalogue)->find(table.name) != nullptr;
    if (!is_known && (*catalogue)->is_complete) trial.missing.push_back(table.name);
  }
  if (item.src == memory::ItemSource::Failure) {
    return ended(trial, TrialState::NotApplicable, "what is to be avoided is not run");
  }
  if (!trial.missing.empty()) return ended(trial, TrialState::Failed, list_of(trial.missing));
  const auto probe = sql_probe(remembered->text, source.dialect());
  if (!probe) return ended(trial, probe.error());
  TableQuery query;
  query.sql = probe->statement;
  query.rows_max = 1;
  if (const PlanOutcome plan = source.explain(query, within); plan.error) {
    // NULL does not fit wherever a slot may stand: only names that are not known tell something.
    const bool is_known = plan.problem.name.empty();
    if (!is_known) trial.missing.push_back(plan.problem.name);
    return ended(trial, is_known ? TrialState::Undecided : TrialState::Failed,
                 words_of_source(plan.error->full_message()));
  }
  if (!probe->rows) return ended(trial, TrialState::Passed, "its names are there");
  query.sql = *probe->rows;
  RowCounter rows;
  const TableRun run = source.run(query, rows, within);
  if (run.rows > 0) return ended(trial, TrialState::Passed, "");
  if (run.error)
    return ended(trial, TrialState::Undecided, words_of_source(run.error->full_message()));
  return ended(trial, TrialState::Failed, "it matches nothing");
}

Result<std::optional<std::uint64_t>> keep_trial(memory::MemoryRepository& bank, const Item& item,
                                                const Trial& trial, const TrialOptions& options,
                                                WallTime now, const OpContext& context) {
  now = std::chrono::time_point_cast<std::chrono::seconds>(now);
  memory::ItemEdit edit;
  if (item.quarantined) return std::optional<std::uint64_t>();
  if (trial.state == TrialState::Passed && !is_dated(item, options, now)) {
    edit.verified_at = now;
    if (!options.schema_fingerprint.empty()) edit.schema_fingerprint = options.schema_fingerprint;
  } else if (trial.state == TrialState::Failed) {
    edit.quarantined = true;
  } else {
    return std::optional<std::uint64_t>();
  }
  HELVE_ASSIGN(const memory::ChangeReport changed, bank.edit(item.id, edit, context));
  return std::optional(changed.change);
}

namespace {

bool is_of_source(const Item& item, const TrialOptions& options) {
  if (options.domains.empty() || item.domain.empty() || item.domain == "general") return true;
  return std::find(options.domains.begin(), options.domains.end(), item.domain) !=
         options.domains.end();
}

}  // namespace

Result<TrialReport> try_items(memory::MemoryRepository& bank, const memory::ItemFilter& filter,
                              const ItemTrial& trial, const TrialOptions& options,
                              std::size_t items_max, WallTime now, const OpContext& context) {
  memory::ItemFilter living = filter;
  living.with_superseded = living.with_retracted = false;
  TrialReport report;
  std::vector<std::string> ids;
  HELVE_TRY(bank.visit(
      living,
      [&](const Item& item) -> Result<void> {
        if (!is_of_source(item, options) || !remembered_query(item)) return {};
        if (ids.size() < items_max)
          ids.push_back(item.id);
        else
          report.is_complete = false;
        return {};
      },
      context));
  for (const std::string& id : ids) {
    HELVE_TRY(context.check());
    const auto items = bank.get({id}, context);
    if (!items && items.error().code == ErrorCode::NotFound) continue;  // evicted meanwhile
    if (!items) return items.error();
    Trial one = trial(items->front());
    HELVE_ASSIGN(const auto change, keep_trial(bank, items->front(), one, options, now, context));
    if (change) report.changes.push_back(*change);
    const bool says_something =
        one.state != TrialState::NotApplicable || one.is_stale || !one.missing.empty();
    if (says_something) report.trials.push_back(std::move(one));
  }
  return report;
}

Result<std::vector<StaleItem>> find_stale(memory::MemoryRepository& bank, const std::string& domain,
                                          const std::string& schema_fingerprint,
                                          std::size_t items_max, const OpContext& context) {
  std::vector<StaleItem> stale;
  memory::ItemFilter filter;
  filter.domain = domain;
  filter.with_quarantined = true;
  HELVE_TRY(bank.visit(
      filter,
      [&](const Item& item) -> Result<void> {
        const bool is_other =
            !item.schema_fingerprint.empty() && item.schema_fingerprint != schema_fingerprint;
        if (is_other && stale.size() < items_max) {
          stale.push_back({item.id, item.title, item.schema_fingerprint});
        }
        return {};
      },
      context));
  return stale;
}

}  // namespace helve::learning
