#include "sources/sql/sqlite/sqlite_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "sources/sql/sqlite/sqlite_values.h"

namespace helve::sql {

namespace {

// So much before the deadline the worker itself gives up, and so long behind it that is waited for:
// a worker that can tell need not be killed.
constexpr Duration kTimeToTell = std::chrono::milliseconds(10);
constexpr Duration kGrace = std::chrono::milliseconds(100);
// Of a commit that is not waited for nobody knows whether it was done.
constexpr Duration kCommitGrace = std::chrono::seconds(2);
constexpr Duration kTimeToEnd = std::chrono::milliseconds(200);
constexpr std::size_t kComplaintMax = 200;
constexpr std::size_t kStoredFormsTold = 5;
constexpr std::size_t kFrameSlack = kMiB;
constexpr std::size_t kKeptBufferMax = 4 * kMiB;

Error nonsense() {
  return {ErrorCode::Unavailable, "the SQLite worker gave an answer that makes no sense",
          "try again"};
}

// Reads the frames of one answer.
class AnswerReader {
 public:
  AnswerReader(const SqliteRun& run, RowSink& sink, SqliteAnswer& answer)
      : sink_(sink),
        answer_(answer),
        is_change_(run.request != SqliteFrame::Run),
        rows_max_(run.rows_max),
        bytes_left_(run.bytes_max) {}

  // What a frame may have at most.
  std::uint64_t frame_bytes_max() const { return bytes_left_ + bytes_left_ / 4 + kFrameSlack; }

  Result<void> take(SqliteFrame kind, std::string_view payload) {
    switch (kind) {
      case SqliteFrame::Columns:
        return take_columns(payload);
      case SqliteFrame::Rows:
        return take_rows(payload);
      case SqliteFrame::Done: {
        const auto has_more = read_done(payload);
        if (!has_more || !terms_ || is_change_) return nonsense();
        answer_.has_more = *has_more;
        add_notes();
        answer_.is_whole = true;
        return {};
      }
      case SqliteFrame::Changed:
        answer_.changed = read_changed(payload);
        if (!answer_.changed || !is_change_) return nonsense();
        answer_.has_more = answer_.changed->has_more;
        if (terms_) add_notes();
        answer_.is_whole = true;
        return {};
      case SqliteFrame::Over:
        if (!payload.empty()) return nonsense();
        answer_.is_over = true;
        return {};
      case SqliteFrame::Failed: {
        auto error = read_failed(payload);
        if (!error) return nonsense();
        answer_.is_whole = true;
        return *std::move(error);
      }
      default:
        return nonsense();
    }
  }

 private:
  Result<void> take_columns(std::string_view payload) {
    auto columns = read_columns(payload);
    if (!columns || terms_) return nonsense();
    terms_.emplace(columns->types);
    cells_.resize(columns->names.size());
    answer_.column_types = std::move(columns->types);
    names_ = std::move(columns->names);
    return sink_.columns(names_);
  }

  // Who copies a date from a reply into a statement compares it with texts.
  void add_notes() {
    if (terms_->met_broken_text()) {
      answer_.notes.emplace_back("some texts are no UTF-8: they are given as their bytes");
    }
    std::size_t told = 0;
    for (std::size_t i = 0; i < names_.size() && told < kStoredFormsTold; ++i) {
      const std::string& stored = terms_->stored_as(i);
      if (stored.empty()) continue;
      ++told;
      answer_.notes.push_back(
          fmt::format("{} is stored as text like '{}': write it so in SQL", names_[i], stored));
    }
  }

  Result<void> take_rows(std::string_view payload) {
    if (!terms_) return nonsense();
    FrameInput in(payload);
    while (!in.is_at_end()) {
      for (std::size_t i = 0; i < cells_.size(); ++i) take_cell(in, i);
      if (!in.is_sound() || row_bytes_ > bytes_left_ || answer_.rows == rows_max_) {
        return nonsense();
      }
      bytes_left_ -= std::exchange(row_bytes_, 0);
      HELVE_TRY(sink_.row(cells_));
      ++answer_.rows;
    }
    return {};
  }

  void take_cell(FrameInput& in, std::size_t i) {
    constexpr std::size_t kNumber = sizeof(std::int64_t);  // as size_of() counts
    switch (in.number<ValueTag>()) {
      case ValueTag::Integer:
        row_bytes_ += kNumber;
        cells_[i] = terms_->integer(i, in.number<std::int64_t>());
        return;
      case ValueTag::Text: {
        const std::string_view text = in.text();
        row_bytes_ += kNumber + text.size();
        cells_[i] = terms_->text(i, text);
        return;
      }
      case ValueTag::Real:
        row_bytes_ += kNumber;
        cells_[i] = terms_->real(i, in.number<double>());
        return;
      case ValueTag::Blob: {
        const std::string_view bytes = in.text();
        row_bytes_ += kNumber + 2 * bytes.size();
        cells_[i] = terms_->bytes(i, bytes);
        return;
      }
      case ValueTag::Null:
        row_bytes_ += 1;
        cells_[i].reset();
        return;
    }
    in.check(false);
  }

  RowSink& sink_;
  SqliteAnswer& answer_;
  bool is_change_;
  std::uint64_t rows_max_;
  std::uint64_t bytes_left_;
  std::uint64_t row_bytes_ = 0;
  std::vector<std::string> names_;
  std::optional<TermMaker> terms_;
  std::vector<std::optional<rdf::TermView>> cells_;
};

}  // namespace

Result<std::unique_ptr<SqliteClient>> SqliteClient::start(const std::vector<std::string>& command,
                                                          const SqliteOpen& open, Env& env) {
  ProcessOptions options;
  options.arguments = command;
  auto process = env.processes().start(options);
  if (!process) {
    return Error{ErrorCode::Unavailable,
                 "the SQLite worker cannot be started: " + process.error().full_message(),
                 "it is the helve program: put it into PATH, or its path into HELVE_PROGRAM"};
  }
  std::unique_ptr<SqliteClient> client(new SqliteClient(*std::move(process), env.clock()));
  client->request_ = kSqliteMagic;
  write_open(client->request_, open);
  return client;
}

SqliteAnswer SqliteClient::ask(SqliteRun run, RowSink& sink, const OpContext& context) {
  SqliteAnswer answer;
  if (!context.deadline.is_never()) {
    const Duration left = context.deadline.remaining();
    run.time = left - std::min(kTimeToTell, left / 10);
  }
  if (auto outcome = converse(run, sink, context, answer); !outcome) {
    answer.error = std::move(outcome).error();
  }
  // Bytes behind the end of an answer belong to nothing.
  if (!received_.empty()) answer.is_whole = false;
  if (received_.capacity() > kKeptBufferMax) received_ = {};
  return answer;
}

Result<void> SqliteClient::converse(const SqliteRun& run, RowSink& sink, const OpContext& context,
                                    SqliteAnswer& answer) {
  AnswerReader reader(run, sink, answer);
  OpContext patient = context;
  if (!context.deadline.is_never()) {
    const Duration grace = run.request == SqliteFrame::Commit ? kCommitGrace : kGrace;
    patient.deadline = Deadline(clock_, context.deadline.remaining() + grace);
  }
  patient.limits.pipe_bytes_max =
      std::max(out_bytes_, err_bytes_) + reader.frame_bytes_max() + kFrameSlack;
  write_run(request_, run);
  auto written = process_->write_stdin(request_, patient);
  request_.clear();
  if (!written) {
    HELVE_TRY(context.check());
    return ended_early(context);
  }
  MemoryCharge charge(*context.memory, "an answer of SQLite");
  std::string err;
  while (!answer.is_whole) {
    const std::size_t before = received_.size();
    HELVE_ASSIGN(const bool is_open, process_->read_output(received_, err, patient));
    out_bytes_ += received_.size() - before;
    err_bytes_ += err.size();
    answer.has_begun = answer.has_begun || !received_.empty();
    if (complaint_.size() < kComplaintMax) complaint_ += err.substr(0, kComplaintMax);
    err.clear();
    if (received_.size() > kFrameSlack) HELVE_TRY(charge.resize(received_.capacity()));
    std::size_t at = 0;
    while (!answer.is_whole) {
      const std::string_view rest = std::string_view(received_).substr(at);
      const auto head = read_frame_head(rest);
      if (!head) break;
      if (head->size > reader.frame_bytes_max()) return nonsense();
      if (rest.size() - SqliteFrameHead::kBytes < head->size) break;
      at += SqliteFrameHead::kBytes + head->size;
      auto taken = reader.take(head->kind, rest.substr(SqliteFrameHead::kBytes, head->size));
      if (!taken) {
        received_.erase(0, at);
        return taken;
      }
    }
    received_.erase(0, at);
    if (!is_open && !answer.is_whole) return ended_early(context);
  }
  return {};
}

Error SqliteClient::ended_early(const OpContext& context) {
  OpContext brief = context;
  if (context.deadline.remaining() > kTimeToEnd) {
    brief.deadline = Deadline(clock_, kTimeToEnd);
  }
  const auto status = process_->wait(brief);
  std::string how = "it ended too early";
  if (status && status->signal != 0) how = fmt::format("signal {} ended it", status->signal);
  if (status && status->signal == 0 && status->code != 0) {
    how = fmt::format("it ended with status {}", status->code);
  }
  if (!complaint_.empty()) {
    how += ": " + elide_end(escape_for_terminal(complaint_), kComplaintMax);
  }
  return {ErrorCode::Unavailable, "the SQLite worker failed: " + how,
          "try again; ask for less if it happens again"};
}

}  // namespace helve::sql
