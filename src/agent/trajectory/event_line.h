// One event as one line of a trajectory, and back. trajectory.cc writes them, trajectory_file.h
// reads them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agent/trajectory/trajectory.h"

namespace helve::agent {

// What a line has beside its event. What is empty is left out, and without a time "ms" too.
struct EventStamp {
  std::string_view run;  // which run it is of
  std::string_view time;
};

// With its line end. Secrets are taken out first, then texts are cut until the line has at most
// `bytes_max` bytes; such a line has "cut": true.
std::string encode_event(EventKind kind, const JsonValue& body, const EventStamp& stamp,
                         std::size_t bytes_max);

// Without secrets: in texts wherever they stand, and what stands under telling names.
JsonValue without_secrets_in(const JsonValue& value);

struct DecodedEvent {
  TrajectoryEvent event;
  std::string run;   // empty: the line names none
  std::string time;  // empty: the line has none
};

// nullopt for a kind that is not known. InvalidInput where the line is no object, or lacks what its
// kind needs.
Result<std::optional<DecodedEvent>> decode_event(std::string_view line);

}  // namespace helve::agent
