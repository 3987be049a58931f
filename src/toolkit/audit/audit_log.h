// AuditLog: the chain in a file and its head file, for one writer at a time in this process and
// several processes. audit_file.cc lets many threads share it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "base/shared_file.h"
#include "toolkit/audit/chain.h"
#include "toolkit/audit/head.h"

namespace helve::toolkit {

// Not thread-safe. A file that was moved away or emptied from outside is begun anew, and its header
// names the record before. What a killed writer left torn is set aside by a record that says so. An
// end that is missing is told by a record, so that later ones do not cover it up.
class AuditLog {
 public:
  AuditLog(std::filesystem::path path, Env& env, SharedFiles& files, ChainHash hash);
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;
  ~AuditLog();

  // The file is there, is an audit file and was made with the same key.
  Result<void> check();
  // All of them are durable when it returns. After an error none is, as far as the disk lets us,
  // and the chain is whole.
  Result<void> append(std::span<const std::string> contents);

 private:
  // Where the next record goes.
  struct End {
    std::optional<ChainPlace> before;
    std::uint64_t next_seq = 0;
    std::uint64_t bytes = 0;
  };
  struct Scan;

  Result<void> hold();
  Result<bool> try_hold();
  Result<void> append_held(std::span<const std::string> contents);
  Result<void> settle();
  void begin_chain(const HeadReading& head);
  Result<void> find_end(std::uint64_t size, const HeadReading& head);
  Result<bool> check_header(std::uint64_t size, std::optional<ChainPlace>& before);
  Result<bool> is_end_of_record(std::uint64_t bytes, const std::string& hash);
  Result<Scan> scan(End from, std::uint64_t size);
  Result<void> set_aside(std::uint64_t begin, std::uint64_t size);
  Result<void> write_lines(std::span<const std::string> contents);
  Result<HeadReading> open_head();
  Result<void> write_head();
  Error cannot(const Error& cause) const;

  std::filesystem::path path_;
  Env& env_;
  SharedFiles& files_;
  ChainHash hash_;
  std::unique_ptr<SharedFile> file_;       // null: to be opened
  std::unique_ptr<SharedFile> head_file_;  // null: to be opened
  std::optional<End> end_;                 // nullopt: to be found
  std::optional<ChainPlace> known_;        // the last record that was ours or that we saw
  std::vector<std::string> pending_;       // about the file itself, before what comes next
  std::size_t free_slot_ = 0;
  std::optional<MonotonicTime> head_synced_at_;
  bool is_head_synced_ = true;
};

}  // namespace helve::toolkit
