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
  // Of a process before this one, if it is not too old.
  std::shared_ptr<const EndpointSurvey> survey() const;

  // `is_first`: nothing was asked for a while, so the endpoint may have been asleep.
  void note_answer(const std::string& shape, Duration time, bool is_first);
  void note_failure(const std::string& shape, const EndpointFailure& failure, Duration time);
  void note_rows_max(std::uint64_t rows);
  // Headers of an answer: they may tell the engine.
  void note_headers(const HttpHeaders& headers);
  void put_survey(std::shared_ptr<const EndpointSurvey> survey);
  // What a probe found.
  void change(const std::function<void(EndpointProfile&)>& change);
  // Writes what was not written yet.
  void keep();

 private:
  using Change = std::function<void(EndpointProfile&)>;

  void apply(Change change, bool is_urgent);
  void load();
  void write_pending();

  ProfilePlace place_;
  Env& env_;
  mutable std::mutex mutex_;
  EndpointProfile profile_;
  std::shared_ptr<const EndpointSurvey> survey_;
  std::vector<Change> pending_;  // not in the file yet; at most kPendingMax
  MonotonicTime written_{};
  bool has_complained_ = false;
};

}  // namespace helve::remote
