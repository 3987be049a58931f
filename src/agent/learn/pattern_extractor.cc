// Lessons without a model: the query that ran as a pattern.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "agent/judge/judged_query.h"
#include "agent/learn/contrast.h"
#include "agent/learn/executed_query.h"
#include "agent/learn/judged_runs.h"
#include "agent/learn/lesson_check.h"

namespace helve::agent {

namespace {

using learning::QueryPattern;
using learning::Verdict;
using memory::Item;

constexpr std::size_t kFailuresLearnt = 2;

// What was wrong, without figures: how many rows the right answer has is the answer, or half of it,
// and the same mistake is the same lesson.
std::string mistake_of(const TaskJudgment& judgment) {
  if (!judgment.comparison) return {};
  const Comparison& comparison = *judgment.comparison;
  if (comparison.missing_columns > 0) return "a column that was asked for is missing";
  if (comparison.rows == 0) return "no rows came";
  if (comparison.is_order_wrong) return "the rows came in another order";
  if (comparison.common == 0) return "none of the rows was asked for";
  if (comparison.common < comparison.reference_rows) return "rows were missing";
  return "there were rows that were not asked for";
}

// Items of one task as they come, each checked.
class Harvest {
 public:
  Harvest(const TaskCase& task, const std::vector<JudgedRun>& runs, const LessonOrigin& origin)
      : task_(task), runs_(runs), origin_(origin), check_(task, runs, origin) {}

  void learn_success(const JudgedRun& run) {
    take(learning::lesson_of_success(executed_of(run, task_, origin_), task_.question,
                                     run.judgment.judgment));
  }

  // A query that looks in the right place failed by its constants, its shape or its columns: to
  // avoid its classes and properties would be wrong. One that nobody can read says nothing.
  void learn_wrong_query(const JudgedRun& run) {
    if (run.result.query.empty()) return;
    const auto pattern = pattern_of(run.result.query, task_, origin_);
    if (!pattern || draws_on_handles(run.result.query)) {
      out_.rejected.emplace_back(
          "the wrong query cannot be read by itself: there is nothing to avoid");
      return;
    }
    const auto& comparison = run.judgment.comparison;
    if (looks_right(*pattern, comparison && comparison->missing_columns > 0)) return;
    take(learning::lesson_of_failure(executed_of(run, task_, origin_), task_.question,
                                     {"wrong_result", "", mistake_of(run.judgment)},
                                     run.judgment.judgment));
  }

  // Errors of tools, each kind once.
  void learn_failures(const JudgedRun& run) {
    std::vector<std::string> kinds;
    for (std::size_t i = 0; i < run.failures.size() && kinds.size() < kFailuresLearnt; ++i) {
      learning::Failure failure = run.failures[i];
      if (std::find(kinds.begin(), kinds.end(), failure.kind) != kinds.end()) continue;
      if (i >= run.failed_queries.size() || run.failed_queries[i].empty()) continue;
      kinds.push_back(failure.kind);
      failure.message = check_.scrubbed(std::move(failure.message));
      failure.hint = check_.scrubbed(std::move(failure.hint));
      learning::Executed executed = executed_of(run, task_, origin_);
      executed.query = run.failed_queries[i];
      executed.rows = 0;
      executed.handle.clear();
      executed.query_hash.clear();
      take(learning::lesson_of_failure(executed, task_.question, failure, run.judgment.judgment));
    }
  }

  void learn_contrast(const JudgedRun& right) {
    const auto pattern = pattern_of(right.result.query, task_, origin_);
    std::vector<QueryPattern> wrong;
    for (const JudgedRun& run : runs_) {
      if (!is_wrong(run) || run.result.query.empty()) continue;
      if (auto other = pattern_of(run.result.query, task_, origin_)) {
        wrong.push_back(*std::move(other));
      }
    }
    if (!pattern || wrong.empty()) return;
    const Contrast contrast = contrast_of(*pattern, wrong);
    if (contrast.is_empty()) {
      out_.rejected.emplace_back("no contrast: right and wrong queries differ in constants alone");
      return;
    }
    auto item = learning::lesson_of_success(executed_of(right, task_, origin_), task_.question,
                                            right.judgment.judgment);
    if (item) make_contrastive(contrast, *item);
    take(std::move(item));
  }

  Extraction finish() { return std::move(out_); }

 private:
  static void make_contrastive(const Contrast& contrast, Item& item) {
    item.src = memory::ItemSource::Contrastive;
    item.title = "Rightly: " + item.title;
    item.desc =
        "Use when choosing between ways to ask for these classes and properties; not when the "
        "schema has changed.";
    item.content += words_of(contrast);
    item.id = memory::id_of(item);
  }

  bool looks_right(const QueryPattern& pattern, bool may_lack) const {
    const auto is_same = [&](const std::string& query) {
      const auto right = pattern_of(query, task_, origin_);
      return right && (right->text == pattern.text || has_same_names(*right, pattern, may_lack));
    };
    if (!task_.reference.empty() && is_same(task_.reference)) return true;
    return std::any_of(runs_.begin(), runs_.end(), [&](const JudgedRun& run) {
      return run.judgment.is_success() && is_same(run.result.query);
    });
  }

  void take(Result<Item> item) {
    if (item) {
      if (auto checked = check_.check(*item); !checked) item = std::move(checked).error();
    }
    if (!item) {
      out_.rejected.push_back(item.error().to_string());
      return;
    }
    const bool is_there = std::any_of(out_.items.begin(), out_.items.end(),
                                      [&](const Item& one) { return one.id == item->id; });
    if (!is_there && out_.items.size() < kItemsOfRunMax) out_.items.push_back(*std::move(item));
  }

  const TaskCase& task_;
  const std::vector<JudgedRun>& runs_;
  const LessonOrigin& origin_;
  const LessonCheck check_;
  Extraction out_;
};

class PatternExtractor final : public Extractor {
 public:
  Result<Extraction> extract(const TaskCase& task, const std::vector<JudgedRun>& runs,
                             const LessonOrigin& origin, const OpContext& context) override {
    HELVE_TRY(context.check());
    Harvest harvest(task, runs, origin);
    const JudgedRun* const right = best_right(runs);
    const JudgedRun* const wrong = first_wrong(runs);
    if (right != nullptr && wrong != nullptr) harvest.learn_contrast(*right);
    if (right != nullptr && !right->result.query.empty()) harvest.learn_success(*right);
    if (wrong != nullptr && wrong->judgment.judgment.verdict == Verdict::Incorrect) {
      harvest.learn_wrong_query(*wrong);
      harvest.learn_failures(*wrong);
    }
    return harvest.finish();
  }
};

}  // namespace

std::unique_ptr<Extractor> make_pattern_extractor() { return std::make_unique<PatternExtractor>(); }

}  // namespace helve::agent
