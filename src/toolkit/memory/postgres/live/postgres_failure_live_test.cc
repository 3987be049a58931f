// What a bank on a server does when something goes wrong, and what rights it needs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "toolkit/memory/postgres/live/cutting_proxy_testing.h"
#include "toolkit/memory/postgres/live/postgres_bank_testing.h"

namespace helve::memory {
namespace {

class PostgresBank : public ::testing::Test {
 protected:
  void SetUp() override {
    server_ = BankServer::get();
    if (server_ == nullptr) GTEST_SKIP() << "no PostgreSQL server is installed";
    schema_ = server_->new_schema();
  }

  Result<std::unique_ptr<MemoryRepository>> try_open(PostgresBankOptions options) {
    return open_postgres_repository(std::move(options), real_env(), context_);
  }
  std::unique_ptr<MemoryRepository> open() {
    auto opened = try_open(server_->options(schema_));
    EXPECT_TRUE(opened) << opened.error().to_string();
    return opened ? *std::move(opened) : nullptr;
  }
  std::unique_ptr<MemoryRepository> open_through(const CuttingProxy& proxy) {
    PostgresBankOptions options = server_->options(schema_);
    options.database.address.host = proxy.folder();
    auto opened = try_open(std::move(options));
    EXPECT_TRUE(opened) << opened.error().to_string();
    return opened ? *std::move(opened) : nullptr;
  }
  static OpContext within(int ms) {
    OpContext context;
    context.deadline = Deadline(real_clock(), std::chrono::milliseconds(ms));
    return context;
  }
  std::string run(std::string sql) const {
    for (std::size_t at = 0; (at = sql.find('@')) != std::string::npos;) {
      sql.replace(at, 1, schema_ + ".");
    }
    return server_->execute(sql);
  }
  // Whether the index and the numbers are those of the items.
  void expect_whole() const {
    EXPECT_EQ(run("SELECT count(*) FROM (SELECT term, count(*) AS c FROM @posting GROUP BY term) p "
                  "FULL JOIN @term t ON t.term = p.term WHERE p.c IS DISTINCT FROM t.items"),
              "0");
    EXPECT_EQ(run("SELECT count(*) FROM @posting WHERE n NOT IN (SELECT n FROM @item)"), "0");
    EXPECT_EQ(run("SELECT items = (SELECT count(*) FROM @item) AND length = (SELECT "
                  "coalesce(sum(length), 0) FROM @item) AND last_change = (SELECT count(DISTINCT "
                  "change) FROM @change) FROM @bank"),
              "t");
  }

  BankServer* server_ = nullptr;
  std::string schema_;
  OpContext context_;
};

TEST_F(PostgresBank, AServerThatWasRestartedIsConnectedToAgain) {
  const auto bank = open();
  const Item item = item_of("a", "words");
  ASSERT_TRUE(bank->add({item}, context_));
  server_->restart();
  EXPECT_THAT(found_in(*bank, "words"), ElementsAre(item.id));
  server_->restart();
  const auto edited = bank->edit(item.id, {.domain = "d"}, context_);
  ASSERT_TRUE(edited) << edited.error().to_string();
  EXPECT_EQ(bank->get({item.id}, context_)->at(0).domain, "d");
}

TEST_F(PostgresBank, AConnectionThatTheServerEndsIsMadeAgain) {
  const auto bank = open();
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(bank->add({item_of(fmt::format("t{}", i), "words")}, context_));
    server_->execute(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
        "WHERE usename = 'keeper'");
  }
  EXPECT_EQ(bank->stats(context_)->items, 5U);
}

TEST_F(PostgresBank, ACommitWhoseAnswerWasLostIsToldAsSuch) {
  CuttingProxy proxy(server_->socket());
  const auto bank = open_through(proxy);
  const Item item = item_of("a", "words");
  ASSERT_TRUE(bank->add({item}, context_));
  for (const Cut how : {Cut::BehindCommit, Cut::BeforeCommit}) {
    const std::string domain = how == Cut::BehindCommit ? "kept" : "not kept";
    proxy.cut(how);
    const auto edited = bank->edit(item.id, {.domain = domain}, context_);
    ASSERT_FALSE(edited);
    EXPECT_TRUE(proxy.has_cut());
    EXPECT_EQ(edited.error().code, ErrorCode::Unavailable);
    EXPECT_THAT(edited.error().message, HasSubstr("not known whether the change was kept"));
    // The first one was, the second was not; neither was done twice.
    EXPECT_EQ(bank->get({item.id}, context_)->at(0).domain, "kept");
  }
  EXPECT_THAT(*bank->history(item.id, 10, context_), SizeIs(2));
  // So it is with uses, which are counted.
  proxy.cut(Cut::BehindCommit);
  EXPECT_FALSE(bank->note_usage({{item.id, Usage::Helped, 1}}, context_));
  EXPECT_EQ(bank->get({item.id}, context_)->at(0).counters.helped, 1U);
  expect_whole();
}

TEST_F(PostgresBank, AddingIsRepeatedAndIsOneItem) {
  CuttingProxy proxy(server_->socket());
  const auto bank = open_through(proxy);
  for (const Cut how : {Cut::BehindCommit, Cut::BeforeCommit}) {
    const Item item = item_of(how == Cut::BehindCommit ? "a" : "b", "words");
    proxy.cut(how);
    const auto report = bank->add({item}, context_);
    ASSERT_TRUE(report) << report.error().to_string();
    EXPECT_TRUE(proxy.has_cut());
    // What was kept the first time is there already the second.
    EXPECT_EQ(report->items.at(0).state,
              how == Cut::BehindCommit ? AddState::Exists : AddState::Added);
    EXPECT_THAT(*bank->history(item.id, 10, context_), SizeIs(1));
  }
  expect_whole();
}

TEST_F(PostgresBank, EveryChangeWaitsForTheDiskOfTheServer) {
  ASSERT_EQ(server_->execute("SHOW synchronous_commit"), "off");
  const auto bank = open();
  run("CREATE TABLE @told(value text)");
  run("GRANT INSERT ON @told TO keeper");
  run("CREATE FUNCTION @tell() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN INSERT INTO @told "
      "VALUES "
      "(current_setting('synchronous_commit')); RETURN NULL; END$$");
  run("CREATE TRIGGER tell AFTER INSERT OR UPDATE ON @item FOR EACH ROW EXECUTE FUNCTION @tell()");
  const Item item = item_of("a", "b");
  ASSERT_TRUE(bank->add({item}, context_));
  ASSERT_TRUE(bank->retract(item.id, context_));
  EXPECT_EQ(run("SELECT string_agg(value, ',') FROM @told"), "on,on");
}

TEST_F(PostgresBank, AnErrorOfTheServerLeavesNothingBehind) {
  const auto bank = open();
  run("ALTER TABLE @change ADD CHECK (item <> '" + item_of("bad", "x").id + "')");
  const auto failed = bank->add({item_of("good", "y"), item_of("bad", "x")}, context_);
  ASSERT_FALSE(failed);
  EXPECT_EQ(bank->stats(context_)->items, 0U);
  ASSERT_TRUE(bank->add({item_of("good", "y")}, context_));
  EXPECT_THAT(found_in(*bank, "y"), SizeIs(1));
  expect_whole();
}

TEST_F(PostgresBank, WhoWaitsForAnotherGivesUpInTime) {
  const auto bank = open();
  PGconn* const other =
      PQconnectdb(("host=" + server_->socket() + " user=postgres dbname=postgres").c_str());
  PQclear(PQexec(other, ("BEGIN; SELECT * FROM " + schema_ + ".bank FOR UPDATE").c_str()));
  const auto late = bank->add({item_of("a", "b")}, within(400));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(late.error().message, HasSubstr("being changed by others"));
  // Reading goes on.
  EXPECT_EQ(bank->stats(context_)->items, 0U);
  OpContext cancelled;
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    cancelled.cancel.cancel();
  });
  EXPECT_EQ(bank->add({item_of("c", "d")}, cancelled).error().code, ErrorCode::Cancelled);
  canceller.join();
  PQclear(PQexec(other, "ROLLBACK"));
  PQfinish(other);
  ASSERT_TRUE(bank->add({item_of("e", "f")}, context_));
  EXPECT_EQ(bank->stats(context_)->items, 1U);
}

// Of those that wait together, one that has no time left takes nobody along.
TEST_F(PostgresBank, ADeadlineEndsTheChangeOfItsCallerAlone) {
  const auto bank = open();
  PGconn* const other =
      PQconnectdb(("host=" + server_->socket() + " user=postgres dbname=postgres").c_str());
  PQclear(PQexec(other, ("BEGIN; SELECT * FROM " + schema_ + ".bank FOR UPDATE").c_str()));
  std::atomic<int> kept = 0;
  std::atomic<int> ended = 0;
  OpContext cancelled;
  std::vector<std::thread> threads;
  threads.reserve(5);
  threads.emplace_back([&] {
    if (!bank->add({item_of("hasty", "b")}, cancelled)) ++ended;
  });
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      if (bank->add({item_of(fmt::format("patient {}", i), "b")}, context_)) ++kept;
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  cancelled.cancel.cancel();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  PQclear(PQexec(other, "ROLLBACK"));
  PQfinish(other);
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(kept, 4);
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(bank->stats(context_)->items, 4U);
}

TEST_F(PostgresBank, ManyThatOpenItFirstMakeItOnce) {
  std::atomic<int> opened = 0;
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const auto bank = try_open(server_->options(schema_));
      EXPECT_TRUE(bank) << bank.error().to_string();
      if (bank && (*bank)->add({item_of("same", "words")}, context_)) ++opened;
    });
  }
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(opened, 8);
  EXPECT_EQ(open()->stats(context_)->items, 1U);
}

TEST_F(PostgresBank, ABankOfANewerProgramIsNotTouched) {
  const auto before = open();
  ASSERT_TRUE(before->add({item_of("a", "b")}, context_));
  run("UPDATE @bank SET version = 99");
  const auto opened = try_open(server_->options(schema_));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(opened.error().message, HasSubstr("version 99"));
  // Nor by one that had it open.
  EXPECT_THAT(before->add({item_of("c", "d")}, context_).error().message, HasSubstr("version 99"));
  EXPECT_THAT(before->stats(context_).error().message, HasSubstr("version 99"));
  EXPECT_THAT(before->candidates({{"b"}, {}}, context_).error().message, HasSubstr("version 99"));
  EXPECT_EQ(run("SELECT count(*) FROM @item"), "1");
}

TEST_F(PostgresBank, ABankOfTheFirstVersionIsMigratedByItsOwner) {
  const Item item = item_of("a", "words");
  ASSERT_TRUE(open()->add({item}, context_));
  run("DROP TABLE @vector");
  run("ALTER TABLE @bank DROP COLUMN vectors");
  run("UPDATE @bank SET version = 1");
  run("GRANT USAGE ON SCHEMA " + schema_ + " TO writer");
  run("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA " + schema_ + " TO writer");
  const auto refused = try_open(server_->options(schema_, "writer"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Denied);
  EXPECT_THAT(refused.error().message, HasSubstr("older version"));
  EXPECT_EQ(run("SELECT version FROM @bank"), "1");
  const auto bank = open();
  EXPECT_EQ(run("SELECT version FROM @bank"), "2");
  EXPECT_THAT(found_in(*bank, "words"), ElementsAre(item.id));
  ASSERT_TRUE(bank->put_vectors("m", {{item.id, {1}}}, context_));
}

TEST_F(PostgresBank, SchemasOfOthersAreLeftAlone) {
  run("CREATE SCHEMA " + schema_);
  run("CREATE TABLE @mine(x int)");
  const auto opened = try_open(server_->options(schema_));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::InvalidInput);
  EXPECT_THAT(opened.error().message, HasSubstr("is no memory bank"));
  EXPECT_EQ(run("SELECT count(*) FROM pg_tables WHERE schemaname = '" + schema_ + "'"), "1");
}

TEST_F(PostgresBank, RightsThatAreMissingAreNamed) {
  // Nobody who may not make a schema makes one.
  auto opened = try_open(server_->options(schema_, "reader"));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::Denied);
  EXPECT_THAT(opened.error().message, HasSubstr("cannot be made"));
  EXPECT_THAT(opened.error().hint, HasSubstr("CREATE SCHEMA " + schema_));
  const auto bank = open();
  const Item item = item_of("a", "words");
  ASSERT_TRUE(bank->add({item}, context_));
  opened = try_open(server_->options(schema_, "reader"));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::Denied);
  EXPECT_THAT(opened.error().hint, HasSubstr("USAGE on its schema"));
  // Who may only read, reads.
  run("GRANT USAGE ON SCHEMA " + schema_ + " TO reader");
  run("GRANT SELECT ON ALL TABLES IN SCHEMA " + schema_ + " TO reader");
  opened = try_open(server_->options(schema_, "reader"));
  ASSERT_TRUE(opened) << opened.error().to_string();
  EXPECT_THAT(found_in(**opened, "words"), ElementsAre(item.id));
  EXPECT_TRUE((*opened)->stats(context_));
  const auto added = (*opened)->add({item_of("b", "c")}, context_);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, ErrorCode::Denied);
  EXPECT_THAT(added.error().hint, HasSubstr("SELECT, INSERT, UPDATE and DELETE"));
}

TEST_F(PostgresBank, TheRightsThatAreDocumentedAreEnough) {
  open();
  run("GRANT USAGE ON SCHEMA " + schema_ + " TO writer");
  run("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA " + schema_ + " TO writer");
  const auto opened = try_open(server_->options(schema_, "writer"));
  ASSERT_TRUE(opened) << opened.error().to_string();
  MemoryRepository& bank = **opened;
  const Item item = item_of("a", "words");
  ASSERT_TRUE(bank.add({item}, context_));
  ASSERT_TRUE(bank.edit(item.id, {.content = "others"}, context_));
  ASSERT_TRUE(bank.undo(std::nullopt, context_));
  ASSERT_TRUE(bank.undo(1, context_));
  EXPECT_EQ(bank.stats(context_)->items, 0U);
  expect_whole();
}

TEST_F(PostgresBank, AWrongPasswordIsToldWithoutIt) {
  const std::string rules = server_->data_folder() + "/pg_hba.conf";
  std::stringstream before;
  before << std::ifstream(rules).rdbuf();
  server_->execute("CREATE ROLE locked LOGIN PASSWORD 'tulips'");
  server_->execute("GRANT CREATE ON DATABASE postgres TO locked");
  { std::ofstream(rules) << "local all locked scram-sha-256\n" << before.str(); }
  server_->restart();
  PostgresBankOptions options = server_->options(schema_, "locked");
  std::string password = "wrong-daisies";
  options.database.read_variable = [&](const char*) { return password.c_str(); };
  options.database.address.password_reference = "env:BANK_PASSWORD";
  const auto refused = try_open(options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Denied);
  EXPECT_THAT(refused.error().to_string(), ::testing::Not(HasSubstr("daisies")));
  password = "tulips";
  const auto opened = try_open(options);
  EXPECT_TRUE(opened) << opened.error().to_string();
}

TEST_F(PostgresBank, TextsThatPostgresDoesNotHaveAreRefused) {
  const auto bank = open();
  const std::string nul("a\0b", 3);
  EXPECT_EQ(bank->get({nul}, context_).error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(bank->retract(nul, context_).error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(bank->get({"\xC3\x28"}, context_).error().code, ErrorCode::InvalidInput);
  // Items with it do not come as far.
  Item item = item_of("a", nul);
  EXPECT_FALSE(check_item(item));
  EXPECT_TRUE(bank->add({item_of("a", "b")}, context_));
}

TEST_F(PostgresBank, ABackupIsTheServersToMake) {
  const auto refused = open()->back_up("copy.db", context_);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().hint, HasSubstr("pg_dump --schema=" + schema_));
  EXPECT_THAT(refused.error().hint, HasSubstr("helve memory export"));
}

TEST_F(PostgresBank, AServerThatMayLoseWhatItHasAcknowledgedIsToldOf) {
  server_->execute("ALTER SYSTEM SET fsync = off");
  server_->restart();
  EXPECT_THAT(open()->take_warnings(), ElementsAre(HasSubstr("fsync = off")));
  server_->execute("ALTER SYSTEM SET fsync = on");
  server_->restart();
  EXPECT_THAT(open()->take_warnings(), IsEmpty());
}

TEST_F(PostgresBank, AServerThatIsNotThereIsUnavailable) {
  PostgresBankOptions options = server_->options(schema_);
  options.database.address.host = "/nowhere";
  EXPECT_EQ(try_open(options).error().code, ErrorCode::Unavailable);
}

}  // namespace
}  // namespace helve::memory
