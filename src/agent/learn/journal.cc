#include "agent/learn/journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "agent/learn/differences.h"
#include "agent/loops/json_object.h"
#include "agent/trajectory/json_members.h"
#include "base/digest.h"
#include "base/text.h"

namespace helve::agent {

namespace {

constexpr std::string_view kFile = "journal.jsonl";

std::string line_of(std::string_view kind, JsonValue::Object members) {
  JsonValue::Object all;
  all.push_back({"kind", JsonValue(kind)});
  for (JsonMember& member : members) all.push_back(std::move(member));
  return to_json(JsonValue(std::move(all))) + "\n";
}

std::string first_line(const JsonValue& start) {
  JsonValue::Object members;
  members.push_back({"digest", JsonValue(digest_hex(DigestKind::Sha256, to_json(start)))});
  members.push_back({"loop", start});
  return line_of("start", std::move(members));
}

Error of_another_loop(const JsonValue& then, const JsonValue& now,
                      const std::filesystem::path& path) {
  const std::string differences = differences_of(then, now, "the loop");
  return {ErrorCode::InvalidInput,
          fmt::format("{} is of another loop: {}", path.string(),
                      differences.empty() ? "its settings differ" : differences),
          "go on with the same options, or name another folder"};
}

Error damaged(const std::filesystem::path& path, std::uint64_t line, const std::string& why) {
  return Error{ErrorCode::InvalidInput, "this line of the journal cannot be read: " + why,
               "begin again in another folder; the bank keeps what it has"}
      .at(path.string(), {line, 1});
}

Result<std::string> read_whole(const std::filesystem::path& path, Env& env) {
  const auto status = env.files().status(path);
  if (!status) {
    if (status.error().code == ErrorCode::NotFound) return std::string();
    return status.error();
  }
  if (status->size > kJournalBytesMax) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("{} has {}; journals are read up to {}", path.string(),
                             format_bytes(status->size), format_bytes(kJournalBytesMax))};
  }
  if (status->size == 0) return std::string();
  HELVE_ASSIGN(const auto file, env.files().map(path));
  return std::string(file->text());
}

}  // namespace

void LoopUsage::add(const llm::Usage& more, double more_ms) {
  usage += more;
  ms += more_ms;
}

Result<std::unique_ptr<LearnJournal>> LearnJournal::open(const std::filesystem::path& folder,
                                                         const JsonValue& given, Env& env,
                                                         std::uint64_t bytes_max) {
  // As it reads when it is read again: that is what it is compared with.
  HELVE_ASSIGN(const JsonValue start, parse_json(to_json(given)));
  HELVE_TRY(env.files().make_directories(folder));
  std::unique_ptr<LearnJournal> journal(new LearnJournal());
  journal->path_ = folder / kFile;
  journal->bytes_max_ = bytes_max;
  auto lock = env.files().lock(folder / "lock");
  if (!lock) {
    Error error = std::move(lock).error();
    if (error.code == ErrorCode::Unavailable && error.hint.empty()) {
      error.hint = "another process may be learning in this folder";
    }
    return error;
  }
  journal->lock_ = *std::move(lock);
  HELVE_ASSIGN(const std::string text, read_whole(journal->path_, env));
  // Behind its last line end stands what a crash cut.
  const std::size_t end = text.rfind('\n');
  const std::string_view whole(text.data(), end == std::string::npos ? 0 : end + 1);
  if (whole.empty()) {
    const std::string line = first_line(start);
    HELVE_TRY(write_file_atomically(env, journal->path_, line));
    journal->bytes_ = line.size();
  } else {
    journal->bytes_ = whole.size();
    HELVE_TRY(journal->load(whole, start));
    if (whole.size() != text.size()) {
      HELVE_TRY(write_file_atomically(env, journal->path_, whole));
    }
  }
  HELVE_ASSIGN(journal->file_, env.files().open_write(journal->path_, WriteMode::Append));
  return journal;
}

Result<void> LearnJournal::load(std::string_view text, const JsonValue& start) {
  std::uint64_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    const auto line = parse_json(text.substr(0, end));
    text.remove_prefix(end + 1);
    if (!line) return damaged(path_, number, line.error().full_message());
    if (number == 1) {
      const JsonValue then = member(*line, "loop");
      if (text_member(*line, "kind") != "start") {
        return damaged(path_, number, "a journal begins with the line start");
      }
      if (!(then == start)) return of_another_loop(then, start, path_);
      continue;
    }
    if (const auto taken = take(*line); !taken)
      return damaged(path_, number, taken.error().full_message());
  }
  return {};
}

Result<void> LearnJournal::take(const JsonValue& line) {
  const std::string kind = text_member(line, "kind");
  const std::string id = text_member(line, "task");
  if (id.empty()) return Error{ErrorCode::InvalidInput, "it names no task"};
  used_.add(read_usage(member(line, "usage")), number_member(line, "ms").value_or(0));
  if (kind == "ran" || kind == "failed") return {};
  if (kind == "judged") {
    HELVE_ASSIGN(tasks_[id], read_record(line));
    return {};
  }
  const auto found = tasks_.find(id);
  if (found == tasks_.end()) {
    return Error{ErrorCode::InvalidInput, fmt::format("{} was not judged before", id)};
  }
  TaskRecord& record = found->second;
  if (kind == "stored") {
    record.phase = Phase::Stored;
    record.task.items.clear();
    const JsonValue items = member(line, "items");
    if (items.if_array() == nullptr) return {};
    for (const JsonValue& one : *items.if_array()) {
      if (one.if_string() != nullptr) record.task.items.push_back(*one.if_string());
    }
  } else if (kind == "counted") {
    record.phase = Phase::Counted;
  } else if (kind == "done") {
    record.phase = Phase::Done;
  } else {
    return Error{ErrorCode::InvalidInput, fmt::format("there is no kind {}", kind)};
  }
  return {};
}

const TaskRecord* LearnJournal::find(const std::string& task) const {
  const auto found = tasks_.find(task);
  return found != tasks_.end() ? &found->second : nullptr;
}

std::vector<std::string> LearnJournal::stored_items() const {
  std::vector<std::string> ids;
  for (const auto& [id, record] : tasks_) {
    if (record.phase < Phase::Stored) continue;
    ids.insert(ids.end(), record.task.items.begin(), record.task.items.end());
  }
  return ids;
}

Result<void> LearnJournal::append(std::string_view kind, JsonValue::Object members) {
  const std::string line = line_of(kind, std::move(members));
  if (bytes_ + line.size() > bytes_max_) {
    return Error{
        ErrorCode::LimitExceeded,
        fmt::format("{} is full: journals have up to {}", path_.string(), format_bytes(bytes_max_)),
        "take the other tasks in another folder: --out DIR"};
  }
  bytes_ += line.size();
  HELVE_TRY(file_->write(line));
  HELVE_TRY(file_->flush());
  return file_->sync();
}

Result<void> LearnJournal::append_step(std::string_view kind, const std::string& task) {
  JsonValue::Object members;
  members.push_back({"task", JsonValue(task)});
  return append(kind, std::move(members));
}

Result<void> LearnJournal::ran(const std::string& task, const llm::Usage& usage, double ms) {
  used_.add(usage, ms);
  JsonValue::Object members;
  members.push_back({"task", JsonValue(task)});
  members.push_back({"usage", kept_usage(usage)});
  members.push_back({"ms", JsonValue(ms)});
  return append("ran", std::move(members));
}

Result<void> LearnJournal::judged(const TaskRecord& record, const llm::Usage& usage, double ms) {
  used_.add(usage, ms);
  JsonValue::Object members = record_json(record);
  members.push_back({"usage", kept_usage(usage)});
  members.push_back({"ms", JsonValue(ms)});
  return append("judged", std::move(members));
}

Result<void> LearnJournal::stored(const LearnedTask& task) {
  JsonValue::Object members;
  members.push_back({"task", JsonValue(task.id)});
  members.push_back({"items", array_of(task.items)});
  return append("stored", std::move(members));
}

Result<void> LearnJournal::counted(const std::string& task) { return append_step("counted", task); }

Result<void> LearnJournal::done(const std::string& task) { return append_step("done", task); }

Result<void> LearnJournal::failed(const LearnedTask& task, const llm::Usage& usage, double ms) {
  used_.add(usage, ms);
  JsonValue::Object members;
  members.push_back({"task", JsonValue(task.id)});
  members.push_back({"error", JsonValue(task.error)});
  members.push_back({"usage", kept_usage(usage)});
  members.push_back({"ms", JsonValue(ms)});
  return append("failed", std::move(members));
}

}  // namespace helve::agent
