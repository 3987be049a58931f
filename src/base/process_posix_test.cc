// Real children: pipes, limits, ends, and what must not leak into them.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>

#include "base/env.h"
#include "tests/support/fake_env.h"
#include "tests/support/temp_directory.h"

namespace helve {
namespace {

using ::testing::HasSubstr;

struct Outcome {
  std::string out;
  std::string err;
  ExitStatus exit;
};

std::unique_ptr<WorkerProcess> start_shell(std::string script, ProcessOptions options = {}) {
  options.arguments = {"/bin/sh", "-c", std::move(script)};
  auto process = real_env().processes().start(options);
  HELVE_CHECK(process.has_value());
  return *std::move(process);
}

Result<Outcome> finish(WorkerProcess& process, const OpContext& context = {}) {
  process.close_stdin();
  Outcome outcome;
  for (;;) {
    HELVE_ASSIGN(const bool more, process.read_output(outcome.out, outcome.err, context));
    if (!more) break;
  }
  HELVE_ASSIGN(outcome.exit, process.wait(context));
  return outcome;
}

TEST(PosixProcess, GivesOutputAndStatus) {
  const auto process = start_shell("echo out; echo err >&2; exit 3");
  const auto outcome = finish(*process);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->out, "out\n");
  EXPECT_EQ(outcome->err, "err\n");
  EXPECT_EQ(outcome->exit.code, 3);
  EXPECT_EQ(outcome->exit.signal, 0);
}

TEST(PosixProcess, TellsTheSignalThatEndedIt) {
  const auto outcome = finish(*start_shell("kill -TERM $$"));
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->exit.signal, SIGTERM);
}

TEST(PosixProcess, FindsProgramsInPath) {
  ProcessOptions options;
  options.arguments = {"true"};
  auto process = real_env().processes().start(options);
  ASSERT_TRUE(process);
  EXPECT_EQ((*process)->wait({})->code, 0);
}

// Both directions carry more than a pipe holds; a naive writer would deadlock with the child.
TEST(PosixProcess, EchoesMoreThanThePipesHold) {
  const auto process = start_shell("cat");
  const std::string input(1'000'000, 'x');
  ASSERT_TRUE(process->write_stdin(input, {}));
  const auto outcome = finish(*process);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->out, input);
}

TEST(PosixProcess, WaitingTakesInWhatTheChildWrites) {
  const auto process = start_shell("head -c 500000 /dev/zero");
  ASSERT_EQ(process->wait({})->code, 0);
  const auto outcome = finish(*process);
  EXPECT_EQ(outcome->out.size(), 500'000U);
}

TEST(PosixProcess, TheEnvironmentIsExactlyAsGiven) {
  ProcessOptions options;
  options.environment = {{"A", "1"}, {"B", "x=y z"}};
  options.arguments = {"/usr/bin/env"};
  const auto process = *real_env().processes().start(options);
  EXPECT_EQ(finish(*process)->out, "A=1\nB=x=y z\n");
}

TEST(PosixProcess, NoDescriptorLeaksIntoTheChild) {
  const int leaky = ::open("/dev/null", O_RDONLY);  // without O_CLOEXEC, as a careless library does
  ASSERT_GE(leaky, 0);
  ProcessOptions options;
  options.environment = {{"PATH", "/usr/bin:/bin"}};
  const auto outcome = finish(*start_shell("ls /proc/self/fd | wc -l", options));
  ::close(leaky);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(std::stoi(outcome->out), 4);  // the three and the one ls reads the directory with
}

TEST(PosixProcess, NoDescriptorLeaksInTheParent) {
  const auto open_count = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                         std::filesystem::directory_iterator());
  };
  const auto before = open_count();
  for (int i = 0; i < 5; ++i) {
    (void)finish(*start_shell("true"));
    ProcessOptions missing;
    missing.arguments = {"/no/such/program"};
    (void)real_env().processes().start(missing);
  }
  EXPECT_EQ(open_count(), before);
}

TEST(PosixProcess, WorksInTheGivenDirectory) {
  const TempDirectory folder;
  ProcessOptions options;
  options.working_directory = folder.path();
  EXPECT_EQ(finish(*start_shell("pwd -P", options))->out,
            std::filesystem::canonical(folder.path()).string() + "\n");
  options.arguments = {"true"};
  options.working_directory = folder / "none";
  const auto missing = real_env().processes().start(options);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::NotFound);
  EXPECT_THAT(missing.error().message, HasSubstr("none"));
}

TEST(PosixProcess, AMissingProgramIsNamed) {
  ProcessOptions options;
  options.arguments = {"helve-no-such-program"};
  const auto process = real_env().processes().start(options);
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().code, ErrorCode::NotFound);
  EXPECT_THAT(process.error().message, HasSubstr("'helve-no-such-program'"));
}

TEST(PosixProcess, AnUnreadableFolderInPathHidesNothing) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may search every folder";
  const TempDirectory folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0), 0);
  const std::string before = std::getenv("PATH");
  ::setenv("PATH", (folder.path().string() + ":" + before).c_str(), 1);
  ProcessOptions options;
  options.arguments = {"helve-no-such-program"};
  EXPECT_EQ(real_env().processes().start(options).error().code, ErrorCode::NotFound);
  options.arguments = {"true"};
  EXPECT_TRUE(real_env().processes().start(options));
  ::setenv("PATH", before.c_str(), 1);
}

TEST(PosixProcess, AFileThatIsNoProgramIsDenied) {
  const TempDirectory folder;
  const auto file = *real_env().files().open_write(folder / "plain", WriteMode::Truncate);
  ASSERT_TRUE(file->close());
  ProcessOptions options;
  options.arguments = {(folder / "plain").string()};
  const auto process = real_env().processes().start(options);
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().code, ErrorCode::Denied);
}

TEST(PosixProcess, BadOptionsAreRefused) {
  ProcessOptions options;
  EXPECT_EQ(real_env().processes().start(options).error().code, ErrorCode::InvalidInput);
  options.arguments = {"true", std::string("a\0b", 3)};
  EXPECT_EQ(real_env().processes().start(options).error().code, ErrorCode::InvalidInput);
  options.arguments = {"true"};
  options.environment = {{"A=B", "x"}};
  EXPECT_EQ(real_env().processes().start(options).error().code, ErrorCode::InvalidInput);
}

TEST(PosixProcess, TooMuchOutputIsRefused) {
  OpContext context;
  context.limits.pipe_bytes_max = 100'000;
  const auto outcome = finish(*start_shell("cat /dev/zero"), context);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::LimitExceeded);
}

TEST(PosixProcess, CancellationKills) {
  OpContext context;
  const auto process = start_shell("sleep 1000");
  std::thread canceller([&] { context.cancel.cancel(); });
  const auto status = process->wait(context);
  canceller.join();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::Cancelled);
  EXPECT_EQ(process->wait({})->signal, SIGKILL);
}

TEST(PosixProcess, TheDeadlineEndsReadingAndWriting) {
  FakeClock clock;
  OpContext context;
  context.deadline = Deadline(clock, std::chrono::seconds(1));
  clock.advance(std::chrono::seconds(1));
  const auto process = start_shell("sleep 1000");
  std::string out;
  std::string err;
  EXPECT_EQ(process->read_output(out, err, context).error().code, ErrorCode::LimitExceeded);
  const std::string large(1'000'000, 'x');
  EXPECT_EQ(process->write_stdin(large, context).error().code, ErrorCode::LimitExceeded);
}

TEST(PosixProcess, AChildThatDoesNotReadIsAnErrorNotASignal) {
  const auto before = std::signal(SIGPIPE, SIG_DFL);
  const auto process = start_shell("exec <&-; echo closed; exit 0");
  ASSERT_EQ(process->wait({})->code, 0);
  const auto written = process->write_stdin("x", {});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::Unavailable);
  EXPECT_EQ(process->write_stdin("x", {}).error().code, ErrorCode::InvalidInput);
  (void)std::signal(SIGPIPE, before);
}

// The grandchild holds the write end of the pipe: when the group is dead, the pipe is at its end.
TEST(PosixProcess, DestructionKillsTheWholeGroup) {
  const TempDirectory folder;
  const auto fifo = folder / "alive";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const int reader = ::open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  {
    const auto process =
        start_shell("(echo up; exec sleep 1000) > " + fifo.string() + " & exec 1>&- 2>&-; wait");
    std::string text(3, '\0');
    while (::read(reader, text.data(), text.size()) <= 0) std::this_thread::yield();
    EXPECT_EQ(text, "up\n");
  }
  ::fcntl(reader, F_SETFL, 0);  // blocking: returns once nobody holds the other end
  char byte = 0;
  EXPECT_EQ(::read(reader, &byte, 1), 0);
  ::close(reader);
}

}  // namespace
}  // namespace helve
