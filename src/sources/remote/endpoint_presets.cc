#include "sources/remote/endpoint_presets.h"

#include <algorithm>
#include <array>

namespace helve::remote {

namespace {

// The size is that of its VoID; single lookups were seen to take half a second, scans to run into
// every time-out.
EndpointProfile uniprot() {
  EndpointProfile profile;
  profile.notes = {
      "start from a protein, a taxon or an exact value: lookups take about half a second",
      "scans and text filters over all proteins do not end; LIMIT does not help them",
      "up:reviewed true keeps to the curated entries",
      "name the graph (GRAPH <http://sparql.uniprot.org/uniprot>) to leave the others out"};
  return profile;
}

// https://www.mediawiki.org/wiki/Wikidata_Query_Service/User_Manual
EndpointProfile wikidata() {
  EndpointProfile profile;
  profile.engine = "Blazegraph";
  profile.engine_from = "its manual";
  profile.query_time_max = std::chrono::seconds(60);
  profile.text_search = TextSearch{
      "wikibase:mwapi",
      "SELECT ?x ?l { SERVICE <http://wikiba.se/ontology#mwapi> { "
      "<http://www.bigdata.com/rdf#serviceParam> <http://wikiba.se/ontology#endpoint> "
      "\"www.wikidata.org\" ; <http://wikiba.se/ontology#api> \"EntitySearch\" ; "
      "<https://www.mediawiki.org/ontology#API/search> {text} ; "
      "<https://www.mediawiki.org/ontology#API/language> \"en\" . ?x "
      "<http://wikiba.se/ontology#apiOutputItem> <https://www.mediawiki.org/ontology#API/item> . "
      "?l <http://wikiba.se/ontology#apiOutput> \"@label\" } } LIMIT {limit}",
      false};
  profile.notes = {
      "a query gets 60 seconds; five may run at once, and a minute of time per minute",
      "say who asks: set HELVE_CONTACT to an address or a page, or be refused",
      "items are wd:Q..., properties wdt:P...; labels come by rdfs:label or the label service",
      "scholarly articles are at https://query-scholarly.wikidata.org/sparql"};
  return profile;
}

constexpr std::array kPresets = {
    EndpointPreset{"uniprot", "https://sparql.uniprot.org/sparql",
                   "proteins, their sequences and functions (UniProt)", "2026-11", 232'000'000'000,
                   2, uniprot},
    EndpointPreset{"wikidata", "https://query.wikidata.org/sparql",
                   "the free knowledge base of everything (Wikidata)", "2026-11", 17'000'000'000, 4,
                   wikidata},
};

// http and https, with and without a slash at the end.
std::string_view plain(std::string_view url) {
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (url.starts_with(scheme)) url.remove_prefix(scheme.size());
  }
  while (url.ends_with('/')) url.remove_suffix(1);
  return url;
}

template <typename Is>
const EndpointPreset* first(const Is& is) {
  const auto* const found = std::find_if(kPresets.begin(), kPresets.end(), is);
  return found != kPresets.end() ? found : nullptr;
}

}  // namespace

std::span<const EndpointPreset> endpoint_presets() { return kPresets; }

const EndpointPreset* preset_named(std::string_view name) {
  return first([name](const EndpointPreset& one) { return one.name == name; });
}

const EndpointPreset* preset_of_url(std::string_view url) {
  return first([url](const EndpointPreset& one) { return plain(one.url) == plain(url); });
}

}  // namespace helve::remote
