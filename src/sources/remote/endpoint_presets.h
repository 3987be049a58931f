// Endpoints that many people ask, and what is known of them before the first question.
#pragma once

#include <span>
#include <string_view>

#include "sources/remote/endpoint_client.h"
#include "sources/remote/endpoint_profile.h"

namespace helve::remote {

struct EndpointPreset {
  std::string_view name;
  std::string_view url;
  std::string_view description;
  std::string_view known;  // when these facts were put together
  std::uint64_t triples = 0;
  std::size_t requests_at_once = 4;
  EndpointProfile (*profile)();
};

std::span<const EndpointPreset> endpoint_presets();
// Null where there is none.
const EndpointPreset* preset_named(std::string_view name);
const EndpointPreset* preset_of_url(std::string_view url);

}  // namespace helve::remote
