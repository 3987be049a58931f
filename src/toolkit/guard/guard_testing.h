// For tests of the guard: queries from text, and data of others where it is at hand.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/algebra/printer.h"
#include "toolkit/guard/guard.h"

namespace helve::toolkit::test {

inline sparql::Query parsed(std::string_view text) {
  sparql::ParseOptions options;
  options.known_prefixes = {{"", "http://x/"},
                            {"up", "http://purl.uniprot.org/core/"},
                            {"taxon", "http://purl.uniprot.org/taxonomy/"},
                            {"uniprotkb", "http://purl.uniprot.org/uniprot/"}};
  auto query = sparql::parse_query(text, options);
  EXPECT_TRUE(query) << query.error().to_string() << "\n" << text;
  return query ? query->query : sparql::Query{};
}

inline std::string content_of(const std::filesystem::path& file) {
  std::stringstream content;
  content << std::ifstream(file).rdbuf();
  return content.str();
}

// A protein database of the size of the largest public one, in round figures.
inline GraphProfile protein_database() {
  GraphProfile profile;
  profile.name = "proteins";
  profile.triples = 200'000'000'000;
  profile.subjects = 13'000'000'000;
  profile.objects = 11'000'000'000;
  const std::string up = "http://purl.uniprot.org/core/";
  const std::string rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
  const std::string rdfs = "http://www.w3.org/2000/01/rdf-schema#";
  const std::string skos = "http://www.w3.org/2004/02/skos/core#";
  const std::string faldo = "http://biohackathon.org/resource/faldo#";
  const std::string graphs = "http://sparql.uniprot.org/";
  constexpr std::uint64_t kMillion = 1'000'000;
  for (const auto& [iri, millions] : std::initializer_list<std::pair<std::string, std::uint64_t>>{
           {rdf + "type", 13'000},     {up + "attribution", 6'700}, {rdfs + "seeAlso", 3'100},
           {up + "evidence", 1'900},   {rdfs + "label", 1'700},     {up + "source", 1'500},
           {up + "modified", 1'400},   {up + "member", 1'400},      {up + "memberOf", 1'400},
           {up + "annotation", 1'300}, {rdfs + "comment", 1'000},   {up + "version", 700},
           {up + "organism", 490},     {up + "length", 460},        {up + "mnemonic", 440},
           {up + "reviewed", 440},     {up + "citation", 320},      {up + "fullName", 290},
           {up + "mass", 270},         {up + "sequence", 250},      {rdf + "value", 250},
           {up + "encodedBy", 240},    {up + "orfName", 240},       {up + "recommendedName", 110},
           {rdfs + "subClassOf", 76},  {skos + "prefLabel", 59},    {up + "scientificName", 3},
           {up + "commonName", 1}}) {
    profile.properties[iri] = {millions * kMillion, 0, 0};
  }
  for (const auto& [iri, thousands] : std::initializer_list<std::pair<std::string, std::uint64_t>>{
           {faldo + "Region", 830'000},
           {up + "Cluster", 700'000},
           {up + "Sequence", 460'000},
           {up + "Protein", 440'000},
           {up + "Gene", 240'000},
           {up + "Tissue", 27'000},
           {up + "Taxon", 3'000},
           {up + "Journal_Citation", 1'600},
           {up + "Proteome_Component", 860},
           {up + "Disease", 7},
           {up + "Subcellular_Location", 1},
           {up + "Disease_Annotation", 8}}) {
    profile.class_instances[iri] = thousands * 1'000;
  }
  for (const auto& [name, thousands] :
       std::initializer_list<std::pair<std::string, std::uint64_t>>{{"uniprot", 55'000'000},
                                                                    {"taxonomy", 30'000},
                                                                    {"keywords", 50},
                                                                    {"tissues", 10},
                                                                    {"diseases", 100}}) {
    profile.graph_triples[graphs + name] = thousands * 1'000;
  }
  return profile;
}

}  // namespace helve::toolkit::test
