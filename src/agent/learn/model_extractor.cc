// Lessons that a model writes. What it writes is hostile until it is checked.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "agent/judge/json_part.h"
#include "agent/learn/executed_query.h"
#include "agent/learn/judged_runs.h"
#include "agent/learn/lesson_check.h"
#include "agent/learn/prompt_texts.h"
#include "agent/loops/prompt_texts.h"
#include "agent/loops/prompt_words.h"
#include "base/text.h"

namespace helve::agent {

namespace {

using learning::Verdict;
using memory::Item;
using memory::ItemSource;

constexpr std::size_t kOutputTokens = 2'000;
constexpr std::size_t kAnswerBytesMax = 64UL * 1024;
constexpr std::size_t kPromptQueryChars = 4'000;
constexpr std::size_t kAnswerChars = 1'000;
constexpr std::size_t kReasonChars = 1'000;
constexpr std::size_t kFailuresShown = 5;
constexpr std::size_t kRunsShown = 6;
constexpr std::size_t kTagsMax = 5;

std::string data_of(std::string_view title, std::string_view text, std::size_t chars_max) {
  if (text.empty()) return {};
  return fmt::format("{}:\n{}\n", title, marked_data(both_ends(text, chars_max)));
}

std::string run_text(const JudgedRun& run, std::size_t number) {
  std::string text = fmt::format("# Run {}, judged {}{}\n", number,
                                 learning::name_of(run.judgment.judgment.verdict),
                                 run.result.has_converged() ? "" : ", without an answer in time");
  text += data_of("Why, by the judge", run.judgment.says, kReasonChars);
  text += data_of("Query that ran", run.result.query, kPromptQueryChars);
  text += data_of("Answer", run.result.content, kAnswerChars);
  for (std::size_t i = 0; i < std::min(run.failures.size(), kFailuresShown); ++i) {
    const learning::Failure& failure = run.failures[i];
    if (i < run.failed_queries.size()) {
      text += data_of("Query that failed", run.failed_queries[i], kPromptQueryChars);
    }
    text += data_of("Its error", failure.kind + ": " + failure.message + " " + failure.hint,
                    kReasonChars);
  }
  return text;
}

Result<std::string> text_of_member(const JsonValue& value, std::string_view name) {
  if (const std::string* const text = value.if_string()) return *text;
  return Error{ErrorCode::InvalidInput, fmt::format("{} is no text", name)};
}

Result<std::vector<std::string>> read_tags(const JsonValue& value) {
  const JsonValue::Array* const list = value.if_array();
  if (list == nullptr) return Error{ErrorCode::InvalidInput, "tags is no list"};
  if (list->size() > kTagsMax) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("there are {} tags, of at most {}", list->size(), kTagsMax)};
  }
  std::vector<std::string> tags;
  for (const JsonValue& one : *list) {
    HELVE_ASSIGN(std::string tag, text_of_member(one, "a tag"));
    tags.push_back(std::move(tag));
  }
  return tags;
}

// What the model may decide of an item.
Result<Item> read_lesson(const JsonValue& value) {
  const JsonValue::Object* const members = value.if_object();
  if (members == nullptr) return Error{ErrorCode::InvalidInput, "it is no object"};
  Item item;
  for (const JsonMember& member : *members) {
    if (member.key == "title") {
      HELVE_ASSIGN(item.title, text_of_member(member.value, "title"));
    } else if (member.key == "desc") {
      HELVE_ASSIGN(item.desc, text_of_member(member.value, "desc"));
    } else if (member.key == "content") {
      HELVE_ASSIGN(item.content, text_of_member(member.value, "content"));
    } else if (member.key == "tags") {
      HELVE_ASSIGN(item.tags, read_tags(member.value));
    } else {
      return Error{ErrorCode::InvalidInput,
                   fmt::format("it has a member {}, which no lesson has",
                               escape_for_terminal(elide_end(member.key, 40)))};
    }
  }
  return item;
}

// What the lessons are of.
struct Kind {
  ItemSource source;
  std::string_view instructions;
  const JudgedRun* run;  // that provenance names
};

std::optional<Kind> kind_of(const std::vector<JudgedRun>& runs) {
  const JudgedRun* const right = best_right(runs);
  const JudgedRun* const wrong = first_wrong(runs);
  if (right != nullptr && wrong != nullptr) {
    return Kind{ItemSource::Contrastive, lesson_prompts::contrast(), right};
  }
  if (right != nullptr) return Kind{ItemSource::Success, lesson_prompts::success(), right};
  if (wrong != nullptr) return Kind{ItemSource::Failure, lesson_prompts::failure(), wrong};
  return std::nullopt;
}

class ModelExtractor final : public Extractor {
 public:
  explicit ModelExtractor(llm::Provider& model) : model_(model) {}

  Result<Extraction> extract(const TaskCase& task, const std::vector<JudgedRun>& runs,
                             const LessonOrigin& origin, const OpContext& context) override {
    Extraction out;
    const auto kind = kind_of(runs);
    if (!kind) return out;
    const bool has_queries = std::any_of(runs.begin(), runs.end(), [](const JudgedRun& run) {
      return !run.result.query.empty() || !run.failed_queries.empty();
    });
    if (!has_queries) {
      out.rejected.emplace_back("nothing ran that a lesson could rest on");
      return out;
    }
    HELVE_ASSIGN(const llm::Answer answer, model_.complete(request_of(task, runs, *kind), context));
    out.usage = answer.usage;
    read(answer.text, task, runs, origin, *kind, out);
    return out;
  }

 private:
  static llm::Request request_of(const TaskCase& task, const std::vector<JudgedRun>& runs,
                                 const Kind& kind) {
    llm::Request request;
    request.system =
        fmt::format("{}\n{}\n{}", lesson_prompts::lesson(), kind.instructions, prompts::safety());
    request.output_tokens_max = kOutputTokens;
    llm::Message message;
    message.text = data_of("Question", task.question, kPromptQueryChars);
    for (std::size_t i = 0; i < std::min(runs.size(), kRunsShown); ++i) {
      if (runs[i].judgment.judgment.verdict == Verdict::None) continue;
      message.text += run_text(runs[i], i + 1);
    }
    request.messages.push_back(std::move(message));
    return request;
  }

  static void read(const std::string& text, const TaskCase& task,
                   const std::vector<JudgedRun>& runs, const LessonOrigin& origin, const Kind& kind,
                   Extraction& out) {
    if (text.size() > kAnswerBytesMax) {
      out.rejected.emplace_back("the model wrote more than a list of lessons can be");
      return;
    }
    const auto parsed = parse_json(json_part(text));
    const JsonValue::Array* const list = parsed ? parsed->if_array() : nullptr;
    if (list == nullptr) {
      out.rejected.push_back("the model wrote no JSON list" +
                             (parsed ? std::string() : ": " + parsed.error().message));
      return;
    }
    const LessonCheck check(task, runs, origin);
    for (std::size_t i = 0; i < list->size(); ++i) {
      if (i == kItemsOfRunMax) {
        out.rejected.push_back(fmt::format("{} lessons beyond the first three", list->size() - i));
        return;
      }
      auto item = read_lesson((*list)[i]);
      if (item) item = checked(*std::move(item), task, origin, kind, check);
      if (item) {
        add_once(*std::move(item), out);
      } else {
        out.rejected.push_back(fmt::format("lesson {}: {}", i + 1, item.error().to_string()));
      }
    }
  }

  static void add_once(Item item, Extraction& out) {
    const bool is_there = std::any_of(out.items.begin(), out.items.end(),
                                      [&](const Item& one) { return one.id == item.id; });
    if (!is_there) out.items.push_back(std::move(item));
  }

  static Result<Item> checked(Item item, const TaskCase& task, const LessonOrigin& origin,
                              const Kind& kind, const LessonCheck& check) {
    const TaskJudgment& judgment = kind.run->judgment;
    const learning::Executed executed = executed_of(*kind.run, task, origin);
    item.src = kind.source;
    item.domain = origin.domain;
    item.schema_fingerprint = origin.schema_fingerprint;
    item.provenance.run = kind.run->run;
    item.provenance.verdict = fmt::format("{}{}, by {}", name_of(judgment.judgment.verdict),
                                          judgment.judgment.is_verified ? "" : ", not verified",
                                          elide_end(judgment.judgment.by, 60));
    item.provenance.evidence = executed.handle;
    item.provenance.query_hash = executed.query_hash;
    const bool is_clear = judgment.judgment.verdict == Verdict::Correct ||
                          judgment.judgment.verdict == Verdict::Incorrect;
    item.quarantined = !(judgment.judgment.is_verified && is_clear);
    item.id = memory::id_of(item);
    HELVE_TRY(check.check_written(item));
    return item;
  }

  llm::Provider& model_;
};

}  // namespace

std::unique_ptr<Extractor> make_model_extractor(llm::Provider& model) {
  return std::make_unique<ModelExtractor>(model);
}

}  // namespace helve::agent
