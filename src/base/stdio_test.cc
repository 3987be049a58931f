// Streams over descriptors, tried on pipes.
#include "base/stdio.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>
#include <thread>

#include "base/fd.h"
#include "tests/support/temp_directory.h"

namespace helve {
namespace {

struct TestPipe {
  UniqueFd read_end;
  UniqueFd write_end;

  TestPipe() {
    std::array<int, 2> ends{};
    HELVE_CHECK(::pipe2(ends.data(), O_CLOEXEC) == 0);
    read_end = UniqueFd(ends[0]);
    write_end = UniqueFd(ends[1]);
  }
};

TEST(FdSource, ReadsToTheEnd) {
  TestPipe pipe;
  ASSERT_EQ(write_fd_fully(pipe.write_end.get(), "abc"), 0);
  pipe.write_end.reset();
  const auto source = fd_source(pipe.read_end.get(), "standard input");
  std::array<char, 16> buffer{};
  EXPECT_EQ(*source->read(buffer), 3U);
  EXPECT_EQ(std::string(buffer.data(), 3), "abc");
  EXPECT_EQ(*source->read(buffer), 0U);
}

TEST(FdSource, WaitsOnANonBlockingDescriptor) {
  TestPipe pipe;
  ::fcntl(pipe.read_end.get(), F_SETFL, O_NONBLOCK);
  std::thread writer([&] { (void)write_fd_fully(pipe.write_end.get(), "late"); });
  std::array<char, 16> buffer{};
  EXPECT_EQ(*fd_source(pipe.read_end.get(), "standard input")->read(buffer), 4U);
  writer.join();
}

TEST(FdSource, CancellationEndsTheWait) {
  TestPipe pipe;
  const CancelToken cancel;
  std::thread canceller([&] { cancel.cancel(); });
  std::array<char, 16> buffer{};
  const auto outcome = fd_source(pipe.read_end.get(), "standard input", cancel)->read(buffer);
  canceller.join();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::Cancelled);
}

TEST(FdSource, TheDeadlineEndsTheWait) {
  const TestPipe pipe;
  const Deadline deadline(real_clock(), Duration::zero());
  std::array<char, 16> buffer{};
  const auto outcome = fd_source(pipe.read_end.get(), "standard input", {}, deadline)->read(buffer);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::LimitExceeded);
}

TEST(FdSource, ADirectoryIsAnError) {
  const TempDirectory folder;
  const UniqueFd fd(::open(folder.path().c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 16> buffer{};
  const auto outcome = fd_source(fd.get(), "standard input")->read(buffer);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::InvalidInput);
  EXPECT_NE(outcome.error().message.find("standard input"), std::string::npos);
}

TEST(FdSink, BuffersUntilFlush) {
  TestPipe pipe;
  ::fcntl(pipe.read_end.get(), F_SETFL, O_NONBLOCK);
  const auto sink = fd_sink(pipe.write_end.get(), "standard output");
  std::array<char, 16> buffer{};
  ASSERT_TRUE(sink->write("abc"));
  EXPECT_EQ(read_fd(pipe.read_end.get(), buffer).error, EAGAIN);
  ASSERT_TRUE(sink->flush());
  EXPECT_EQ(read_fd(pipe.read_end.get(), buffer).count, 3U);
}

TEST(FdSink, WritesMoreThanAPipeHolds) {
  TestPipe pipe;
  ::fcntl(pipe.write_end.get(), F_SETFL, O_NONBLOCK);
  const std::string large(1'000'000, 'x');
  std::size_t received = 0;
  std::thread reader([&] {
    std::string buffer(10'000, '\0');
    while (const std::size_t n = read_fd(pipe.read_end.get(), buffer).count) received += n;
  });
  {
    const auto sink = fd_sink(pipe.write_end.get(), "standard output");
    EXPECT_TRUE(sink->write("head"));
    EXPECT_TRUE(sink->write(large));
    EXPECT_TRUE(sink->write("tail"));
  }  // flushes
  pipe.write_end.reset();
  reader.join();
  EXPECT_EQ(received, large.size() + 8);
}

TEST(FdSink, AReaderThatLeftIsAnErrorNotASignal) {
  // The default action would end the test program.
  const auto before = std::signal(SIGPIPE, SIG_DFL);
  TestPipe pipe;
  pipe.read_end.reset();
  const auto sink = fd_sink(pipe.write_end.get(), "standard output");
  ASSERT_TRUE(sink->write("abc"));
  const auto outcome = sink->flush();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::Cancelled);
  EXPECT_EQ(outcome.error().reason, ErrorReason::OutputClosed);
  sigset_t pending;
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGPIPE), 0);
  (void)std::signal(SIGPIPE, before);
}

TEST(FdSink, AReaderThatLeavesInTheMiddleOfAWriteIsAnErrorNotASignal) {
  const auto before = std::signal(SIGPIPE, SIG_DFL);
  TestPipe pipe;
  // The write blocks when the pipe is full; the kernel then reports the bytes that it took, and
  // raises the signal all the same.
  std::thread reader([&] {
    std::array<char, 16> buffer{};
    EXPECT_EQ(read_fd(pipe.read_end.get(), buffer).count, buffer.size());
    pipe.read_end.reset();
  });
  const auto sink = fd_sink(pipe.write_end.get(), "standard output");
  const auto outcome = sink->write(std::string(4'000'000, 'x'));
  reader.join();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().reason, ErrorReason::OutputClosed);
  (void)std::signal(SIGPIPE, before);
}

}  // namespace
}  // namespace helve
