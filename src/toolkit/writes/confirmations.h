// Confirmations: changes that wait for a word. Each has a token, given out with the question and
// taken back once. change.h has the changes themselves.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "base/result.h"
#include "toolkit/policy/policy.h"

namespace helve::toolkit {

// A change as it was asked about.
struct PendingChange {
  std::string subject;  // of subject_of(): who may make which change, within which policy
  std::optional<std::uint64_t> rows;  // that were said to be changed
  bool is_exact = false;
  std::string keys;  // of keys_of(): which rows were shown; empty: not told
};

// Thread-safe, and so across processes that share the folder of a session.
class Confirmations {
 public:
  static constexpr Duration kLife = std::chrono::minutes(5);
  static constexpr std::size_t kPendingMax = 32;

  // `folder` is the session's; empty: what waits is in memory alone. Env must outlive it.
  Confirmations(std::filesystem::path folder, Env& env);

  struct Asked {
    std::string token;  // 128 random bits
    WallTime expires;
  };
  // Where too many wait, the oldest goes.
  Result<Asked> ask(const PendingChange& change);

  // A token is spent by this, whatever the answer. Denied, in the same words, where it is unknown,
  // spent, expired or of another subject.
  Result<PendingChange> claim(std::string_view token, std::string_view subject);

 private:
  struct Waiting {
    PendingChange change;
    WallTime expires;
  };
  std::filesystem::path path_of(const std::string& name) const;
  void drop_old_files();
  void drop_old_entries();
  std::optional<Waiting> take(const std::string& name);
  std::optional<Waiting> take_file(const std::string& name);

  const std::filesystem::path folder_;
  Env& env_;
  std::mutex mutex_;
  std::map<std::string, Waiting, std::less<>> waiting_;  // by the hashes of tokens
};

// A hash of texts, none of which can run into the next.
std::string subject_of(const std::vector<std::string>& texts);

// A hash of all that a policy says: equal ones allow the same.
std::string fingerprint_of(const Policy& policy);

}  // namespace helve::toolkit
