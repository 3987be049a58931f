#include "toolkit/context/context_builder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utf8.h"
#include "tests/support/graph/far_graph.h"
#include "tests/support/graph/graph_of.h"
#include "tests/support/tables/fake_tables.h"
#include "tests/support/temp_directory.h"
#include "tests/support/test_data.h"

namespace helve::context {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class ContextBuilderTest : public ::testing::Test {
 protected:
  ContextBuilderTest() {
    auto graph =
        testing::graph_of_file(helve::testing::repository_path("examples/solar-system.trig"));
    EXPECT_TRUE(graph);
    sample_ = *graph;
    auto bank = memory::MemoryBank::open(folder_ / "bank.db", true, real_env(), {});
    EXPECT_TRUE(bank);
    bank_ = *bank;
    parts_.graph = sample_.get();
    parts_.memory.emplace(*bank_);
  }

  std::string remember(const std::string& title, const std::string& content,
                       const std::string& schema = {}) {
    memory::Item item;
    item.title = title;
    item.desc = "When moons are asked for.";
    item.content = content;
    item.src = memory::ItemSource::Success;
    item.schema_fingerprint = schema;
    item.id = id_of(item);
    EXPECT_TRUE(bank_->repository().add({item}, {}));
    return item.id;
  }

  BuiltContext build(const ContextRequest& request) {
    auto built = build_context(parts_, request, {});
    EXPECT_TRUE(built) << built.error().message;
    expect_sound(*built, request);
    return *std::move(built);
  }

  // Whatever is asked for: figures are right, and no layer is above its budget.
  static void expect_sound(const BuiltContext& built, const ContextRequest& request) {
    EXPECT_EQ(built.chars, utf8_length(built.text));
    std::string text;
    std::size_t chars = 0;
    for (const BuiltLayer& layer : built.layers) {
      text += layer.text.text;
      chars += layer.text.chars;
      EXPECT_THAT(layer.text.text, StartsWith(fmt::format("# {} ", name_of(layer.layer))));
      EXPECT_EQ(layer.text.chars, utf8_length(layer.text.text));
      std::size_t of_parts = 0;
      for (const auto& part : layer.text.parts) of_parts += part.second;
      EXPECT_EQ(of_parts, layer.text.chars);
      if (!request.schema_summary) {
        EXPECT_LE(layer.text.chars, request.budgets[static_cast<std::size_t>(layer.layer)]);
      }
    }
    EXPECT_EQ(text, built.text);
    EXPECT_EQ(chars, built.chars);
  }

  TempDirectory folder_;
  std::shared_ptr<const GraphSource> sample_;
  std::shared_ptr<memory::MemoryBank> bank_;
  ContextParts parts_;
};

TEST_F(ContextBuilderTest, LayersInTheirOrderWithinTheirBudgets) {
  const std::string id = remember("Count moons", "Group by the planet.");
  const BuiltContext built = build({.task = "Which agencies lost the most missions to moons?"});
  std::vector<std::string_view> names;
  for (const BuiltLayer& layer : built.layers) names.push_back(name_of(layer.layer));
  EXPECT_THAT(names, ElementsAre("L0", "L1", "L2", "L3"));
  EXPECT_THAT(built.injected, ElementsAre(id));
  EXPECT_EQ(built.guide, "solar-system");
  EXPECT_THAT(built.text, HasSubstr("### Which agencies lost how many missions?"));
  EXPECT_THAT(built.red_flags, IsEmpty());
  EXPECT_THAT(built.notes, IsEmpty());
  EXPECT_FALSE(built.schema_fingerprint.empty());
}

TEST_F(ContextBuilderTest, EveryBudgetIsKept) {
  remember("Count moons", std::string(3'000, 'x') + " and more. " + std::string(50, 'y'));
  for (std::size_t chars = 0; chars < 700; chars += 23) {
    ContextRequest request{.task = "count the moons"};
    request.budgets = {chars, chars, chars, chars};
    EXPECT_LE(build(request).chars, 4 * chars);
  }
  ContextRequest compact{.task = "count the moons"};
  ASSERT_TRUE(set_budget(compact, "compact"));
  EXPECT_LE(build(compact).chars, 1'800u);
}

TEST_F(ContextBuilderTest, TheSameAgainIsTheSameBytes) {
  remember("Count moons", "Group by the planet.");
  const ContextRequest request{.task = "count the moons"};
  EXPECT_EQ(build(request).text, build(request).text);
}

TEST_F(ContextBuilderTest, OnlyTheLayersThatAreAskedFor) {
  remember("Count moons", "Group by the planet.");
  ContextRequest request{.task = "count the moons"};
  request.layers = *read_layers("l0,L3");
  EXPECT_THAT(build(request).text, Not(HasSubstr("# L1")));
  EXPECT_THAT(build(request).text, Not(HasSubstr("# L2")));
  EXPECT_THAT(build(request).text, HasSubstr("# L3 Guide\n"));
  request.layers = *read_layers("L2");
  EXPECT_THAT(build(request).text, StartsWith("# L2 Lessons\n"));
}

TEST_F(ContextBuilderTest, AReadySummaryTakesTheRoomOfBothAndTheSourceIsNotAsked) {
  testing::FarGraph far(sample_);
  parts_.graph = &far;
  remember("Count moons", "Group by the planet.");
  ContextRequest request{.task = "count the moons"};
  request.schema_summary = "One line.\n# No heading of ours\x1B\n" + std::string(3'000, 'z');
  const BuiltContext built = build(request);
  EXPECT_THAT(built.text, StartsWith("# L0 Source\nOne line.\n# No heading of ours\\x1B\n"));
  EXPECT_LE(built.layers[0].text.chars, 1'600u);
  EXPECT_THAT(built.text, Not(HasSubstr("# L1")));
  EXPECT_THAT(built.text, HasSubstr("# L2"));
  EXPECT_EQ(far.schemas_asked(), 0);
  EXPECT_THAT(far.take_asked(), IsEmpty());
  EXPECT_EQ(built.guide, "");
  EXPECT_THAT(built.notes,
              ElementsAre("the schema is not known: lessons were not compared with it"));
}

TEST_F(ContextBuilderTest, LessonsOfAnotherSchemaAreToldOf) {
  const std::string here = build({.task = "moons"}).schema_fingerprint;
  const std::string good = remember("Count moons", "Group them.", here);
  const std::string old = remember("Count moons of planets", "Group them.", "0000");
  const BuiltContext built = build({.task = "count moons of planets"});
  EXPECT_THAT(built.injected, ElementsAre(good));
  EXPECT_THAT(built.stale, ElementsAre(old));
  EXPECT_THAT(built.notes, ElementsAre("1 lesson left out, learnt on another schema: " + old));
}

// The fingerprint is of names, not of how much there is of them.
TEST_F(ContextBuilderTest, TheSchemaFingerprintFollowsNamesAlone) {
  const auto of = [&](const char* turtle) {
    const auto graph = testing::graph_of(turtle);
    ContextParts parts;
    parts.graph = graph.get();
    return build_context(parts, {}, {})->schema_fingerprint;
  };
  const std::string one = of("<urn:a> a <urn:C> ; <urn:p> 1 .");
  EXPECT_EQ(of("<urn:a> a <urn:C> ; <urn:p> 1 . <urn:b> a <urn:C> ; <urn:p> 2 ."), one);
  EXPECT_NE(of("<urn:a> a <urn:C> ; <urn:q> 1 ."), one);
  EXPECT_NE(of("<urn:a> a <urn:D> ; <urn:p> 1 ."), one);
}

TEST_F(ContextBuilderTest, AnOwnGuideIsTaken) {
  const auto guide = read_guide("# Ours\n\nAsk the librarian.\n", "ours");
  ContextRequest request;
  request.guide = &*guide;
  EXPECT_THAT(build(request).text, HasSubstr("# L3 Guide\n# Ours\nAsk the librarian.\n"));
  EXPECT_EQ(build(request).guide, "ours");
}

TEST_F(ContextBuilderTest, DatabasesHaveTheirLayersToo) {
  const auto shop = testing::music_shop();
  remember("Tracks of albums", "Join by album_id.");
  parts_.graph = nullptr;
  parts_.tables = shop.get();
  const BuiltContext built = build({.task = "count the tracks of albums"});
  EXPECT_THAT(built.text, HasSubstr("# L0 Source\nshop: SQL database"));
  EXPECT_THAT(built.text, HasSubstr("# L1 Schema\n"));
  EXPECT_THAT(built.text, HasSubstr("> Join by album_id.\n"));
  EXPECT_THAT(built.text, Not(HasSubstr("# L3")));
  EXPECT_EQ(shop->runs(), 0u);
}

TEST_F(ContextBuilderTest, TooMuchIsFlagged) {
  ContextRequest request{.task = "moons planets missions"};
  request.budgets = {600, 1'000, 2'000, 8'000};
  const auto flags = build(request).red_flags;
  ASSERT_EQ(flags.size(), 1u);
  EXPECT_THAT(flags[0], HasSubstr("more than 4,000"));
}

TEST_F(ContextBuilderTest, ACachedSourceIsNotAskedAgain) {
  const testing::FarGraph far(sample_);
  const BriefCache cache(folder_ / "cache", real_env());
  parts_.graph = &far;
  const ContextRequest request{.task = "moons"};
  const std::string plain = build(request).text;
  parts_.cache = &cache;
  far.take_asked();
  const BuiltContext first = build(request);
  EXPECT_FALSE(first.is_from_cache);
  const int schemas = far.schemas_asked();
  far.take_asked();
  const BuiltContext second = build(request);
  EXPECT_TRUE(second.is_from_cache);
  EXPECT_EQ(second.text, plain);
  EXPECT_EQ(second.schema_fingerprint, first.schema_fingerprint);
  EXPECT_EQ(second.guide, first.guide);
  EXPECT_EQ(second.layers.at(1).text.parts, first.layers.at(1).text.parts);
  EXPECT_THAT(far.take_asked(), IsEmpty());
  EXPECT_EQ(far.schemas_asked(), schemas);
  // Another budget is another brief.
  ContextRequest other = request;
  other.budgets[0] = 300;
  EXPECT_FALSE(build(other).is_from_cache);
}

TEST_F(ContextBuilderTest, DamagedAndForeignFilesOfTheCacheAreWrittenAnew) {
  const BriefCache cache(folder_ / "cache", real_env());
  parts_.cache = &cache;
  const ContextRequest request{.task = "moons"};
  const std::string text = build(request).text;
  const auto names = real_env().files().list(folder_ / "cache");
  ASSERT_TRUE(names);
  ASSERT_EQ(names->size(), 1u);
  const auto file = folder_ / "cache" / names->front();
  const std::string whole(*[&] {
    auto mapped = real_env().files().map(file);
    return std::make_shared<std::string>((*mapped)->text());
  }());
  for (const std::string& content :
       {std::string(), std::string("foreign"), whole.substr(0, whole.size() / 2),
        whole.substr(0, 200) + "X" + whole.substr(201), std::string(100'000, '{')}) {
    ASSERT_TRUE(write_file_atomically(real_env(), file, content));
    const BuiltContext built = build(request);
    EXPECT_FALSE(built.is_from_cache);
    EXPECT_EQ(built.text, text);
    EXPECT_TRUE(build(request).is_from_cache);
  }
}

TEST_F(ContextBuilderTest, TheCacheIsBounded) {
  const BriefCache cache(folder_ / "cache", real_env(), {.files_max = 3});
  ASSERT_TRUE(real_env().files().make_directories(folder_ / "cache"));
  ASSERT_TRUE(write_file_atomically(real_env(), folder_ / "cache" / "other.txt", "stays"));
  for (int i = 0; i < 7; ++i) cache.keep(std::string(64, static_cast<char>('a' + i)), {});
  EXPECT_EQ(real_env().files().list(folder_ / "cache")->size(), 4u);
  EXPECT_TRUE(cache.find(std::string(64, 'g')).has_value());
  EXPECT_EQ(cache.clear(), 3u);
  EXPECT_EQ(real_env().files().list(folder_ / "cache")->size(), 1u);
}

// A folder that cannot be written costs time, nothing else.
TEST_F(ContextBuilderTest, WithoutAPlaceForTheCacheItIsBuiltAnew) {
  ASSERT_TRUE(write_file_atomically(real_env(), folder_ / "file", "x"));
  const BriefCache cache(folder_ / "file", real_env());
  parts_.cache = &cache;
  EXPECT_FALSE(build({.task = "moons"}).text.empty());
  EXPECT_FALSE(build({.task = "moons"}).is_from_cache);
}

TEST(ContextWords, Budgets) {
  ContextRequest request;
  ASSERT_TRUE(set_budget(request, "compact"));
  EXPECT_EQ(request.budgets, kCompactBudgets);
  EXPECT_EQ(request.item_chars_max, 300u);
  ASSERT_TRUE(set_budget(request, "Full"));
  EXPECT_EQ(request.budgets, kFullBudgets);
  EXPECT_EQ(request.item_chars_max, 0u);
  ASSERT_TRUE(set_budget(request, "l0=100, L2=0"));
  EXPECT_EQ(request.budgets, (LayerBudgets{100, 1'000, 0, 1'000}));
  ASSERT_TRUE(set_budget(request, "1001"));
  EXPECT_EQ(request.budgets[0] + request.budgets[1] + request.budgets[2] + request.budgets[3],
            1'001u);
  for (const char* bad :
       {"", "l4=1", "l0", "l0=", "l0=-1", "l0=20001", "l0=1,", "tiny", "l0=1.5"}) {
    const auto set = set_budget(request, bad);
    EXPECT_FALSE(set) << bad;
    EXPECT_THAT(set ? "" : set.error().hint, HasSubstr("l0=600"));
  }
}

TEST(ContextWords, Layers) {
  EXPECT_EQ(*read_layers("all"), LayerSet().set());
  EXPECT_EQ(*read_layers("L0, l3"), LayerSet(0b1001));
  EXPECT_FALSE(read_layers("L0,L4"));
  EXPECT_FALSE(read_layers(""));
}

}  // namespace
}  // namespace helve::context
