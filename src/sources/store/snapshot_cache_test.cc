// The cache on files in memory; a snapshot on them is one file that says how many statements it
// has.
#include "sources/store/snapshot_cache.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/support/fake_env.h"

namespace helve::store {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using Path = std::filesystem::path;

constexpr std::size_t kBytes = 1'000;  // of a small file that is large enough to cache

Loaded load_ntriples(const std::string& ntriples) {
  std::vector<rdf::Document> documents;
  documents.push_back(rdf::Document::from_text("t.nt", ntriples, rdf::Format::NTriples));
  auto loaded = load_documents(std::move(documents), {}, OpContext{});
  EXPECT_TRUE(loaded.has_value());
  return std::move(*loaded);
}

class SnapshotCacheTest : public ::testing::Test {
 protected:
  void SetUp() override { env_.clock().advance(hours(1)); }

  SnapshotCache cache(std::uint64_t bytes_max = 100'000) {
    CacheOptions options;
    options.folder = "/cache";
    options.bytes_max = bytes_max;
    options.file_bytes_min = 500;
    options.identify = [this](const Path& path) { return identify(path); };
    options.make_folder = [this](const Path& path) { return env_.files().make_directories(path); };
    options.open = [this](const Path& path, const OpContext&) { return open(path); };
    options.write = [this](const Snapshot& snapshot, const SnapshotOrigin& origin, const Path& path,
                           const OpContext&) { return write(snapshot, origin, path); };
    return {env_, std::move(options)};
  }

  Result<FileIdentity> identify(const Path& path) {
    HELVE_ASSIGN(const FileStatus status, env_.files().status(path));
    FileIdentity identity;
    identity.is_regular = status.kind == FileKind::Regular;
    identity.size = status.size;
    identity.modified = status.modified;
    identity.changed = status.modified;
    return identity;
  }

  Result<std::shared_ptr<const Snapshot>> open(const Path& path) {
    ++opened_;
    const auto content = env_.files().content(path / "data");
    if (!content) return Error{ErrorCode::NotFound, "no such snapshot"};
    if (content->starts_with("damaged")) return Error{ErrorCode::InvalidInput, "damaged"};
    return load_ntriples(*content).snapshot;
  }

  Result<void> write(const Snapshot& snapshot, const SnapshotOrigin& origin, const Path& path) {
    ++written_;
    origin_ = origin;
    std::string text;
    for (std::uint64_t i = 0; i < snapshot.statistics().triples; ++i) {
      text +=
          "<http://e/" + std::to_string(i) + "> <http://e/p> \"" + std::string(50, 'x') + "\" .\n";
    }
    HELVE_TRY(env_.files().make_directories(path));
    HELVE_ASSIGN(const auto file, env_.files().open_write(path / "data", WriteMode::CreateNew));
    HELVE_TRY(file->write(text));
    return file->close();
  }

  void put(const Path& path, char filler) { env_.files().put(path, std::string(kBytes, filler)); }

  static CacheRequest request(std::vector<std::string> paths, std::string reading = "strict") {
    CacheRequest out;
    for (std::string& path : paths) out.files.push_back({std::move(path), "turtle"});
    out.reading = std::move(reading);
    return out;
  }

  // What a command does. True when the files had to be loaded.
  bool ask(SnapshotCache& cache, const CacheRequest& what, std::size_t statements = 1) {
    const auto lookup = cache.find(what, OpContext{});
    EXPECT_TRUE(lookup.has_value());
    if (lookup->snapshot != nullptr) {
      EXPECT_EQ(lookup->snapshot->statistics().triples, statements);
      EXPECT_EQ(lookup->statements_read, statements);
      return false;
    }
    std::string text;
    for (std::size_t i = 0; i < statements; ++i) {
      text += "<http://e/" + std::to_string(i) + "> <http://e/p> \"\" .\n";
    }
    cache.keep(what, *lookup, load_ntriples(text), OpContext{});
    return true;
  }

  FakeEnv env_;
  SnapshotOrigin origin_;
  int opened_ = 0;
  int written_ = 0;
};

TEST_F(SnapshotCacheTest, SecondCallIsServed) {
  auto cached = cache();
  put("/a.ttl", 'a');
  env_.clock().advance(hours(1));
  EXPECT_TRUE(ask(cached, request({"/a.ttl"}), 3));
  EXPECT_FALSE(ask(cached, request({"/a.ttl"}), 3));
  EXPECT_EQ(written_, 1);
  EXPECT_EQ(origin_.documents, std::vector<std::string>{"/a.ttl"});
  EXPECT_EQ(origin_.key.size(), 64U);
  EXPECT_TRUE(env_.files().content("/cache/CACHEDIR.TAG").has_value());
}

TEST_F(SnapshotCacheTest, KnownFileIsNotRead) {
  auto cached = cache();
  put("/a.ttl", 'a');
  env_.clock().advance(hours(1));
  ask(cached, request({"/a.ttl"}));
  env_.files().deny("/a.ttl");
  const auto identity = identify("/a.ttl");
  EXPECT_FALSE(identity.has_value());  // the fake denies everything, so the identity is given
  CacheOptions options = cached.options();
  options.identify = [](const Path&) -> Result<FileIdentity> {
    FileIdentity same;
    same.is_regular = true;
    same.size = kBytes;
    same.modified = same.changed = FakeClock().wall() + hours(1);
    return same;
  };
  SnapshotCache blind(env_, options);
  EXPECT_FALSE(ask(blind, request({"/a.ttl"})));
}

TEST_F(SnapshotCacheTest, ChangedFileIsAnother) {
  auto cached = cache();
  put("/a.ttl", 'a');
  env_.clock().advance(hours(1));
  ask(cached, request({"/a.ttl"}), 1);
  put("/a.ttl", 'b');
  EXPECT_TRUE(ask(cached, request({"/a.ttl"}), 2));
  env_.clock().advance(hours(1));
  EXPECT_FALSE(ask(cached, request({"/a.ttl"}), 2));
  put("/a.ttl", 'a');  // back again: the content decides
  EXPECT_FALSE(ask(cached, request({"/a.ttl"}), 1));
}

// The file is written, read and written again before the clock moves: nothing but its content tells
// the two states apart.
TEST_F(SnapshotCacheTest, ChangeWithinOneTickIsSeen) {
  auto cached = cache();
  put("/a.ttl", 'a');
  EXPECT_TRUE(ask(cached, request({"/a.ttl"}), 1));
  put("/a.ttl", 'b');
  EXPECT_TRUE(ask(cached, request({"/a.ttl"}), 2));
  EXPECT_FALSE(ask(cached, request({"/a.ttl"}), 2));
  env_.clock().advance(seconds(10));
  EXPECT_FALSE(ask(cached, request({"/a.ttl"}), 2));  // and now its identity is trusted
  const auto lookup = cached.find(request({"/a.ttl"}), OpContext{});
  EXPECT_TRUE(cached.folder().read_known(lookup->files_key)->is_settled);
}

TEST_F(SnapshotCacheTest, FileThatChangesWhileItIsReadIsNotKept) {
  auto cached = cache();
  for (const bool is_settled : {false, true}) {
    put("/a.ttl", is_settled ? 'a' : 'c');
    if (is_settled) env_.clock().advance(hours(1));
    const auto lookup = cached.find(request({"/a.ttl"}), OpContext{});
    EXPECT_EQ(lookup->is_settled, is_settled);
    put("/a.ttl", 'b');
    cached.keep(request({"/a.ttl"}), *lookup, load_ntriples("<a:b> <a:b> <a:b> ."), OpContext{});
    EXPECT_EQ(written_, 0);
  }
}

TEST_F(SnapshotCacheTest, WhatChangesTheResultChangesTheKey) {
  auto cached = cache();
  put("/a.ttl", 'a');
  put("/b.ttl", 'b');
  env_.clock().advance(hours(1));
  EXPECT_TRUE(ask(cached, request({"/a.ttl", "/b.ttl"})));
  EXPECT_FALSE(ask(cached, request({"/a.ttl", "/b.ttl"})));
  EXPECT_TRUE(ask(cached, request({"/b.ttl", "/a.ttl"})));
  EXPECT_TRUE(ask(cached, request({"/a.ttl", "/b.ttl"}, "lenient")));
  CacheRequest other = request({"/a.ttl", "/b.ttl"});
  other.files[1].reading = "trig";
  EXPECT_TRUE(ask(cached, other));
  // The same content elsewhere is the same.
  put("/c.ttl", 'b');
  EXPECT_FALSE(ask(cached, request({"/a.ttl", "/c.ttl"})));
}

TEST_F(SnapshotCacheTest, SmallFilesPipesAndSkippedStatementsAreNotForIt) {
  auto cached = cache();
  env_.files().put("/small.ttl", "small");
  EXPECT_TRUE(ask(cached, request({"/small.ttl"})));
  EXPECT_TRUE(ask(cached, request({"-"})));
  put("/a.ttl", 'a');
  const auto lookup = cached.find(request({"/a.ttl"}), OpContext{});
  Loaded loaded = load_ntriples("<a:b> <a:b> <a:b> .");
  loaded.report.skipped = 1;
  cached.keep(request({"/a.ttl"}), *lookup, loaded, OpContext{});
  EXPECT_EQ(written_, 0);
}

TEST_F(SnapshotCacheTest, DamagedEntryIsMadeAnew) {
  auto cached = cache();
  put("/a.ttl", 'a');
  env_.clock().advance(hours(1));
  ask(cached, request({"/a.ttl"}));
  const auto entry = cached.folder().list().at(0);
  const Path data = cached.folder().snapshot_path(entry.entry) / "data";
  env_.files().put(data, "damaged");
  EXPECT_TRUE(ask(cached, request({"/a.ttl"})));
  EXPECT_FALSE(env_.files().content(data).has_value());
  EXPECT_FALSE(ask(cached, request({"/a.ttl"})));
  env_.files().put("/cache/snapshots/" + entry.key + ".json", "{\"folder\": \"../../etc\"}");
  EXPECT_TRUE(ask(cached, request({"/a.ttl"})));
}

TEST_F(SnapshotCacheTest, LeastRecentlyUsedGoesFirst) {
  auto cached = cache(3'000);  // three snapshots of ten statements
  for (const char name : {'a', 'b', 'c'}) {
    put(std::string("/") + name, name);
    env_.clock().advance(hours(1));
    EXPECT_TRUE(ask(cached, request({std::string("/") + name}), 10));
  }
  env_.clock().advance(hours(1));
  EXPECT_FALSE(ask(cached, request({"/a"}), 10));
  put("/d", 'd');
  env_.clock().advance(hours(1));
  EXPECT_TRUE(ask(cached, request({"/d"}), 10));
  std::uint64_t bytes = 0;
  for (const CacheListing& listing : cached.folder().list()) bytes += listing.entry.bytes;
  EXPECT_LE(bytes, 3'000U);
  EXPECT_FALSE(ask(cached, request({"/a"}), 10));
  EXPECT_FALSE(ask(cached, request({"/d"}), 10));
  EXPECT_TRUE(ask(cached, request({"/b"}), 10));
}

TEST_F(SnapshotCacheTest, LeavingsOfOthersAreRemovedWhenOld) {
  auto cached = cache();
  put("/a", 'a');
  env_.clock().advance(hours(1));
  ask(cached, request({"/a"}));
  const std::string key(64, '0');
  env_.files().put("/cache/snapshots/" + key + "-0011/data", "half");
  env_.files().put("/cache/snapshots/" + key + ".json.0011.tmp", "half");
  env_.files().put("/cache/snapshots/notes.txt", "not ours");
  cached.folder().prune(100'000);
  EXPECT_TRUE(env_.files().content("/cache/snapshots/" + key + ".json.0011.tmp").has_value());
  env_.clock().advance(hours(2));
  cached.folder().prune(100'000);
  EXPECT_FALSE(env_.files().content("/cache/snapshots/" + key + ".json.0011.tmp").has_value());
  EXPECT_TRUE(env_.files().content("/cache/snapshots/notes.txt").has_value());
  EXPECT_FALSE(ask(cached, request({"/a"})));
}

TEST_F(SnapshotCacheTest, ClearRemovesWhatItMadeAlone) {
  auto cached = cache();
  put("/a", 'a');
  env_.clock().advance(hours(1));
  ask(cached, request({"/a"}));
  env_.files().put("/cache/files/notes.txt", "not ours");
  const auto cleared = cached.folder().clear();
  ASSERT_TRUE(cleared.has_value());
  EXPECT_GT(cleared->bytes, 0U);
  EXPECT_TRUE(cached.folder().list().empty());
  EXPECT_EQ(env_.files().list("/cache/files")->size(), 1U);
  EXPECT_TRUE(env_.files().list("/cache/snapshots")->empty());
  EXPECT_TRUE(ask(cached, request({"/a"})));
}

TEST_F(SnapshotCacheTest, NoFailureOfTheFilesIsOneOfTheCaller) {
  put("/a", 'a');
  env_.clock().advance(hours(1));
  for (std::uint64_t k = 1; k < 60; ++k) {
    auto cached = cache();
    env_.files().fail_operation(k);
    ask(cached, request({"/a"}));
    ask(cached, request({"/a"}));
    ASSERT_TRUE(cached.folder().clear().has_value());
  }
  env_.files().deny("/cache");
  env_.files().deny("/cache/snapshots");
  auto cached = cache();
  EXPECT_TRUE(ask(cached, request({"/a"})));
}

TEST_F(SnapshotCacheTest, CancellationIsPassedUp) {
  auto cached = cache();
  put("/a", 'a');
  OpContext context;
  context.cancel.cancel();
  const auto lookup = cached.find(request({"/a"}), context);
  ASSERT_FALSE(lookup.has_value());
  EXPECT_EQ(lookup.error().code, ErrorCode::Cancelled);
}

}  // namespace
}  // namespace helve::store
