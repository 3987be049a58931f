#include "agent/llm/scripted.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "agent/llm/answer_parts.h"
#include "agent/llm/exchange_json.h"
#include "agent/llm/prices.h"
#include "agent/llm/script_lines.h"
#include "agent/llm/text_file.h"
#include "base/redaction.h"
#include "base/text.h"

namespace helve::llm {

namespace {

constexpr std::size_t kScriptBytesMax = 256 * kMiB;
constexpr std::size_t kShownChars = 60;

std::string shown(std::string_view text) {
  return elide_end(escape_for_terminal(text.substr(0, 4 * kShownChars)), kShownChars);
}

// A word at a time, as a stream would come.
void pass_on(const std::string& text, const std::function<void(std::string_view)>& to) {
  if (!to) return;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size() - 1) + 1;
    to(std::string_view(text).substr(at, end - at));
    at = end;
  }
}

// Where two requests part: the part of the request, and what stands there.
struct Difference {
  std::size_t alike = 0;  // messages
  std::string words;
};

Difference difference_of(const JsonValue& recorded, const JsonValue& asked) {
  const JsonValue::Array none;
  const JsonValue::Array* theirs = array_at(&recorded, "messages");
  const JsonValue::Array* ours = array_at(&asked, "messages");
  if (theirs == nullptr) theirs = &none;
  if (ours == nullptr) ours = &none;
  Difference found;
  while (found.alike < std::min(theirs->size(), ours->size()) &&
         (*theirs)[found.alike] == (*ours)[found.alike]) {
    ++found.alike;
  }
  for (const char* key : {"system", "tools", "output_tokens_max", "temperature"}) {
    const JsonValue* a = recorded.find(key);
    const JsonValue* b = asked.find(key);
    const bool is_same = a == nullptr || b == nullptr ? a == b : *a == *b;
    if (!is_same) found.words += fmt::format("{} differs; ", key);
  }
  const auto text_of = [&](const JsonValue::Array& messages) {
    return found.alike < messages.size()
               ? fmt::format("'{}'", shown(text_at(&messages[found.alike], "text")))
               : std::string("nothing");
  };
  found.words += fmt::format("message {}: {} was recorded, {} is asked", found.alike + 1,
                             text_of(*theirs), text_of(*ours));
  return found;
}

class ScriptedModel final : public Provider {
 public:
  ScriptedModel(std::vector<ScriptLine> lines, std::string file, std::string model,
                std::optional<Prices> prices)
      : lines_(std::move(lines)),
        is_used_(lines_.size(), false),
        file_(std::move(file)),
        model_(std::move(model)),
        prices_(prices) {}

  bool tells_cost() const override {
    return prices_ || std::all_of(lines_.begin(), lines_.end(), [](const ScriptLine& line) {
             return line.error || line.answer.usage.cost;
           });
  }
  std::optional<double> cost_of(const Usage& usage) const override {
    if (!prices_) return std::nullopt;
    return llm::cost_of(usage, *prices_);
  }
  std::string name() const override { return "scripted"; }
  std::string model() const override { return model_; }

  Result<Answer> complete(const Request& request, const OpContext& context,
                          const StreamSink* sink) override {
    HELVE_TRY(context.check());
    HELVE_ASSIGN(const ScriptLine* const line, take(request));
    if (!line->expect.empty()) HELVE_TRY(check_expected(*line, request));
    if (line->error) return *line->error;
    Answer answer = line->answer;
    if (!line->is_recorded) name_calls(answer.calls, request);
    if (!line->has_usage) answer.usage = estimated_usage(request, answer);
    if (!answer.usage.cost) answer.usage.cost = cost_of(answer.usage);
    if (answer.model.empty()) answer.model = model_;
    if (sink != nullptr) {
      pass_on(answer.reasoning, sink->on_reasoning);
      pass_on(answer.text, sink->on_text);
    }
    HELVE_TRY(context.check());  // who takes the pieces may cancel
    return answer;
  }

 private:
  Result<const ScriptLine*> take(const Request& request) {
    const std::string hash = request_hash(request);
    const std::lock_guard lock(mutex_);
    ++asked_;
    std::size_t last_of_hash = lines_.size();
    std::size_t next = lines_.size();
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const bool is_same = lines_[i].request_hash == hash || lines_[i].own_hash == hash;
      if (is_same) last_of_hash = i;
      if (is_used_[i]) continue;
      if (is_same) return use(i);
      if (lines_[i].request_hash.empty()) next = std::min(next, i);
    }
    if (next < lines_.size()) return use(next);
    if (last_of_hash < lines_.size()) return use(last_of_hash);  // the same again
    return not_there(request, hash);
  }

  const ScriptLine* use(std::size_t index) {
    is_used_[index] = true;
    return &lines_[index];
  }

  Error not_there(const Request& request, const std::string& hash) const {
    const auto read = parse_json(to_json(to_json_value(request)));  // numbers as in the file
    const JsonValue asked = read ? *read : JsonValue();
    const ScriptLine* nearest = nullptr;
    Difference least;
    for (const ScriptLine& line : lines_) {
      if (line.request_hash.empty()) continue;
      Difference found = difference_of(line.request, asked);
      if (nearest != nullptr && found.alike <= least.alike) continue;
      nearest = &line;
      least = std::move(found);
    }
    if (nearest == nullptr) {
      return {ErrorCode::InvalidInput,
              fmt::format("{} has {} answers and this is request {}", file_,
                          format_count(lines_.size()), format_count(asked_)),
              "add an answer for it"};
    }
    return {ErrorCode::InvalidInput,
            fmt::format("{} has no exchange for this request ({}); the nearest is line {}: {}",
                        file_, hash.substr(0, 12), nearest->number, least.words),
            "record it again, or ask what was asked then"};
  }

  Result<void> check_expected(const ScriptLine& line, const Request& request) const {
    const std::string_view last =
        request.messages.empty() ? std::string_view() : request.messages.back().text;
    if (last.find(line.expect) != std::string_view::npos) return {};
    return Error{ErrorCode::InvalidInput,
                 fmt::format("line {} of {} expects '{}' in the last message, which is '{}'",
                             line.number, file_, shown(line.expect), shown(last)),
                 "change the script, or what leads to it"};
  }

  const std::vector<ScriptLine> lines_;
  std::mutex mutex_;
  std::vector<bool> is_used_;
  std::size_t asked_ = 0;
  std::string file_;
  std::string model_;
  std::optional<Prices> prices_;
};

class Recorder final : public Provider {
 public:
  Recorder(std::shared_ptr<Provider> provider, std::filesystem::path path, Env& env)
      : provider_(std::move(provider)), path_(std::move(path)), env_(env) {}

  bool tells_cost() const override { return provider_->tells_cost(); }
  std::optional<double> cost_of(const Usage& usage) const override {
    return provider_->cost_of(usage);
  }
  std::string name() const override { return provider_->name(); }
  std::string model() const override { return provider_->model(); }

  Result<Answer> complete(const Request& request, const OpContext& context,
                          const StreamSink* sink) override {
    auto answer = provider_->complete(request, context, sink);
    // What the caller ended says nothing about the model.
    if (!answer && !context.check()) return answer;
    JsonValue::Object object{{"request_hash", JsonValue(request_hash(request))},
                             {"request", to_json_value(request)}};
    if (answer) {
      object.push_back({"answer", to_json_value(*answer)});
    } else {
      object.push_back({"error", to_json_value(answer.error())});
    }
    std::string line = to_json(JsonValue(std::move(object)));
    redact_known(line);
    note(append(line + "\n"));
    return answer;
  }

  std::optional<Error> failure() const {
    const std::lock_guard lock(mutex_);
    return failure_;
  }

  Result<void> append(std::string_view text) {
    const std::lock_guard lock(mutex_);
    HELVE_ASSIGN(const auto file, env_.files().open_write(path_, WriteMode::Append));
    HELVE_TRY(file->write(text));
    return file->close();
  }

 private:
  // Told once, of the first.
  void note(const Result<void>& written) {
    const std::lock_guard lock(mutex_);
    ++exchanges_;
    if (written || failure_) return;
    failure_.emplace(written.error().code,
                     fmt::format("the record {} lacks what was asked from request {} on: {}",
                                 path_.string(), exchanges_, written.error().message),
                     "the run itself is not touched by that; give --record another place");
  }

  std::shared_ptr<Provider> provider_;
  std::filesystem::path path_;
  Env& env_;
  mutable std::mutex mutex_;
  std::uint64_t exchanges_ = 0;
  std::optional<Error> failure_;
};

}  // namespace

Result<std::shared_ptr<Provider>> open_scripted(const std::filesystem::path& path,
                                                std::string model, Env& env,
                                                std::optional<Prices> prices) {
  HELVE_ASSIGN(const std::string text, read_text_file(path, kScriptBytesMax, env));
  HELVE_ASSIGN(std::vector<ScriptLine> lines, read_script(text, path.string()));
  if (model.empty()) model = "scripted";
  return std::make_shared<ScriptedModel>(std::move(lines), path.string(), std::move(model), prices);
}

Result<std::shared_ptr<Provider>> record(std::shared_ptr<Provider> provider,
                                         std::filesystem::path path, Env& env) {
  auto recorder = std::make_shared<Recorder>(std::move(provider), std::move(path), env);
  HELVE_TRY(recorder->append({}));  // a file that cannot be written is told now
  return recorder;
}

std::optional<Error> record_failure(const Provider& provider) {
  const auto* const recorder = dynamic_cast<const Recorder*>(&provider);
  return recorder != nullptr ? recorder->failure() : std::nullopt;
}

}  // namespace helve::llm
