#include "agent/sandbox/channel.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "base/fd.h"

namespace helve::sandbox {
namespace {

class ChannelTest : public ::testing::Test {
 protected:
  ChannelTest() {
    std::array<int, 2> pair{-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair.data()), 0);
    host_ = UniqueFd(pair[0]);
    guest_ = UniqueFd(pair[1]);
  }

  void guest_sends(std::string_view bytes) { EXPECT_EQ(write_fd_fully(guest_.get(), bytes), 0); }

  UniqueFd host_;
  UniqueFd guest_;
};

std::string framed(std::string_view text) {
  return std::string{'\0', '\0', static_cast<char>(text.size() >> 8),
                     static_cast<char>(text.size() & 0xff)} +
         std::string(text);
}

TEST_F(ChannelTest, MessagesComeWholeAndInOrder) {
  Channel channel(host_.get(), 1'000);
  const std::string both = framed("first") + framed("") + framed("second");
  for (const char byte : both) {
    guest_sends({&byte, 1});
    ASSERT_TRUE(channel.receive());
  }
  EXPECT_EQ(channel.next(), "first");
  EXPECT_EQ(channel.next(), "");
  EXPECT_EQ(channel.next(), "second");
  EXPECT_EQ(channel.next(), std::nullopt);
}

TEST_F(ChannelTest, ALengthBeyondTheLimitIsRefusedBeforeItsBytesCome) {
  Channel channel(host_.get(), 1'000);
  guest_sends({"\x40\0\0\0", 4});
  const auto received = channel.receive();
  ASSERT_FALSE(received);
  EXPECT_EQ(received.error().code, ErrorCode::LimitExceeded);
  EXPECT_EQ(received.error().message,
            "it sent a message of 1073741824 bytes, and 1000 are allowed");
}

TEST_F(ChannelTest, TheLimitItselfIsAllowed) {
  Channel channel(host_.get(), 1'000);
  guest_sends(framed(std::string(1'000, 'x')));
  ASSERT_TRUE(channel.receive());
  EXPECT_EQ(channel.next(), std::string(1'000, 'x'));
}

TEST_F(ChannelTest, SendingNeverWaits) {
  Channel channel(host_.get(), 1'000);
  channel.queue(std::string(8 << 20, 'x'));
  ASSERT_TRUE(channel.send());
  EXPECT_TRUE(channel.has_unsent());
  std::string read;
  std::array<char, 65'536> buffer;
  while (channel.has_unsent()) {
    const auto [count, error] = read_fd(guest_.get(), buffer);
    ASSERT_EQ(error, 0);
    read.append(buffer.data(), count);
    ASSERT_TRUE(channel.send());
  }
  for (;;) {
    const auto [count, error] = read_fd(guest_.get(), buffer);
    if (error != 0) break;
    read.append(buffer.data(), count);
  }
  EXPECT_EQ(read.size(), (8U << 20) + 4);
  EXPECT_EQ(read.substr(0, 5), std::string("\0\x80\0\0x", 5));
}

TEST_F(ChannelTest, AClosedEndIsAnErrorAndNoSignal) {
  Channel channel(host_.get(), 1'000);
  guest_.reset();
  channel.queue("x");
  EXPECT_EQ(channel.send().error().code, ErrorCode::Unavailable);
  EXPECT_EQ(channel.receive().error().code, ErrorCode::Unavailable);
}

TEST_F(ChannelTest, WhatCameBeforeTheEndIsThere) {
  Channel channel(host_.get(), 1'000);
  guest_sends(framed("last"));
  guest_.reset();
  static_cast<void>(channel.receive());
  EXPECT_EQ(channel.next(), "last");
}

}  // namespace
}  // namespace helve::sandbox
