#include "toolkit/handles/handle_store.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/utf8.h"
#include "tests/support/fake_env.h"
#include "tests/support/graph/graph_of.h"
#include "tests/support/temp_directory.h"
#include "toolkit/handles/handle_file.h"

namespace helve::toolkit {
namespace {

using rdf::TermView;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::SizeIs;

const std::filesystem::path kFolder = "/session";

RowTablePtr rows_of(std::string_view text, int rows = 3) {
  RowTableBuilder builder({}, {});
  EXPECT_TRUE(builder.columns({"text", "n"}));
  for (int i = 0; i < rows; ++i) {
    const std::string number = std::to_string(i);
    const std::vector<std::optional<TermView>> cells = {
        TermView::lang_literal(text, "en"),
        TermView::literal(number, "http://www.w3.org/2001/XMLSchema#integer")};
    EXPECT_TRUE(builder.row(cells));
  }
  return builder.finish();
}

HandleOrigin origin_of(std::string query = "SELECT 1") {
  HandleOrigin origin;
  origin.tool = "sparql_query";
  origin.source = "sample";
  origin.query = std::move(query);
  origin.snapshot = "f1";
  origin.call_hash = "c-" + origin.query;
  origin.execution_time_ms = 1.5;
  origin.total_available = 3;
  origin.total_is = "exact";
  return origin;
}

class HandleStoreTest : public ::testing::Test {
 protected:
  static HandleStoreOptions on_disk() {
    HandleStoreOptions options;
    options.folder = kFolder;
    options.keeps_all_on_disk = true;
    return options;
  }
  std::unique_ptr<HandleStore> open(HandleStoreOptions options) {
    auto store = HandleStore::open(std::move(options), env, nullptr, {});
    EXPECT_TRUE(store) << store.error().to_string();
    return store ? *std::move(store) : nullptr;
  }
  static Ref put(HandleStore& store, std::string_view text, int rows = 3) {
    auto ref = store.put(rows_of(text, rows), origin_of(std::string(text.substr(0, 600))), {});
    EXPECT_TRUE(ref) << ref.error().to_string();
    return ref ? *ref : Ref();
  }
  static std::string text_of(HandleStore& store, std::string_view key) {
    const auto handle = store.get(key, {});
    if (!handle) return handle.error().to_string();
    return std::string(handle->rows->cell(handle->rows->rows() - 1, 0)->value);
  }
  static std::vector<std::string> keys_of(const HandleStore& store) {
    std::vector<std::string> keys;
    for (const Ref& ref : store.list()) keys.push_back(ref.key);
    return keys;
  }
  std::vector<std::string> files() {
    std::vector<std::string> names;
    const auto listed = env.files().list(kFolder);
    EXPECT_TRUE(listed);
    for (const auto& name : *listed) names.push_back(name.native());
    return names;
  }

  FakeEnv env;
};

TEST_F(HandleStoreTest, GivesBackWhatWasPut) {
  const auto store = open({});
  const Ref ref = put(*store, "hello");
  EXPECT_EQ(ref.key, "results_0");
  EXPECT_EQ(ref.rows, 3);
  EXPECT_EQ(ref.sz, 18);
  EXPECT_EQ(ref.prev, "hello | 0");
  EXPECT_EQ(ref.source, "sample");
  EXPECT_THAT(ref.columns, ElementsAre("text", "n"));
  EXPECT_THAT(ref.query_hash, SizeIs(16));
  EXPECT_TRUE(ref.complete);
  EXPECT_EQ(ref.expires_at, ref.created_at + std::chrono::hours(24));
  const auto handle = store->get("results_0", {});
  ASSERT_TRUE(handle);
  EXPECT_EQ(handle->ref, ref);
  EXPECT_EQ(handle->origin.query, "hello");
  EXPECT_EQ(handle->rows->cell(2, 0), TermView::lang_literal("hello", "en"));
}

TEST_F(HandleStoreTest, CountsKeysByType) {
  const auto store = open({});
  EXPECT_EQ(put(*store, "a").key, "results_0");
  EXPECT_EQ(store->put("some text", HandleType::Text, {}, {})->key, "text_0");
  EXPECT_EQ(put(*store, "b").key, "results_1");
  EXPECT_EQ(store->put("{}", HandleType::ServiceDesc, {}, {})->key, "service_desc_0");
}

TEST_F(HandleStoreTest, TellsWhatLivesWithoutUsingIt) {
  const auto store = open({});
  for (const char* text : {"a", "b", "c"}) put(*store, text);
  EXPECT_EQ(store->count(), 3U);
  EXPECT_TRUE(store->is_live("results_0"));
  EXPECT_FALSE(store->is_live("results_3"));
  const auto latest = store->list(2);
  ASSERT_THAT(latest, SizeIs(2));
  EXPECT_EQ(latest[0].key, "results_2");
  EXPECT_EQ(latest[1].key, "results_1");
  env.clock().advance(std::chrono::hours(25));
  EXPECT_EQ(store->count(), 0U);
  EXPECT_FALSE(store->is_live("results_0"));
}

TEST_F(HandleStoreTest, DescribesTexts) {
  const auto store = open({});
  const std::string text = "erste Zeile: äöü\n\x1B[31mzweite" + std::string(200, 'x');
  const auto ref = store->put(text, HandleType::Text, {}, {});
  ASSERT_TRUE(ref);
  EXPECT_EQ(ref->rows, 2);
  EXPECT_EQ(ref->sz, 17 + 11 + 200);
  EXPECT_EQ(utf8_length(ref->prev), 80);
  EXPECT_THAT(ref->prev, AllOf(HasSubstr("äöü\\n\\x1B[31mzweite"), Not(HasSubstr("\x1B"))));
  EXPECT_EQ(*store->get("text_0", {})->text, text);
}

TEST_F(HandleStoreTest, TellsAnUnknownKeyFromOthersAndListsLiveOnes) {
  const auto store = open({});
  EXPECT_THAT(store->get("results_0", {}).error().hint, HasSubstr("no handles"));
  for (int i = 0; i < 7; ++i) put(*store, "x");
  const auto missing = store->get("results_99\n\x1B[2J", {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::NotFound);
  EXPECT_EQ(missing.error().message, "there is no handle 'results_99\\n\\x1B[2J'");
  EXPECT_EQ(missing.error().hint,
            "live handles: results_6, results_5, results_4, results_3, results_2 and 2 more");
  EXPECT_TRUE(store->get("restults_6", {}).error().hint.starts_with("did you mean results_6? "));
  ASSERT_TRUE(store->remove("results_3"));
  EXPECT_THAT(store->get("results_3", {}).error().message, HasSubstr("was removed"));
  EXPECT_EQ(store->get("results_3", {}).error().reason, ErrorReason::Expired);
  EXPECT_EQ(store->remove("results_3").error().code, ErrorCode::NotFound);
}

TEST_F(HandleStoreTest, FindsTheHandleOfAnEqualCall) {
  const auto store = open({});
  put(*store, "q");
  HandleOrigin partial = origin_of("p");
  partial.incomplete = "the deadline passed";
  const auto ref = store->put(rows_of("p"), partial, {});
  EXPECT_FALSE(ref->complete);
  EXPECT_EQ(store->find_same(origin_of("q"))->key, "results_0");
  EXPECT_EQ(store->find_same(origin_of("other")), std::nullopt);
  EXPECT_EQ(store->find_same(origin_of("p")), std::nullopt);
  HandleOrigin changed = origin_of("q");
  changed.snapshot = "f2";
  EXPECT_EQ(store->find_same(changed), std::nullopt);
  EXPECT_EQ(store->find_same({}), std::nullopt);
  ASSERT_TRUE(store->remove("results_0"));
  EXPECT_EQ(store->find_same(origin_of("q")), std::nullopt);
}

TEST_F(HandleStoreTest, ForgetsWhatWasNotUsedForLong) {
  for (const bool has_folder : {false, true}) {
    const auto store = open(has_folder ? on_disk() : HandleStoreOptions{});
    put(*store, "old");
    put(*store, "used");
    env.clock().advance(std::chrono::hours(23));
    EXPECT_EQ(text_of(*store, "results_1"), "used");
    env.clock().advance(std::chrono::hours(1));
    EXPECT_THAT(keys_of(*store), ElementsAre("results_1"));
    const auto expired = store->get("results_0", {});
    ASSERT_FALSE(expired);
    EXPECT_EQ(expired.error().code, ErrorCode::NotFound);
    EXPECT_THAT(expired.error().message, HasSubstr("has expired"));
    EXPECT_EQ(expired.error().hint, "live handles: results_1");
    EXPECT_EQ(store->find_same(origin_of("old")), std::nullopt);
  }
  EXPECT_THAT(files(), ElementsAre("1.handle", "lock", "manifest.json"));
}

TEST_F(HandleStoreTest, DropsTheLeastRecentlyUsedWithoutADisk) {
  HandleStoreOptions options;
  options.memory_bytes_max = 25'000;
  const auto store = open(options);
  const std::string large(9'000, 'x');
  put(*store, large + "0");
  put(*store, large + "1");
  EXPECT_EQ(text_of(*store, "results_0"), large + "0");
  put(*store, large + "2");
  EXPECT_THAT(keys_of(*store), ElementsAre("results_2", "results_0"));
  EXPECT_THAT(text_of(*store, "results_1"), HasSubstr("dropped to make room"));
  EXPECT_LE(store->memory_bytes(), options.memory_bytes_max);
  const auto too_large = store->put(std::string(30'000, 'x'), HandleType::Text, {}, {});
  EXPECT_EQ(too_large.error().code, ErrorCode::LimitExceeded);
  EXPECT_THAT(keys_of(*store), SizeIs(2));
}

TEST_F(HandleStoreTest, SpillsAndReadsBack) {
  HandleStoreOptions options;
  options.folder = kFolder;
  options.memory_bytes_max = 25'000;
  const auto store = open(options);
  const std::string large(9'000, 'x');
  for (int i = 0; i < 5; ++i) {
    put(*store, large + std::to_string(i));
    EXPECT_LE(store->memory_bytes(), options.memory_bytes_max);
  }
  ASSERT_TRUE(store->put(std::string(40'000, 'y'), HandleType::Text, {}, {}));
  EXPECT_LE(store->memory_bytes(), options.memory_bytes_max);
  EXPECT_GT(store->disk_bytes(), 3 * 9'000);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(text_of(*store, fmt::format("results_{}", i)), large + std::to_string(i));
  }
  EXPECT_EQ(*store->get("text_0", {})->text, std::string(40'000, 'y'));
  EXPECT_LE(store->memory_bytes(), options.memory_bytes_max);
  EXPECT_THAT(store->problems(), IsEmpty());
}

TEST_F(HandleStoreTest, FindsEverythingAgain) {
  Ref before;
  {
    const auto store = open(on_disk());
    put(*store, "zero");
    HandleOrigin origin = origin_of("one\xC3\xA4");
    origin.incomplete = "a part is missing";
    before = *store->put(rows_of("one"), origin, {});
    ASSERT_TRUE(store->put("line\nline", HandleType::Text, origin_of("t"), {}));
  }
  env.files().crash();
  const auto store = open(on_disk());
  EXPECT_THAT(store->problems(), IsEmpty());
  EXPECT_THAT(keys_of(*store), ElementsAre("text_0", "results_1", "results_0"));
  const auto handle = store->get("results_1", {});
  ASSERT_TRUE(handle);
  EXPECT_EQ(handle->ref, before);
  EXPECT_EQ(handle->origin.query, "one\xC3\xA4");
  EXPECT_EQ(handle->origin.incomplete, "a part is missing");
  EXPECT_EQ(handle->origin.total_available, 3);
  EXPECT_EQ(handle->origin.execution_time_ms, 1.5);
  EXPECT_EQ(text_of(*store, "results_0"), "zero");
  EXPECT_EQ(*store->get("text_0", {})->text, "line\nline");
  EXPECT_EQ(store->find_same(origin_of("zero"))->key, "results_0");
  EXPECT_EQ(put(*store, "next").key, "results_2");
}

TEST_F(HandleStoreTest, KeepsUsesOverRestarts) {
  {
    const auto store = open(on_disk());
    put(*store, "a");
    put(*store, "b");
    env.clock().advance(std::chrono::hours(20));
    EXPECT_EQ(text_of(*store, "results_0"), "a");
  }
  env.clock().advance(std::chrono::hours(5));
  {
    const auto store = open(on_disk());
    EXPECT_THAT(keys_of(*store), ElementsAre("results_0"));
    EXPECT_THAT(text_of(*store, "results_1"), HasSubstr("has expired"));
  }
  const auto store = open(on_disk());
  EXPECT_THAT(text_of(*store, "results_1"), HasSubstr("has expired"));
}

TEST_F(HandleStoreTest, NeverGivesANumberTwice) {
  {
    const auto store = open(on_disk());
    put(*store, "a");
    put(*store, "b");
    ASSERT_TRUE(store->remove("results_1"));
    env.files().crash();
  }
  {
    const auto store = open(on_disk());
    EXPECT_EQ(put(*store, "c").key, "results_2");
  }
  HandleStoreOptions lazy = on_disk();
  lazy.keeps_all_on_disk = false;
  std::string lost;
  {
    const auto store = open(lazy);
    lost = put(*store, "d").key;
    env.files().crash();  // it was in memory alone
    env.files().fail_from_operation(1);
  }
  env.files().crash();
  const auto store = open(lazy);
  EXPECT_THAT(text_of(*store, lost), HasSubstr("there is no handle"));
  EXPECT_NE(put(*store, "e").key, lost);
}

TEST_F(HandleStoreTest, KeepsWhatIsInMemoryWhenItCloses) {
  HandleStoreOptions lazy = on_disk();
  lazy.keeps_all_on_disk = false;
  { put(*open(lazy), "a"); }
  const auto store = open(lazy);
  EXPECT_EQ(text_of(*store, "results_0"), "a");
  EXPECT_EQ(put(*store, "b").key, "results_1");
}

TEST_F(HandleStoreTest, HoldsItsLimits) {
  HandleStoreOptions options = on_disk();
  options.handles_max = 3;
  const auto store = open(options);
  for (int i = 0; i < 10; ++i) put(*store, std::to_string(i));
  EXPECT_THAT(keys_of(*store), ElementsAre("results_9", "results_8", "results_7"));
  EXPECT_THAT(files(), ElementsAre("7.handle", "8.handle", "9.handle", "lock", "manifest.json"));
}

TEST_F(HandleStoreTest, HoldsItsShareOfTheDisk) {
  HandleStoreOptions options = on_disk();
  options.disk_bytes_max = 25'000;
  {
    const auto store = open(options);
    for (int i = 0; i < 5; ++i) put(*store, std::string(9'000, 'x') + std::to_string(i));
    EXPECT_LE(store->disk_bytes(), options.disk_bytes_max);
    EXPECT_THAT(keys_of(*store), ElementsAre("results_4", "results_3"));
    EXPECT_THAT(text_of(*store, "results_0"), HasSubstr("dropped to make room"));
    const auto too_large = store->put(std::string(30'000, 'x'), HandleType::Text, {}, {});
    EXPECT_EQ(too_large.error().code, ErrorCode::LimitExceeded);
  }
  options.disk_bytes_max = 12'000;
  EXPECT_THAT(keys_of(*open(options)), ElementsAre("results_4"));
}

TEST_F(HandleStoreTest, SessionsDoNotSeeEachOther) {
  HandleStoreOptions one = on_disk();
  HandleStoreOptions two = on_disk();
  one.folder = "/sessions/1";
  two.folder = "/sessions/2";
  const auto first = open(one);
  const auto second = open(two);
  put(*first, "secret");
  EXPECT_EQ(second->get("results_0", {}).error().code, ErrorCode::NotFound);
  EXPECT_EQ(second->find_same(origin_of("secret")), std::nullopt);
  EXPECT_EQ(put(*second, "own").key, "results_0");
  EXPECT_EQ(text_of(*second, "results_0"), "own");
  for (const char* key : {"../1/0.handle", "/sessions/1/0.handle", "", "results_0\0x"}) {
    EXPECT_EQ(second->get(key, {}).has_value(), std::string_view(key) == "results_0");
  }
}

TEST_F(HandleStoreTest, KeysCanBeSecret) {
  HandleStoreOptions options = on_disk();
  options.has_secret_keys = true;
  std::string key;
  {
    const auto store = open(options);
    key = put(*store, "a").key;
    EXPECT_THAT(key, MatchesRegex("results_[0-9a-f]{32}"));
    EXPECT_NE(put(*store, "b").key, key);
    EXPECT_EQ(store->get("results_0", {}).error().code, ErrorCode::NotFound);
  }
  EXPECT_EQ(text_of(*open(options), key), "a");
}

TEST_F(HandleStoreTest, WaitsForTheLock) {
  const auto store = open(on_disk());
  const auto other = HandleStore::open(on_disk(), env, nullptr, {});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(other.error().message, HasSubstr("'/session' is in use by another process"));
  EXPECT_FALSE(other.error().hint.empty());
  EXPECT_GE(env.clock().elapsed(), std::chrono::seconds(10));
  EXPECT_LT(env.clock().elapsed(), std::chrono::seconds(11));
  OpContext hurried;
  hurried.deadline = Deadline(env.clock(), std::chrono::milliseconds(30));
  const Duration before = env.clock().elapsed();
  EXPECT_FALSE(HandleStore::open(on_disk(), env, nullptr, hurried));
  EXPECT_EQ(env.clock().elapsed() - before, std::chrono::milliseconds(30));
}

TEST_F(HandleStoreTest, NeverServesADamagedFile) {
  {
    const auto store = open(on_disk());
    put(*store, "some text");
    ASSERT_TRUE(store->put("other text", HandleType::Text, origin_of("t"), {}));
  }
  for (const char* name : {"0.handle", "1.handle"}) {
    const std::string good = *env.files().content(kFolder / name);
    for (std::size_t at = 0; at < good.size(); ++at) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ 0x10);
      env.files().put(kFolder / name, bad);
      const auto store = open(on_disk());
      const std::string_view key = name[0] == '0' ? "results_0" : "text_0";
      const auto handle = store->get(key, {});
      ASSERT_FALSE(handle) << name << " " << at;
      ASSERT_THAT(store->problems(), SizeIs(1));
      EXPECT_THAT(store->problems()[0], HasSubstr(name));
      EXPECT_FALSE(store->get(key, {}));
      EXPECT_EQ(env.files().content(kFolder / name), std::nullopt);
      EXPECT_EQ(env.files().content((kFolder / name).native() + ".damaged"), bad);
    }
    env.files().put(kFolder / name, good);
  }
  const auto store = open(on_disk());
  EXPECT_EQ(text_of(*store, "results_0"), "some text");
}

TEST_F(HandleStoreTest, SurvivesAStrangeFolder) {
  { put(*open(on_disk()), "a"); }
  const std::string good = *env.files().content(kFolder / "0.handle");
  env.files().put(kFolder / "5.handle", good);  // the same key
  env.files().put(kFolder / "7.handle", "");
  env.files().put(kFolder / "99999999999999999999999.handle", good);
  env.files().put(kFolder / "x.handle", "nonsense");
  env.files().put(kFolder / ".8.handle.0123.tmp", "half");
  env.files().put(kFolder / "manifest.json", "{\"next\": 3}");
  const auto store = open(on_disk());
  EXPECT_THAT(store->problems(), SizeIs(3));
  EXPECT_THAT(keys_of(*store), ElementsAre("results_0"));
  EXPECT_EQ(env.files().content(kFolder / ".8.handle.0123.tmp"), std::nullopt);
  EXPECT_EQ(put(*store, "b").key, "results_1");
  EXPECT_TRUE(env.files().content(kFolder / "8.handle"));
}

TEST_F(HandleStoreTest, FailsCleanlyOnAFullDisk) {
  const auto store = open(on_disk());
  put(*store, "a");
  const auto before = files();
  env.files().disk_full_after(100);
  const auto failed = store->put(rows_of("b"), origin_of("b"), {});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::Unavailable);
  EXPECT_EQ(files(), before);
  EXPECT_EQ(store->find_same(origin_of("b")), std::nullopt);
  EXPECT_EQ(text_of(*store, "results_0"), "a");
  env.files().unlimited_disk();
  put(*store, "c");
  EXPECT_THAT(keys_of(*store), SizeIs(2));
}

TEST_F(HandleStoreTest, KeepsWhatItHasWhenSpillingFails) {
  HandleStoreOptions lazy = on_disk();
  lazy.keeps_all_on_disk = false;
  lazy.memory_bytes_max = 25'000;
  const auto store = open(lazy);
  put(*store, std::string(9'000, 'a'));
  put(*store, std::string(9'000, 'b'));
  env.files().disk_full_after(0);
  EXPECT_FALSE(store->put(rows_of(std::string(9'000, 'c')), origin_of(), {}));
  EXPECT_EQ(text_of(*store, "results_0"), std::string(9'000, 'a'));
  EXPECT_EQ(text_of(*store, "results_1"), std::string(9'000, 'b'));
  env.files().unlimited_disk();
  put(*store, std::string(9'000, 'c'));
  EXPECT_THAT(keys_of(*store), SizeIs(3));
}

// Power fails at every single operation: what was acknowledged is there, and nothing else is wrong.
TEST_F(HandleStoreTest, SurvivesACrashAnywhere) {
  for (std::uint64_t k = 1; k < 200; ++k) {
    FakeEnv machine;
    std::vector<std::string> acknowledged;
    bool is_removed = false;
    machine.files().fail_from_operation(k);
    {
      auto store = HandleStore::open(on_disk(), machine, nullptr, {});
      for (int i = 0; store && i < 4; ++i) {
        const std::string text = fmt::format("text {}", i);
        if (const auto ref = (*store)->put(rows_of(text), origin_of(text), {})) {
          acknowledged.push_back(ref->key);
        }
        if (i == 2) is_removed = (*store)->remove("results_1").has_value();
      }
    }
    const bool has_ended = machine.files().operations() < k;
    machine.files().crash();
    const auto store = HandleStore::open(on_disk(), machine, nullptr, {});
    ASSERT_TRUE(store) << k;
    EXPECT_THAT((*store)->problems(), IsEmpty()) << k;
    for (const std::string& key : acknowledged) {
      if (key == "results_1" && is_removed) continue;
      EXPECT_EQ(text_of(**store, key), "text " + key.substr(8)) << k;
    }
    if (has_ended) return;
  }
  FAIL() << "the story has no end";
}

TEST_F(HandleStoreTest, ServesSeveralThreads) {
  HandleStoreOptions options;
  options.folder = kFolder;
  options.memory_bytes_max = 20'000;
  const auto store = open(options);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&store, t] {
      for (int i = 0; i < 50; ++i) {
        const std::string text = fmt::format("{}-{}-{}", t, i, std::string(500, 'x'));
        const Ref ref = put(*store, text);
        EXPECT_EQ(text_of(*store, ref.key), text);
        EXPECT_TRUE(store->find_same(origin_of(text)));
        (void)store->list();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(store->list(), SizeIs(200));
  EXPECT_LE(store->memory_bytes(), options.memory_bytes_max);
}

// Graphs as N-Triples in a folder.
class TextGraphs final : public GraphFactory {
 public:
  Result<std::shared_ptr<const GraphSource>> open(const std::string& path, const std::string&,
                                                  const OpContext& context) override {
    ++opened;
    return testing::graph_of_file(path + "/data.nt", context);
  }
  Result<std::unique_ptr<Builder>> build(const OpContext&) override {
    return Error{ErrorCode::Unavailable, "not here"};
  }
  Result<void> save(const GraphSource& graph, const std::string& folder,
                    const OpContext& context) override {
    HELVE_TRY(real_env().files().make_directories(folder));
    HELVE_ASSIGN(const auto schema, graph.schema(context));
    std::string text;
    for (std::uint64_t i = 0; i < schema->triples; ++i) {
      text += fmt::format("<http://e.org/s{}> <http://e.org/p> <http://e.org/o> .\n", i);
    }
    return write_file_atomically(real_env(), std::filesystem::path(folder) / "data.nt", text);
  }
  int opened = 0;
};

constexpr std::string_view kTurtle =
    "<http://e.org/s0> <http://e.org/p> <http://e.org/o> . "
    "<http://e.org/s1> <http://e.org/p> <http://e.org/o> .";

TEST(HandleStoreOnDisk, KeepsGraphs) {
  const TempDirectory folder;
  TextGraphs graphs;
  HandleStoreOptions options;
  options.folder = folder / "session";
  options.keeps_all_on_disk = true;
  {
    auto store = HandleStore::open(options, real_env(), &graphs, {});
    ASSERT_TRUE(store);
    const auto ref =
        (*store)->put(testing::graph_of(kTurtle), HandleType::Ontology, origin_of("g"), {});
    ASSERT_TRUE(ref) << ref.error().to_string();
    EXPECT_EQ(ref->key, "ontology_0");
    EXPECT_EQ(ref->rows, 2);
    EXPECT_GT((*store)->disk_bytes(), 100);
    ASSERT_TRUE((*store)->put(testing::graph_of(kTurtle), HandleType::Graph, origin_of("h"), {}));
    EXPECT_TRUE((*store)->get("graph_0", {})->graph);
    EXPECT_EQ(graphs.opened, 0);
    ASSERT_TRUE((*store)->remove("graph_0"));
    EXPECT_FALSE(std::filesystem::exists(options.folder / "1.graph"));
  }
  std::filesystem::create_directories(options.folder / "9.graph/part");  // of an interrupted call
  const auto store = HandleStore::open(options, real_env(), &graphs, {});
  ASSERT_TRUE(store);
  EXPECT_FALSE(std::filesystem::exists(options.folder / "9.graph"));
  const auto handle = (*store)->get("ontology_0", {});
  ASSERT_TRUE(handle) << handle.error().to_string();
  EXPECT_EQ((*handle->graph->schema({}))->triples, 2);
  EXPECT_TRUE((*store)->get("ontology_0", {}));
  EXPECT_EQ(graphs.opened, 1);
}

TEST(HandleStoreOnDisk, MapsLargeTablesInPlace) {
  const TempDirectory folder;
  HandleStoreOptions options;
  options.folder = folder / "session";
  options.memory_bytes_max = 100'000;
  auto store = HandleStore::open(options, real_env(), nullptr, {});
  ASSERT_TRUE(store);
  const auto ref = (*store)->put(rows_of("x", 100'000), origin_of(), {});
  ASSERT_TRUE(ref) << ref.error().to_string();
  EXPECT_LE((*store)->memory_bytes(), options.memory_bytes_max);
  const auto handle = (*store)->get("results_0", {});
  ASSERT_TRUE(handle);
  EXPECT_LE(handle->rows->memory_bytes(), 1'000);
  ASSERT_TRUE((*store)->remove("results_0"));
  EXPECT_EQ(handle->rows->cell(99'999, 1)->value, "99999");  // still there for who holds it
}

// A store without a folder has numbers that no other process has.
TEST_F(HandleStoreTest, TakesAnotherBlockOfNumbersWhenOneIsUsedUp) {
  HandleStoreOptions options;
  options.handles_max = 10;
  std::uint64_t next = 5'000;
  options.reserve_numbers = [&next] { return std::exchange(next, next + 20'000); };
  const auto store = open(options);
  EXPECT_EQ(put(*store, "first").key, "results_5000");
  const auto text = store->put("a", HandleType::Text, origin_of("text"), {});
  ASSERT_TRUE(text);
  EXPECT_EQ(text->key, "text_5000");  // the first block is for all types
  for (std::uint64_t i = 1; i < HandleStoreOptions::kNumbersReserved - 1; ++i) {
    put(*store, std::to_string(i));
  }
  EXPECT_EQ(put(*store, "last").key, "results_5999");
  EXPECT_EQ(put(*store, "next").key, "results_25000");
}

}  // namespace
}  // namespace helve::toolkit
