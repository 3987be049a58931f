#include "agent/reflect/reflection.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/loops/json_object.h"
#include "base/ascii.h"
#include "base/text.h"
#include "toolkit/learning/extract.h"
#include "toolkit/learning/leak_check.h"
#include "toolkit/learning/shown_names.h"

namespace helve::agent {

namespace {

using learning::QueryLanguage;
using memory::Item;

constexpr std::size_t kSimilarMax = 5;
constexpr std::size_t kPrefixesMax = 50;
constexpr std::size_t kLeakColumns = 60;

// The call that made what the answer rests on; null: it is not in the record.
const RecordedCall* call_of_query(const RecordedRun& run) {
  for (const RecordedStep& step : run.steps) {
    for (const RecordedCall& call : step.calls) {
      for (const char* const key : {"query", "sql"}) {
        if (!run.query.empty() && text_of(call.arguments, key) == run.query) return &call;
      }
    }
  }
  return nullptr;
}

QueryLanguage language_of(const RecordedRun& run) {
  const RecordedCall* const call = call_of_query(run);
  const bool is_sql =
      call != nullptr && (call->name == "query_execute" || call->name == "result_sql");
  return is_sql ? QueryLanguage::Sql : QueryLanguage::Sparql;
}

std::string source_of(const RecordedRun& run) {
  const JsonValue* const config = run.start.find("config");
  return config != nullptr ? text_of(*config, "source") : std::string();
}

std::string first_handle(const RecordedRun& run) {
  const JsonValue* const handles = run.end.find("handles");
  const JsonValue::Array* const all = handles != nullptr ? handles->if_array() : nullptr;
  if (all == nullptr || all->empty() || all->front().if_string() == nullptr) return {};
  return *all->front().if_string();
}

std::string bounded_word(const std::string& word) {
  return elide_end(escape_for_terminal(word), memory::ItemLimits{}.word_chars_max);
}

// Names that the query uses as prefixes. Those of the source are not in a record; for telling
// constants from names any will do, except for those of RDF itself, which tell classes.
PrefixList prefixes_in(std::string_view query) {
  constexpr std::string_view kMadeUp = "prefix://";
  const auto is_name = [](char c) { return is_letter_or_digit(c) || c == '-' || c == '_'; };
  PrefixList prefixes;
  for (std::size_t at = query.find(':'); at != std::string_view::npos && at + 1 < query.size();
       at = query.find(':', at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && is_name(query[begin - 1])) --begin;
    if (begin == at || !is_name(query[at + 1])) continue;
    const std::string name(query.substr(begin, at - begin));
    const bool is_known = std::any_of(prefixes.begin(), prefixes.end(),
                                      [&](const auto& one) { return one.first == name; });
    if (!is_known && prefixes.size() < kPrefixesMax) {
      const auto known = learning::common_namespace(name);
      prefixes.emplace_back(name,
                            known ? std::string(*known) : fmt::format("{}{}/", kMadeUp, name));
    }
  }
  return prefixes;
}

// Without declarations that the query did not make: queries here need none.
std::string without_other_prefixes(std::string_view content, std::string_view query) {
  std::string out;
  while (!content.empty()) {
    const std::size_t end = std::min(content.find('\n'), content.size() - 1) + 1;
    const std::string_view line = content.substr(0, end);
    content.remove_prefix(end);
    const std::size_t begin = line.starts_with("PREFIX ") ? line.find('<') : line.npos;
    const bool is_other = begin != line.npos &&
                          query.find(line.substr(begin, line.rfind('>') + 1 - begin)) == query.npos;
    if (!is_other) out += line;
  }
  return out;
}

Result<learning::QueryPattern> pattern_of(const RecordedRun& run) {
  learning::GeneraliseOptions options;
  options.numbers = learning::numbers_in(run.task);
  options.prefixes = prefixes_in(run.query);
  return language_of(run) == QueryLanguage::Sql
             ? learning::generalise_sql(run.query, SqlDialect::Sqlite, options)
             : learning::generalise_sparql(run.query, options);
}

Result<Item> pattern_draft(const Reflection& reflection) {
  const RecordedRun& run = reflection.run;
  learning::Executed executed;
  executed.query = run.query;
  executed.language = language_of(run);
  executed.domain = source_of(run);
  executed.prefixes = prefixes_in(run.query);
  const RecordedCall* const call = call_of_query(run);
  executed.rows = call != nullptr ? call->rows.value_or(0) : 0;
  const auto verdict = learning::verdict_of(reflection.verdict);
  learning::Judgment judgment;
  judgment.verdict = verdict.value_or(learning::Verdict::None);
  if (judgment.verdict == learning::Verdict::Incorrect) {
    return learning::lesson_of_failure(executed, run.task, {"wrong_answer", "", ""}, judgment);
  }
  return learning::lesson_of_success(executed, run.task, judgment);
}

void take_texts(const Item& from, Item& item) {
  item.title = from.title;
  item.desc = from.desc;
  item.content = from.content;
  item.tags = from.tags;
}

void forbid_query(const RecordedRun& run, learning::LeakCheck& leaks) {
  if (run.query.empty()) return;
  if (const auto pattern = pattern_of(run)) {
    leaks.forbid(*pattern);
    leaks.allow_names_of(*pattern);
  } else {
    leaks.forbid_constants_of(run.query);
  }
}

Result<void> check_text(std::string_view field, std::string_view text,
                        const learning::LeakCheck& leaks) {
  const std::string_view leak = leaks.leak_in(text);
  if (leak.empty()) return {};
  return Error{ErrorCode::InvalidInput,
               fmt::format("the {} has '{}' in it, a constant of the task or of its query", field,
                           elide_end(escape_for_terminal(leak), kLeakColumns)),
               "say what it is, not which one: a lesson is for other questions"};
}

}  // namespace

std::string recorded_verdict(const RecordedRun& run) {
  std::string verdict;
  for (const TrajectoryEvent& event : run.events) {
    if (event.kind == EventKind::Judgment) verdict = text_of(event.body, "verdict");
  }
  return learning::verdict_of(verdict) ? verdict : std::string();
}

Item plain_draft(const Reflection& reflection) {
  Item item;
  item.src = reflection.other ? memory::ItemSource::Contrastive : memory::ItemSource::Human;
  item.domain = elide_end(escape_for_terminal(source_of(reflection.run)),
                          memory::ItemLimits{}.domain_chars_max);
  item.provenance.run = bounded_word(reflection.run_name);
  item.provenance.verdict = reflection.verdict;
  item.provenance.evidence = bounded_word(first_handle(reflection.run));
  item.provenance.query_hash = bounded_word(text_of(reflection.run.end, "query_hash"));
  if (reflection.refined) {
    take_texts(*reflection.refined, item);
    item.domain = reflection.refined->domain;
    item.scope = reflection.refined->scope;
  } else if (!reflection.run.query.empty()) {
    if (const auto pattern = pattern_draft(reflection)) {
      take_texts(*pattern, item);
      item.content = without_other_prefixes(item.content, reflection.run.query);
    }
  }
  return item;
}

Result<void> check_draft(const Item& item, const Reflection& reflection) {
  HELVE_TRY(memory::check_item(item));
  std::vector<const RecordedRun*> runs = {&reflection.run};
  if (reflection.other) runs.push_back(&*reflection.other);
  for (const RecordedRun* const run : runs) {
    learning::LeakCheck leaks(run->task);
    forbid_query(*run, leaks);
    HELVE_TRY(check_text("title", item.title, leaks));
    HELVE_TRY(check_text("desc", item.desc, leaks));
    HELVE_TRY(check_text("content", item.content, leaks));
    for (const std::string& tag : item.tags) HELVE_TRY(check_text("tag", tag, leaks));
  }
  return {};
}

Result<std::vector<SimilarItem>> similar_items(memory::MemoryBank& bank, const Item& item,
                                               const Reflection& reflection,
                                               const OpContext& context) {
  std::vector<SimilarItem> similar;
  memory::SearchOptions search;
  search.count = kSimilarMax + 1;
  search.filter.with_quarantined = true;
  const auto found = bank.search(item.title + " " + item.desc, search, context);
  if (!found && found.error().code == ErrorCode::InvalidInput) return similar;  // it has no words
  if (!found) return found.error();
  for (const memory::Hit& hit : found->hits) {
    if (reflection.refined && hit.item.id == reflection.refined->id) continue;
    SimilarItem one;
    one.item = hit.item;
    one.is_near_duplicate = learning::are_near_duplicates(
                                hit.item, item, learning::ConsolidationOptions{}, one.similarity) ||
                            hit.item.id == memory::id_of(item);
    one.similarity = learning::similarity_of(hit.item, item);
    if (similar.size() < kSimilarMax) similar.push_back(std::move(one));
  }
  std::stable_sort(similar.begin(), similar.end(), [](const auto& a, const auto& b) {
    return a.is_near_duplicate > b.is_near_duplicate;
  });
  return similar;
}

void note_review(Item& item, bool is_reviewed, WallTime now) {
  item.quarantined = !is_reviewed;
  item.verified_at.reset();
  if (is_reviewed) item.verified_at = std::chrono::time_point_cast<std::chrono::seconds>(now);
}

}  // namespace helve::agent
