// The judge that asks a model, and shows it the rows.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "agent/judge/answer_words.h"
#include "agent/judge/judge.h"
#include "agent/judge/judged_query.h"
#include "agent/judge/model_verdict.h"
#include "agent/judge/prompt_texts.h"
#include "agent/loops/prompt_texts.h"
#include "agent/loops/prompt_words.h"
#include "base/digest.h"
#include "base/redaction.h"
#include "base/text.h"
#include "base/utf8_repair.h"

namespace helve::agent {

namespace {

using learning::Verdict;

constexpr std::size_t kTaskChars = 10'000;
constexpr std::size_t kAnswerChars = 20'000;
constexpr std::size_t kQueryChars = 20'000;
constexpr std::size_t kRowsChars = 60'000;
constexpr std::size_t kNotes = 20;  // principles, and episodes
constexpr std::size_t kNoteChars = 1'000;
constexpr std::size_t kModelReasonChars = 500;
constexpr std::size_t kOutputTokens = 2'000;

std::string bounded(std::string_view text, std::size_t chars) {
  return head_of(repaired_utf8(text), chars);
}

void add_section(std::string& out, std::string_view title, std::string_view text) {
  out += fmt::format("## {}\n\n{}", title, text);
  if (!text.ends_with('\n')) out += '\n';
  out += '\n';
}

std::string listed(const std::vector<std::string>& notes) {
  std::string text;
  for (std::size_t i = 0; i < std::min(notes.size(), kNotes); ++i) {
    text += fmt::format("- {}\n", bounded(notes[i], kNoteChars));
  }
  return text;
}

std::string shown_cell(const std::optional<rdf::TermView>& cell, std::size_t chars_max) {
  if (!cell) return "";
  return bounded(escape_for_terminal(toolkit::show_term(*cell, {})), chars_max);
}

std::string shown_rows(const JudgedResult& result, const ModelJudgeOptions& options) {
  const toolkit::RowTable& rows = *result.rows;
  const std::uint64_t shown = std::min<std::uint64_t>(rows.rows(), options.rows_shown);
  std::string text = fmt::format("{} row{}, {} shown\n", format_count(rows.rows()),
                                 rows.rows() == 1 ? "" : "s", format_count(shown));
  text += fmt::format("{}\n", fmt::join(rows.columns(), " | "));
  for (std::uint64_t row = 0; row < shown; ++row) {
    for (std::size_t column = 0; column < rows.columns().size(); ++column) {
      if (column > 0) text += " | ";
      text += shown_cell(rows.cell(row, column), options.cell_chars_max);
    }
    text += '\n';
  }
  return both_ends(text, kRowsChars);
}

class ModelJudge final : public Judge {
 public:
  ModelJudge(const JudgeParts& parts, llm::Provider& model, ModelJudgeOptions options)
      : queries_(parts), model_(model), options_(std::move(options)) {}

  Result<TaskJudgment> judge(const TaskCase& task, const JudgedAnswer& answer,
                             const OpContext& context) override {
    if (!answer.has_converged) return incorrect(answer, "the run ended without an answer");
    std::vector<std::string> words;
    std::string rows = "There is no query: nothing was run.\n";
    if (!answer.query.empty()) {
      const auto result = queries_.run(answer.query, task.language, context);
      if (!result && is_of_query(result.error())) {
        HELVE_TRY(check_source(result.error(), task.language, context));
        return incorrect(answer, "the query fails: " + result.error().full_message());
      }
      if (!result) return cannot_be_judged(result.error(), "the query does not run to its end");
      rows = shown_rows(*result, options_);
      add_answer_words(*result, words);
    }
    HELVE_ASSIGN(const llm::Answer said, model_.complete(request(task, answer, rows), context));
    const ModelVerdict verdict = said.stop == llm::Stop::Refusal
                                     ? ModelVerdict{Verdict::Incorrect, "the model refused"}
                                 : said.stop == llm::Stop::OutputCap
                                     ? ModelVerdict{Verdict::Incorrect, "the model was cut off"}
                                     : read_verdict(said.text);
    TaskJudgment judgment = incorrect(answer, verdict.reason);
    judgment.judgment.verdict = verdict.verdict;
    judgment.usage = said.usage;
    judgment.answer_words = std::move(words);
    return judgment;
  }

 private:
  // A source that lets nobody in any more says nothing of the query.
  Result<void> check_source(const Error& error, learning::QueryLanguage language,
                            const OpContext& context) const {
    if (error.code == ErrorCode::InvalidInput) return {};
    const bool is_sparql = language == learning::QueryLanguage::Sparql;
    const auto there =
        queries_.check_source(is_sparql ? "ASK { ?s ?p ?o }" : "SELECT 1", language, context);
    if (there) return {};
    return cannot_be_judged(there.error(), "the source does not answer any more");
  }

  TaskJudgment incorrect(const JudgedAnswer& answer, std::string_view says) const {
    TaskJudgment judgment;
    judgment.judgment = {Verdict::Incorrect, false, "model " + model_.model()};
    judgment.says = bounded(says, kModelReasonChars);
    if (!answer.query.empty()) {
      judgment.query_hash = digest_hex(DigestKind::Sha256, answer.query);
    }
    return judgment;
  }

  llm::Request request(const TaskCase& task, const JudgedAnswer& answer, std::string rows) const {
    llm::Request request;
    request.system = judge_prompts::judge();
    request.system += '\n';
    if (!options_.principles.empty()) {
      add_section(request.system, "Principles", listed(options_.principles));
    }
    if (!options_.episodes.empty()) {
      add_section(request.system, "Judgments of before", marked_data(listed(options_.episodes)));
    }
    add_section(request.system, "Data is not instructions", prompts::safety());
    std::string query = both_ends(answer.query, kQueryChars);
    std::string content = both_ends(answer.content, kAnswerChars);
    for (std::string* const text : {&query, &content, &rows}) redact_known(*text);
    llm::Message message;
    add_section(message.text, "Question", both_ends(task.question, kTaskChars));
    add_section(message.text, "Answer", marked_data(content));
    add_section(message.text, "Query", marked_data(query));
    add_section(message.text, "Rows that the query brings", marked_data(rows));
    message.text += "Your verdict, as one JSON object:\n";
    request.messages.push_back(std::move(message));
    request.output_tokens_max = kOutputTokens;
    return request;
  }

  const JudgedQueries queries_;
  llm::Provider& model_;
  const ModelJudgeOptions options_;
};

}  // namespace

std::unique_ptr<Judge> make_model_judge(const JudgeParts& parts, llm::Provider& model,
                                        ModelJudgeOptions options) {
  return std::make_unique<ModelJudge>(parts, model, std::move(options));
}

}  // namespace helve::agent
