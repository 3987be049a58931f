// EndpointProfile: what was learnt of an endpoint, beside what it holds (endpoint_survey.h): its
// engine, its limits, how queries of each shape went, what failed and when. A value; written so
// that a person can read it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "sources/graph_source.h"
#include "sources/remote/endpoint_failure.h"

namespace helve::remote {

struct ShapeStats {
  std::uint64_t answered = 0;
  std::uint64_t too_heavy = 0;
  std::uint64_t failed = 0;    // for another reason
  double typical_seconds = 0;  // of answers: the mean, where late ones count more
  double slowest_seconds = 0;  // of answers
  WallTime last;
  std::optional<WallTime> last_too_heavy;
};

struct SeenFailure {
  WallTime at;
  EndpointCause cause = EndpointCause::Down;
  double seconds = 0;
  std::string shape;
  std::string message;  // cleaned, bounded
};

// How texts are searched by an index there.
struct TextSearch {
  std::string name;         // "bif:contains"
  std::string query;        // SELECT ?x ?l with {words}, {text} and {limit} to fill in
  bool is_checked = false;  // the endpoint took such a query

  friend bool operator==(const TextSearch&, const TextSearch&) = default;
};

struct EndpointProfile {
  std::string url;
  WallTime made;
  std::optional<WallTime> probed;  // when it was last asked about itself

  std::string engine;       // "Virtuoso 07.20"; empty: not recognised
  std::string engine_from;  // what it was recognised by
  std::optional<TextSearch> text_search;

  // 0: not known.
  Duration query_time_max{0};
  std::uint64_t rows_max = 0;
  double rows_per_second = 0;
  bool takes_only_get = false;

  double first_seconds = 0;  // the last first answer after a long silence; 0: none yet
  // Of small questions that an index answers at once, by what is given: "subject", "property and
  // value". Negative: not in time.
  std::map<std::string, double, std::less<>> lookup_seconds;

  std::map<std::string, ShapeStats, std::less<>> shapes;
  std::deque<SeenFailure> failures;  // the newest last
  std::vector<std::string> notes;    // of a preset

  // Counts and keeps; the oldest go where there are too many.
  void note_answer(const std::string& shape, double seconds, WallTime now);
  // `is_heavy`: it says something of the queries of that shape, not of this one's short time.
  void note_failure(SeenFailure failure, bool is_heavy);

  EndpointTraits traits() const;
  std::optional<ShapeRecord> record_of(const std::string& shape) const;
};

inline constexpr std::size_t kShapesKept = 100;
inline constexpr std::size_t kFailuresKept = 50;
inline constexpr std::size_t kProfileBytesMax = 1 << 20;

std::string to_text(const EndpointProfile& profile);
// InvalidInput for what is no profile, or one of a version that is not known here. Values beyond
// bounds are cut.
Result<EndpointProfile> read_profile(std::string_view text);

}  // namespace helve::remote
