#include <fmt/chrono.h>
#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "base/json_writer.h"
#include "base/utf8.h"
#include "toolkit/policy/audit.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kQueryBytesMax = 16 * kKiB;  // the hash stands for the rest

std::string time_text(WallTime time) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(time);
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(time - whole).count();
  return fmt::format("{:%FT%T}.{:03}Z", fmt::gmtime(whole), ms);
}

std::string_view shortened(std::string_view query) {
  if (query.size() <= kQueryBytesMax) return query;
  std::size_t end = kQueryBytesMax;
  while (end > 0 && (static_cast<unsigned char>(query[end]) & 0xC0U) == 0x80U) --end;
  return query.substr(0, end);
}

std::string line_of(const AuditRecord& record) {
  std::string line;
  JsonWriter json(line);
  json.begin_object();
  json.member("at", time_text(record.at));
  json.member("identity", record.identity);
  json.member("session", record.session);
  json.member("tool", record.tool);
  json.member("source", record.source);
  json.member("query_hash", record.query_hash);
  json.member("query", shortened(record.query));
  if (record.query.size() > kQueryBytesMax) json.member("query_bytes", record.query.size());
  json.member("verdict", record.verdict);
  json.member("rows", record.rows);
  json.member("reply_chars", record.reply_chars);
  json.member("ms", record.ms);
  json.end_object();
  line += '\n';
  return line;
}

Error cannot(const std::filesystem::path& path, const Error& cause) {
  const ErrorCode code =
      cause.code == ErrorCode::Denied ? ErrorCode::Denied : ErrorCode::Unavailable;
  return {code,
          fmt::format("the audit file \"{}\" cannot be written: {}", path.native(), cause.message),
          "nothing is done that cannot be recorded: mend the file, or name another one"};
}

// The file as it stands on the disk may be turned over (renamed, removed) while we hold it open: it
// is looked at before each call and opened anew where it is gone.
class AuditFile final : public AuditSink {
 public:
  AuditFile(std::filesystem::path path, Env& env) : path_(std::move(path)), env_(env) {}

  Result<void> check() override {
    const std::lock_guard lock(mutex_);
    return ready();
  }

  Result<void> write(const AuditRecord& record) override {
    const std::string line = line_of(record);
    const std::lock_guard lock(mutex_);
    HELVE_TRY(ready());
    return append(line);
  }

 private:
  Result<void> ready() {
    const auto status = env_.files().status(path_);
    if (!status && status.error().code != ErrorCode::NotFound) return cannot(path_, status.error());
    if (status && status->kind != FileKind::Regular) {
      return Error{
          ErrorCode::Denied,
          fmt::format("the audit file \"{}\" is not a file that keeps what is written to it",
                      path_.native()),
          "name a regular file, or one that does not exist yet"};
    }
    if (file_ != nullptr && status) return {};
    return open(status ? status->size : 0);
  }

  Result<void> open(std::uint64_t size) {
    file_ = nullptr;
    bool is_torn = false;  // the last line has no end: whoever wrote it was stopped
    if (size > 0) {
      const auto map = env_.files().map(path_);
      if (!map) return cannot(path_, map.error());
      is_torn = !(*map)->text().ends_with('\n');
    }
    auto opened = env_.files().open_write(path_, WriteMode::Append);
    if (!opened) return cannot(path_, opened.error());
    file_ = *std::move(opened);
    return is_torn ? append("\n") : Result<void>{};
  }

  // After a failure the file is opened again at the next call, which also ends a half-written line.
  Result<void> append(std::string_view bytes) {
    auto written = file_->write(bytes);
    if (written) written = file_->flush();
    if (written) return {};
    file_ = nullptr;
    return cannot(path_, written.error());
  }

  std::mutex mutex_;
  std::filesystem::path path_;
  Env& env_;
  std::unique_ptr<WritableFile> file_;  // null: to be opened
};

}  // namespace

Result<std::unique_ptr<AuditSink>> open_audit_file(const std::filesystem::path& path, Env& env) {
  auto file = std::make_unique<AuditFile>(path, env);
  HELVE_TRY(file->check());
  return file;
}

}  // namespace helve::toolkit
