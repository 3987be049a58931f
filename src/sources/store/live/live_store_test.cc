// What is on disk: recovery, damage, crashes at every moment, full disks.
#include "sources/store/live/live_store.h"

#include <gtest/gtest.h>

#include "sources/sparql/algebra/parser.h"
#include "sources/store/live/change_log.h"
#include "sources/store/live/live_testing.h"
#include "sources/store/snapshot_folder.h"
#include "sources/store/snapshot_layout.h"
#include "tests/support/fake_env.h"

namespace helve::store {
namespace {

using live_testing::contents_of;
using live_testing::Model;
using live_testing::RandomStatements;

constexpr const char* kFolder = "/data/store";

LiveOptions calm() {
  LiveOptions options;
  options.compacts_itself = false;
  return options;
}

void make_store(FakeEnv& env, const Model& model) {
  const auto base = live_testing::load(live_testing::to_nquads(model));
  const auto written = write_snapshot(*base, {{"t.nq"}, "test", {}}, kFolder, OpContext(), env);
  ASSERT_TRUE(written) << written.error().to_string();
  ASSERT_TRUE(env.files().sync_directory("/data"));
}

Result<CommitReport> run(LiveStore& store, const std::string& text,
                         const UpdateOptions& options = {}) {
  HELVE_ASSIGN(const auto parsed, sparql::parse_update(text));
  return store.update(parsed.update, options, OpContext());
}

std::shared_ptr<LiveStore> open(FakeEnv& env) {
  auto store = LiveStore::open(kFolder, calm(), OpContext(), env);
  EXPECT_TRUE(store) << store.error().to_string();
  return store ? *store : nullptr;
}

class LiveStoreTest : public ::testing::Test {
 protected:
  FakeEnv env_;
  Model model_ = {{"<http://a/s>", "<http://a/p>", "\"1\"", ""},
                  {"<http://a/s>", "<http://a/p>", "\"2\"", "<http://a/g>"}};
};

TEST_F(LiveStoreTest, KeepsWhatWasCommitted) {
  make_store(env_, model_);
  std::string fingerprint;
  {
    const auto store = open(env_);
    const auto report = run(*store, "INSERT DATA { <http://a/new> <http://a/p> 'x'@en }");
    ASSERT_TRUE(report) << report.error().to_string();
    EXPECT_EQ(report->added, 1U);
    EXPECT_EQ(report->version, 1U);
    ASSERT_TRUE(run(*store, "DELETE DATA { <http://a/s> <http://a/p> '1' }"));
    ASSERT_TRUE(run(*store, "CREATE GRAPH <http://a/empty>"));
    fingerprint = store->snapshot()->fingerprint();
  }
  const Model wanted = {{"<http://a/new>", "<http://a/p>", "\"x\"@en", ""},
                        {"<http://a/s>", "<http://a/p>", "\"2\"", "<http://a/g>"}};
  const auto read = open_live_snapshot(kFolder, OpContext(), env_);
  ASSERT_TRUE(read);
  EXPECT_EQ(contents_of(**read), wanted);
  const auto store = open(env_);
  EXPECT_EQ(contents_of(*store->snapshot()), wanted);
  EXPECT_EQ(store->snapshot()->version(), 3U);
  EXPECT_EQ(store->snapshot()->fingerprint(), fingerprint);
  EXPECT_EQ(store->snapshot()->named_graphs().size(), 2U);
}

TEST_F(LiveStoreTest, FailedTransactionsLeaveNothing) {
  make_store(env_, model_);
  const auto store = open(env_);
  const auto failed = run(*store,
                          "INSERT DATA { <http://a/1> <http://a/p> 'gone' } ;"
                          "DROP GRAPH <http://a/nowhere>");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::NotFound);
  EXPECT_EQ(contents_of(*store->snapshot()), model_);
  EXPECT_EQ(store->snapshot()->version(), 0U);
  // Nor do its terms stay, or those of statements that were not there.
  EXPECT_EQ(store->snapshot()->delta().terms->size(), 0U);
  EXPECT_EQ(store->snapshot()->delta().terms->bytes(), 0U);
  ASSERT_TRUE(run(*store, "DELETE DATA { <http://a/1> <http://a/p> 'unknown'@en }"));
  EXPECT_EQ(store->snapshot()->delta().terms->size(), 0U);
  ASSERT_TRUE(run(*store, "INSERT DATA { <http://a/2> <http://a/p> 'kept' }"));
  EXPECT_EQ(store->snapshot()->delta().terms->size(), 2U);
  ASSERT_FALSE(run(*store,
                   "INSERT DATA { <http://a/2> <http://a/p> 'kept', 'gone' } ;"
                   "DROP GRAPH <http://a/nowhere>"));
  ASSERT_TRUE(run(*store, "INSERT DATA { <http://a/2> <http://a/p> 'other' }"));
  const Model after = contents_of(*store->snapshot());
  const auto read = open_live_snapshot(kFolder, OpContext(), env_);
  ASSERT_TRUE(read);
  EXPECT_EQ(contents_of(**read), after);
}

TEST_F(LiveStoreTest, OneProcessWrites) {
  make_store(env_, model_);
  const auto store = open(env_);
  const auto second = LiveStore::open(kFolder, calm(), OpContext(), env_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::Unavailable);
  EXPECT_NE(second.error().message.find("another process writes"), std::string::npos);
}

TEST_F(LiveStoreTest, CompactionKeepsLaterVersionsAndGraphs) {
  make_store(env_, model_);
  Model model = model_;
  RandomStatements random(3, true);
  {
    const auto store = open(env_);
    live_testing::edit(*store, model, random, 80, 12);
    ASSERT_TRUE(run(*store, "CREATE GRAPH <http://a/empty>"));
    const std::uint64_t version = store->snapshot()->version();
    const auto compacted = store->compact(OpContext());
    ASSERT_TRUE(compacted) << compacted.error().to_string();
    EXPECT_EQ(store->snapshot()->version(), version);
    EXPECT_EQ(store->snapshot()->delta().changes(), 0U);
    live_testing::edit(*store, model, random, 80, 12);
    EXPECT_EQ(store->snapshot()->version(), version + 1);
  }
  const auto store = open(env_);
  EXPECT_EQ(contents_of(*store->snapshot()), model);
  const auto names = env_.files().list(kFolder);
  EXPECT_EQ(std::count_if(names->begin(), names->end(), is_log_name), 1);
}

// A state that a client was told of, or the next one, which may have been on its way.
struct Told {
  Model model;
  Model next;
};

// Edits, compacts, edits, until the machine stops; `told` is what clients know.
void work_until_it_stops(FakeEnv& env, Told& told, unsigned seed) {
  auto store = LiveStore::open(kFolder, calm(), OpContext(), env);
  if (!store) return;
  RandomStatements random(seed, true);
  for (int i = 0; i < 4; ++i) {
    const auto report = (*store)->write(
        [&](Transaction& to) -> Result<void> {
          for (int k = 0; k < 6; ++k) {
            const auto one = random.next(6);
            HELVE_ASSIGN(const Quad quad, live_testing::intern(to, one));
            const bool is_added = random.below(3) != 0;
            HELVE_TRY(is_added ? to.add(quad) : to.remove(quad));
            if (is_added) {
              told.next.insert(one);
            } else {
              told.next.erase(one);
            }
          }
          return {};
        },
        OpContext());
    if (!report) return;
    told.model = told.next;
    if (i == 1 && !(*store)->compact(OpContext())) return;
  }
}

TEST_F(LiveStoreTest, SurvivesAPowerCutAtEveryMoment) {
  std::uint64_t operations = 0;
  {
    FakeEnv env;
    make_store(env, model_);
    const std::uint64_t before = env.files().operations();
    Told told{model_, model_};
    work_until_it_stops(env, told, 11);
    operations = env.files().operations() - before;
  }
  ASSERT_GT(operations, 40U);
  std::size_t rounds = 0;
  for (std::uint64_t k = 1; k <= operations; ++k, ++rounds) {
    SCOPED_TRACE("stopped at operation " + std::to_string(k));
    FakeEnv env;
    make_store(env, model_);
    Told told{model_, model_};
    env.files().fail_from_operation(k);
    work_until_it_stops(env, told, 11);
    env.files().crash();
    const auto read = open_live_snapshot(kFolder, OpContext(), env);
    ASSERT_TRUE(read) << read.error().to_string();
    const auto store = open(env);
    ASSERT_NE(store, nullptr);
    const Model found = contents_of(*store->snapshot());
    EXPECT_TRUE(found == told.model || found == told.next);
    ASSERT_TRUE(run(*store, "INSERT DATA { <http://a/after> <http://a/p> 1 }"));
    ASSERT_TRUE(store->compact(OpContext()));
    const auto verified = verify_snapshot(kFolder, OpContext(), env);
    EXPECT_TRUE(verified) << verified.error().to_string();
  }
  EXPECT_EQ(rounds, operations);
}

// A log that a power loss brought back, of a base that is now loaded again.
TEST_F(LiveStoreTest, AStrayLogDoesNotBecomeThatOfANewIndex) {
  const Model other = {{"<http://a/other>", "<http://a/p>", "\"3\"", ""}};
  const auto base = live_testing::load(live_testing::to_nquads(model_));
  bool is_loaded = false;
  for (std::uint64_t k = 1; !is_loaded; ++k) {
    SCOPED_TRACE("stopped at operation " + std::to_string(k));
    FakeEnv env;
    make_store(env, model_);
    ASSERT_TRUE(run(*open(env), "INSERT DATA { <http://a/new> <http://a/p> 'long ago' }"));
    const auto path =
        log_path(kFolder, *open_snapshot(kFolder, OpContext(), env).value()->content_checksum());
    const std::string log = *env.files().content(path);
    make_store(env, other);
    EXPECT_FALSE(env.files().content(path));
    env.files().put(path, log);
    env.files().fail_from_operation(k);
    is_loaded = write_snapshot(*base, {}, kFolder, OpContext(), env).has_value();
    env.files().fail_from_operation(1'000'000);  // its process was stopped, the machine goes on
    const auto read = open_live_snapshot(kFolder, OpContext(), env);
    ASSERT_TRUE(read) << read.error().to_string();
    const Model found = contents_of(**read);
    EXPECT_TRUE(found == model_ || (!is_loaded && found == other));
  }
}

TEST_F(LiveStoreTest, GoesOnAfterAFullDisk) {
  make_store(env_, model_);
  const auto store = open(env_);
  for (std::uint64_t room = 0; room < 200; room += 13) {
    env_.files().disk_full_after(room);
    const auto before = contents_of(*store->snapshot());
    const auto failed = run(*store,
                            "INSERT DATA { <http://a/x> <http://a/p> 'some longer text', "
                            "'and another', 'and one more', 'which do not fit' }");
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, ErrorCode::Unavailable);
    EXPECT_EQ(contents_of(*store->snapshot()), before);
    env_.files().unlimited_disk();
    const auto good =
        run(*store, "INSERT DATA { <http://a/x> <http://a/q> " + std::to_string(room) + " }");
    if (!good) {
      // Where not even the log could be mended, nothing is taken until it is opened again.
      EXPECT_EQ(good.error().code, ErrorCode::Unavailable);
      break;
    }
  }
}

TEST_F(LiveStoreTest, FlippedBytesOfTheLogAreFound) {
  make_store(env_, model_);
  Model told = model_;
  {
    const auto store = open(env_);
    RandomStatements random(5, true);
    for (int i = 0; i < 3; ++i) live_testing::edit(*store, told, random, 3, 12);
  }
  const auto base = open_snapshot(kFolder, OpContext(), env_);
  ASSERT_TRUE(base);
  const auto path = log_path(kFolder, *(*base)->content_checksum());
  const std::string good = *env_.files().content(path);
  std::size_t refused = 0;
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    env_.files().put(path, bad);
    const auto read = open_live_snapshot(kFolder, OpContext(), env_);
    if (read) {
      EXPECT_EQ(contents_of(**read), told) << "byte " << i;
    } else {
      ++refused;
    }
    const auto store = LiveStore::open(kFolder, calm(), OpContext(), env_);
    if (store) {
      EXPECT_EQ(contents_of(*(*store)->snapshot()), told) << "byte " << i;
    }
  }
  EXPECT_GT(refused, good.size() / 2);
}

TEST_F(LiveStoreTest, OtherFormatsAreNamed) {
  make_store(env_, model_);
  { const auto store = open(env_); }
  const auto base = open_snapshot(kFolder, OpContext(), env_);
  const auto path = log_path(kFolder, *(*base)->content_checksum());
  for (const std::uint32_t format : {kLogFormat + 1, kLogFormat - 1}) {
    std::string log = *env_.files().content(path);
    log.replace(12, sizeof(format), reinterpret_cast<const char*>(&format), sizeof(format));
    env_.files().put(path, log);
    const auto store = LiveStore::open(kFolder, calm(), OpContext(), env_);
    ASSERT_FALSE(store);
    EXPECT_EQ(store.error().code, ErrorCode::InvalidInput);
    const char* const word = format > kLogFormat ? "newer" : "older";
    EXPECT_NE(store.error().message.find(word), std::string::npos) << store.error().message;
  }
}

TEST_F(LiveStoreTest, NothingIsAcknowledgedInAFolderThatIsGone) {
  make_store(env_, model_);
  const auto store = open(env_);
  ASSERT_TRUE(run(*store, "INSERT DATA { <http://a/new> <http://a/p> 'there' }"));
  const Model before = contents_of(*store->snapshot());
  const auto base = open_snapshot(kFolder, OpContext(), env_);
  ASSERT_TRUE(env_.files().remove(log_path(kFolder, *(*base)->content_checksum())));
  for (int i = 0; i < 2; ++i) {
    const auto done = run(*store, "INSERT DATA { <http://a/new> <http://a/p> 'gone' }");
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ErrorCode::Unavailable);
    EXPECT_NE(done.error().message.find("no longer in its place"), std::string::npos);
  }
  // Who reads goes on.
  EXPECT_EQ(contents_of(*store->snapshot()), before);
}

// What came before is not lost with what could not be held.
TEST_F(LiveStoreTest, LoadSilentDoesNotHideThatChangesCannotBeHeld) {
  make_store(env_, model_);
  LiveOptions options = calm();
  options.changes_max = 10;
  const auto store = LiveStore::open(kFolder, options, OpContext(), env_);
  ASSERT_TRUE(store);
  UpdateOptions update;
  std::string text;
  for (int i = 0; i < 50; ++i) {
    text += "<http://a/x> <http://a/p> \"" + std::to_string(i) + "\" .\n";
  }
  update.load = [&](const std::string&, const OpContext&) -> Result<rdf::Document> {
    return rdf::Document::from_text("t.nt", text, rdf::Format::NTriples);
  };
  const auto done = run(**store,
                        "INSERT DATA { <http://a/new> <http://a/p> 'first' } ; "
                        "LOAD SILENT <http://a/document>",
                        update);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::LimitExceeded);
  EXPECT_EQ(contents_of(*(*store)->snapshot()), model_);
}

TEST_F(LiveStoreTest, TooManyChangesAreRefusedWhole) {
  make_store(env_, model_);
  LiveOptions options = calm();
  options.changes_max = 10;
  auto store = LiveStore::open(kFolder, options, OpContext(), env_);
  ASSERT_TRUE(store);
  Model model = model_;
  RandomStatements random(9, false);
  const auto failed = (*store)->write(
      [&](Transaction& to) -> Result<void> {
        for (int i = 0; i < 200; ++i) {
          HELVE_ASSIGN(const Quad quad, live_testing::intern(to, random.next(1'000)));
          HELVE_TRY(to.add(quad));
        }
        return {};
      },
      OpContext());
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::LimitExceeded);
  EXPECT_EQ(contents_of(*(*store)->snapshot()), model_);
}

TEST_F(LiveStoreTest, TermsAreBoundedAsChangesAre) {
  make_store(env_, model_);
  LiveOptions options = calm();
  options.terms_max = 4;
  options.term_bytes_max = 1'500;
  auto store = LiveStore::open(kFolder, options, OpContext(), env_);
  ASSERT_TRUE(store);
  const auto refused = [&](const std::string& update, const std::string& why) {
    const auto done = run(**store, update);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ErrorCode::LimitExceeded);
    EXPECT_NE(done.error().message.find(why), std::string::npos) << done.error().message;
    EXPECT_EQ(contents_of(*(*store)->snapshot()), model_);
    EXPECT_EQ((*store)->snapshot()->delta().terms->size(), 0U);
  };
  refused("INSERT DATA { <http://a/s> <http://a/p> 'a', 'b', 'c', 'd', 'e' }", "new terms");
  refused("INSERT DATA { <http://a/s> <http://a/p> '" + std::string(2'000, 'x') + "' }", "MiB");
  // What the base has, and what is inlined, takes no room.
  EXPECT_TRUE(run(**store, "INSERT DATA { <http://a/s> <http://a/p> 1, 2, 3, 4, 5, 6, 7 }"));
}

TEST_F(LiveStoreTest, OperationsThatUndoEachOtherAreNotWritten) {
  make_store(env_, model_);
  const auto store = open(env_);
  const auto report = run(*store,
                          "INSERT DATA { <http://a/1> <http://a/p> 'gone', 'stays' } ;"
                          "DELETE { ?s ?p 'gone' } WHERE { ?s ?p 'gone' } ;"
                          "DELETE { ?s ?p '1' } WHERE { ?s ?p '1' } ;"
                          "INSERT { <http://a/s> <http://a/p> '1' } WHERE { }");
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_EQ(report->added, 1U);
  EXPECT_EQ(report->removed, 0U);
  EXPECT_EQ(store->snapshot()->delta().changes(), 1U);
  const auto read = open_live_snapshot(kFolder, OpContext(), env_);
  ASSERT_TRUE(read);
  EXPECT_EQ(contents_of(**read), contents_of(*store->snapshot()));
}

TEST(LiveOptionsTest, HoldsWhatMemoryIsEnoughFor) {
  const LiveOptions usual;
  LiveOptions little;
  little.hold_within(100 * kMiB);
  EXPECT_EQ(little.changes_max, usual.changes_max);
  EXPECT_EQ(little.terms_max, usual.terms_max);
  EXPECT_EQ(little.term_bytes_max, usual.term_bytes_max);
  LiveOptions much;
  much.hold_within(32 * kGiB);
  EXPECT_EQ(much.changes_max, 32 * kMiB);
  EXPECT_EQ(much.terms_max, 16'000'000U);
  EXPECT_EQ(much.term_bytes_max, 4 * kGiB);
}

// To open a store is to read its changes, however many could be held.
TEST_F(LiveStoreTest, ManyChangesAreWorthCompactingWhateverTheSizeOfTheBase) {
  for (int i = 0; i < 500; ++i) {
    model_.insert({"<http://a/large>", "<http://a/p>", "\"" + std::to_string(i) + "\"", ""});
  }
  make_store(env_, model_);
  LiveOptions options = calm();
  options.compact_from = 10;
  options.compact_at = 30;
  const auto store = LiveStore::open(kFolder, options, OpContext(), env_);
  ASSERT_TRUE(store);
  for (int i = 0; i < 30; ++i) {
    EXPECT_FALSE((*store)->is_worth_compacting()) << i;
    ASSERT_TRUE(
        run(**store, "INSERT DATA { <http://a/new> <http://a/p> " + std::to_string(i) + " }"));
  }
  EXPECT_TRUE((*store)->is_worth_compacting());
}

// A fifth of a large base may be more than can be held at all.
TEST_F(LiveStoreTest, WritersOfALargeStoreWaitForRoomInsteadOfBeingRefused) {
  for (int i = 0; i < 2'000; ++i) {
    model_.insert({"<http://a/large>", "<http://a/p>", "\"" + std::to_string(i) + "\"", ""});
  }
  make_store(env_, model_);
  LiveOptions options;
  options.changes_max = 40;
  options.compact_from = 5;
  options.compact_at = 10;
  auto store = LiveStore::open(kFolder, options, OpContext(), env_);
  ASSERT_TRUE(store);
  for (int i = 0; i < 60; ++i) {
    std::string update = "INSERT DATA { <http://a/new> <http://a/p> ";
    for (int k = 0; k < 10; ++k) {
      const std::string text = std::to_string(i) + "." + std::to_string(k);
      update += (k == 0 ? "'" : ", '") + text + "'";
      model_.insert({"<http://a/new>", "<http://a/p>", "\"" + text + "\"", ""});
    }
    const auto done = run(**store, update + " }");
    ASSERT_TRUE(done) << done.error().to_string();
  }
  EXPECT_EQ(contents_of(*(*store)->snapshot()), model_);
  EXPECT_EQ((*store)->snapshot()->version(), 60U);
  EXPECT_LE((*store)->snapshot()->delta().changes(), 40U);
}

// What can be held in memory is still taken.
TEST_F(LiveStoreTest, TransactionsGoOnWhereCompactionFails) {
  make_store(env_, model_);
  LiveOptions options;
  options.changes_max = 40;
  options.compact_from = 5;
  options.compact_at = 10;
  auto store = LiveStore::open(kFolder, options, OpContext(), env_);
  ASSERT_TRUE(store);
  env_.files().deny(std::filesystem::path(kFolder) / kSnapshotFileName);
  int taken = 0;
  for (; taken < 60; ++taken) {
    const auto done =
        run(**store, "INSERT DATA { <http://a/s> <http://a/q> " + std::to_string(taken) + " }");
    if (done) continue;
    EXPECT_EQ(done.error().code, ErrorCode::LimitExceeded) << done.error().to_string();
    break;
  }
  EXPECT_EQ(taken, 40);
}

}  // namespace
}  // namespace helve::store
