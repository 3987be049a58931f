// Every format in both directions, whole, joined, cut, spoilt and followed by garbage.
#include "base/compression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include <string>
#include <vector>

namespace helve {
namespace {

using ::testing::HasSubstr;

// Gives bytes in pieces of a given size, as a slow pipe does.
class PiecewiseSource final : public ByteSource {
 public:
  PiecewiseSource(std::string text, std::size_t piece) : text_(std::move(text)), piece_(piece) {}
  Result<std::size_t> read(std::span<char> into) override {
    const std::size_t n = std::min({into.size(), piece_, text_.size() - at_});
    text_.copy(into.data(), n, at_);
    at_ += n;
    return n;
  }

 private:
  std::string text_;
  std::size_t piece_;
  std::size_t at_ = 0;
};

std::string pack(Compression compression, std::string_view text) {
  StringSink sink;
  const auto compressor = open_compressor(compression, sink);
  EXPECT_TRUE(compressor->write(text));
  EXPECT_TRUE(compressor->finish());
  return sink.take();
}

Result<std::string> unpack(Compression compression, const std::string& packed,
                           const Limits& limits = {}, std::size_t piece = 1U << 20U,
                           std::size_t buffer_bytes = 10'000) {
  const auto source =
      open_decompressor(compression, std::make_unique<PiecewiseSource>(packed, piece), limits);
  std::string text;
  std::string buffer(buffer_bytes, '\0');
  for (;;) {
    HELVE_ASSIGN(const std::size_t n, source->read(buffer));
    if (n == 0) return text;
    text.append(buffer, 0, n);
  }
}

// Hard to compress, longer than every buffer.
std::string noise(std::size_t bytes) {
  std::string text;
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < bytes; ++i) {
    state = state * 1'664'525U + 1'013'904'223U;
    text += static_cast<char>(state >> 24U);
  }
  return text;
}

class CompressionTest : public ::testing::TestWithParam<Compression> {};

TEST_P(CompressionTest, RoundTrip) {
  for (const std::string& text :
       {std::string(), std::string("a"), std::string(1'000'000, 'x'), noise(300'000)}) {
    const std::string packed = pack(GetParam(), text);
    EXPECT_EQ(detect_compression(packed), GetParam());
    const auto back = unpack(GetParam(), packed);
    ASSERT_TRUE(back) << back.error().to_string();
    EXPECT_TRUE(*back == text);
  }
}

TEST_P(CompressionTest, SmallPiecesAndSmallBuffers) {
  const std::string text = noise(20'000) + std::string(20'000, 'y');
  const std::string packed = pack(GetParam(), text);
  EXPECT_TRUE(*unpack(GetParam(), packed, {}, 1, 10'000) == text);
  EXPECT_TRUE(*unpack(GetParam(), packed, {}, 10'000, 1) == text);
}

TEST_P(CompressionTest, SeveralMembersReadAsOne) {
  const std::string packed = pack(GetParam(), "one ") + pack(GetParam(), "") +
                             pack(GetParam(), "two ") + pack(GetParam(), "three");
  EXPECT_EQ(*unpack(GetParam(), packed), "one two three");
  EXPECT_EQ(*unpack(GetParam(), packed, {}, 1, 1), "one two three");
}

TEST_P(CompressionTest, FlushMakesWhatWasWrittenReadable) {
  StringSink sink;
  const auto compressor = open_compressor(GetParam(), sink);
  ASSERT_TRUE(compressor->flush());
  ASSERT_TRUE(compressor->write("first"));
  ASSERT_TRUE(compressor->flush());
  ASSERT_TRUE(compressor->write("second"));
  ASSERT_TRUE(compressor->finish());
  EXPECT_EQ(*unpack(GetParam(), sink.text()), "firstsecond");
}

TEST_P(CompressionTest, EveryCutIsNoticed) {
  const std::string packed = pack(GetParam(), noise(300));
  for (std::size_t length = 0; length < packed.size(); ++length) {
    const auto text = unpack(GetParam(), packed.substr(0, length));
    ASSERT_FALSE(text) << length;
    EXPECT_EQ(text.error().code, ErrorCode::InvalidInput);
    EXPECT_THAT(text.error().message, HasSubstr("ends in the middle"));
    EXPECT_THAT(text.error().message, HasSubstr(std::string(compression_name(GetParam()))));
  }
}

TEST_P(CompressionTest, ACutSecondMemberIsNoticed) {
  const std::string packed = pack(GetParam(), "one") + pack(GetParam(), "two");
  EXPECT_FALSE(unpack(GetParam(), packed.substr(0, packed.size() - 1)));
}

TEST_P(CompressionTest, SpoiltDataIsNoticed) {
  const std::string text = noise(2'000);
  const std::string packed = pack(GetParam(), text);
  for (std::size_t at = 10; at < packed.size(); at += 7) {
    std::string spoilt = packed;
    spoilt[at] = static_cast<char>(spoilt[at] ^ 0x55);
    const auto back = unpack(GetParam(), spoilt);
    if (back) {
      EXPECT_TRUE(*back == text);  // a bit that means nothing, such as a padding bit
    } else {
      EXPECT_NE(back.error().code, ErrorCode::Internal);
    }
  }
  EXPECT_FALSE(unpack(GetParam(), "these bytes are something else"));
}

TEST_P(CompressionTest, GarbageBehindIsNoticed) {
  for (const std::string garbage : {"garbage", "\x1F", "B", "\x28\xB5"}) {
    const auto text = unpack(GetParam(), pack(GetParam(), "data") + garbage);
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().code, ErrorCode::InvalidInput);
  }
  EXPECT_THAT(unpack(GetParam(), pack(GetParam(), "data") + "garbage").error().message,
              HasSubstr("is followed by bytes that are not"));
}

TEST_P(CompressionTest, TheErrorStays) {
  const auto source = open_decompressor(
      GetParam(), std::make_unique<PiecewiseSource>("these bytes are something else", 100));
  std::string buffer(100, '\0');
  EXPECT_FALSE(source->read(buffer));
  EXPECT_FALSE(source->read(buffer));
}

TEST_P(CompressionTest, TheOutputIsBounded) {
  const std::string packed = pack(GetParam(), std::string(8'000'000, 'x'));
  EXPECT_LT(packed.size(), 50'000U);
  Limits limits;
  limits.document_bytes_max = 1'000'000;
  const auto text = unpack(GetParam(), packed, limits);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::LimitExceeded);
  limits.document_bytes_max = 8'000'000;
  EXPECT_TRUE(unpack(GetParam(), packed, limits));
}

INSTANTIATE_TEST_SUITE_P(Formats, CompressionTest,
                         ::testing::Values(Compression::Gzip, Compression::Zstd,
                                           Compression::Bzip2),
                         [](const auto& format) {
                           return std::string(compression_name(format.param));
                         });

TEST(Compression, NonePassesThroughUnderTheLimit) {
  EXPECT_EQ(pack(Compression::None, "text"), "text");
  EXPECT_EQ(*unpack(Compression::None, "text"), "text");
  Limits limits;
  limits.document_bytes_max = 3;
  EXPECT_EQ(unpack(Compression::None, "text", limits).error().code, ErrorCode::LimitExceeded);
}

TEST(Compression, DetectsByMagic) {
  EXPECT_EQ(detect_compression(""), Compression::None);
  EXPECT_EQ(detect_compression("@prefix"), Compression::None);
  EXPECT_EQ(detect_compression("\x1F\x8B"), Compression::None);
  EXPECT_EQ(detect_compression("BZh0"), Compression::None);
  EXPECT_EQ(detect_compression("BZh9"), Compression::Bzip2);
  EXPECT_EQ(detect_compression("\x50\x2A\x4D\x18"), Compression::Zstd);  // a skippable frame
}

TEST(Compression, KnowsNames) {
  EXPECT_EQ(compression_by_name("a.ttl.gz"), Compression::Gzip);
  EXPECT_EQ(compression_by_name("A.NT.GZ"), Compression::Gzip);
  EXPECT_EQ(compression_by_name("a.zst"), Compression::Zstd);
  EXPECT_EQ(compression_by_name("a.bz2"), Compression::Bzip2);
  EXPECT_EQ(compression_by_name("a.ttl"), Compression::None);
  EXPECT_EQ(compression_by_name(".gz"), Compression::None);
}

TEST(Compression, GzipMayBePaddedWithZeros) {
  const std::string packed = pack(Compression::Gzip, "data") + std::string(1'000, '\0');
  EXPECT_EQ(*unpack(Compression::Gzip, packed), "data");
  EXPECT_EQ(*unpack(Compression::Gzip, packed, {}, 1), "data");
  EXPECT_FALSE(unpack(Compression::Gzip, packed + "x"));
}

TEST(Compression, ZstdSkipsSkippableFrames) {
  const std::string skippable("\x50\x2A\x4D\x18\x03\0\0\0abc", 11);
  EXPECT_EQ(*unpack(Compression::Zstd, skippable + pack(Compression::Zstd, "data") + skippable),
            "data");
}

TEST(Compression, ZstdWindowsAreBounded) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 28);
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  std::string packed(1'000, '\0');
  ZSTD_inBuffer in{"data", 4, 0};
  ZSTD_outBuffer out{packed.data(), packed.size(), 0};
  // Without a known size the frame announces the whole window.
  ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush);
  ZSTD_compressStream2(context, &out, &in, ZSTD_e_end);
  ZSTD_freeCCtx(context);
  packed.resize(out.pos);
  const auto text = unpack(Compression::Zstd, packed);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::LimitExceeded);
  EXPECT_THAT(text.error().message, HasSubstr("128 MiB"));
}

}  // namespace
}  // namespace helve
