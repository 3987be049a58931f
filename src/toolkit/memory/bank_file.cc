#include "toolkit/memory/bank_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/file_identity.h"
#include "base/utc.h"
#include "toolkit/memory/bank_schema.h"

namespace helve::memory {

namespace {

namespace fs = std::filesystem;
using sqlite::Store;
using sqlite::StoreUse;

constexpr Duration kLockWait = std::chrono::seconds(10);
constexpr Duration kLockPause = std::chrono::milliseconds(1);
constexpr std::size_t kReadersKept = 8;
constexpr char kWriting = 'w';
constexpr char kDone = '-';
constexpr char kNeverWritten = '\0';

fs::path beside(const fs::path& path, std::string_view ending) {
  fs::path other = path;
  other += ending;
  return other;
}

bool is_there(const fs::path& path) {
  std::error_code failed;
  return fs::exists(path, failed);
}

Result<void> quick_check(Store& store) {
  HELVE_ASSIGN(sqlite::StoreStatement rows, store.prepare("PRAGMA quick_check(1)"));
  HELVE_ASSIGN(const bool has_row, rows.step());
  if (has_row && rows.text(0) == "ok") return {};
  return Error(ErrorCode::Unavailable, "the file is damaged", "restore it from a backup")
      .because(ErrorReason::Corrupt)
      .with_detail(has_row ? std::string(rows.text(0)) : "no answer");
}

Result<void> index_todays_words(Store& store, std::int64_t span) {
  HELVE_ASSIGN(const bool is_todays, has_todays_words(store));
  return is_todays ? Result<void>() : BankIndex(store, span).rebuild();
}

Error no_bank(const fs::path& path) {
  return {ErrorCode::NotFound, fmt::format("there is no memory bank '{}'", path.native()),
          "helve memory add makes one"};
}

}  // namespace

// Given back with the object. Opens the lock file at every turn: whoever holds it may have
// removed or replaced it.
class BankFile::Hold {
 public:
  static Result<std::unique_ptr<Hold>> take(const fs::path& path, Env& env, SharedFiles& shared,
                                            const OpContext& context) {
    const Deadline deadline(env.clock(), kLockWait);
    while (true) {
      HELVE_TRY(context.check());
      HELVE_ASSIGN(auto file, shared.open(path, SharedFileMode::Write));
      HELVE_ASSIGN(const bool is_mine, file->try_lock());
      if (is_mine) {
        HELVE_ASSIGN(const bool is_at_path, file->is_at_path());
        if (is_at_path) return std::unique_ptr<Hold>(new Hold(std::move(file)));
      }
      if (deadline.has_passed()) {
        return Error{ErrorCode::Unavailable, "another process writes to the bank for a long time",
                     fmt::format("see who holds '{}'", path.native())};
      }
      env.clock().sleep_for(kLockPause);
    }
  }

  Result<char> mark() {
    std::array<char, 1> mark{kNeverWritten};
    HELVE_TRY(file_->read_at(0, mark));
    return mark[0];
  }
  Result<void> set_mark(char mark) {
    return mark == kNeverWritten ? file_->cut(0) : file_->write_at(0, {&mark, 1});
  }

 private:
  explicit Hold(std::unique_ptr<SharedFile> file) : file_(std::move(file)) {}
  std::unique_ptr<SharedFile> file_;
};

namespace {

// Through links: whoever comes by another name must meet the same lock.
fs::path real_path(const fs::path& path) {
  std::error_code failed;
  const fs::path whole = fs::absolute(path).lexically_normal();
  fs::path real = fs::weakly_canonical(whole, failed);
  return failed ? whole : real;
}

}  // namespace

BankFile::BankFile(const BankFileOptions& options, Env& env, SharedFiles& shared)
    : path_(real_path(options.path)),
      bytes_max_(options.bytes_max),
      index_span_(options.index_span),
      env_(env),
      shared_(shared) {}

Result<std::unique_ptr<BankFile>> BankFile::open(const BankFileOptions& options, Env& env,
                                                 SharedFiles& shared, const OpContext& context) {
  if (options.path.empty()) {
    return Error{ErrorCode::InvalidInput, "the memory bank has no name", "name a file"};
  }
  std::unique_ptr<BankFile> file(new BankFile(options, env, shared));
  std::error_code failed;
  if (fs::is_directory(file->path_, failed)) {
    return Error{ErrorCode::InvalidInput, fmt::format("'{}' is a folder", file->path_.native()),
                 "name a file"};
  }
  // A pipe would wait for somebody at its other end.
  if (fs::exists(file->path_, failed) && !fs::is_regular_file(file->path_, failed)) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("'{}' is not a regular file", file->path_.native()), "name a file"};
  }
  HELVE_TRY(file->prepare(options.is_made, context));
  return file;
}

// Makes the tables, brings an old file up to date, checks one whose writer was killed.
Result<void> BankFile::prepare(bool is_made, const OpContext& context) {
  if (!is_there(path_) && !is_made) return no_bank(path_);
  HELVE_ASSIGN(const bool is_usable, is_ready(context));
  if (is_usable) return {};
  if (path_.has_parent_path()) HELVE_TRY(env_.files().make_directories(path_.parent_path()));
  return write([](Store&) -> Result<void> { return {}; }, context);
}

Result<bool> BankFile::is_ready(const OpContext& context) {
  if (!is_there(path_)) return false;
  auto lock = shared_.open(beside(path_, ".lock"), SharedFileMode::Read);
  if (lock) {
    std::array<char, 1> mark{};
    const auto count = (*lock)->read_at(0, mark);
    // Its writer may be at work just now: then it is waited for, and the mark is gone.
    if (count && *count == 1 && mark[0] == kWriting) return false;
  }
  bool is_todays = false;
  auto looked = read(
      [&](Store& store) -> Result<void> {
        HELVE_ASSIGN(const int version, schema_version(store));
        if (version != kSchemaVersion) return {};
        HELVE_ASSIGN(is_todays, has_todays_words(store));
        return {};
      },
      context);
  if (looked) return is_todays;
  // None is there yet, or none any more.
  if (looked.error().code == ErrorCode::NotFound || looked.error().reason == ErrorReason::Corrupt)
    return false;
  return looked.error();
}

BankFile::~BankFile() {
  readers_.clear();
  if (!has_written_) return;
  const OpContext context{.deadline = Deadline(env_.clock(), std::chrono::seconds(1))};
  const auto held = hold(context);
  // Opening one that is gone would make it.
  if (!held || !is_there(path_)) return;
  const auto store = take_writer();
  if (store) (void)(*store)->execute("PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)");
}

Result<std::unique_ptr<BankFile::Hold>> BankFile::hold(const OpContext& context) {
  return Hold::take(beside(path_, ".lock"), env_, shared_, context);
}

Result<void> BankFile::write(const Work& work, const OpContext& context) {
  HELVE_ASSIGN(const auto held, hold(context));
  HELVE_ASSIGN(const char mark, held->mark());
  const bool was_cut = has_shrunk();
  if (mark == kWriting || was_cut) HELVE_TRY(examine_held(context));
  if (const auto file = identify_file(path_); mark == kDone && file && file->size == 0) {
    warn(
        fmt::format("the memory bank '{}' was cut to nothing, and a new one was begun. Restore it "
                    "from a backup",
                    path_.native()));
  }
  HELVE_TRY(held->set_mark(kWriting));
  auto done = write_held(work, context);
  if (!done && done.error().reason == ErrorReason::Corrupt) {
    // The mark stays until it is known what is left.
    HELVE_TRY(mend_held(context));
  }
  // Where that fails the next one checks, and no more: what is committed is kept.
  (void)held->set_mark(!done && mark == kNeverWritten ? kNeverWritten : kDone);
  return done;
}

Result<void> BankFile::write_held(const Work& work, const OpContext& context) {
  if (!is_there(path_)) {
    // For its owner alone; SQLite gives the files beside it the same rights.
    HELVE_TRY(shared_.open(path_, SharedFileMode::Write));
  }
  HELVE_ASSIGN(auto store, take_writer());
  store->set_context(&context);
  HELVE_ASSIGN(const int version, schema_version(*store));
  HELVE_TRY(store->execute("BEGIN IMMEDIATE"));
  auto done = version == kSchemaVersion ? Result<void>() : migrate(*store, version);
  if (done) done = index_todays_words(*store, index_span_);
  if (done) done = work(*store);
  store->set_context(nullptr);  // what is done is kept, however late it is
  if (done) done = store->execute("COMMIT");
  if (!done) {
    (void)store->execute("ROLLBACK");
    return done;
  }
  keep_writer(std::move(store));
  return {};
}

void BankFile::keep_writer(std::unique_ptr<Store> writer) {
  const auto wal = identify_file(beside(path_, "-wal"));
  (void)has_shrunk();  // looks at it
  const std::lock_guard lock(mutex_);
  has_written_ = true;
  writer_ = std::move(writer);
  writer_wal_ = wal ? wal->inode : 0;
}

Result<std::unique_ptr<Store>> BankFile::take_writer() {
  std::unique_ptr<Store> kept;
  {
    const std::lock_guard lock(mutex_);
    kept = std::move(writer_);
  }
  // The file may have been set aside or replaced by another process.
  const bool has_moved = kept != nullptr && kept->has_moved();
  if (kept != nullptr && !has_moved) return kept;
  kept.reset();
  if (has_moved) HELVE_TRY(set_old_wal_aside());
  return Store::open({path_.native(), StoreUse::Write, bytes_max_});
}

bool BankFile::has_shrunk() {
  const std::lock_guard lock(mutex_);  // of two that look, the later one is the last
  const auto file = identify_file(path_);
  const bool is_shorter = file && file->inode == seen_inode_ && file->size < seen_size_;
  seen_inode_ = file ? file->inode : 0;
  seen_size_ = file ? file->size : 0;
  return is_shorter;
}

Result<void> BankFile::read(const Work& work, const OpContext& context) {
  // Readers map the file: behind its new end there is nothing that could be read.
  if (has_shrunk()) HELVE_TRY(examine_cut(context));
  std::unique_ptr<Store> reader = take_reader();
  if (reader == nullptr) {
    auto opened = open_reader();
    if (!opened && opened.error().reason == ErrorReason::Corrupt)
      return damaged(opened.error(), context);
    if (!opened) return opened.error();
    reader = *std::move(opened);
  }
  reader->set_context(&context);
  auto done = reader->execute("BEGIN");
  if (done) done = work(*reader);
  reader->set_context(nullptr);
  (void)reader->execute("COMMIT");
  if (done) {
    give_back(std::move(reader));
    return {};
  }
  if (done.error().reason == ErrorReason::Corrupt) {
    reader.reset();
    return damaged(done.error(), context);
  }
  return done;
}

Result<void> BankFile::copy(const fs::path& path, const OpContext& context) {
  HELVE_ASSIGN(const auto reader, open_reader());
  return reader->copy_to(path.native(), context);
}

// A file in WAL mode needs others beside it, which a folder that cannot be written does not get;
// where it is whole without them, it can be read all the same.
Result<std::unique_ptr<Store>> BankFile::open_reader() {
  if (!is_there(path_)) return no_bank(path_);
  const auto open_as = [&](StoreUse use) -> Result<std::unique_ptr<Store>> {
    HELVE_ASSIGN(auto store, Store::open({path_.native(), use, 0}));
    HELVE_ASSIGN(const std::int64_t tables, store->number("SELECT count(*) FROM sqlite_master"));
    if (tables == 0) return no_bank(path_);  // not yet: somebody is about to make it
    return store;
  };
  auto store = open_as(StoreUse::Read);
  if (store || store.error().code == ErrorCode::NotFound ||
      store.error().reason == ErrorReason::Corrupt) {
    return store;
  }
  std::error_code failed;
  const fs::path wal = beside(path_, "-wal");
  if (is_there(wal) && fs::file_size(wal, failed) > 0) return store;
  if (may_write(path_.parent_path())) return store;
  return open_as(StoreUse::Immutable);
}

std::unique_ptr<Store> BankFile::take_reader() {
  const std::lock_guard lock(mutex_);
  if (readers_.empty()) return nullptr;
  auto reader = std::move(readers_.back());
  readers_.pop_back();
  if (!reader->has_moved()) return reader;
  // The file was set aside or replaced by another process.
  readers_.clear();
  return nullptr;
}

void BankFile::give_back(std::unique_ptr<Store> reader) {
  if (reader->has_moved()) return;
  const std::lock_guard lock(mutex_);
  if (readers_.size() < kReadersKept) readers_.push_back(std::move(reader));
}

// After an answer that says so: looks whether it is true, and begins anew.
Error BankFile::damaged(const Error& cause, const OpContext& context) {
  const auto held = hold(context);
  if (!held) return cause;
  if (auto mended = mend_held(context); !mended) return mended.error();
  return cause;
}

Result<void> BankFile::mend_held(const OpContext& context) {
  HELVE_ASSIGN(const bool is_whole, examine_held(context));
  if (!is_whole) return {};
  // Then it is the index that is damaged, and it is made again from the items.
  return write_held([this](Store& store) { return BankIndex(store, index_span_).rebuild(); },
                    context);
}

Result<void> BankFile::examine_cut(const OpContext& context) {
  HELVE_ASSIGN(const auto held, hold(context));
  HELVE_ASSIGN(const bool is_whole, examine_held(context));
  if (is_whole) return {};
  return Error{ErrorCode::Unavailable, fmt::format("'{}' was cut", path_.native()),
               "restore it from a backup"};
}

Result<bool> BankFile::examine_held(const OpContext& context) {
  if (!is_there(path_)) return false;
  {
    // What they remember of the file may be other than what is in it.
    const std::lock_guard lock(mutex_);
    readers_.clear();
    writer_.reset();
  }
  const auto looked = [&]() -> Result<void> {
    HELVE_ASSIGN(const auto store, Store::open({path_.native(), StoreUse::Write, 0}));
    store->set_context(&context);
    HELVE_TRY(schema_version(*store));
    return quick_check(*store);
  }();
  if (looked) return true;
  if (looked.error().reason != ErrorReason::Corrupt) return looked.error();
  HELVE_TRY(set_aside(looked.error()));
  HELVE_TRY(write_held([](Store&) -> Result<void> { return {}; }, context));
  return false;
}

// A file that is no database at all is ours only if we have written beside it before: otherwise
// somebody named a wrong file, which is none of ours to move.
Result<bool> BankFile::may_be_ours() {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  HELVE_ASSIGN(const auto file, shared_.open(path_, SharedFileMode::Read));
  std::array<char, kMagic.size()> head{};
  HELVE_ASSIGN(const std::size_t count, file->read_at(0, head));
  if (std::string_view(head.data(), count) == kMagic) return true;
  const auto lock = identify_file(beside(path_, ".lock"));
  return lock && lock->size > 0;
}

Result<void> BankFile::set_aside(const Error& why) {
  HELVE_ASSIGN(const bool is_ours, may_be_ours());
  if (!is_ours) {
    return Error{ErrorCode::InvalidInput, fmt::format("'{}' is no memory bank", path_.native()),
                 "name another file; one that does not exist is made"};
  }
  HELVE_ASSIGN(const fs::path aside, rename_beside(path_, ".damaged"));
  // What was not yet in the file belongs to it, and must not meet a new one.
  for (const std::string_view ending : {"-wal", "-shm"}) {
    const fs::path part = beside(path_, ending);
    if (is_there(part)) HELVE_TRY(env_.files().rename(part, beside(aside, ending)));
  }
  warn(
      fmt::format("the memory bank '{}' was damaged and is now '{}'; a new one was begun. Restore "
                  "it from a backup ({})",
                  path_.native(), aside.native(), why.message));
  return {};
}

Result<void> BankFile::set_old_wal_aside() {
  const fs::path wal = beside(path_, "-wal");
  const auto there = identify_file(wal);
  {
    const std::lock_guard lock(mutex_);
    if (!there || there->inode != writer_wal_) return {};
  }
  HELVE_ASSIGN(const fs::path aside, rename_beside(wal, ".old"));
  if (const fs::path index = beside(path_, "-shm"); is_there(index)) {
    HELVE_TRY(env_.files().remove(index));
  }
  if (there->size == 0) return env_.files().remove(aside);
  warn(
      fmt::format("the memory bank '{}' is another file than before; changes that were not yet in "
                  "the old one are in '{}'",
                  path_.native(), aside.native()));
  return {};
}

Result<fs::path> BankFile::rename_beside(const fs::path& from, std::string_view ending) {
  constexpr int kNamesMax = 1'000;
  std::string stamp = to_utc(env_.clock().wall());
  std::erase_if(stamp, [](char c) { return c == '-' || c == ':'; });
  Result<void> renamed;
  fs::path to;
  for (int i = 0; i < kNamesMax; ++i) {
    to = beside(from, fmt::format("{}-{}{}", ending, stamp, i == 0 ? "" : fmt::format("-{}", i)));
    renamed = env_.files().rename_new(from, to);
    if (renamed || renamed.error().code != ErrorCode::InvalidInput) break;
  }
  HELVE_TRY(renamed);
  return to;
}

void BankFile::warn(std::string warning) {
  const std::lock_guard lock(mutex_);
  warnings_.push_back(std::move(warning));
}

std::vector<std::string> BankFile::take_warnings() {
  const std::lock_guard lock(mutex_);
  return std::exchange(warnings_, {});
}

}  // namespace helve::memory
