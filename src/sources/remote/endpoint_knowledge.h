// EndpointKnowledge: the profile and the survey of one endpoint, shared by all who ask it, and kept
// in a folder between processes where there is one. What several processes learn is put together.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/env.h"
#include "sources/remote/endpoint_profile.h"
#include "sources/remote/endpoint_survey.h"

namespace helve::remote {

// Where the files of an endpoint are. Files that cannot be read are as if they were not there, and
// are put aside; files that cannot be written are told of in the log, once.
struct ProfilePlace {
  std::filesystem::path folder;  // empty: nothing is kept
  std::string key;               // names its files in there

  std::filesystem::path profile() const { return folder / (key + ".profile.json"); }
  std::filesystem::path survey() const { return folder / (key + ".schema.json"); }
  std::filesystem::path lock() const { return folder / (key + ".lock"); }
};

// Letters, digits and a digest: what is asked for with other credentials is another endpoint.
std::string profile_key(const std::string& url, const std::string& identity);

// Thread-safe.
class EndpointKnowledge {
 public:
  // `preset` is what is known where nothing was learnt yet.
  EndpointKnowledge(ProfilePlace place, EndpointProfile preset, Env& env);
  ~EndpointKnowledge();  // keeps what was learnt
  EndpointKnowledge(const EndpointKnowledge&) = delete;
  EndpointKnowledge& operator=(const EndpointKnowledge&) = delete;

  EndpointProfile profile() const;
  EndpointTraits traits() const;
  std::optional<ShapeRecord> record_of(const std::string& shape) const;
  // As long as it is good: a week, or a minute for a partial one. Of this process or one before.
  std::shared_ptr<const EndpointSurvey> survey() const;
  // However old it is.
  std::shared_ptr<const EndpointSurvey> last_survey() const;

  // `is_first`: nothing was asked for a while, so the endpoint may have been asleep.
  void note_answer(const std::string& shape, Duration time, bool is_first);
  void note_failure(const std::string& shape, const EndpointFailure& failure, Duration time);
  void note_rows_max(std::uint64_t rows);
  // Headers of an answer: they may tell the engine.
  void note_headers(const HttpHeaders& headers);
  // Kept for other processes, unless it is partial.
  void put_survey(const std::shared_ptr<const EndpointSurvey>& survey);
  // What a probe found.
  void change(const std::function<void(EndpointProfile&)>& change);
  // Writes what was not written yet, where nobody else is writing.
  void keep();

 private:
  using Change = std::function<void(EndpointProfile&)>;

  void apply(Change change, bool is_urgent);
  void load();
  void write_pending();
  // nullopt: somebody else is writing.
  Result<std::optional<EndpointProfile>> write(const std::vector<Change>& changes,
                                               EndpointProfile profile);

  ProfilePlace place_;
  Env& env_;
  std::mutex writing_;  // one thread writes, without holding up those that read
  mutable std::mutex mutex_;
  EndpointProfile profile_;
  std::shared_ptr<const EndpointSurvey> survey_;
  std::vector<Change> pending_;  // not in the file yet; at most kPendingMax
  MonotonicTime written_{};
  bool has_complained_ = false;
};

}  // namespace helve::remote
