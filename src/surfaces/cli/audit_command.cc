#include "surfaces/cli/audit_command.h"

#include <fmt/format.h>

#include <cstdlib>
#include <deque>

#include "base/compression.h"
#include "base/paced_check.h"
#include "base/stdio.h"
#include "base/text.h"
#include "surfaces/cli/audit_lines.h"
#include "surfaces/cli/duration.h"
#include "surfaces/cli/json_output.h"
#include "surfaces/opening/policy_file.h"
#include "surfaces/opening/secret.h"
#include "toolkit/audit/record_text.h"
#include "toolkit/audit/verify.h"

namespace helve::cli {

namespace {

using toolkit::AuditLine;
using toolkit::AuditReport;

constexpr Duration kFollowPause = std::chrono::milliseconds(200);
constexpr std::size_t kKeptBytesMax = 64 * kMiB;

Result<std::unique_ptr<ByteSource>> open_stream(const std::string& path, CommandContext& context) {
  if (path == "-") return stdin_source(context.op.cancel);
  HELVE_ASSIGN(auto file, context.env.files().open_read(path));
  return open_decompressor(compression_by_name(path), std::move(file), context.op.limits);
}

Result<toolkit::AuditEnd> find_end(const AuditVerifyOptions& options, CommandContext& context) {
  toolkit::AuditEnd end;
  end.is_open = options.is_open;
  if (!options.head.empty()) {
    HELVE_ASSIGN(end.anchor, toolkit::parse_chain_place(options.head));
  }
  auto head = opening::read_small_file(toolkit::head_path(options.files.back()), context.env);
  if (head) {
    end.head_text = *std::move(head);
  } else if (head.error().code != ErrorCode::NotFound) {
    return std::move(head).error();
  }
  return end;
}

Result<AuditReport> verify(const AuditVerifyOptions& options, CommandContext& context) {
  std::string key;
  if (!options.key.empty()) {
    HELVE_ASSIGN(key, opening::read_secret(options.key, "", context.env,
                                           [](const char* name) { return std::getenv(name); }));
  }
  HELVE_ASSIGN(toolkit::AuditEnd end, find_end(options, context));
  const bool has_head = end.head_text.has_value();
  toolkit::AuditVerifier verifier(toolkit::ChainHash(std::move(key)), std::move(end));
  for (const std::string& path : options.files) {
    auto source = open_stream(path, context);
    if (!source) {
      const bool is_last = &path == &options.files.back();
      if (source.error().code != ErrorCode::NotFound || !is_last || !has_head) {
        return std::move(source).error();
      }
      verifier.miss(path);
      break;
    }
    HELVE_TRY(verifier.add(path, **source, context.op));
  }
  return verifier.finish();
}

std::string interrupted_text(const toolkit::AuditInterrupted& one) {
  return escape_for_terminal(
      fmt::format("interrupted: record {}, {} on {} by {} at {}: its effect is unknown", one.seq,
                  one.tool, one.source, one.identity, one.at));
}

std::string report_text(const AuditReport& report, const Terminal& terminal) {
  std::string out = terminal.styled(Style::Good, "valid");
  out +=
      fmt::format(": {} in {}", count_of(report.records, "record"), count_of(report.files, "file"));
  out += report.key_id.empty() ? ", not keyed\n" : fmt::format(", key {}\n", report.key_id);
  out += escape_for_terminal(fmt::format("from {} to {}", report.first_at, report.last_at)) + "\n";
  if (report.before) {
    out += fmt::format("goes on from record {} of an older file\n", report.before->seq);
  }
  if (report.last) out += fmt::format("head {}\n", toolkit::to_text(*report.last));
  for (const std::string& note : report.notes) {
    out += terminal.styled(Style::Warning, "note") + ": " + escape_for_terminal(note) + "\n";
  }
  for (const auto& one : report.interrupted) {
    out += terminal.styled(Style::Warning, interrupted_text(one)) + "\n";
  }
  if (report.interrupted_count > report.interrupted.size()) {
    out += fmt::format("and {} more that were interrupted\n",
                       report.interrupted_count - report.interrupted.size());
  }
  return out;
}

void write_fault(JsonWriter& json, const toolkit::AuditFault& fault) {
  json.key("fault");
  json.begin_object();
  json.member("file", fault.file);
  if (fault.line > 0) json.member("line", fault.line);
  if (fault.seq) json.member("seq", *fault.seq);
  json.member("kind", fault.kind);
  json.member("text", fault.text);
  json.end_object();
}

std::string report_json(const AuditReport& report) {
  return json_object([&](JsonWriter& json) {
    json.member("valid", !report.fault);
    if (report.fault) write_fault(json, *report.fault);
    json.member("files", report.files);
    json.member("records", report.records);
    json.member("keyed", !report.key_id.empty());
    if (!report.key_id.empty()) json.member("key_id", report.key_id);
    json.member("first_at", report.first_at);
    json.member("last_at", report.last_at);
    if (report.before) json.member("goes_on_from", toolkit::to_text(*report.before));
    if (report.last) json.member("head", toolkit::to_text(*report.last));
    write_texts(json, "notes", report.notes);
    json.member("interrupted_count", report.interrupted_count);
    write_objects(json, "interrupted", report.interrupted, [&json](const auto& one) {
      json.member("seq", one.seq);
      json.member("at", one.at);
      json.member("identity", one.identity);
      json.member("tool", one.tool);
      json.member("source", one.source);
      json.member("call_id", one.call_id);
      json.member("transaction", one.transaction);
    });
  });
}

std::string hint_for(const toolkit::AuditFault& fault, const AuditReport& report) {
  if (fault.kind == "key needed") return "--key env:NAME or --key file:PATH";
  if (fault.kind == "no head") {
    return "give --head SEQ:HASH, the file that came after it, or --no-head";
  }
  if (fault.line == 0 || report.records == 0) return "";
  const std::string before = count_of(report.records, "record");
  // Whoever can write the file can make such a chain anew.
  if (report.key_id.empty()) {
    return fmt::format(
        "the hashes of {} before it are consistent; without a key that does not "
        "show that the content is as it was written",
        before);
  }
  return fmt::format("{} before it {} as written", before, report.records == 1 ? "is" : "are");
}

Error fault_error(const toolkit::AuditFault& fault, const AuditReport& report) {
  std::string where = escape_for_terminal(fault.file);
  if (fault.line > 0) where += fmt::format(":{}", fault.line);
  if (fault.seq) where += fmt::format(": record {}", *fault.seq);
  return {ErrorCode::InvalidInput,
          fmt::format("{}: {}: {}", where, fault.kind, escape_for_terminal(fault.text)),
          hint_for(fault, report)};
}

// Writes records, or keeps the last ones until all are seen.
class RecordOutput {
 public:
  RecordOutput(const AuditListOptions& options, CommandContext& context)
      : options_(options), context_(context) {}

  Result<void> take(std::string_view where, const AuditLine& line) {
    const auto record = toolkit::read_audit_record(line);
    if (!record) {
      if (!options_.filter.is_empty()) return {};
      return put(broken_audit_line(where, options_.is_json, context_.out_terminal));
    }
    if (!toolkit::matches(options_.filter, *record)) return {};
    return put(options_.is_json ? to_json(*record) + '\n'
                                : audit_line_text(*record, context_.out_terminal));
  }

  Result<void> finish() {
    for (const std::string& text : kept_) HELVE_TRY(context_.out.write(text));
    kept_.clear();
    return context_.out.flush();
  }

  bool keeps_last = false;

 private:
  Result<void> put(std::string text) {
    if (!keeps_last) return context_.out.write(text);
    kept_bytes_ += text.size();
    kept_.push_back(std::move(text));
    while (kept_.size() > options_.count || kept_bytes_ > kKeptBytesMax) {
      kept_bytes_ -= kept_.front().size();
      kept_.pop_front();
    }
    return {};
  }

  const AuditListOptions& options_;
  CommandContext& context_;
  std::deque<std::string> kept_;
  std::size_t kept_bytes_ = 0;
};

Result<std::string> time_of(const std::string& given, const Clock& clock) {
  if (given.empty()) return given;
  if (const auto ago = parse_duration(given);
      ago && given.find_first_not_of("0123456789") != std::string::npos) {
    const auto at = clock.wall() - std::chrono::duration_cast<WallTime::duration>(*ago);
    return toolkit::parse_audit_time(toolkit::audit_time(at));
  }
  return toolkit::parse_audit_time(given);
}

// Shows what is there from `offset` on and gives where it ends. A line without an end is shown only
// where no more will come.
Result<std::uint64_t> show_from(SharedFile& file, std::uint64_t offset, bool is_last,
                                const std::string& path, RecordOutput& output) {
  toolkit::SharedFileSource source(file, offset);
  toolkit::AuditLineReader lines(source, offset);
  while (true) {
    HELVE_ASSIGN(const auto line, lines.next());
    if (!line || (!line->is_complete && !is_last)) break;
    HELVE_TRY(output.take(fmt::format("{} at byte {}", path, line->begin), *line));
    offset = line->end;
  }
  HELVE_TRY(output.finish());
  return offset;
}

Result<void> follow(std::unique_ptr<SharedFile> file, std::uint64_t offset, const std::string& path,
                    RecordOutput& output, CommandContext& context) {
  while (!context.op.cancel.is_cancelled() && !context.op.deadline.has_passed()) {
    context.env.clock().sleep_for(kFollowPause);
    HELVE_ASSIGN(const bool is_there, file->is_at_path());
    HELVE_ASSIGN(const std::uint64_t size, file->size());
    if (size < offset) offset = 0;  // emptied
    HELVE_ASSIGN(offset, show_from(*file, offset, false, path, output));
    if (is_there) continue;
    // Moved away: the new one, as soon as there is one.
    auto next = real_shared_files().open(path, SharedFileMode::Read);
    if (!next) continue;
    file = *std::move(next);
    offset = 0;
  }
  return {};
}

}  // namespace

Result<void> run_audit_verify(const AuditVerifyOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const AuditReport report, verify(options, context));
  if (options.is_json) HELVE_TRY(context.show(report_json(report)));
  if (report.fault) return fault_error(*report.fault, report);
  if (options.is_json) return {};
  return context.show(report_text(report, context.out_terminal));
}

Result<void> run_audit_head(const AuditHeadOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const auto file, real_shared_files().open(options.file, SharedFileMode::Read));
  // The last one may be torn.
  HELVE_ASSIGN(const std::uint64_t offset, toolkit::find_last_lines(*file, 2));
  toolkit::SharedFileSource source(*file, offset);
  toolkit::AuditLineReader lines(source, offset);
  std::optional<toolkit::ChainPlace> last;
  while (true) {
    HELVE_ASSIGN(const auto line, lines.next());
    if (!line || !line->is_complete) break;
    const auto parsed = toolkit::parse_chain_line(line->text);
    if (parsed) last = toolkit::ChainPlace{parsed->seq, std::string(parsed->hash)};
  }
  if (!last) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("{} does not end with a record of an audit file",
                             escape_for_terminal(options.file)),
                 fmt::format("helve audit verify {}", escape_for_terminal(options.file))};
  }
  return context.show(toolkit::to_text(*last) + "\n");
}

Result<void> run_audit_tail(const AuditListOptions& options, CommandContext& context) {
  const std::string& path = options.files.front();
  HELVE_ASSIGN(auto file, real_shared_files().open(path, SharedFileMode::Read));
  HELVE_ASSIGN(std::uint64_t offset, toolkit::find_last_lines(*file, options.count));
  RecordOutput output(options, context);
  HELVE_ASSIGN(offset, show_from(*file, offset, !options.is_following, path, output));
  if (!options.is_following) return {};
  return follow(std::move(file), offset, path, output, context);
}

Result<void> run_audit_search(const AuditListOptions& options, CommandContext& context) {
  AuditListOptions settled = options;
  HELVE_ASSIGN(settled.filter.since, time_of(options.filter.since, context.env.clock()));
  HELVE_ASSIGN(settled.filter.until, time_of(options.filter.until, context.env.clock()));
  RecordOutput output(settled, context);
  output.keeps_last = settled.count > 0;
  PacedCheck pace(context.op);
  for (const std::string& path : settled.files) {
    HELVE_ASSIGN(const auto source, open_stream(path, context));
    toolkit::AuditLineReader lines(*source);
    for (std::uint64_t number = 1;; ++number) {
      HELVE_ASSIGN(const auto line, lines.next());
      if (!line) break;
      HELVE_TRY(pace.add(line->end - line->begin));
      HELVE_TRY(output.take(fmt::format("{}:{}", path, number), *line));
    }
  }
  return output.finish();
}

}  // namespace helve::cli
