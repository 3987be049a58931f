#include "surfaces/mcp/sources/served_sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "sources/sparql/algebra/parser.h"
#include "sources/store/live/live_store.h"
#include "sources/store/live/local_factory.h"
#include "sources/store/snapshot_file.h"
#include "sources/store/snapshot_folder.h"
#include "tests/support/temp_directory.h"

namespace helve::mcp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr std::string_view kOne = "<http://e/a> <http://e/b> 1 .\n";
constexpr std::string_view kTwo = "<http://e/a> <http://e/b> 1, 2 .\n";

class ServedSourcesTest : public ::testing::Test {
 protected:
  ServedSourcesTest() {
    auto made = toolkit::Toolkit::make({}, real_env(), store::make_local_factory(real_env()));
    EXPECT_TRUE(made.has_value());
    toolkit_ = *std::move(made);
    options_.changed = [this](const std::string& name) { changed_.push_back(name); };
    options_.warn = [this](std::string_view text) { warnings_.emplace_back(text); };
    options_.note = [this](std::string_view text) { notes_.emplace_back(text); };
    options_.identify = [this](const std::filesystem::path& path) -> Result<FileIdentity> {
      if (on_identify_) on_identify_();
      if (is_away_) return Error{ErrorCode::NotFound, "the disk is away"};
      HELVE_ASSIGN(FileIdentity identity, identify_file(path));
      identity.inode += tick_;  // a change that the file system's clock is too coarse for
      return identity;
    };
  }

  std::string write(std::string_view name, std::string_view text) {
    std::ofstream(directory_ / name) << text;
    ++tick_;
    return (directory_ / name).string();
  }

  Result<void> serve(const std::vector<std::pair<std::string, std::string>>& sources) {
    std::vector<SourceConfig> configs;
    for (const auto& [name, place] : sources) {
      SourceConfig& config = configs.emplace_back();
      config.name = name;
      config.uri = config.place = place;
    }
    HELVE_ASSIGN(served_, ServedSources::make(std::move(configs), *toolkit_, real_env(), options_));
    return {};
  }

  // The triples of a source, or the error.
  std::string count(const std::string& source) {
    const auto outcome = toolkit_->call(
        "sparql_count",
        *parse_json(R"({"query": "SELECT * { ?s ?p ?o }", "source": ")" + source + "\"}"),
        toolkit::Caller(), {});
    const JsonValue json = *parse_json(outcome.reply.json);
    const JsonValue* const count = json.find("count");
    return count != nullptr ? to_json(*count) : outcome.reply.text;
  }

  toolkit::SourceState state(const std::string& source) {
    for (const auto& known : toolkit_->sources(toolkit::Caller())) {
      if (known.info.name == source) return known.state;
    }
    return toolkit::SourceState::Failed;
  }

  TempDirectory directory_;
  std::unique_ptr<toolkit::Toolkit> toolkit_;
  ServedSourcesOptions options_;
  std::uint64_t tick_ = 0;
  std::function<void()> on_identify_;
  bool is_away_ = false;
  std::vector<std::string> changed_;
  std::vector<std::string> warnings_;
  std::vector<std::string> notes_;
  std::unique_ptr<ServedSources> served_;
};

TEST_F(ServedSourcesTest, ObviousMistakesAreToldAtOnce) {
  const auto absent = serve({{"a", (directory_ / "absent.ttl").string()}});
  ASSERT_FALSE(absent.has_value());
  EXPECT_EQ(absent.error().code, ErrorCode::NotFound);
  EXPECT_THAT(absent.error().message, HasSubstr("source a: "));
  EXPECT_FALSE(serve({{"b", directory_.path().string()}}).has_value());
  EXPECT_FALSE(serve({{"c", "/dev/null"}}).has_value());
  EXPECT_FALSE(serve({{"no name", "sample:"}}).has_value());
  EXPECT_FALSE(serve({{"d", "sample:"}, {"d", "sample:"}}).has_value());
}

// Whatever the policy of a call says.
TEST_F(ServedSourcesTest, DatabasesAreOpenedForWritingWhereTheConfigurationSaysSo) {
  const std::string place = "sqlite:" + write("shop.db", "");
  std::vector<SourceConfig> configs(3);
  configs[0].name = "closed";
  configs[1].name = "open";
  configs[1].is_writable = true;
  configs[2].name = "bundled";
  configs[2].is_writable = true;
  for (SourceConfig& config : configs) {
    config.uri = config.place = place;
    config.is_database = true;
  }
  configs[2].uri = configs[2].place = "sample-tables:";
  const std::string cache = directory_.path().string();
  options_.read_variable = [cache](const char* name) {
    return std::string_view(name) == "HELVE_CACHE_DIR" ? cache.c_str() : nullptr;
  };
  options_.worker_command = {"/nowhere/no-worker"};  // none is started
  auto served = ServedSources::make(configs, *toolkit_, real_env(), options_);
  ASSERT_TRUE(served) << served.error().to_string();
  (*served)->load_all();
  toolkit::Policy policy;
  policy.read_only = false;
  policy.audit = toolkit::AuditMode::Off;
  toolkit::Caller writer;
  writer.policy = std::make_shared<const toolkit::Policy>(policy);
  const auto told = [&](const std::string& source) {
    const auto arguments = parse_json(R"({"action": "status", "source": ")" + source + "\"}");
    return toolkit_->call("transaction", *arguments, writer, {}).reply.text;
  };
  EXPECT_THAT(told("closed"), HasSubstr("closed was opened for reading alone"));
  EXPECT_THAT(told("open"), HasSubstr("no transaction is open on open"));
  EXPECT_THAT(told("bundled"), HasSubstr("bundled was opened for reading alone"));
}

TEST_F(ServedSourcesTest, LoadsWhatThereIsAndTellsOfTheRest) {
  ASSERT_TRUE(serve({{"good", write("good.ttl", kOne)},
                     {"bad", write("bad.ttl", "no turtle at all")},
                     {"sample", "sample:"}})
                  .has_value());
  EXPECT_EQ(toolkit_->sources(toolkit::Caller())[0].state, toolkit::SourceState::Loading);
  served_->load_all();
  EXPECT_EQ(count("good"), "1");
  EXPECT_THAT(count("bad"), HasSubstr("could not be loaded"));
  EXPECT_THAT(changed_, ElementsAre("good", "bad", "sample"));
  ASSERT_THAT(warnings_, SizeIs(1));
  EXPECT_THAT(warnings_[0], HasSubstr("bad.ttl:1"));
  // Told of once.
  served_->poll();
  served_->poll();
  EXPECT_THAT(warnings_, SizeIs(1));
  EXPECT_THAT(changed_, SizeIs(3));
}

TEST_F(ServedSourcesTest, AChangedFileIsReadAgainWhenItHasSettled) {
  ASSERT_TRUE(serve({{"a", write("a.ttl", kOne)}}).has_value());
  served_->load_all();
  write("a.ttl", kTwo);
  served_->poll();
  EXPECT_EQ(count("a"), "1");  // may still be written to
  served_->poll();
  EXPECT_EQ(count("a"), "2");
  EXPECT_THAT(changed_, ElementsAre("a", "a"));
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(ServedSourcesTest, AHalfWrittenFileDoesNotReplaceAGoodGraph) {
  ASSERT_TRUE(serve({{"a", write("a.ttl", kTwo)}}).has_value());
  served_->load_all();
  write("a.ttl", "<http://e/a> <http://e/");
  for (int i = 0; i < 4; ++i) served_->poll();
  EXPECT_EQ(count("a"), "2");
  ASSERT_THAT(warnings_, SizeIs(1));
  EXPECT_THAT(warnings_[0], HasSubstr("its last state goes on being served"));
  EXPECT_THAT(changed_, SizeIs(2));
  EXPECT_EQ(state("a"), toolkit::SourceState::Stale);
  write("a.ttl", kOne);
  for (int i = 0; i < 2; ++i) served_->poll();
  EXPECT_EQ(count("a"), "1");
  EXPECT_EQ(state("a"), toolkit::SourceState::Ready);
}

TEST_F(ServedSourcesTest, AFileThatComesBackAsItWasIsStaleNoMore) {
  ASSERT_TRUE(serve({{"a", write("a.ttl", kOne)}}).has_value());
  served_->load_all();
  is_away_ = true;
  served_->poll();
  served_->poll();
  EXPECT_EQ(state("a"), toolkit::SourceState::Stale);
  EXPECT_THAT(changed_, SizeIs(2));
  is_away_ = false;
  served_->poll();
  EXPECT_EQ(state("a"), toolkit::SourceState::Ready);
  EXPECT_THAT(changed_, SizeIs(3));
  EXPECT_THAT(warnings_, SizeIs(1));
}

TEST_F(ServedSourcesTest, WhatChangesWhileItIsReadIsNotTaken) {
  ASSERT_TRUE(serve({{"a", write("a.ttl", kOne)}}).has_value());
  served_->load_all();
  write("a.ttl", kTwo);
  served_->poll();
  int looks = 0;
  on_identify_ = [&] { tick_ += ++looks == 2 ? 1 : 0; };  // behind the reading
  served_->poll();
  on_identify_ = {};
  EXPECT_EQ(count("a"), "1");
  served_->poll();
  served_->poll();
  EXPECT_EQ(count("a"), "2");
}

TEST_F(ServedSourcesTest, AMissingFileIsToldOfAndTheGraphStays) {
  const std::string path = write("a.ttl", kOne);
  ASSERT_TRUE(serve({{"a", path}}).has_value());
  served_->load_all();
  std::filesystem::remove(path);
  served_->poll();
  served_->poll();
  EXPECT_EQ(count("a"), "1");
  EXPECT_THAT(warnings_, SizeIs(1));
  write("a.ttl", kTwo);
  served_->poll();
  served_->poll();
  EXPECT_EQ(count("a"), "2");
}

TEST_F(ServedSourcesTest, ASourceThatFailedIsReadWhenItWasMended) {
  ASSERT_TRUE(serve({{"a", write("a.ttl", "bad")}}).has_value());
  served_->load_all();
  EXPECT_THAT(count("a"), HasSubstr("could not be loaded"));
  write("a.ttl", kOne);
  served_->poll();
  served_->poll();
  EXPECT_EQ(count("a"), "1");
}

class ServedIndexTest : public ServedSourcesTest {
 protected:
  ServedIndexTest() : folder_(directory_ / "x.helve") { save(kOne); }

  void save(std::string_view text) {
    std::vector<rdf::Document> documents;
    documents.push_back(rdf::Document::from_text("x.ttl", text, rdf::Format::Turtle));
    const auto loaded = store::load_documents(std::move(documents), {}, {});
    ASSERT_TRUE(loaded.has_value());
    ASSERT_TRUE(store::write_snapshot(*loaded->snapshot, {}, folder_, {}).has_value());
    ++tick_;
  }

  void update(const std::string& text) {
    const auto store = store::LiveStore::open(folder_, {}, {});
    ASSERT_TRUE(store) << store.error().to_string();
    ASSERT_TRUE((*store)->update(sparql::parse_update(text)->update, {}, {}));
  }

  // Changes a byte of the record that was written last.
  void flip_byte_of_log() {
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      if (!store::is_log_name(entry.path().filename())) continue;
      constexpr int kBehindIt = 56;  // the acknowledgement, and the end of the record
      std::fstream log(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
      log.seekg(-kBehindIt, std::ios::end);
      const auto byte = static_cast<char>(log.get() ^ 1);
      log.seekp(-kBehindIt, std::ios::end);
      log.put(byte);
    }
  }

  std::filesystem::path folder_;
};

TEST_F(ServedIndexTest, AnotherIndexInTheFolderIsOpened) {
  ASSERT_TRUE(serve({{"x", folder_.string()}}).has_value());
  served_->load_all();
  EXPECT_EQ(count("x"), "1");
  std::filesystem::remove_all(folder_);
  save(kTwo);
  served_->poll();
  served_->poll();
  EXPECT_EQ(count("x"), "2");
  EXPECT_THAT(notes_, SizeIs(1));
}

TEST_F(ServedIndexTest, WhatIsWrittenToItIsToldWithoutOpeningItAgain) {
  ASSERT_TRUE(serve({{"x", folder_.string()}}).has_value());
  served_->load_all();
  served_->poll();
  EXPECT_THAT(changed_, ElementsAre("x"));
  update("INSERT DATA { <http://e/a> <http://e/b> 7 }");
  served_->poll();
  EXPECT_THAT(changed_, ElementsAre("x", "x"));
  EXPECT_EQ(count("x"), "2");
  served_->poll();
  EXPECT_THAT(changed_, SizeIs(2)) << "told once";
  update("DELETE DATA { <http://e/a> <http://e/b> 99 }");
  served_->poll();
  EXPECT_THAT(changed_, SizeIs(2)) << "nothing has changed";
  EXPECT_THAT(notes_, IsEmpty());
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(ServedIndexTest, ChangesThatCannotBeReadAreToldAndTheLastStateStays) {
  ASSERT_TRUE(serve({{"x", folder_.string()}}).has_value());
  served_->load_all();
  update("INSERT DATA { <http://e/a> <http://e/b> 7 }");
  flip_byte_of_log();
  served_->poll();
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("its changes cannot be read")));
  EXPECT_THAT(changed_, SizeIs(2));
  EXPECT_EQ(state("x"), toolkit::SourceState::Stale);
  EXPECT_EQ(count("x"), "1");
  served_->poll();
  EXPECT_THAT(warnings_, SizeIs(1)) << "told once";
}

TEST_F(ServedSourcesTest, LoadsAndStopsInTheBackground) {
  ASSERT_TRUE(serve({{"a", write("a.ttl", kOne)}, {"sample", "sample:"}}).has_value());
  served_->start();
  EXPECT_EQ(count("a"), "1");  // waits for it
  EXPECT_NE(count("sample"), "");
  served_->stop();
  served_->stop();
}

TEST_F(ServedSourcesTest, CallersAreNotToldWhereFilesAre) {
  const std::string path = write("bad.ttl", "<http://e/a> nonsense");
  ASSERT_TRUE(serve({{"bad", path}}).has_value());
  served_->load_all();
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr(path)));
  const std::string told = count("bad");
  EXPECT_THAT(told, HasSubstr("could not be loaded: bad:1:"));
  EXPECT_THAT(told, Not(HasSubstr(directory_.path().string())));
}

// They are connected to when they are asked; what cannot work is told at once.
TEST_F(ServedSourcesTest, DatabasesThatCannotBeAskedAreTold) {
  std::vector<SourceConfig> configs;
  const std::string text = "sqlite:" + write("text.db", "no database at all");
  for (const auto& [name, place] : std::vector<std::pair<std::string, std::string>>{
           {"empty", "sqlite:" + write("empty.db", "")},
           {"text", text},
           {"unset", "postgresql://u@localhost/d?password=env:UNSET"}}) {
    SourceConfig& config = configs.emplace_back();
    config.name = name;
    config.uri = config.place = place;
    config.is_database = true;
  }
  options_.worker_command = {"/bin/true"};
  options_.read_variable = [](const char*) -> const char* { return nullptr; };
  const auto made = ServedSources::make(std::move(configs), *toolkit_, real_env(), options_);
  ASSERT_TRUE(made.has_value()) << made.error().to_string();
  EXPECT_EQ(state("empty"), toolkit::SourceState::Unasked);
  EXPECT_EQ(state("text"), toolkit::SourceState::Failed);
  EXPECT_EQ(state("unset"), toolkit::SourceState::Failed);
  ASSERT_THAT(warnings_, SizeIs(2));
  EXPECT_THAT(warnings_[0], HasSubstr("text.db' is no SQLite database"));
  EXPECT_THAT(warnings_[1], HasSubstr("the environment variable UNSET is not set"));
  // Callers need not know where the file is.
  for (const auto& known : toolkit_->sources(toolkit::Caller())) {
    if (known.info.name != "text") continue;
    EXPECT_EQ(known.failure->message, "'text' is no SQLite database, or it is encrypted");
  }
}

}  // namespace
}  // namespace helve::mcp
