#include "tests/toolkit/law_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "base/check.h"
#include "tests/support/graph/graph_of.h"
#include "tests/support/tables/fake_tables.h"
#include "toolkit/memory/bank.h"

namespace helve::proofs {

namespace {

constexpr std::string_view kBodies = R"(
@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
ex:Body a owl:Class ; rdfs:label "body"@en .
ex:Planet a owl:Class ; rdfs:label "planet"@en ; rdfs:subClassOf ex:Body .
ex:Moon a owl:Class ; rdfs:label "moon"@en ; rdfs:subClassOf ex:Body .
ex:Thing a owl:Class ; rdfs:label "thing"@en .
ex:orbits a owl:ObjectProperty ; rdfs:domain ex:Body ; rdfs:range ex:Body .
ex:radius a owl:DatatypeProperty ; rdfs:range xsd:decimal .
ex:near a owl:ObjectProperty .
ex:Earth a ex:Planet ; rdfs:label "Earth"@en, "Terre"@fr ; ex:radius 6371.0 .
ex:Mars a ex:Planet ; rdfs:label "Mars"@en ; ex:radius 3389.5 .
ex:Venus a ex:Planet ; rdfs:label "Venus"@en ; ex:radius 6051.8 .
ex:Luna a ex:Moon ; rdfs:label "Moon"@en ; ex:orbits ex:Earth ; ex:radius 1737.4 .
ex:Phobos a ex:Moon ; rdfs:label "Phobos"@en ; ex:orbits ex:Mars .
ex:odd a ex:Thing ; rdfs:label "red\u001B[31m \u202Eback\u202C \"quoted\" \\ end"@en ;
  ex:about "line\nline\ttab\u0000" .
ex:second { ex:Mars ex:near ex:Phobos . ex:thing1 ex:note "in another graph" . }
)";

std::string law_graph() {
  std::string text(kBodies);
  // No NUL in a document: it stands for the other control characters.
  text.replace(text.find("\\u0000"), 6, "\\u0001");
  for (int i = 0; i < kThings; ++i) {
    text += fmt::format(
        "ex:thing{0} a ex:Thing ; rdfs:label \"thing {0}\"@en ; ex:near ex:thing{1} ; "
        "ex:radius {0}.5 .\n",
        i, (i * 7 + 1) % kThings);
    if (i % 100 == 0) {
      text += fmt::format("ex:thing{} ex:about \"{}\" .\n", i, std::string(4'000, 'w'));
    }
    if (i % 10 == 0) text += fmt::format("ex:thing{} a ex:Kind{} ; ex:p{} 1 .\n", i, i, i);
  }
  return text;
}

std::string key_of(const Answer& answer) {
  HELVE_CHECK(!answer.is_error() && !answer.text("key").empty());
  return answer.text("key");
}

// Items with short and with long texts, some of them not to be found without being asked for.
std::shared_ptr<memory::MemoryBank> law_bank(const std::filesystem::path& path) {
  auto bank = memory::MemoryBank::open(path, true, real_env(), {});
  HELVE_CHECK(bank.has_value());
  std::vector<memory::Item> items;
  for (int i = 0; i < 40; ++i) {
    memory::Item item;
    item.title = fmt::format("thing {} of a planet", i);
    item.desc = "Use when a name of the Earth is asked for; not for moons.";
    item.content =
        i % 4 == 0 ? std::string(6'000, 'w') : "SELECT ?x { ?x a ex:Planet }\n\"\xE2\x80\xAE";
    item.src = i % 3 == 0 ? memory::ItemSource::Failure : memory::ItemSource::Success;
    item.tags = {"ex:Planet"};
    item.domain = i % 2 == 0 ? "planets" : "";
    item.quarantined = i % 5 == 1;
    item.id = memory::id_of(item);
    items.push_back(std::move(item));
  }
  HELVE_CHECK((*bank)->repository().add(std::move(items), {}).has_value());
  return *bank;
}

std::vector<std::string> items_of(memory::MemoryBank& bank) {
  std::vector<std::string> ids;
  const auto visited = bank.repository().visit({},
                                               [&](const memory::Item& item) -> Result<void> {
                                                 ids.push_back(item.id);
                                                 return {};
                                               },
                                               {});
  HELVE_CHECK(visited.has_value());
  return ids;
}

}  // namespace

void know_endpoints(toolkit::ExampleFiles& examples, const std::filesystem::path& folder,
                    Workbench& bench, KnownThings& known) {
  known.examples = examples.path().string();
  known.endpoint = "Birds";
  known.registry =
      key_of(bench.call("federated_endpoints", object_of({{"path", JsonValue(known.examples)}})));
  known.tasks =
      key_of(bench.call("load_shacl_tasks", object_of({{"path", JsonValue(known.examples)}})));
  known.description_file = (folder / "void.ttl").string();
  std::ofstream file(known.description_file);
  file << "@prefix sd: <http://www.w3.org/ns/sparql-service-description#> .\n"
          "@prefix void: <http://rdfs.org/ns/void#> .\n"
          "@prefix dct: <http://purl.org/dc/terms/> .\n"
          "<http://e.example/s> a sd:Service ; sd:endpoint <http://e.example/sparql> ; dct:title "
          "\"wwwwwwwwww\" ; sd:feature sd:UnionDefaultGraph ; sd:defaultDataset [ sd:defaultGraph "
          "[ void:triples 1000 ] ] .\n";
  for (int i = 0; i < 30; ++i) {
    file << fmt::format(
        "[] sd:name <http://e.example/g{0}> ; sd:graph [ void:triples {0} ] .\n"
        "<http://e.example/d{0}> a void:Dataset ; void:triples {0} ; dct:title \"wwwwwwww {0}\" .\n"
        "<http://e.example/s> sd:resultFormat <http://e.example/f{0}> .\n",
        i);
  }
  file.close();
  known.description =
      key_of(bench.call("service_desc", object_of({{"url", JsonValue(known.description_file)}})));
}

LawWorld::LawWorld(bool marks_data)
    : bank_(law_bank(folder_.path() / "bank.db")), bench_(marks_data, bank_) {
  known_.items = items_of(*bank_);
  toolkit::Policy policy;
  policy.rows_stored_max = 20'000;
  // Tools that write are held to the laws too. None of the calls has a token.
  policy.read_only = false;
  policy.allow_ddl = true;
  policy.audit = toolkit::AuditMode::Off;
  policy.allowed_paths.reset();  // tools load files here
  bench_.set_policy(policy);
  graph_ = helve::testing::graph_of(law_graph(), "planets");
  bench_.add(graph_);
  bench_.add(helve::testing::graph_of(kBodies.substr(0, kBodies.find("ex:odd")), "small"));
  const auto shop = helve::testing::music_shop();
  shop->open_for_writing();
  bench_.add(std::shared_ptr<const TableSource>(shop));
  known_.file = (folder_ / "small.ttl").string();
  std::ofstream(known_.file) << "@prefix ex: <http://example.org/> .\n"
                                "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
                                "ex:A a owl:Class . ex:p a owl:ObjectProperty . ex:a a ex:A ; ex:p "
                                "ex:b .\n";
  known_.results = key_of(bench_.call(
      "sparql_query", R"({"query":"SELECT ?x ?name WHERE { ?x rdfs:label ?name } ORDER BY ?x"})"));
  known_.graph = key_of(bench_.call(
      "sparql_query", R"({"query":"CONSTRUCT { ?s ?p ?o } WHERE { ?s a ex:Planet ; ?p ?o }"})"));
  known_.ontology = key_of(bench_.call("ont_load", object_of({{"path", JsonValue(known_.file)}})));
  know_endpoints(examples_, folder_.path(), bench_, known_);
  std::string text;
  for (int i = 0; i < 2'000; ++i) text += fmt::format("line {} of a text about a planet\n", i);
  toolkit::HandleOrigin origin;
  origin.tool = "test";
  origin.source = "planets";
  auto stored = bench_.handles().put(std::move(text), toolkit::HandleType::Text, origin, {});
  HELVE_CHECK(stored.has_value());
  known_.text = stored->key;
}

Answer LawWorld::answer(const MadeCall& call) {
  const bool is_right = call.kind == CallKind::Right;
  bench_.set_deadline(is_right ? std::chrono::seconds(30) : std::chrono::milliseconds(250));
  return bench_.call(call.tool, call.arguments);
}

void LawWorld::walk(std::uint64_t seed, int each, const Visitor& visit) {
  CallMaker calls = maker(seed);
  for (const toolkit::Tool& tool : bench_.registry().tools()) {
    for (const MadeCall& call : calls.calls_of(tool, each)) {
      SCOPED_TRACE(brief(call));
      visit(call, answer(call));
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

std::optional<std::uint64_t> number_at(const JsonValue& object, std::string_view key) {
  const JsonValue* value = object.find(key);
  return value != nullptr ? value->to_uint64() : std::nullopt;
}

std::optional<bool> flag_at(const JsonValue& object, std::string_view key) {
  const JsonValue* value = object.find(key);
  if (value == nullptr || value->if_bool() == nullptr) return std::nullopt;
  return *value->if_bool();
}

std::size_t items_at(const JsonValue& object, std::string_view key) {
  const JsonValue* value = object.find(key);
  return value != nullptr && value->if_array() != nullptr ? value->if_array()->size() : 0;
}

bool has_parameter(const toolkit::Tool& tool, std::string_view name) {
  return std::any_of(tool.parameters.begin(), tool.parameters.end(),
                     [&](const toolkit::Parameter& one) { return one.name == name; });
}

}  // namespace helve::proofs
