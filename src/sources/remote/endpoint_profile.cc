#include "sources/remote/endpoint_profile.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utc.h"
#include "base/utf8.h"

namespace helve::remote {

namespace {

constexpr int kProfileVersion = 1;
constexpr double kNewShare = 0.2;  // of an answer in the typical time
constexpr std::size_t kTextMax = 4'000;
constexpr std::size_t kNotesMax = 20;
constexpr double kSecondsMax = 1e6;

// At most these bytes, and whole characters.
std::string_view cut(std::string_view text, std::size_t bytes_max) {
  const std::string_view most = text.substr(0, bytes_max);
  return most.substr(0, utf8_valid_prefix(most));
}

double to_seconds(Duration time) { return std::chrono::duration<double>(time).count(); }
Duration duration_of(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

// Room for a new shape: that which was not seen for longest goes.
void make_room(std::map<std::string, ShapeStats, std::less<>>& shapes) {
  if (shapes.size() < kShapesKept) return;
  shapes.erase(std::min_element(shapes.begin(), shapes.end(), [](const auto& a, const auto& b) {
    return a.second.last < b.second.last;
  }));
}

ShapeStats& stats_of(std::map<std::string, ShapeStats, std::less<>>& shapes,
                     const std::string& shape) {
  const auto found = shapes.find(shape);
  if (found != shapes.end()) return found->second;
  make_room(shapes);
  return shapes[shape];
}

// Members of an object that somebody may have edited: what is missing or of another type is as if
// it was not there.
class Members {
 public:
  explicit Members(const JsonValue& object) : object_(object) {}

  std::string text(std::string_view key, std::size_t bytes_max = kTextMax) const {
    const JsonValue* const value = object_.find(key);
    const std::string* const text = value != nullptr ? value->if_string() : nullptr;
    return text != nullptr ? std::string(cut(*text, bytes_max)) : std::string();
  }
  std::uint64_t number(std::string_view key) const {
    const JsonValue* const value = object_.find(key);
    return value != nullptr ? value->to_uint64().value_or(0) : 0;
  }
  double real(std::string_view key, double max) const {
    const JsonValue* const value = object_.find(key);
    const double number = value != nullptr ? value->to_double().value_or(0) : 0;
    return std::clamp(number, 0.0, max);
  }
  bool flag(std::string_view key) const {
    const JsonValue* const value = object_.find(key);
    const bool* const flag = value != nullptr ? value->if_bool() : nullptr;
    return flag != nullptr && *flag;
  }
  std::optional<WallTime> time(std::string_view key) const { return read_utc(text(key)); }
  JsonValue::Array list(std::string_view key) const {
    const JsonValue* const value = object_.find(key);
    const auto* const array = value != nullptr ? value->if_array() : nullptr;
    return array != nullptr ? *array : JsonValue::Array();
  }

 private:
  const JsonValue& object_;
};

void write_shapes(const EndpointProfile& profile, JsonWriter& json) {
  json.key("shapes");
  json.begin_array();
  for (const auto& [shape, stats] : profile.shapes) {
    json.begin_object();
    json.member("shape", shape);
    json.member("answered", stats.answered);
    json.member("too_heavy", stats.too_heavy);
    json.member("failed", stats.failed);
    json.member("typical_s", stats.typical_seconds);
    json.member("slowest_s", stats.slowest_seconds);
    json.member("last", to_utc(stats.last));
    if (stats.last_too_heavy) json.member("last_too_heavy", to_utc(*stats.last_too_heavy));
    json.end_object();
  }
  json.end_array();
}

void write_failures(const EndpointProfile& profile, JsonWriter& json) {
  json.key("failures");
  json.begin_array();
  for (const SeenFailure& failure : profile.failures) {
    json.begin_object();
    json.member("at", to_utc(failure.at));
    json.member("cause", name_of(failure.cause));
    json.member("after_s", failure.seconds);
    json.member("shape", failure.shape);
    json.member("message", failure.message);
    json.end_object();
  }
  json.end_array();
}

void read_shapes(const Members& members, EndpointProfile& profile) {
  for (const JsonValue& item : members.list("shapes")) {
    const Members one(item);
    const std::string shape = one.text("shape", 300);
    const auto last = one.time("last");
    if (shape.empty() || !last || profile.shapes.size() >= kShapesKept) continue;
    ShapeStats& stats = profile.shapes[shape];
    stats.answered = one.number("answered");
    stats.too_heavy = one.number("too_heavy");
    stats.failed = one.number("failed");
    stats.typical_seconds = one.real("typical_s", kSecondsMax);
    stats.slowest_seconds = one.real("slowest_s", kSecondsMax);
    stats.last = *last;
    stats.last_too_heavy = one.time("last_too_heavy");
  }
}

void read_failures(const Members& members, EndpointProfile& profile) {
  for (const JsonValue& item : members.list("failures")) {
    const Members one(item);
    const auto at = one.time("at");
    const auto cause = cause_named(one.text("cause"));
    if (!at || !cause || profile.failures.size() >= kFailuresKept) continue;
    profile.failures.push_back({*at, *cause, one.real("after_s", kSecondsMax),
                                one.text("shape", 300), one.text("message", 500)});
  }
}

}  // namespace

void EndpointProfile::note_answer(const std::string& shape, double seconds, WallTime now) {
  ShapeStats& stats = stats_of(shapes, shape);
  stats.typical_seconds =
      stats.answered == 0 ? seconds : stats.typical_seconds * (1 - kNewShare) + seconds * kNewShare;
  stats.slowest_seconds = std::max(stats.slowest_seconds, seconds);
  ++stats.answered;
  stats.last = now;
  // It gives more than was thought.
  if (seconds > to_seconds(query_time_max)) query_time_max = Duration{0};
}

void EndpointProfile::note_failure(SeenFailure failure, bool is_heavy) {
  ShapeStats& stats = stats_of(shapes, failure.shape);
  stats.last = failure.at;
  if (is_heavy) {
    ++stats.too_heavy;
    stats.last_too_heavy = failure.at;
  } else {
    ++stats.failed;
  }
  failures.push_back(std::move(failure));
  if (failures.size() > kFailuresKept) failures.pop_front();
}

EndpointTraits EndpointProfile::traits() const {
  EndpointTraits traits;
  traits.engine = engine;
  if (text_search && text_search->is_checked) traits.text_search = text_search->name;
  traits.query_time_max = query_time_max;
  traits.rows_max = rows_max;
  traits.rows_per_second = rows_per_second;
  traits.known_since = probed;
  traits.notes = notes;
  return traits;
}

std::optional<ShapeRecord> EndpointProfile::record_of(const std::string& shape) const {
  const auto found = shapes.find(shape);
  if (found == shapes.end()) return std::nullopt;
  const ShapeStats& stats = found->second;
  return ShapeRecord{shape,
                     stats.answered,
                     stats.too_heavy,
                     stats.typical_seconds,
                     stats.slowest_seconds,
                     stats.last_too_heavy};
}

std::string to_text(const EndpointProfile& profile) {
  std::string text;
  JsonWriter json(text, JsonStyle::Indented);
  json.begin_object();
  json.member("helve_endpoint_profile", kProfileVersion);
  json.member("url", profile.url);
  json.member("made", to_utc(profile.made));
  if (profile.probed) json.member("probed", to_utc(*profile.probed));
  json.member("engine", profile.engine);
  json.member("engine_from", profile.engine_from);
  if (profile.text_search) {
    json.key("text_search");
    json.begin_object();
    json.member("name", profile.text_search->name);
    json.member("query", profile.text_search->query);
    json.member("is_checked", profile.text_search->is_checked);
    json.end_object();
  }
  json.member("query_time_max_s", to_seconds(profile.query_time_max));
  json.member("rows_max", profile.rows_max);
  json.member("rows_per_second", profile.rows_per_second);
  json.member("takes_only_get", profile.takes_only_get);
  json.member("first_answer_s", profile.first_seconds);
  json.key("lookup_s");
  json.begin_object();
  for (const auto& [given, seconds] : profile.lookup_seconds) json.member(given, seconds);
  json.end_object();
  json.key("notes");
  json.begin_array();
  for (const std::string& note : profile.notes) json.value(note);
  json.end_array();
  write_shapes(profile, json);
  write_failures(profile, json);
  json.end_object();
  return text + "\n";
}

Result<EndpointProfile> read_profile(std::string_view text) {
  HELVE_ASSIGN(const JsonValue root, parse_json(text));
  const Members members(root);
  const std::uint64_t version = members.number("helve_endpoint_profile");
  if (version != kProfileVersion) {
    return Error{ErrorCode::InvalidInput,
                 version == 0 ? std::string("this is no profile of an endpoint")
                              : fmt::format("the profile has version {}; this program knows {}",
                                            version, kProfileVersion),
                 "remove it: it is made again"};
  }
  EndpointProfile profile;
  profile.url = members.text("url");
  profile.made = members.time("made").value_or(WallTime());
  profile.probed = members.time("probed");
  profile.engine = members.text("engine", 100);
  profile.engine_from = members.text("engine_from", 200);
  if (const JsonValue* search = root.find("text_search")) {
    const Members one(*search);
    profile.text_search = {one.text("name", 100), one.text("query"), one.flag("is_checked")};
  }
  profile.query_time_max = duration_of(members.real("query_time_max_s", kSecondsMax));
  profile.rows_max = members.number("rows_max");
  profile.rows_per_second = members.real("rows_per_second", 1e12);
  profile.takes_only_get = members.flag("takes_only_get");
  profile.first_seconds = members.real("first_answer_s", kSecondsMax);
  const JsonValue* const lookups = root.find("lookup_s");
  if (lookups != nullptr && lookups->if_object() != nullptr) {
    for (const JsonMember& member : *lookups->if_object()) {
      const auto seconds = member.value.to_double();
      if (!seconds || profile.lookup_seconds.size() >= kNotesMax) continue;
      profile.lookup_seconds.emplace(cut(member.key, 100), std::clamp(*seconds, -1.0, kSecondsMax));
    }
  }
  for (const JsonValue& note : members.list("notes")) {
    const std::string* const line = note.if_string();
    if (line != nullptr && profile.notes.size() < kNotesMax) {
      profile.notes.emplace_back(cut(*line, 500));
    }
  }
  read_shapes(members, profile);
  read_failures(members, profile);
  return profile;
}

}  // namespace helve::remote
