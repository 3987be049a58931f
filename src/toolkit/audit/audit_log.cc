#include "toolkit/audit/audit_log.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "toolkit/audit/lines.h"
#include "toolkit/audit/record_text.h"

namespace helve::toolkit {

namespace {

constexpr Duration kLockWait = std::chrono::seconds(10);
constexpr Duration kLockPause = std::chrono::microseconds(100);
constexpr Duration kHeadSyncPause = std::chrono::seconds(1);
constexpr std::size_t kHeaderBytesMax = 4 * kKiB;
constexpr std::size_t kTornBytesMax = 64 * kMiB;
constexpr std::string_view kRecordBegin = R"({"v":1,"seq":)";

Error not_an_audit_file(const std::filesystem::path& path) {
  return {ErrorCode::InvalidInput,
          fmt::format("\"{}\" is there and is not an audit file of this format", path.native()),
          "move it away, or name another file"};
}

Error another_key(const std::filesystem::path& path, std::string_view theirs,
                  std::string_view ours) {
  const auto named = [](std::string_view id) {
    return id.empty() ? std::string("without a key") : fmt::format("with the key {}", id);
  };
  return {ErrorCode::InvalidInput,
          fmt::format("the audit file \"{}\" was begun {}, and is opened {}", path.native(),
                      named(theirs), named(ours)),
          "give the same key, or move the file away to begin a new one"};
}

// Gives the lock back.
class Held {
 public:
  explicit Held(std::unique_ptr<SharedFile>& file) : file_(file) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    if (file_ != nullptr) file_->unlock();
  }

 private:
  std::unique_ptr<SharedFile>& file_;
};

}  // namespace

// What stands behind a record that is known.
struct AuditLog::Scan {
  End end;                  // behind the last record
  std::uint64_t whole = 0;  // of the file, without what is torn
};

AuditLog::AuditLog(std::filesystem::path path, Env& env, SharedFiles& files, ChainHash hash)
    : path_(std::move(path)), env_(env), files_(files), hash_(std::move(hash)) {}

AuditLog::~AuditLog() {
  if (!is_head_synced_ && head_file_ != nullptr) static_cast<void>(head_file_->sync());
}

Error AuditLog::cannot(const Error& cause) const {
  if (cause.code == ErrorCode::InvalidInput) return cause;
  const ErrorCode code =
      cause.code == ErrorCode::Denied ? ErrorCode::Denied : ErrorCode::Unavailable;
  return {code,
          fmt::format("the audit file \"{}\" cannot be written: {}", path_.native(),
                      cause.full_message()),
          "nothing is done that cannot be recorded: mend the file, or name another one"};
}

Result<void> AuditLog::check() {
  if (file_ != nullptr && end_ && end_->bytes > 0) {
    const auto is_there = file_->is_at_path();
    if (!is_there) return cannot(is_there.error());
    if (*is_there) return {};
  }
  return append({});
}

Result<void> AuditLog::append(std::span<const std::string> contents) {
  const Held held(file_);
  if (auto mine = hold(); !mine) return cannot(mine.error());
  if (auto done = append_held(contents); !done) return cannot(done.error());
  return {};
}

Result<void> AuditLog::append_held(std::span<const std::string> contents) {
  HELVE_TRY(settle());
  if (contents.empty() && pending_.empty() && end_->bytes > 0) return {};
  return write_lines(contents);
}

// Waits for other processes, but not for ever: one of them may be stopped.
Result<void> AuditLog::hold() {
  const Deadline deadline(env_.clock(), kLockWait);
  while (true) {
    HELVE_ASSIGN(const bool is_mine, try_hold());
    if (is_mine) return {};
    if (deadline.has_passed()) {
      return Error{ErrorCode::Unavailable, "another process holds it for a long time"};
    }
    env_.clock().sleep_for(kLockPause);
  }
}

// What the path leads to may change until the lock is ours.
Result<bool> AuditLog::try_hold() {
  if (file_ == nullptr) {
    HELVE_ASSIGN(file_, files_.open(path_, SharedFileMode::Write));
    end_.reset();
  }
  HELVE_ASSIGN(const bool is_locked, file_->try_lock());
  if (!is_locked) {
    HELVE_ASSIGN(const bool is_there, file_->is_at_path());
    if (!is_there) file_ = nullptr;
    return false;
  }
  HELVE_ASSIGN(const bool is_there, file_->is_at_path());
  if (!is_there) file_ = nullptr;
  return is_there;
}

// Finds where the next record goes, unless nobody else has written.
Result<void> AuditLog::settle() {
  HELVE_ASSIGN(const std::uint64_t size, file_->size());
  if (end_ && end_->bytes == size) return {};
  HELVE_ASSIGN(const HeadReading head, open_head());
  if (size > 0) return find_end(size, head);
  begin_chain(head);
  return {};
}

void AuditLog::begin_chain(const HeadReading& head) {
  std::optional<ChainPlace> before = known_;
  if (head.head && (!before || before->seq < head.head->place.seq)) before = head.head->place;
  end_ = End{before, before ? before->seq + 1 : 0, 0};
}

Result<void> AuditLog::find_end(std::uint64_t size, const HeadReading& head) {
  std::optional<ChainPlace> before_header;
  HELVE_ASSIGN(const bool has_header, check_header(size, before_header));
  if (!has_header) {
    begin_chain(head);
    return set_aside(0, size);
  }
  End from;
  bool is_head_met = true;
  if (end_ && end_->bytes > 0 && end_->bytes <= size) {
    from = *end_;
  } else if (head.head && head.is_ours) {
    const ChainPlace& place = head.head->place;
    is_head_met = false;
    if (head.head->bytes <= size) {
      HELVE_ASSIGN(is_head_met, is_end_of_record(head.head->bytes, place.hash));
    }
    if (is_head_met) from = End{place, place.seq + 1, head.head->bytes};
    // The writer was stopped between a new file and its head.
    is_head_met = is_head_met || before_header == place;
  } else {
    pending_.push_back(headless_text(env_.clock().wall()));
  }
  HELVE_ASSIGN(Scan scanned, scan(from, size));
  if (!is_head_met) {
    const ChainPlace& lost = head.head->place;
    pending_.push_back(cut_text(env_.clock().wall(), lost.seq, lost.hash));
    scanned.end.next_seq = std::max(scanned.end.next_seq, lost.seq + 1);
  }
  end_ = scanned.end;
  known_ = end_->before;
  if (scanned.whole < size) return set_aside(scanned.whole, size);
  return {};
}

// False for a header that is torn itself.
Result<bool> AuditLog::check_header(std::uint64_t size, std::optional<ChainPlace>& before) {
  std::string text(kHeaderBytesMax, '\0');
  HELVE_ASSIGN(const std::size_t count, file_->read_at(0, text));
  text.resize(count);
  const std::size_t line_end = text.find('\n');
  if (line_end == std::string::npos) {
    const std::size_t compared = std::min(text.size(), kRecordBegin.size());
    const bool is_ours = text.compare(0, compared, kRecordBegin, 0, compared) == 0 ||
                         text.find_first_not_of('\0') == std::string::npos;
    if (is_ours && size < kHeaderBytesMax) return false;
    return not_an_audit_file(path_);
  }
  const std::string_view line = std::string_view(text).substr(0, line_end);
  const auto parsed = parse_chain_line(line);
  const auto json = parse_json(line);
  if (!parsed || !json || !parsed->content.starts_with(R"("kind":"header")")) {
    return not_an_audit_file(path_);
  }
  const JsonValue* const key_id = json->find("key_id");
  const std::string* const id = key_id != nullptr ? key_id->if_string() : nullptr;
  const std::string theirs = id != nullptr ? *id : std::string();
  if (theirs != hash_.key_id()) return another_key(path_, theirs, hash_.key_id());
  if (parsed->seq > 0) before = ChainPlace{parsed->seq - 1, std::string(parsed->prev)};
  return true;
}

Result<bool> AuditLog::is_end_of_record(std::uint64_t bytes, const std::string& hash) {
  const std::string expected = hash + "\"}\n";
  if (bytes < expected.size()) return false;
  std::string text(expected.size(), '\0');
  HELVE_ASSIGN(const std::size_t count, file_->read_at(bytes - expected.size(), text));
  return count == expected.size() && text == expected;
}

// Whole lines are never dropped, whatever they say: verifying finds what is wrong with them. But
// for those behind a known record with bytes that no record has, which a power loss leaves where
// nothing was acknowledged yet.
Result<AuditLog::Scan> AuditLog::scan(End from, std::uint64_t size) {
  SharedFileSource source(*file_, from.bytes);
  AuditLineReader lines(source, from.bytes);
  const bool is_from_known = from.bytes > 0;
  Scan scanned{std::move(from), 0};
  End& end = scanned.end;
  scanned.whole = end.bytes;
  std::optional<End> last_true;  // where records stop to be what they should be
  while (true) {
    HELVE_ASSIGN(const auto line, lines.next());
    if (!line) break;
    if (line->has_zero && is_from_known) {
      if (last_true) end = *last_true;
      scanned.whole = end.bytes;
      break;
    }
    if (!line->is_complete) break;
    const auto parsed = line->is_too_long ? std::nullopt : parse_chain_line(line->text);
    const bool is_next = parsed && parsed->seq == end.next_seq &&
                         parsed->prev == (end.before ? end.before->hash : chain_start()) &&
                         has_true_hash(line->text, *parsed, hash_);
    if (!is_next && !last_true) last_true = end;
    if (parsed) {
      end.before = ChainPlace{parsed->seq, std::string(parsed->hash)};
      end.next_seq = parsed->seq + 1;
    }
    end.bytes = scanned.whole = line->end;
  }
  if (size - scanned.whole > kTornBytesMax) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("the end of the audit file \"{}\" is damaged", path_.native()),
                 "move it away to begin a new one"};
  }
  return scanned;
}

Result<void> AuditLog::set_aside(std::uint64_t begin, std::uint64_t size) {
  std::string torn(static_cast<std::size_t>(size - begin), '\0');
  HELVE_ASSIGN(const std::size_t count, file_->read_at(begin, torn));
  torn.resize(count);
  HELVE_TRY(file_->cut(begin));
  pending_.push_back(recovered_text(env_.clock().wall(), torn));
  return {};
}

Result<void> AuditLog::write_lines(std::span<const std::string> contents) {
  std::string bytes;
  End end = *end_;
  const auto add = [&](std::string_view content) {
    end.before = append_chain_line(bytes, end.before, end.next_seq, content, hash_);
    end.next_seq = end.before->seq + 1;
  };
  if (end.bytes == 0) add(header_text(env_.clock().wall(), hash_.key_id()));
  for (const std::string& content : pending_) add(content);
  for (const std::string& content : contents) add(content);
  auto written = file_->write_at(end.bytes, bytes);
  if (written) written = file_->sync();
  if (!written) {
    // Also what was written but not synced: whether the disk has it cannot be known any more.
    if (!file_->cut(end_->bytes)) file_ = nullptr;
    return written;
  }
  end.bytes += bytes.size();
  end_ = std::move(end);
  known_ = end_->before;
  pending_.clear();
  return write_head();
}

Result<HeadReading> AuditLog::open_head() {
  if (head_file_ != nullptr) {
    HELVE_ASSIGN(const bool is_there, head_file_->is_at_path());
    if (!is_there) head_file_ = nullptr;
  }
  if (head_file_ == nullptr) {
    HELVE_ASSIGN(head_file_, files_.open(head_path(path_), SharedFileMode::Write));
    head_synced_at_.reset();
  }
  std::string text(kHeadBytes, '\0');
  HELVE_ASSIGN(const std::size_t count, head_file_->read_at(0, text));
  text.resize(count);
  HeadReading reading = read_head(text, hash_);
  free_slot_ = reading.free_slot;
  return reading;
}

// A head that is behind is no fault, so it need not be durable at once.
Result<void> AuditLog::write_head() {
  const bool is_open = head_file_ != nullptr;
  HELVE_ASSIGN(const bool is_there, is_open ? head_file_->is_at_path() : Result<bool>(false));
  if (!is_there) HELVE_TRY(open_head());
  const std::string slot = head_slot({*end_->before, end_->bytes}, hash_);
  HELVE_TRY(head_file_->write_at(free_slot_ * kHeadSlotBytes, slot));
  free_slot_ = 1 - free_slot_;
  is_head_synced_ = false;
  const MonotonicTime now = env_.clock().now();
  if (head_synced_at_ && now - *head_synced_at_ < kHeadSyncPause) return {};
  HELVE_TRY(head_file_->sync());
  head_synced_at_ = now;
  is_head_synced_ = true;
  return {};
}

}  // namespace helve::toolkit
