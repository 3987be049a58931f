// The log of a store that changes: what each transaction did, beside the base it belongs to. A
// record has a checksum that goes on from the one before it. Behind records that are on disk for
// certain an acknowledgement is written: what stands before one must be whole, and what is torn
// behind the last one was promised to nobody.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/env.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/store/live/delta.h"
#include "sources/store/snapshot_folder.h"

namespace helve::store {

// The version that is written, and the only one that is read.
inline constexpr std::uint32_t kLogFormat = 2;

// What one transaction did.
struct LoggedTransaction {
  std::uint64_t version = 0;
  std::vector<Id> new_terms;    // those that no transaction before it has
  std::vector<QuadEdit> edits;  // sorted, each quad once
  // What they change: of it is written what cannot be told by looking at the edits (distinct
  // subjects and objects, predicates, classes), so that who reads the log need not count it again.
  StatisticsChange statistics;
  std::vector<Id> kept_graphs;  // all, where they changed
  bool has_kept_graphs = false;
};

// The payload of a record. The terms are read from `terms`.
std::string encode_transaction(const LoggedTransaction& transaction, const DeltaTerms& terms);
// Puts new terms into `terms`; Unavailable, and no term is put, for what was never written by
// encode_transaction().
Result<LoggedTransaction> decode_transaction(std::string_view payload, std::uint64_t version,
                                             const Dictionary& base, DeltaTerms& terms);

struct LogRecord {
  std::uint64_t version = 0;
  std::string_view payload;  // into LogContent::file
  std::uint64_t at = 0;      // where it begins
  std::uint64_t chain = 0;   // the checksum that it goes on from
  std::uint64_t checksum = 0;
};

struct LogContent {
  std::shared_ptr<const MappedFile> file;
  LogPlace start;                   // of the records
  std::uint64_t first_version = 0;  // before them: of the base, or where it was read to
  std::vector<LogRecord> records;
  std::uint64_t good_bytes = 0;          // behind the last whole record
  std::size_t acknowledged_records = 0;  // of records
  std::uint64_t chain = 0;               // checksum that the next record goes on from
  std::uint64_t seed = 0;                // that of the first
  bool is_torn = false;                  // more follows, which is no record

  // Takes what comes after this version for torn.
  void cut_behind(std::uint64_t version);
  // Behind so many of the records.
  LogPlace place_behind(std::size_t count) const;
};

// Errors: NotFound; InvalidInput for another format (older and newer are told apart) or another
// base; Unavailable where it is damaged before its last acknowledgement.
Result<LogContent> read_log(const std::filesystem::path& path, std::uint64_t base_checksum,
                            Env& env);
// What stands behind a place that was read to, at which the store had this version; what stands
// before it is not read. nullopt where that is no longer what it was: a writer cut off what was
// never acknowledged, or the log is another.
Result<std::optional<LogContent>> read_log_from(const std::filesystem::path& path,
                                                std::uint64_t base_checksum, const LogPlace& place,
                                                std::uint64_t version, Env& env);

// Appends. Not thread-safe.
class LogWriter {
 public:
  // A new log, on disk when it returns, which takes the place of one of the same name. Where
  // `first` is not empty, it begins with that transaction, acknowledged; its version is the next.
  static Result<LogWriter> create(const std::filesystem::path& path, std::uint64_t base_checksum,
                                  std::uint64_t first_version, Env& env,
                                  std::string_view first = {});
  // Goes on behind what was read. What is torn is cut off.
  static Result<LogWriter> resume(const std::filesystem::path& path, const LogContent& content,
                                  Env& env);

  // Not on disk before sync().
  Result<void> append(std::uint64_t version, std::string_view payload);
  Result<void> sync() { return file_->sync(); }
  std::uint64_t bytes() const { return bytes_; }
  // Notes that all before `bytes` is on disk.
  Result<void> acknowledge(std::uint64_t bytes);
  Result<void> close() { return file_->close(); }

 private:
  LogWriter(std::unique_ptr<WritableFile> file, std::uint64_t bytes, std::uint64_t chain,
            std::uint64_t seed)
      : file_(std::move(file)), bytes_(bytes), chain_(chain), seed_(seed) {}
  Result<void> put(std::uint32_t kind, std::uint64_t version, std::string_view payload);

  std::unique_ptr<WritableFile> file_;
  std::uint64_t bytes_ = 0;
  std::uint64_t chain_ = 0;
  std::uint64_t seed_ = 0;
};

}  // namespace helve::store
