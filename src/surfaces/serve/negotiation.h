// Which form an answer takes, by the headers Accept and Accept-Encoding.
// https://www.rfc-editor.org/rfc/rfc9110#section-12.5
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sources/rdf/format.h"
#include "sources/sparql/results/result_format.h"

namespace helve::serve {

// Something that can be sent. The same form may be offered under several names: a client is told
// the one it asked for.
template <typename Format>
struct Offer {
  std::string_view media_type;
  Format format;
  std::string_view parameters = {};  // of the answer's Content-Type
};

using RowsOffer = Offer<sparql::ResultFormat>;
using GraphOffer = Offer<rdf::Format>;

// Of SELECT and ASK, and of CONSTRUCT, DESCRIBE and descriptions; what is preferred stands first.
std::span<const RowsOffer> rows_offers();
std::span<const GraphOffer> graph_offers();

// How much a client wants a media type: 0 to 1000. What names it most closely decides; of ranges
// that are equally close, the one that wants it most. A missing or empty header wants everything.
int quality_of(std::string_view accept, std::string_view media_type);

// The offer that is wanted most, the first of those that are equally wanted; null: none is.
template <typename Format>
const Offer<Format>* choose_offer(std::string_view accept, std::span<const Offer<Format>> offers) {
  const Offer<Format>* best = nullptr;
  int best_quality = 0;
  for (const Offer<Format>& offer : offers) {
    const int quality = quality_of(accept, offer.media_type);
    if (quality <= best_quality) continue;
    best = &offer;
    best_quality = quality;
  }
  return best;
}

template <typename Format>
std::string content_type_of(const Offer<Format>& offer) {
  std::string type(offer.media_type);
  if (!offer.parameters.empty()) type.append("; ").append(offer.parameters);
  return type;
}

// "application/json, text/csv, ...": for errors.
template <typename Format>
std::string names_of(std::span<const Offer<Format>> offers) {
  std::string names;
  for (const Offer<Format>& offer : offers) {
    if (!names.empty()) names += ", ";
    names += offer.media_type;
  }
  return names;
}

// Whether the header Accept asks for just this type, and not only for any.
bool names_type(std::string_view accept, std::string_view media_type);

// Whether the header Accept-Encoding asks for gzip. A missing one does not.
bool wants_gzip(std::string_view accept_encoding);

}  // namespace helve::serve
