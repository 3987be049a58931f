#include "sources/remote/endpoint_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/ascii.h"
#include "sources/rdf/term.h"

namespace helve::remote {

namespace {

struct Sign {
  std::string_view header;  // in small letters
  std::string_view word;    // its value has it; empty: it is there
  std::string_view engine;
};

// From what these servers send.
constexpr std::array kHeaderSigns = {
    Sign{"server", "virtuoso", "Virtuoso"},
    Sign{"server", "fuseki", "Apache Jena Fuseki"},
    Sign{"fuseki-request-id", "", "Apache Jena Fuseki"},
    Sign{"server", "qlever", "QLever"},
    Sign{"server", "graphdb", "GraphDB"},
    Sign{"server", "oxigraph", "Oxigraph"},
    Sign{"server", "rdf4j", "RDF4J"},
    Sign{"server", "allegroserve", "AllegroGraph"},
    Sign{"server", "stardog", "Stardog"},
    Sign{"server", "marklogic", "MarkLogic"},
    Sign{"server", "anzograph", "AnzoGraph"},
    Sign{"server", "rdfox", "RDFox"},
    Sign{"server", "helve", "Helve"},
    Sign{"x-served-by", "wdqs", "Blazegraph"},
    Sign{"server", "blazegraph", "Blazegraph"},
    Sign{"x-sparql-default-graph", "", "Virtuoso"},
    Sign{"x-sql-state", "", "Virtuoso"},
    Sign{"x-neptune-status", "", "Amazon Neptune"},
};

struct WordSign {
  std::string_view word;
  std::string_view engine;
};

// From service descriptions and from the texts of errors.
constexpr std::array kWordSigns = {
    WordSign{"virtuoso", "Virtuoso"},
    WordSign{"openlinksw.com/schemas/virtrdf", "Virtuoso"},
    WordSign{"fuseki", "Apache Jena Fuseki"},
    WordSign{"jena.apache.org", "Apache Jena"},
    WordSign{"org.apache.jena", "Apache Jena"},
    WordSign{"com.bigdata", "Blazegraph"},
    WordSign{"blazegraph", "Blazegraph"},
    WordSign{"www.bigdata.com/rdf", "Blazegraph"},
    WordSign{"ontotext", "GraphDB"},
    WordSign{"graphdb", "GraphDB"},
    WordSign{"qlever", "QLever"},
    WordSign{"oxigraph", "Oxigraph"},
    WordSign{"org.eclipse.rdf4j", "RDF4J"},
    WordSign{"malformedqueryexception", "Amazon Neptune or RDF4J"},
    WordSign{"stardog", "Stardog"},
    WordSign{"allegrograph", "AllegroGraph"},
    WordSign{"helve", "Helve"},
};

// "07.20.3234" of "Virtuoso/07.20.3234 (Linux) x86_64": behind the word and a slash.
std::string version_behind(std::string_view value, std::string_view word) {
  const std::size_t at = ascii_lower(value).find(word);
  std::string_view rest = value.substr(std::min(value.size(), at + word.size()));
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos ||
      rest.substr(0, slash).find(' ') != std::string_view::npos) {
    return {};
  }
  rest.remove_prefix(slash + 1);
  const std::size_t end = rest.find_first_not_of("0123456789.");
  const std::string_view version = rest.substr(0, std::min<std::size_t>(end, 20));
  return version.empty() || version.front() == '.' ? std::string() : std::string(version);
}

// What a value or a label may carry. Filled in: {words} as "'a' AND 'b'", {text} as a literal.
constexpr std::string_view kVirtuosoSearch =
    "SELECT DISTINCT ?x ?l { ?x ?p ?l . ?l bif:contains {words} . FILTER(?p IN "
    "(<http://www.w3.org/2000/01/rdf-schema#label>, "
    "<http://www.w3.org/2004/02/skos/core#prefLabel>)) } LIMIT {limit}";
constexpr std::string_view kBlazegraphSearch =
    "SELECT DISTINCT ?x ?l { ?l <http://www.bigdata.com/rdf/search#search> {text} ; "
    "<http://www.bigdata.com/rdf/search#matchAllTerms> \"true\" . ?x "
    "<http://www.w3.org/2000/01/rdf-schema#label> ?l } LIMIT {limit}";
constexpr std::string_view kQleverSearch =
    "SELECT DISTINCT ?x ?l { ?x <http://www.w3.org/2000/01/rdf-schema#label> ?l . ?t "
    "<http://qlever.cs.uni-freiburg.de/builtin-functions/contains-entity> ?l ; "
    "<http://qlever.cs.uni-freiburg.de/builtin-functions/contains-word> {text} } LIMIT {limit}";
constexpr std::string_view kJenaSearch =
    "SELECT DISTINCT ?x ?l { (?x ?score ?l) <http://jena.apache.org/text#query> ({text} {limit}) "
    "} LIMIT {limit}";

struct EngineSearch {
  std::string_view engine;
  std::string_view name;
  std::string_view query;
};

constexpr std::array kSearches = {
    EngineSearch{"Virtuoso", "bif:contains", kVirtuosoSearch},
    EngineSearch{"Blazegraph", "bds:search", kBlazegraphSearch},
    EngineSearch{"QLever", "ql:contains-word", kQleverSearch},
    EngineSearch{"Apache Jena", "text:query", kJenaSearch},
};

constexpr std::size_t kWordsMax = 10;

// Letters and digits only, so that no word says more to the engine than itself.
std::vector<std::string> plain_words(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    const bool is_plain = is_letter_or_digit(c) || static_cast<unsigned char>(c) >= 0x80;
    if (is_plain) {
      words.back() += c;
    } else if (!words.back().empty()) {
      if (words.size() == kWordsMax) break;
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

void replace_all(std::string& text, std::string_view name, std::string_view value) {
  for (std::size_t at = text.find(name); at != std::string::npos;
       at = text.find(name, at + value.size())) {
    text.replace(at, name.size(), value);
  }
}

}  // namespace

std::optional<RecognisedEngine> recognise_engine(const HttpHeaders& headers) {
  for (const Sign& sign : kHeaderSigns) {
    for (const auto& [name, value] : headers) {
      if (name != sign.header || ascii_lower(value).find(sign.word) == std::string::npos) continue;
      const std::string version =
          sign.word.empty() || sign.header != "server" ? "" : version_behind(value, sign.word);
      return RecognisedEngine{
          version.empty() ? std::string(sign.engine) : fmt::format("{} {}", sign.engine, version),
          fmt::format("the header {}", sign.header)};
    }
  }
  return std::nullopt;
}

std::optional<RecognisedEngine> recognise_engine(std::string_view text, std::string_view from) {
  const std::string words = ascii_lower(text);
  for (const WordSign& sign : kWordSigns) {
    if (words.find(sign.word) != std::string::npos) {
      return RecognisedEngine{std::string(sign.engine), std::string(from)};
    }
  }
  return std::nullopt;
}

std::optional<TextSearch> text_search_of(std::string_view engine) {
  for (const EngineSearch& search : kSearches) {
    if (engine.starts_with(search.engine)) {
      return TextSearch{std::string(search.name), std::string(search.query), false};
    }
  }
  return std::nullopt;
}

std::string fill_search(const TextSearch& search, std::string_view text, std::size_t limit) {
  const std::vector<std::string> words = plain_words(text);
  if (words.empty()) return {};
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : " AND ") + ("'" + word + "'");
  std::string query = search.query;
  replace_all(query, "{limit}", std::to_string(limit));
  replace_all(query, "{words}", rdf::to_ntriples(rdf::TermView::literal(all)));
  replace_all(query, "{text}",
              rdf::to_ntriples(rdf::TermView::literal(fmt::format("{}", fmt::join(words, " ")))));
  return query;
}

}  // namespace helve::remote
