#include "surfaces/serve/negotiation.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "surfaces/http/header_text.h"

namespace helve::serve {

namespace {

using http::take;
using http::trim;
using rdf::Format;
using sparql::ResultFormat;

constexpr std::string_view kUtf8 = "charset=utf-8";
constexpr int kFull = 1'000;

constexpr auto kRows = std::to_array<RowsOffer>({
    {"application/sparql-results+json", ResultFormat::Json},
    {"application/sparql-results+xml", ResultFormat::Xml},
    {"text/csv", ResultFormat::Csv, kUtf8},
    {"text/tab-separated-values", ResultFormat::Tsv, kUtf8},
    {"application/json", ResultFormat::Json},
    {"application/xml", ResultFormat::Xml},
    {"text/xml", ResultFormat::Xml, kUtf8},
});

constexpr auto kGraphs = std::to_array<GraphOffer>({
    {"text/turtle", Format::Turtle, kUtf8},
    {"application/n-triples", Format::NTriples},
    {"application/rdf+xml", Format::RdfXml},
    {"application/trig", Format::TriG},
    {"application/n-quads", Format::NQuads},
    {"application/x-turtle", Format::Turtle},
    {"application/xml", Format::RdfXml},
    {"text/xml", Format::RdfXml, kUtf8},
});

// "1", "0.5", "0.125" in thousandths. What is no weight does not count.
int read_weight(std::string_view text) {
  if (text.empty() || (text[0] != '0' && text[0] != '1')) return kFull;
  if (text[0] == '1') return kFull;
  int weight = 0;
  int digit_value = 100;
  for (std::size_t i = 2; i < text.size() && digit_value > 0; ++i, digit_value /= 10) {
    if (!is_digit(text[i])) return kFull;
    weight += (text[i] - '0') * digit_value;
  }
  return weight;
}

int weight_of(std::string_view parameters) {
  while (!parameters.empty()) {
    const std::string_view parameter = take(parameters, ';');
    if (parameter.size() >= 2 && ascii_lower(parameter[0]) == 'q' && parameter[1] == '=') {
      return read_weight(trim(parameter.substr(2)));
    }
  }
  return kFull;
}

// How closely a range names the type: 0 not at all, 3 exactly.
int closeness(std::string_view range, std::string_view media_type) {
  if (range == media_type) return 3;
  if (range == "*/*" || range == "*") return 1;
  const std::size_t slash = media_type.find('/');
  const bool is_family = range.ends_with("/*") && slash != std::string_view::npos &&
                         range.substr(0, range.size() - 1) == media_type.substr(0, slash + 1);
  return is_family ? 2 : 0;
}

}  // namespace

std::span<const RowsOffer> rows_offers() { return kRows; }
std::span<const GraphOffer> graph_offers() { return kGraphs; }

int quality_of(std::string_view accept, std::string_view media_type) {
  if (trim(accept).empty()) return kFull;
  int best_closeness = 0;
  int quality = 0;
  while (!accept.empty()) {
    std::string_view rest = take(accept, ',');
    const int close = closeness(ascii_lower(take(rest, ';')), media_type);
    if (close == 0 || close < best_closeness) continue;
    const int weight = weight_of(rest);
    quality = close > best_closeness ? weight : std::max(quality, weight);
    best_closeness = close;
  }
  return quality;
}

bool names_type(std::string_view accept, std::string_view media_type) {
  while (!accept.empty()) {
    std::string_view rest = take(accept, ',');
    if (closeness(ascii_lower(take(rest, ';')), media_type) == 3 && weight_of(rest) > 0)
      return true;
  }
  return false;
}

bool wants_gzip(std::string_view accept_encoding) {
  return !trim(accept_encoding).empty() && quality_of(accept_encoding, "gzip") > 0;
}

}  // namespace helve::serve
