// A byte that changed in any file of a store is found, or makes no difference: it is never served.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "sources/store/live/change_log.h"
#include "sources/store/live/live_testing.h"
#include "sources/store/snapshot_folder.h"
#include "sources/store/snapshot_layout.h"
#include "tests/store/store_asking.h"
#include "tests/support/fake_env.h"

namespace helve {
namespace {

using store::LiveStore;
using store::live_testing::Model;
using Path = std::filesystem::path;

constexpr const char* kFolder = "/store";

// Everything that can be asked of a store, as text.
Result<std::string> everything_in(const std::shared_ptr<const store::LiveSnapshot>& data) {
  std::string all = store::live_testing::to_nquads(store::live_testing::contents_of(*data));
  if (auto failure = data->failure()) return *std::move(failure);
  const store::Statistics statistics = data->statistics();
  all += fmt::format("{} {} {} {}\n", statistics.statements, statistics.triples,
                     statistics.distinct_subjects, statistics.distinct_objects);
  for (const char* const query :
       {"SELECT (COUNT(*) AS ?n) { ?s ?p ?o }",
        "SELECT ?p (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?p ORDER BY ?p",
        "SELECT ?s ?o { ?s <http://a/p1> ?x . ?s <http://a/p2> ?o } ORDER BY ?s ?o",
        "SELECT ?o { ?s a ?o FILTER(isLiteral(?o)) } ORDER BY ?o"}) {
    HELVE_ASSIGN(const auto lines, ask(data, query));
    for (const std::string& line : lines) all += line + "\n";
  }
  if (auto failure = data->failure()) return *std::move(failure);
  return all;
}

Result<std::string> read(Env& env) {
  HELVE_ASSIGN(const auto data, store::open_live_snapshot(kFolder, {}, env));
  return everything_in(data);
}

// Opens it for writing, changes and compacts it; what was there before is what counts.
Result<std::string> write(Env& env) {
  HELVE_ASSIGN(const auto opened, LiveStore::open(kFolder, {}, {}, env));
  HELVE_TRY(change(*opened, "INSERT DATA { <urn:x> <urn:x> <urn:x> }"));
  HELVE_TRY(opened->compact({}));
  HELVE_TRY(change(*opened, "DELETE DATA { <urn:x> <urn:x> <urn:x> }"));
  return everything_in(opened->snapshot());
}

class ByteFlipTest : public ::testing::Test {
 protected:
  // A base, and transactions behind it.
  void make(std::size_t statements) {
    store::live_testing::RandomStatements random(7, true);
    Model model;
    for (std::size_t i = 0; i < statements; ++i) model.insert(random.next(statements));
    const auto base = store::live_testing::load(store::live_testing::to_nquads(model));
    ASSERT_TRUE(store::write_snapshot(*base, {}, kFolder, {}, env_));
    const auto opened = *LiveStore::open(kFolder, {}, {}, env_);
    for (int i = 0; i < 3; ++i) store::live_testing::edit(*opened, model, random, 6, statements);
    whole_ = *everything_in(opened->snapshot());
    const auto names = env_.files().list(kFolder);
    for (const Path& name : *names) {
      files_[Path(kFolder) / name] = *env_.files().content(Path(kFolder) / name);
    }
  }

  void flip(const Path& path, std::size_t at, char by) {
    FakeEnv env;
    for (const auto& [name, content] : files_) {
      std::string bytes = content;
      if (name == path) bytes[at] = static_cast<char>(bytes[at] ^ by);
      env.files().put(name, std::move(bytes));
    }
    for (const auto& answer : {read(env), write(env)}) {
      found_ += answer ? 0 : 1;
      if (answer && *answer != whole_) {
        ADD_FAILURE() << path << ", byte " << at << " by " << int{by} << ": another answer";
      }
    }
  }

  void flip_some(const Path& path, std::size_t positions) {
    const std::size_t size = files_.at(path).size();
    const std::size_t step = std::max<std::size_t>(1, size / positions);
    for (std::size_t at = 0; at < size; at += step) {
      flip(path, std::min(at + random_() % step, size - 1), static_cast<char>(1 << random_() % 8));
      if (HasFailure()) return;
    }
  }

  Path log_path() const {
    for (const auto& [name, content] : files_) {
      if (store::is_log_name(name.filename())) return name;
    }
    return {};
  }

  FakeEnv env_;
  std::map<Path, std::string> files_;
  std::string whole_;
  std::uint64_t found_ = 0;  // flips that were met with an error
  std::mt19937 random_{3};
};

// All of them where the variable is set: that takes minutes.
std::size_t positions_max() { return std::getenv("HELVE_EVERY_BYTE") != nullptr ? 1U << 30 : 400; }

TEST_F(ByteFlipTest, TheStoreAsItIsAnswers) {
  make(40);
  FakeEnv env;
  for (const auto& [name, content] : files_) env.files().put(name, content);
  ASSERT_TRUE(read(env));
  EXPECT_EQ(*read(env), whole_);
  EXPECT_EQ(*write(env), whole_);
}

TEST_F(ByteFlipTest, EveryByteOfALog) {
  make(40);
  flip_some(log_path(), 1U << 30);
  EXPECT_GT(found_, files_.at(log_path()).size());
}

TEST_F(ByteFlipTest, ASmallBase) {
  make(40);
  flip_some(Path(kFolder) / store::kSnapshotFileName, positions_max());
  EXPECT_GT(found_, 0);
}

TEST_F(ByteFlipTest, ALargerBase) {
  make(3'000);
  flip_some(Path(kFolder) / store::kSnapshotFileName, 100);
  EXPECT_GT(found_, 0);
}

}  // namespace
}  // namespace helve
