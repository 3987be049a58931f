// One event as one line of a trajectory, and back. trajectory.cc writes them, trajectory_file.h
// reads them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agent/trajectory/trajectory.h"

namespace helve::agent {

// With its line end. Secrets are taken out first, then texts are cut until the line has at most
// `bytes_max` bytes; such a line has "cut": true. An empty time is left out,
// and so is "ms" then.
std::string encode_event(EventKind kind, const JsonValue& body, std::string_view time,
                         std::size_t bytes_max);

// Without secrets: in texts wherever they stand, and what stands under telling names.
JsonValue without_secrets_in(const JsonValue& value);

struct DecodedEvent {
  TrajectoryEvent event;
  std::string time;  // empty: the line has none
};

// nullopt for a kind that is not known. InvalidInput where the line is no object, or lacks what its
// kind needs.
Result<std::optional<DecodedEvent>> decode_event(std::string_view line);

}  // namespace helve::agent
