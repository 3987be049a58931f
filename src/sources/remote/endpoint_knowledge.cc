#include "sources/remote/endpoint_knowledge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/digest.h"
#include "base/iri.h"
#include "base/log.h"
#include "base/redaction.h"
#include "sources/remote/endpoint_engine.h"
#include "sources/remote/survey_file.h"

namespace helve::remote {

namespace {

constexpr std::size_t kPendingMax = 100;
constexpr Duration kWrittenEvery = std::chrono::seconds(30);
constexpr Duration kSurveyGoodFor = std::chrono::hours(24 * 7);
constexpr Duration kPartialGoodFor = std::chrono::minutes(1);
// A server's own limit is what it needs this long to say.
constexpr Duration kLimitMin = std::chrono::seconds(5);
constexpr Duration kLongEnough = std::chrono::seconds(10);  // for a query that is not heavy

double seconds_of(Duration time) { return std::chrono::duration<double>(time).count(); }

// NotFound where there is none; LimitExceeded beyond the bytes.
Result<std::string> read_file(Files& files, const std::filesystem::path& path,
                              std::size_t bytes_max) {
  HELVE_ASSIGN(const FileStatus status, files.status(path));
  if (status.kind != FileKind::Regular) {  // a pipe would be waited for
    return Error{ErrorCode::Denied, fmt::format("{} is no regular file", path.string())};
  }
  HELVE_ASSIGN(const auto source, files.open_read(path));
  std::string text;
  std::array<char, 64 * kKiB> piece;
  for (;;) {
    HELVE_ASSIGN(const std::size_t count, source->read(piece));
    if (count == 0) return text;
    text.append(piece.data(), count);
    if (text.size() > bytes_max) {
      return Error{ErrorCode::LimitExceeded,
                   fmt::format("{} is longer than {} bytes", path.string(), bytes_max)};
    }
  }
}

// What is not to be understood is kept for who wants to look, and is not read again.
void put_aside(Files& files, const std::filesystem::path& path, const Error& error) {
  log_warn("a file about an endpoint is put aside",
           {{"path", path.string()}, {"reason", error.full_message()}});
  static_cast<void>(files.rename(path, path.string() + ".bad"));
}

template <typename Value, typename Read>
std::optional<Value> read_kept(Files& files, const std::filesystem::path& path,
                               std::size_t bytes_max, const Read& read) {
  const auto text = read_file(files, path, bytes_max);
  if (!text && text.error().code == ErrorCode::NotFound) return std::nullopt;
  Result<Value> value = text ? read(*text) : Result<Value>(text.error());
  if (value) return *std::move(value);
  if (value.error().code != ErrorCode::Denied) put_aside(files, path, value.error());
  return std::nullopt;
}

std::optional<EndpointProfile> read_kept_profile(Files& files, const ProfilePlace& place) {
  return read_kept<EndpointProfile>(files, place.profile(), kProfileBytesMax,
                                    [](std::string_view text) { return read_profile(text); });
}

}  // namespace

std::string profile_key(const std::string& url, const std::string& identity) {
  std::string name;
  for (const char c : split_iri(url).authority.value_or("")) {
    const bool is_plain = is_lower(c) || is_digit(c) || c == '.' || c == '-';
    name += is_plain ? c : '_';
  }
  constexpr std::size_t kNameMax = 60;
  constexpr std::size_t kDigestChars = 12;
  return name.substr(0, kNameMax) + "-" +
         digest_hex(DigestKind::Sha256, url + '\0' + identity).substr(0, kDigestChars);
}

EndpointKnowledge::EndpointKnowledge(ProfilePlace place, EndpointProfile preset, Env& env)
    : place_(std::move(place)), env_(env), profile_(std::move(preset)) {
  profile_.made = env_.clock().wall();
  if (!place_.folder.empty()) load();
}

EndpointKnowledge::~EndpointKnowledge() {
  constexpr int kTries = 5;  // others write for some milliseconds
  for (int tried = 0; tried < kTries; ++tried) {
    keep();
    if (pending_.empty()) return;
    env_.clock().sleep_for(std::chrono::milliseconds(20));
  }
}

void EndpointKnowledge::load() {
  if (auto kept = read_kept_profile(env_.files(), place_)) profile_ = *std::move(kept);
  auto survey = read_kept<EndpointSurvey>(env_.files(), place_.survey(), kSurveyBytesMax,
                                          [](std::string_view text) { return read_survey(text); });
  if (survey) {
    survey_ = std::make_shared<const EndpointSurvey>(*std::move(survey));
  }
}

EndpointProfile EndpointKnowledge::profile() const {
  const std::lock_guard lock(mutex_);
  return profile_;
}

EndpointTraits EndpointKnowledge::traits() const {
  const std::lock_guard lock(mutex_);
  EndpointTraits traits = profile_.traits();
  if (survey_ != nullptr) traits.known_since = std::max(traits.known_since, {survey_->asked});
  return traits;
}

std::optional<ShapeRecord> EndpointKnowledge::record_of(const std::string& shape) const {
  const std::lock_guard lock(mutex_);
  return profile_.record_of(shape);
}

std::shared_ptr<const EndpointSurvey> EndpointKnowledge::survey() const {
  const std::lock_guard lock(mutex_);
  if (survey_ == nullptr) return nullptr;
  const auto age = env_.clock().wall() - survey_->asked;
  return age < (survey_->is_partial ? kPartialGoodFor : kSurveyGoodFor) ? survey_ : nullptr;
}

std::shared_ptr<const EndpointSurvey> EndpointKnowledge::last_survey() const {
  const std::lock_guard lock(mutex_);
  return survey_;
}

void EndpointKnowledge::note_answer(const std::string& shape, Duration time, bool is_first) {
  apply(
      [shape, is_first, seconds = seconds_of(time),
       now = env_.clock().wall()](EndpointProfile& profile) {
        profile.note_answer(shape, seconds, now);
        if (is_first) profile.first_seconds = seconds;
      },
      false);
}

void EndpointKnowledge::note_failure(const std::string& shape, const EndpointFailure& failure,
                                     Duration time) {
  // What we stopped or refused ourselves tells nothing of the endpoint.
  if (failure.cause == EndpointCause::Stopped || failure.cause == EndpointCause::NotAllowed) return;
  SeenFailure seen{env_.clock().wall(), failure.cause, seconds_of(time), shape,
                   redact(failure.error.full_message())};
  const bool is_heavy =
      failure.cause == EndpointCause::TooHeavy && (failure.is_told || time >= kLongEnough);
  const bool is_its_limit = is_heavy && failure.is_of_time && failure.is_told && time >= kLimitMin;
  apply(
      [seen, is_heavy, is_its_limit, time](EndpointProfile& profile) {
        profile.note_failure(seen, is_heavy);
        if (is_its_limit) profile.query_time_max = time;
      },
      true);
}

void EndpointKnowledge::note_rows_max(std::uint64_t rows) {
  {
    const std::lock_guard lock(mutex_);
    if (profile_.rows_max == rows) return;
  }
  apply([rows](EndpointProfile& profile) { profile.rows_max = rows; }, true);
}

void EndpointKnowledge::note_headers(const HttpHeaders& headers) {
  {
    const std::lock_guard lock(mutex_);
    if (profile_.engine_from.starts_with("the header")) return;
  }
  const auto engine = recognise_engine(headers);
  if (!engine) return;
  apply(
      [engine](EndpointProfile& profile) {
        profile.engine = engine->name;
        profile.engine_from = engine->from;
        if (!profile.text_search) profile.text_search = text_search_of(engine->name);
      },
      true);
}

void EndpointKnowledge::put_survey(const std::shared_ptr<const EndpointSurvey>& survey) {
  {
    const std::lock_guard lock(mutex_);
    survey_ = survey;
  }
  if (place_.folder.empty() || survey->is_partial) return;
  static_cast<void>(env_.files().make_directories(place_.folder));
  const auto written = write_file_atomically(env_, place_.survey(), to_text(*survey));
  if (!written) {
    log_warn("what an endpoint holds is not kept", {{"reason", written.error().full_message()}});
  }
}

void EndpointKnowledge::change(const Change& change) { apply(change, true); }

void EndpointKnowledge::apply(Change change, bool is_urgent) {
  {
    const std::lock_guard lock(mutex_);
    change(profile_);
    if (place_.folder.empty()) return;
    if (pending_.size() == kPendingMax) pending_.erase(pending_.begin());
    pending_.push_back(std::move(change));
    const bool is_time = env_.clock().now() - written_ >= kWrittenEvery;
    if (!is_urgent && !is_time && pending_.size() < kPendingMax) return;
  }
  write_pending();
}

void EndpointKnowledge::keep() { write_pending(); }

// Where somebody else is writing, the changes wait for the next time.
void EndpointKnowledge::write_pending() {
  const std::unique_lock writing(writing_, std::try_to_lock);
  if (!writing.owns_lock()) return;
  std::vector<Change> changes;
  EndpointProfile profile;
  {
    const std::lock_guard lock(mutex_);
    if (pending_.empty()) return;
    written_ = env_.clock().now();
    changes = std::exchange(pending_, {});
    profile = profile_;
  }
  auto written = write(changes, std::move(profile));
  const std::lock_guard lock(mutex_);
  if (written && *written) {
    profile_ = **std::move(written);
    for (const Change& change : pending_) change(profile_);  // those that came meanwhile
    return;
  }
  changes.insert(changes.end(), pending_.begin(), pending_.end());
  if (changes.size() > kPendingMax) changes.erase(changes.begin(), changes.end() - kPendingMax);
  pending_ = std::move(changes);
  if (!written && !std::exchange(has_complained_, true)) {
    log_warn("what was learnt of an endpoint is not kept",
             {{"reason", written.error().full_message()}});
  }
}

// Under the lock of the file, what others have written is read again, and only our own changes are
// made to it. `profile` has them already: it is written where there is nothing yet.
Result<std::optional<EndpointProfile>> EndpointKnowledge::write(const std::vector<Change>& changes,
                                                                EndpointProfile profile) {
  Files& files = env_.files();
  HELVE_TRY(files.make_directories(place_.folder));
  const auto lock = files.lock(place_.lock());
  if (!lock && lock.error().code == ErrorCode::Unavailable) return std::nullopt;
  if (!lock) return lock.error();
  if (auto kept = read_kept_profile(files, place_)) {
    for (const Change& change : changes) change(*kept);
    profile = *std::move(kept);
  }
  HELVE_TRY(write_file_atomically(env_, place_.profile(), to_text(profile)));
  return std::optional(std::move(profile));
}

}  // namespace helve::remote
