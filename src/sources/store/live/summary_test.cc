// What is told of a store with changes is what is told of a load of the same statements.
#include "sources/store/live/summary.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sources/store/live/live_testing.h"

namespace helve::store {
namespace {

using live_testing::Model;
using live_testing::RandomStatements;

void append(std::string& text, std::string_view title, const std::vector<NamedCount>& counts) {
  text += fmt::format("{}\n", title);
  for (const NamedCount& one : counts) text += fmt::format("  {} {}\n", one.name, one.count);
}

std::string summary_text(const LiveSnapshot& data) {
  const auto made = summarize(data, OpContext());
  if (!made) return made.error().to_string();
  std::string text = fmt::format("{} {} {}\n", made->iris, made->blank_nodes, made->literals);
  append(text, "graphs", made->graphs);
  append(text, "classes", made->classes);
  append(text, "namespaces", made->namespaces);
  append(text, "languages", made->languages);
  append(text, "datatypes", made->datatypes);
  for (const PropertySummary& one : made->properties) {
    text += fmt::format("{} {} {} {}\n", one.iri, one.triples, one.distinct_subjects,
                        one.distinct_objects);
  }
  const Declarations& declared = made->declared;
  return text + fmt::format("{} {} {} {} {} {}\n", declared.classes, declared.named_classes,
                            declared.object_properties, declared.datatype_properties,
                            declared.annotation_properties, declared.properties);
}

std::string text_of_load(const Model& model) {
  return summary_text(LiveSnapshot(live_testing::load(live_testing::to_nquads(model))));
}

class SummaryTest : public ::testing::TestWithParam<unsigned> {};

TEST_P(SummaryTest, IsThatOfALoadOfTheSameStatements) {
  RandomStatements random(GetParam(), GetParam() % 2 == 0);
  Model model;
  for (std::size_t i = 0; i < std::size_t{GetParam() % 4} * 50; ++i) model.insert(random.next(10));
  const auto store = LiveStore::in_memory(live_testing::load(live_testing::to_nquads(model)));
  ASSERT_TRUE(store);
  for (int round = 0; round < 5; ++round) {
    live_testing::edit(**store, model, random, 1 + random.below(60), 12);
    EXPECT_EQ(summary_text(*(*store)->snapshot()), text_of_load(model));
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, SummaryTest, ::testing::Range(1U, 13U));

TEST(SummaryTest, DeclarationsFollowChanges) {
  const auto declare = [](const std::string& what, const std::string& kind) {
    return live_testing::Statement{what, "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>",
                                   "<http://www.w3.org/" + kind + ">", ""};
  };
  const auto kept = declare("<http://a/Kept>", "2002/07/owl#Class");
  const auto dropped = declare("<http://a/dropped>", "2002/07/owl#ObjectProperty");
  Model model = {kept, dropped};
  const auto store = LiveStore::in_memory(live_testing::load(live_testing::to_nquads(model)));
  ASSERT_TRUE(store);
  const Model added = {declare("_:anonymous", "2000/01/rdf-schema#Class"),
                       declare("<http://a/Kept>", "2000/01/rdf-schema#Class"),
                       declare("<http://a/note>", "2002/07/owl#AnnotationProperty"),
                       declare("<http://a/p>", "1999/02/22-rdf-syntax-ns#Property")};
  const auto done = (*store)->write(
      [&](Transaction& to) -> Result<void> {
        for (const auto& one : added) {
          HELVE_ASSIGN(const Quad quad, live_testing::intern(to, one));
          HELVE_TRY(to.add(quad));
        }
        HELVE_ASSIGN(const Quad quad, live_testing::intern(to, dropped));
        return to.remove(quad);
      },
      OpContext());
  ASSERT_TRUE(done) << done.error().to_string();
  const auto made = summarize(*(*store)->snapshot(), OpContext());
  ASSERT_TRUE(made);
  EXPECT_EQ(made->declared.classes, 2U);
  EXPECT_EQ(made->declared.named_classes, 1U);
  EXPECT_EQ(made->declared.object_properties, 0U);
  EXPECT_EQ(made->declared.properties, 1U);
  model.insert(added.begin(), added.end());
  model.erase(dropped);
  EXPECT_EQ(summary_text(*(*store)->snapshot()), text_of_load(model));
}

}  // namespace
}  // namespace helve::store
