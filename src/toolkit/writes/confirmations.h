// Confirmations: changes that wait for confirmation. Each has a token, given out with the question
// and taken back once. change.h has the changes themselves.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "base/result.h"
#include "toolkit/policy/policy.h"
#include "toolkit/writes/write_session.h"

namespace helve::toolkit {

// The call that asked, for the record of a question that nobody answered.
struct QuestionOrigin {
  WriteSession asker;
  std::string tool;
  std::string source;
  std::string query_hash;
  std::string call_id;
  std::string transaction;
  bool is_recorded = false;  // the audit is told what becomes of it
};

// A change as it was asked about.
struct PendingChange {
  std::string subject;  // of subject_of(): who may make which change, within which policy
  std::optional<std::uint64_t> rows;  // that were said to be changed
  bool is_exact = false;
  std::string keys;  // of keys_of(): which rows were shown; empty: not told
  QuestionOrigin origin = {};
};

// What Confirmations are told. What is null is not done.
struct ConfirmationHooks {
  // A question has gone unanswered; called without a lock.
  std::function<void(const PendingChange& change, std::string_view why)> unanswered;
  // Makes the folder of questions, for its owner alone; null: as all folders are made.
  std::function<Result<void>(const std::filesystem::path& folder)> make_folder;
};

// Thread-safe, and so across processes that share the folder of a session.
class Confirmations {
 public:
  static constexpr Duration kLife = std::chrono::minutes(5);
  // Of one session; where they are files, of the folder.
  static constexpr std::size_t kPendingMax = 32;
  static constexpr std::size_t kTokenChars = 32;

  // `folder` is the session's; empty: what waits is in memory alone, and goes with it. Env must
  // outlive it.
  Confirmations(std::filesystem::path folder, Env& env, ConfirmationHooks hooks = {});
  ~Confirmations();
  Confirmations(const Confirmations&) = delete;
  Confirmations& operator=(const Confirmations&) = delete;

  struct Asked {
    std::string token;  // 128 random bits
    WallTime expires;
  };
  // Where too many wait, the oldest goes.
  Result<Asked> ask(const PendingChange& change);

  // A token is spent by this, whatever the answer. Denied, in the same words, where it is unknown,
  // spent, expired or of another subject.
  Result<PendingChange> claim(std::string_view token, std::string_view subject);
  // The same for a question whose end is recorded otherwise.
  void drop(std::string_view token);

  // Drops what has expired. Cheap where nothing waits.
  void sweep();
  // Drops what this session has asked.
  void end(const WriteSession& asker, std::string_view why);
  // Questions of this process, and those that it has seen.
  std::size_t waiting() const;

  // The text with "[token]" for every token that waits, wherever it stands in it.
  std::string without_tokens(std::string_view text) const;

 private:
  struct Waiting {
    PendingChange change;
    WallTime expires;
  };
  struct Gone {
    PendingChange change;
    std::string_view why;
  };
  std::filesystem::path path_of(const std::string& name) const;
  // All under the lock.
  void drop_old_files(std::size_t kept_max, std::vector<Gone>& gone);
  void drop_old_entries(std::vector<Gone>& gone);
  void make_room_for(const WriteSession& asker, std::vector<Gone>& gone);
  std::optional<Waiting> take_file(const std::string& name);
  std::vector<std::string> names() const;  // of what waits

  std::optional<Waiting> take(const std::string& name);
  void tell(const std::vector<Gone>& gone) const;

  const std::filesystem::path folder_;
  Env& env_;
  const ConfirmationHooks hooks_;
  mutable std::mutex mutex_;
  std::map<std::string, Waiting, std::less<>> waiting_;  // by the hashes of tokens
  std::size_t files_ = 0;         // that were there when the folder was last looked at
  bool is_folder_known_ = false;  // it was looked at
};

inline constexpr std::string_view kTokenMark = "[token]";

// The text with "[token]" for whatever has the form of a token, live or not.
std::string without_token_forms(std::string_view text);

// A hash of texts, none of which can run into the next.
std::string subject_of(const std::vector<std::string>& texts);

// A hash of all that a policy says: equal ones allow the same.
std::string fingerprint_of(const Policy& policy);

}  // namespace helve::toolkit
