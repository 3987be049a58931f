// Small folders of examples, for tests.
#pragma once

#include <fstream>
#include <string>
#include <string_view>

#include "tests/support/temp_directory.h"

namespace helve::toolkit {

inline constexpr std::string_view kExamplePrefixes = R"(
@prefix ex: <http://example.org/> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix schema: <https://schema.org/> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix spex: <https://purl.expasy.org/sparql-examples/ontology#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
)";

// A folder with two subjects: Birds (its endpoint in three spellings) and Trees.
class ExampleFiles {
 public:
  ExampleFiles() {
    write(
        "prefixes.ttl",
        "_:p sh:declare [ sh:prefix \"bird\" ; sh:namespace \"http://birds.example/\"^^xsd:anyURI "
        "], [ sh:prefix \"tree\" ; sh:namespace \"http://trees.example/\"^^xsd:anyURI ] .");
    write("Trees/prefixes.ttl",
          "_:t sh:declare [ sh:prefix \"tree\" ; sh:namespace \"http://trees.example/own/\" ] .");
    write(
        "Birds/1.ttl",
        "ex:b1 a sh:SPARQLExecutable, sh:SPARQLSelectExecutable ;\n"
        "  rdfs:comment \"Which <b>birds</b> sing &amp; fly?\"^^rdf:HTML ;\n"
        "  sh:select \"SELECT ?b { GRAPH bird:all { ?b bird:sings true } }\" ;\n"
        "  schema:keywords \"song\", \"flight\" ; schema:target <https://birds.example/sparql> .");
    write("Birds/2.ttl",
          "ex:b2 a sh:SPARQLExecutable, sh:SPARQLSelectExecutable ;\n"
          "  rdfs:comment \"Vogels\"@nl, \"Birds and where they nest\"@en ;\n"
          "  sh:select \"\"\"SELECT ?b ?t FROM bird:all { ?b bird:nests ?t\n"
          "    SERVICE <https://trees.example/sparql/> { GRAPH tree:oaks { ?t a tree:Oak } }\n"
          "    FILTER EXISTS { SERVICE <http://maps.example/query> { ?t ?p ?o } } }\"\"\" ;\n"
          "  schema:keywords \"song\" ; schema:target <https://birds.example/sparql/> ;\n"
          "  spex:federatesWith <https://trees.example/sparql> .");
    write("Birds/3.ttl",
          "ex:b3 a sh:SPARQLExecutable, sh:SPARQLAskExecutable ; rdfs:comment \"Any?\" ;\n"
          "  sh:ask \"ASK { GRAPH ?g { ?s ?p ?o } }\" ; schema:target "
          "<http://birds.example/sparql> .");
    write("Trees/1.ttl",
          "ex:t1 a spex:SPARQLDescribeExecutable ; spex:describe \"DESCRIBE tree:oak\" ;\n"
          "  schema:target <https://trees.example/sparql/> .\n"
          "ex:t2 a sh:SPARQLExecutable, sh:SPARQLConstructExecutable ;\n"
          "  sh:construct \"CONSTRUCT WHERE { ?s ?p ?o }\" ;\n"
          "  schema:target <https://trees.example/sparql/> .");
  }

  // In Turtle, with the prefixes above.
  void write(const std::string& name, std::string_view turtle) {
    write_bytes(name, std::string(kExamplePrefixes) + std::string(turtle) + "\n");
  }
  void write_bytes(const std::string& name, std::string_view bytes) {
    const std::filesystem::path file = folder_.path() / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
  }
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  TempDirectory folder_;
};

}  // namespace helve::toolkit
