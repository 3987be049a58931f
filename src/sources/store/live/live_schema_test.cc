// The schema of a store with changes is that of a load of the same statements.
#include "sources/store/live/live_schema.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sources/sparql/algebra/parser.h"
#include "sources/store/live/live_graph.h"
#include "sources/store/live/live_store.h"
#include "sources/store/live/live_testing.h"
#include "sources/store/local_schema.h"

namespace helve::store {
namespace {

using live_testing::Model;
using live_testing::Statement;
using Strings = std::vector<std::string>;

constexpr const char* kPrefixes =
    "PREFIX a: <http://a/> PREFIX owl: <http://www.w3.org/2002/07/owl#> "
    "PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> "
    "PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> ";

// All that a schema tells, a line each.
std::string to_text(const GraphSchema& schema) {
  std::string text =
      fmt::format("{} triples {} subjects {} objects, complete {} {}\n", schema.triples,
                  schema.subjects, schema.objects, schema.is_complete, schema.origin);
  for (const ClassInfo& one : schema.classes) {
    text += fmt::format("class {} '{}' {} {}\n", one.iri, one.label, one.instances,
                        one.is_declared ? "declared" : "");
  }
  for (const PropertyInfo& one : schema.properties) {
    text += fmt::format("property {} '{}' kind {} {} {} {} {} [{}] -> [{}]\n", one.iri, one.label,
                        static_cast<int>(one.kind), one.triples, one.subjects, one.objects,
                        one.is_declared ? "declared" : "", fmt::join(one.domains, " "),
                        fmt::join(one.ranges, " "));
  }
  for (const NamespaceInfo& one : schema.namespaces) {
    text += fmt::format("namespace {}: {} {}\n", one.prefix, one.iri, one.terms);
  }
  for (const auto& [name, n] : schema.graphs) text += fmt::format("graph {} {}\n", name, n);
  return text;
}

std::string text_of_loaded(const Model& model) {
  return to_text(*make_schema(*live_testing::load(live_testing::to_nquads(model)), OpContext()));
}

std::shared_ptr<LiveStore> make_memory_store(const std::shared_ptr<const Snapshot>& base) {
  LiveOptions options;
  options.compacts_itself = false;
  return *LiveStore::in_memory(base, options);
}

std::shared_ptr<const GraphSource> graph_of(const std::shared_ptr<LiveStore>& store) {
  return make_live_graph(
      [store](const OpContext&) {
        return NewestState{store->snapshot(), {}};
      },
      SourceInfo());
}

std::string iri(const std::string& name) { return "<http://a/" + name + ">"; }
std::string rdf(const char* name) {
  return fmt::format("<http://www.w3.org/1999/02/22-rdf-syntax-ns#{}>", name);
}
std::string rdfs(const char* name) {
  return fmt::format("<http://www.w3.org/2000/01/rdf-schema#{}>", name);
}
std::string owl(const char* name) {
  return fmt::format("<http://www.w3.org/2002/07/owl#{}>", name);
}

// Statements of all that a schema is made of, about few things, so that they meet.
class RandomSchema {
 public:
  explicit RandomSchema(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t end) { return random_() % end; }

  Statement next(std::size_t range) {
    Statement out;
    switch (below(8)) {
      case 0:
        out = {thing(range), rdf("type"), below(9) == 0 ? "_:c" + number(3) : a_class(), {}};
        break;
      case 1:
        out = {name(), rdf("type"), declaring(), {}};
        break;
      case 2:
        out = {below(4) == 0 ? thing(range) : name(), naming(), text(), {}};
        break;
      case 3:
        out = {a_property(), end(), below(6) == 0 ? "_:c" + number(3) : a_class(), {}};
        break;
      case 4:
        out = {name(), rdfs(below(2) == 0 ? "subClassOf" : "subPropertyOf"), name(), {}};
        break;
      default:
        out = {thing(range), a_property(), below(2) == 0 ? thing(range) : text(), {}};
    }
    if (below(3) == 0) out[3] = below(8) == 0 ? "_:g" : "<http://graphs/" + number(3) + ">";
    return out;
  }

 private:
  std::string number(std::size_t end) { return std::to_string(below(end)); }
  std::string pick(std::initializer_list<std::string> from) {
    return *(from.begin() + static_cast<std::ptrdiff_t>(below(from.size())));
  }

  std::string a_class() {
    if (below(12) == 0) return pick({owl("Thing"), rdfs("Resource")});
    return below(4) == 0 ? "<urn:b:C" + number(20) + ">" : iri("C" + number(8));
  }
  // The first ones have more statements than are looked at.
  std::string a_property() {
    const std::string n = number(below(3) == 0 ? 12 : 2);
    return below(5) == 0 ? "<http://b/x#p" + n + ">" : iri("p" + n);
  }
  std::string name() { return below(2) == 0 ? a_class() : a_property(); }
  std::string thing(std::size_t range) {
    if (below(10) == 0) return "_:b" + number(range);
    if (below(30) == 0) return name();
    return below(4) == 0 ? "<http://b/y/" + number(range) + ">" : iri("s" + number(range));
  }
  std::string declaring() {
    return pick({owl("Class"), rdfs("Class"), owl("ObjectProperty"), owl("SymmetricProperty"),
                 owl("DatatypeProperty"), owl("AnnotationProperty"), rdf("Property"),
                 owl("FunctionalProperty")});
  }
  std::string naming() {
    return pick({rdfs("label"), "<http://www.w3.org/2004/02/skos/core#prefLabel>",
                 "<http://www.w3.org/2004/02/skos/core#altLabel>", iri("display_name"),
                 "<http://b/title>", rdfs("comment")});
  }
  std::string end() {
    return pick({rdfs("domain"), rdfs("range"), "<http://schema.org/domainIncludes>",
                 "<https://schema.org/rangeIncludes>"});
  }
  std::string text() {
    const std::string word = "\"text " + number(30) + "\"";
    return pick({word, word + "@en", word + "@de-CH", "\"\"", word + "^^" + iri("type" + number(3)),
                 "\"" + number(99) + "\"^^<http://www.w3.org/2001/XMLSchema#integer>",
                 "\"2020-01-1" + number(9) + "\"^^<http://www.w3.org/2001/XMLSchema#date>"});
  }

  std::mt19937 random_;
};

class RandomSchemaTest : public ::testing::TestWithParam<unsigned> {};

TEST_P(RandomSchemaTest, IsThatOfALoad) {
  RandomSchema random(GetParam());
  const std::size_t range = 10 + GetParam() % 4 * 40;
  Model model;
  for (std::size_t i = random.below(900); i > 0; --i) model.insert(random.next(range));
  const auto store = make_memory_store(live_testing::load(live_testing::to_nquads(model)));
  const auto graph = graph_of(store);
  for (const std::size_t edits : {1U, 3U, 40U, 400U, 10U, 200U}) {
    live_testing::edit(*store, model, random, edits, range);
    const auto schema = graph->schema(OpContext());
    ASSERT_TRUE(schema) << schema.error().to_string();
    ASSERT_EQ(to_text(**schema), text_of_loaded(model)) << "after " << edits << " edits";
    if (edits == 40 && random.below(2) == 0) {
      ASSERT_TRUE(store->compact(OpContext()));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomSchemaTest, ::testing::Range(0U, 80U));

class LiveSchemaTest : public ::testing::Test {
 protected:
  // Without the last dot, as in updates.
  void start(const std::string& turtle) {
    std::vector<rdf::Document> documents;
    const std::string text = kPrefixes + turtle + " .";
    documents.push_back(rdf::Document::from_text("t.ttl", text, rdf::Format::Turtle));
    auto loaded = load_documents(std::move(documents), {}, OpContext());
    ASSERT_TRUE(loaded) << loaded.error().to_string();
    store_ = make_memory_store(loaded->snapshot);
    graph_ = graph_of(store_);
  }

  void update(const std::string& text) {
    const auto parsed = sparql::parse_update(kPrefixes + text);
    ASSERT_TRUE(parsed) << parsed.error().to_string();
    const auto done = store_->update(parsed->update, {}, OpContext());
    ASSERT_TRUE(done) << done.error().to_string();
  }

  // Also compares it with what is there after compaction.
  GraphSchema schema() {
    GraphSchema live = **graph_->schema(OpContext());
    EXPECT_EQ(to_text(live), text_of_loaded_with_prefixes());
    return live;
  }

  const ClassInfo* find_class(const char* name) {
    schema_ = schema();
    return schema_.find_class("http://a/" + std::string(name));
  }
  const PropertyInfo* find_property(const char* name) {
    schema_ = schema();
    return schema_.find_property("http://a/" + std::string(name));
  }

  std::shared_ptr<LiveStore> store_;
  std::shared_ptr<const GraphSource> graph_;

 private:
  std::string text_of_loaded_with_prefixes() {
    std::string turtle = kPrefixes;
    for (const Statement& one : live_testing::contents_of(*store_->snapshot())) {
      turtle += one[3].empty() ? fmt::format("{} {} {} .\n", one[0], one[1], one[2])
                               : fmt::format("{} {{ {} {} {} }}\n", one[3], one[0], one[1], one[2]);
    }
    std::vector<rdf::Document> documents;
    documents.push_back(rdf::Document::from_text("t.trig", turtle, rdf::Format::TriG));
    return to_text(*make_schema(*load_documents(std::move(documents), {}, OpContext())->snapshot,
                                OpContext()));
  }

  GraphSchema schema_;
};

TEST_F(LiveSchemaTest, ClassesGoWithTheirDeclaration) {
  start(
      "a:Ghost a owl:Class . a:Twice a owl:Class , rdfs:Class . a:tom a a:Cat . a:Cat a owl:Class");
  update("DELETE DATA { a:Ghost a owl:Class . a:Twice a rdfs:Class . a:Cat a owl:Class }");
  EXPECT_EQ(find_class("Ghost"), nullptr);
  EXPECT_TRUE(find_class("Twice")->is_declared);
  EXPECT_FALSE(find_class("Cat")->is_declared);
  update("INSERT DATA { a:Ghost a rdfs:Class . a:Cat a owl:Class }");
  EXPECT_TRUE(find_class("Ghost")->is_declared);
  EXPECT_TRUE(find_class("Cat")->is_declared);
}

TEST_F(LiveSchemaTest, DeclarationsOfSeveralGraphsGoOneByOne) {
  start("a:Cat a owl:Class");
  update("INSERT DATA { GRAPH a:g { a:Cat a owl:Class } }");
  update("DELETE DATA { a:Cat a owl:Class }");
  EXPECT_TRUE(find_class("Cat")->is_declared);
  update("DELETE DATA { GRAPH a:g { a:Cat a owl:Class } }");
  EXPECT_EQ(find_class("Cat"), nullptr);
}

TEST_F(LiveSchemaTest, PropertiesGoWithTheirDeclaration) {
  start("a:owns a owl:ObjectProperty . a:note a owl:AnnotationProperty . a:tom a:note 'x'");
  update("DELETE WHERE { ?p a ?kind }");
  EXPECT_EQ(find_property("owns"), nullptr);
  EXPECT_EQ(find_property("note")->kind, PropertyKind::Datatype);
  EXPECT_FALSE(find_property("note")->is_declared);
  update("INSERT DATA { a:note a owl:ObjectProperty }");
  EXPECT_EQ(find_property("note")->kind, PropertyKind::Object);
}

TEST_F(LiveSchemaTest, KindsFollowWhatIsThere) {
  start("a:tom a:has 1 , a:kit");
  EXPECT_EQ(find_property("has")->kind, PropertyKind::Mixed);
  update("DELETE DATA { a:tom a:has 1 }");
  EXPECT_EQ(find_property("has")->kind, PropertyKind::Object);
  update("DELETE DATA { a:tom a:has a:kit } ; INSERT DATA { a:tom a:has 'new' }");
  EXPECT_EQ(find_property("has")->kind, PropertyKind::Datatype);
}

TEST_F(LiveSchemaTest, LabelsAreReplacedAndRemoved) {
  start(
      "a:Cat a owl:Class ; rdfs:label 'cat' . a:age a rdf:Property ; rdfs:label 'age' ."
      "a:Dog a owl:Class ; rdfs:label 'dog' , 'hound'@de");
  update(
      "DELETE DATA { a:Cat rdfs:label 'cat' . a:Dog rdfs:label 'dog' . a:age rdfs:label 'age' } ;"
      "INSERT DATA { a:age rdfs:label 'years' }");
  EXPECT_EQ(find_class("Cat")->label, "");
  EXPECT_EQ(find_class("Dog")->label, "hound");
  EXPECT_EQ(find_property("age")->label, "years");
}

// Only so many predicates of labels are looked at: a new one may be in another's place.
TEST_F(LiveSchemaTest, LabelsOfManyVocabularies) {
  std::string turtle = "a:Cat a owl:Class ; <http://v/50/label> 'cat'";
  for (int i = 10; i < 74; ++i) turtle += fmt::format(" . a:x <http://v/{}/label> 'x'", i);
  start(turtle);
  EXPECT_EQ(find_class("Cat")->label, "cat");
  std::string more;
  for (int i = 0; i < 50; ++i) more += fmt::format("a:x <http://u/{}/label> 'x' . ", i);
  update("INSERT DATA { " + more + "}");
  EXPECT_EQ(find_class("Cat")->label, "");
  update("DELETE DATA { " + more + "}");
  EXPECT_EQ(find_class("Cat")->label, "cat");
}

TEST_F(LiveSchemaTest, EndsAreThoseThatAreDeclaredNow) {
  start("a:owns a owl:ObjectProperty ; rdfs:domain a:Owner . a:tom a a:Cat ; a:owns a:mat");
  EXPECT_EQ(find_property("owns")->domains, Strings{"http://a/Owner"});
  update("INSERT DATA { a:owns rdfs:domain a:Animal ; rdfs:range a:Asset }");
  EXPECT_EQ(find_property("owns")->domains, (Strings{"http://a/Animal", "http://a/Owner"}));
  EXPECT_EQ(find_property("owns")->ranges, Strings{"http://a/Asset"});
  update("DELETE WHERE { a:owns rdfs:domain ?d } ; DELETE WHERE { a:owns rdfs:range ?r }");
  EXPECT_EQ(find_property("owns")->domains, Strings{"http://a/Cat"});
  EXPECT_EQ(find_property("owns")->ranges, Strings{});
  update("INSERT DATA { a:mat a a:Rug }");
  EXPECT_EQ(find_property("owns")->ranges, Strings{"http://a/Rug"});
}

TEST_F(LiveSchemaTest, HierarchiesAreStatementsLikeOthers) {
  start("a:Cat rdfs:subClassOf a:Animal . a:Cat a owl:Class");
  update(
      "DELETE DATA { a:Cat rdfs:subClassOf a:Animal } ;"
      "INSERT DATA { a:Tiger rdfs:subClassOf a:Cat . a:near rdfs:subPropertyOf a:at }");
  EXPECT_EQ(schema().properties.size(), 3U);
  EXPECT_EQ(schema().classes.size(), 2U);
}

TEST_F(LiveSchemaTest, NamespacesHaveTheTermsOfNow) {
  start("@prefix n: <http://new/> . a:tom a:likes <http://old/x> , <http://old/y>");
  update(
      "INSERT DATA { <http://new/1> a:likes <http://new/2> } ;"
      "DELETE DATA { a:tom a:likes <http://old/x> }");
  const auto spaces = [this] {
    Strings texts;
    const auto schema = *graph_->schema(OpContext());
    for (const NamespaceInfo& one : schema->namespaces) {
      texts.push_back(fmt::format("{}: {} {}", one.prefix, one.iri, one.terms));
    }
    return texts;
  };
  EXPECT_EQ(spaces(), (Strings{"a: http://a/ 2", "n: http://new/ 2", ": http://old/ 1"}));
  update("DELETE DATA { a:tom a:likes <http://old/y> . <http://new/1> a:likes <http://new/2> }");
  EXPECT_EQ(spaces(), Strings{});
}

// The more properties there are, the fewer statements of each are looked at.
TEST_F(LiveSchemaTest, ManyProperties) {
  std::string turtle = "a:tom a a:Cat";
  for (int i = 0; i < 60; ++i) {
    turtle += fmt::format(" . a:s{:02} a:hot a:o{} ; a a:C{}", i, i % 7, i * 7 / 60);
  }
  for (int i = 0; i < 1'037; ++i) turtle += fmt::format(" . a:s00 a:q{} {}", i, i);
  start(turtle);
  std::string more;
  for (int i = 0; i < 200; ++i) more += fmt::format("a:s00 a:r{} {} . ", i, i);
  update("INSERT DATA { " + more + "}");
  EXPECT_EQ(schema().properties.size(), 1'239U);
}

}  // namespace
}  // namespace helve::store
