// The fakes themselves: what tests of other parts rely on.
#include "tests/support/fake_env.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve {
namespace {

Result<void> put(Files& files, const Files::Path& path, std::string_view content, bool is_synced) {
  HELVE_ASSIGN(const auto file, files.open_write(path, WriteMode::Truncate));
  HELVE_TRY(file->write(content));
  if (is_synced) HELVE_TRY(file->sync());
  return file->close();
}

TEST(FakeClock, MovesByHandOnly) {
  FakeClock clock;
  const auto start = clock.now();
  clock.sleep_for(std::chrono::hours(1));
  EXPECT_EQ(clock.now() - start, std::chrono::hours(1));
  EXPECT_EQ(clock.wall().time_since_epoch(), std::chrono::seconds(1'735'689'600 + 3'600));
}

TEST(FakeRandom, IsTheSameForTheSameSeed) {
  EXPECT_EQ(FakeRandom(7).hex(16), FakeRandom(7).hex(16));
  EXPECT_NE(FakeRandom(7).hex(16), FakeRandom(8).hex(16));
}

TEST(FakeFiles, BehavesLikeFiles) {
  FakeEnv env;
  FakeFiles& files = env.files();
  ASSERT_TRUE(files.make_directories("/data/x"));
  ASSERT_TRUE(put(files, "/data/a", "abc", false));
  EXPECT_EQ((*files.map("/data/./a"))->text(), "abc");
  EXPECT_EQ(files.status("/data/a")->size, 3U);
  EXPECT_EQ(files.status("/data/")->kind, FileKind::Directory);
  EXPECT_THAT(*files.list("/data"), ::testing::ElementsAre("a", "x"));
  EXPECT_EQ(files.open_read("/data/none").error().code, ErrorCode::NotFound);
  EXPECT_EQ(files.open_read("/data").error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(put(files, "/none/a", "", false).error().code, ErrorCode::NotFound);
  EXPECT_EQ(files.open_write("/data/a", WriteMode::CreateNew).error().code,
            ErrorCode::InvalidInput);
  EXPECT_EQ(files.remove("/data").error().code, ErrorCode::InvalidInput);
  ASSERT_TRUE(files.rename("/data/a", "/data/x/b"));
  EXPECT_EQ(files.content("/data/x/b"), "abc");
  EXPECT_EQ(files.content("/data/a"), std::nullopt);
  files.deny("/data/x/b");
  EXPECT_EQ(files.open_read("/data/x/b").error().code, ErrorCode::Denied);
}

TEST(FakeFiles, LocksExclude) {
  FakeEnv env;
  auto lock = env.files().lock("lock");
  ASSERT_TRUE(lock);
  EXPECT_EQ(env.files().lock("lock").error().code, ErrorCode::Unavailable);
  lock->reset();
  EXPECT_TRUE(env.files().lock("lock"));
}

TEST(FakeFiles, ACrashLosesWhatWasNotSynced) {
  FakeEnv env;
  FakeFiles& files = env.files();
  files.put("old", "old");
  ASSERT_TRUE(put(files, "old", "changed", false));
  ASSERT_TRUE(put(files, "synced", "content", true));
  ASSERT_TRUE(put(files, "named", "lost content", false));
  ASSERT_TRUE(files.sync_directory("."));
  ASSERT_TRUE(put(files, "nameless", "content", true));
  const auto open_file = *files.open_write("open", WriteMode::Truncate);
  files.crash();
  EXPECT_EQ(files.content("old"), "old");
  EXPECT_EQ(files.content("synced"), "content");
  EXPECT_EQ(files.content("named"), "");
  EXPECT_EQ(files.content("nameless"), std::nullopt);
  EXPECT_FALSE(open_file->write("x"));
}

TEST(FakeFiles, FailsTheOperationThatWasAskedFor) {
  FakeEnv env;
  env.files().fail_operation(2);
  const auto file = env.files().open_write("a", WriteMode::Truncate);
  ASSERT_TRUE(file);
  EXPECT_EQ((*file)->write("x").error().code, ErrorCode::Unavailable);
  EXPECT_TRUE((*file)->write("y"));
  EXPECT_EQ(env.files().content("a"), "y");
  EXPECT_EQ(env.files().operations(), 3U);
}

TEST(FakeFiles, AFullDiskTakesAPart) {
  FakeEnv env;
  env.files().disk_full_after(5);
  EXPECT_EQ(put(env.files(), "a", "12345678", false).error().code, ErrorCode::Unavailable);
  EXPECT_EQ(env.files().content("a"), "12345");
  env.files().unlimited_disk();
  EXPECT_TRUE(put(env.files(), "a", "12345678", false));
}

TEST(FakeHttp, RepliesInOrderAndRecords) {
  FakeHttp http;
  http.reply(200, "one");
  http.fail(Error{ErrorCode::Unavailable, "down"});
  EXPECT_EQ(http.send({"GET", "http://a/", {}, {}}, {})->body, "one");
  EXPECT_EQ(http.send({"GET", "http://b/", {}, {}}, {}).error().message, "down");
  EXPECT_EQ(http.send({"GET", "http://c/", {}, {}}, {}).error().code, ErrorCode::Unavailable);
  http.set_handler([](const HttpRequest& request) -> Result<HttpResponse> {
    return HttpResponse{200, {}, "echo " + request.url};
  });
  EXPECT_EQ(http.send({"GET", "http://d/", {}, {}}, {})->body, "echo http://d/");
  ASSERT_EQ(http.requests().size(), 4U);
  EXPECT_EQ(http.requests()[1].url, "http://b/");
  OpContext context;
  context.limits.http_body_bytes_max = 3;
  EXPECT_EQ(http.send({"GET", "http://d/", {}, {}}, context).error().code,
            ErrorCode::LimitExceeded);
}

TEST(FakeProcesses, FollowTheScript) {
  FakeEnv env;
  ProcessScript script;
  script.out = {"a", "b"};
  script.err = {"e"};
  script.exit.code = 4;
  script.answer = [](const std::string& input) { return "<" + input + ">"; };
  env.processes().script(std::move(script));
  ProcessOptions options;
  options.arguments = {"tool"};
  {
    const auto process = *env.processes().start(options);
    ASSERT_TRUE(process->write_stdin("in", {}));
    process->close_stdin();
    std::string out;
    std::string err;
    while (*process->read_output(out, err, {})) {
    }
    EXPECT_EQ(out, "ab<in>");
    EXPECT_EQ(err, "e");
    EXPECT_EQ(process->wait({})->code, 4);
  }
  const auto record = env.processes().records().at(0);
  EXPECT_EQ(record->input, "in");
  EXPECT_TRUE(record->was_destroyed);
  EXPECT_EQ(env.processes().start(options).error().code, ErrorCode::NotFound);
}

TEST(FakeProcesses, AHangingChildMeetsTheDeadline) {
  FakeEnv env;
  env.processes().script(
      {.start_error = {}, .out = {}, .err = {}, .exit = {}, .hangs = true, .answer = {}});
  const auto process = *env.processes().start({});
  OpContext context;
  context.deadline = Deadline(env.clock(), std::chrono::seconds(1));
  EXPECT_EQ(process->wait(context).error().code, ErrorCode::LimitExceeded);
  EXPECT_TRUE(env.processes().records()[0]->was_killed);
  EXPECT_EQ(process->wait({})->signal, 9);
}

}  // namespace
}  // namespace helve
