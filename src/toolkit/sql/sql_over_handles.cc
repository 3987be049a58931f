#include "toolkit/sql/sql_over_handles.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "toolkit/sql/sql_protocol.h"

namespace helve::toolkit {

namespace {

// So much before the deadline the worker itself gives up: it can say more of why.
constexpr Duration kTimeToTell = std::chrono::milliseconds(50);
constexpr std::size_t kComplaintMax = 200;

Result<std::string> make_request(std::string_view sql, const std::vector<SqlTable>& tables,
                                 const std::vector<std::string>& known_tables,
                                 const SqlLimits& limits, const OpContext& context,
                                 MemoryCharge& charge) {
  SqlRequest request;
  request.rows_max = limits.rows_max;
  request.memory_bytes_max = limits.memory_bytes_max;
  if (!context.deadline.is_never()) {
    const Duration left = context.deadline.remaining();
    request.time = left - std::min(kTimeToTell, left / 10);
  }
  request.sql = sql;
  request.known_tables.assign(known_tables.begin(), known_tables.end());
  std::vector<std::string> contents;
  std::uint64_t bytes = sql.size();
  for (const SqlTable& table : tables) {
    HELVE_TRY(context.check());
    contents.push_back(table.rows->to_bytes());
    bytes += contents.back().size();
    if (bytes > kSqlRequestBytesMax / 2) {
      return Error{ErrorCode::LimitExceeded,
                   fmt::format("the handles of the statement have more than {}",
                               format_bytes(kSqlRequestBytesMax / 2)),
                   "work on fewer or smaller handles at once"};
    }
    HELVE_TRY(charge.resize(2 * bytes));
  }
  for (std::size_t i = 0; i < tables.size(); ++i) {
    request.tables.emplace_back(tables[i].name, contents[i]);
  }
  return encode(request);
}

Error ended_early(WorkerProcess& worker, const std::string& complaint, const OpContext& context) {
  const auto status = worker.wait(context);
  std::string how = "it ended too early";
  if (status && status->signal != 0) how = fmt::format("signal {} ended it", status->signal);
  if (status && status->signal == 0 && status->code != 0) {
    how = fmt::format("it ended with status {}", status->code);
  }
  if (!complaint.empty()) {
    how += ": " + elide_end(escape_for_terminal(complaint.substr(0, kComplaintMax)), kComplaintMax);
  }
  return {ErrorCode::Unavailable, "the SQL worker failed: " + how,
          "try again; select fewer rows or columns if it happens again"};
}

Result<void> converse(WorkerProcess& worker, std::string request, SqlFrameReader& frames,
                      const OpContext& context) {
  std::string complaint;
  // A worker that is gone already has perhaps said why.
  auto written = worker.write_stdin(request, context);
  if (!written && !context.check()) return written;
  worker.close_stdin();
  request.clear();
  request.shrink_to_fit();
  while (!frames.done()) {
    std::string out;
    std::string err;
    auto is_open = worker.read_output(out, err, context);
    if (!is_open) return std::move(is_open).error();
    HELVE_TRY(frames.take(out));
    if (complaint.size() < kComplaintMax) complaint += err;
    if (!*is_open) break;
  }
  if (!frames.done()) return ended_early(worker, complaint, context);
  return {};
}

}  // namespace

SqlRun SqlOverHandles::run(std::string_view sql, const std::vector<SqlTable>& tables,
                           const std::vector<std::string>& known_tables, const SqlLimits& limits,
                           RowSink& sink, const OpContext& context) const {
  SqlRun run;
  SqlFrameReader frames(sink);
  MemoryCharge charge(*context.memory, "handing rows to the SQL worker");
  const auto answer = [&]() -> Result<void> {
    HELVE_ASSIGN(std::string request,
                 make_request(sql, tables, known_tables, limits, context, charge));
    ProcessOptions options;
    options.arguments = worker_command_;
    auto worker = env_.processes().start(options);
    if (!worker) {
      return Error{ErrorCode::Unavailable,
                   "the SQL worker cannot be started: " + worker.error().full_message(),
                   "it is the helve program: put it into PATH, or its path into HELVE_PROGRAM"};
    }
    OpContext patient = context;
    // What a term costs on the way beside its text.
    patient.limits.pipe_bytes_max = std::max(context.limits.pipe_bytes_max, 2 * limits.bytes_max);
    return converse(**worker, std::move(request), frames, patient);
  };
  if (auto outcome = answer(); !outcome) run.error = std::move(outcome).error();
  run.rows = frames.rows();
  if (frames.done()) {
    run.has_more = frames.done()->has_more;
    run.notes = frames.done()->notes;
  }
  return run;
}

}  // namespace helve::toolkit
