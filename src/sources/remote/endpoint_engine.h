// Which engine answers at an endpoint, by what it lets show, and what is known of such engines.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/http.h"
#include "sources/remote/endpoint_profile.h"

namespace helve::remote {

struct RecognisedEngine {
  std::string name;  // with its version, where it tells: "Virtuoso 07.20.3234"
  std::string from;  // "the header Server"
};

// nullopt: nothing in it tells.
std::optional<RecognisedEngine> recognise_engine(const HttpHeaders& headers);
// By the words of a service description or of an error; `from` says which.
std::optional<RecognisedEngine> recognise_engine(std::string_view text, std::string_view from);

// How engines of this name search texts; nullopt: not by a query of which we know. Not checked yet.
std::optional<TextSearch> text_search_of(std::string_view engine);
// The query of a search, filled in. Empty where there is no word to search for.
std::string fill_search(const TextSearch& search, std::string_view text, std::size_t limit);

}  // namespace helve::remote
