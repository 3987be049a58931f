// BankFile: the SQLite file of a bank: who may write, what it must look like, and what becomes of a
// damaged one. bank_rows.h knows what is in it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/env.h"
#include "base/op_context.h"
#include "base/result.h"
#include "base/shared_file.h"
#include "base/sqlite_store.h"
#include "toolkit/memory/bank_index.h"

namespace helve::memory {

inline constexpr int kSchemaVersion = 2;

struct BankFileOptions {
  std::filesystem::path path;
  bool is_made = true;                   // where there is none; otherwise NotFound
  std::uint64_t bytes_max = 0;           // of the file; 0: as large as the disk lets it
  std::int64_t index_span = kShortSpan;  // shorter in tests alone; the same whenever it is opened
};

// Thread-safe. One writer at a time, over all processes, by a lock file beside it ("PATH.lock"):
// SQLite before 3.51.3 needs that (base/sqlite_store.h). The lock file remembers a writer that did
// not come to its end; the file is then checked before it is used again.
class BankFile {
 public:
  static Result<std::unique_ptr<BankFile>> open(const BankFileOptions& options, Env& env,
                                                SharedFiles& shared, const OpContext& context);
  // Leaves a file that is whole without its WAL, where nobody else uses it.
  ~BankFile();
  BankFile(const BankFile&) = delete;
  BankFile& operator=(const BankFile&) = delete;

  using Work = std::function<Result<void>(sqlite::Store&)>;
  // A look at one state of it.
  Result<void> read(const Work& work, const OpContext& context);
  // One transaction, durable when it returns; nothing is changed after an error.
  Result<void> write(const Work& work, const OpContext& context);

  // Into a file that must not be there.
  Result<void> copy(const std::filesystem::path& path, const OpContext& context);

  const std::filesystem::path& path() const { return path_; }
  std::int64_t index_span() const { return index_span_; }
  // Told by take_warnings(), once.
  void warn(std::string warning);
  std::vector<std::string> take_warnings();

 private:
  class Hold;  // the lock, while it lives
  BankFile(const BankFileOptions& options, Env& env, SharedFiles& shared);

  Result<void> prepare(bool is_made, const OpContext& context);
  Result<bool> is_ready(const OpContext& context);
  Result<std::unique_ptr<Hold>> hold(const OpContext& context);
  Result<void> write_held(const Work& work, const OpContext& context);
  // False: it was damaged and set aside, and a new one is begun, or there is none.
  Result<bool> examine_held(const OpContext& context);
  Result<void> examine_cut(const OpContext& context);
  // The same after an error; of a file that is whole the index may still have to be made again.
  Result<void> mend_held(const OpContext& context);
  Result<void> set_aside(const Error& why);
  // Something else stands at the path: what the old file had beside it must not meet that.
  Result<void> set_old_wal_aside();
  Result<std::filesystem::path> rename_beside(const std::filesystem::path& from,
                                              std::string_view ending);
  // Whether the file is shorter than it was; nobody who knows it makes it so.
  bool has_shrunk();
  Result<bool> may_be_ours();
  Error damaged(const Error& cause, const OpContext& context);
  Result<std::unique_ptr<sqlite::Store>> open_reader();
  Result<std::unique_ptr<sqlite::Store>> take_writer();
  void keep_writer(std::unique_ptr<sqlite::Store> writer);
  std::unique_ptr<sqlite::Store> take_reader();
  void give_back(std::unique_ptr<sqlite::Store> reader);

  const std::filesystem::path path_;
  const std::uint64_t bytes_max_;
  const std::int64_t index_span_;
  Env& env_;
  SharedFiles& shared_;
  std::mutex mutex_;                                     // of what follows
  std::vector<std::unique_ptr<sqlite::Store>> readers_;  // that nobody uses
  // Between two changes; used by who holds the lock alone. A new one would read all of the WAL.
  std::unique_ptr<sqlite::Store> writer_;
  std::uint64_t writer_wal_ = 0;  // its inode
  std::uint64_t seen_inode_ = 0;  // of the file, when it was last looked at
  std::uint64_t seen_size_ = 0;
  std::vector<std::string> warnings_;
  bool has_written_ = false;
};

}  // namespace helve::memory
