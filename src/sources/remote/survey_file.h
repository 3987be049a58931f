// A survey as text, so that the next process need not ask again.
#pragma once

#include <string>
#include <string_view>

#include "sources/remote/endpoint_survey.h"

namespace helve::remote {

inline constexpr std::size_t kSurveyBytesMax = std::size_t{64} << 20;

std::string to_text(const EndpointSurvey& survey);
// InvalidInput for what is no survey, or one of another version.
Result<EndpointSurvey> read_survey(std::string_view text);

}  // namespace helve::remote
