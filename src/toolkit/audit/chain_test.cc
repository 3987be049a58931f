#include "toolkit/audit/chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "toolkit/audit/head.h"

namespace helve::toolkit {
namespace {

TEST(Chain, ALineIsHashedWithoutItsHash) {
  std::string out;
  const ChainPlace first = append_chain_line(out, std::nullopt, 0, R"("kind":"a")", ChainHash());
  const std::string bare = R"({"v":1,"seq":0,"prev":")" + std::string(64, '0') + R"(","kind":"a"})";
  EXPECT_EQ(first.hash, digest_hex(DigestKind::Sha256, bare));
  EXPECT_EQ(out, bare.substr(0, bare.size() - 1) + R"(,"hash":")" + first.hash + "\"}\n");
  const ChainHash keyed("0123456789abcdef");
  std::string second;
  EXPECT_EQ(append_chain_line(second, std::nullopt, 0, R"("kind":"a")", keyed).hash,
            hmac_sha256_hex("0123456789abcdef", bare));
}

TEST(Chain, ReadsWhatItWrote) {
  std::string out;
  const ChainHash hash("0123456789abcdef");
  const ChainPlace before{41, std::string(64, 'a')};
  const ChainPlace place = append_chain_line(out, before, 42, R"("x":"\",\"hash\":\"")", hash);
  const std::string_view line = std::string_view(out).substr(0, out.size() - 1);
  const auto parsed = parse_chain_line(line);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->seq, 42U);
  EXPECT_EQ(parsed->prev, before.hash);
  EXPECT_EQ(parsed->hash, place.hash);
  EXPECT_EQ(parsed->content, R"("x":"\",\"hash\":\"")");
  EXPECT_TRUE(has_true_hash(line, *parsed, hash));
  EXPECT_FALSE(has_true_hash(line, *parsed, ChainHash()));
}

TEST(Chain, RefusesWhatItWouldNotWrite) {
  std::string out;
  append_chain_line(out, std::nullopt, 7, R"("k":1)", ChainHash());
  const std::string line = out.substr(0, out.size() - 1);
  ASSERT_TRUE(parse_chain_line(line));
  for (std::size_t size = 0; size < line.size(); ++size) {
    EXPECT_FALSE(parse_chain_line(line.substr(0, size))) << size;
    EXPECT_FALSE(parse_chain_line(line.substr(line.size() - size))) << size;
  }
  EXPECT_FALSE(parse_chain_line(line + " "));
  EXPECT_FALSE(parse_chain_line(" " + line));
  std::string zero = line;
  zero.replace(zero.find(":7,"), 3, ":07,");
  EXPECT_FALSE(parse_chain_line(zero));
  zero.replace(zero.find(":07,"), 4, ":99999999999999999999999,");
  EXPECT_FALSE(parse_chain_line(zero));
}

TEST(Chain, PlacesAsText) {
  const ChainPlace place{17, std::string(64, 'b')};
  EXPECT_EQ(*parse_chain_place(to_text(place)), place);
  for (const std::string& wrong : {std::string(), std::string("17"), ":" + std::string(64, 'b'),
                                   "17:" + std::string(63, 'b'), "17:" + std::string(64, 'B'),
                                   "-1:" + std::string(64, 'b'), "017:" + std::string(64, 'b')}) {
    EXPECT_FALSE(parse_chain_place(wrong)) << wrong;
  }
}

TEST(Head, TheLaterSlotCounts) {
  const ChainHash hash("0123456789abcdef");
  const std::string one = head_slot({{5, std::string(64, 'a')}, 100}, hash);
  const std::string two = head_slot({{6, std::string(64, 'b')}, 200}, hash);
  ASSERT_EQ(one.size(), kHeadSlotBytes);
  const HeadReading reading = read_head(one + two, hash);
  ASSERT_TRUE(reading.head);
  EXPECT_TRUE(reading.is_ours);
  EXPECT_EQ(reading.head->place.seq, 6U);
  EXPECT_EQ(reading.head->bytes, 200U);
  EXPECT_EQ(reading.free_slot, 0U);
  EXPECT_EQ(read_head(two + one, hash).free_slot, 1U);
  EXPECT_EQ(read_head(one, hash).head->place.seq, 5U);
  EXPECT_FALSE(read_head("", hash).head);
}

TEST(Head, ATornSlotLeavesTheOther) {
  const ChainHash hash("0123456789abcdef");
  const std::string one = head_slot({{5, std::string(64, 'a')}, 100}, hash);
  const std::string two = head_slot({{6, std::string(64, 'b')}, 200}, hash);
  const std::size_t text_bytes = two.find_last_not_of(" \n") + 1;
  for (std::size_t size = 0; size < text_bytes; ++size) {
    const HeadReading cut = read_head(one + two.substr(0, size), hash);
    EXPECT_EQ(cut.head->place.seq, 5U) << size;
    EXPECT_EQ(cut.free_slot, 1U);
    std::string changed = two;
    changed[size] = changed[size] == '1' ? '2' : '1';
    EXPECT_EQ(read_head(one + changed, hash).head->place.seq, 5U) << size;
  }
}

TEST(Head, OneOfAnotherKeyIsKnownAsSuch) {
  const ChainHash ours("0123456789abcdef");
  const ChainHash theirs("fedcba9876543210");
  const std::string later = head_slot({{9, std::string(64, 'a')}, 100}, theirs);
  const HeadReading reading = read_head(later, ours);
  ASSERT_TRUE(reading.head);
  EXPECT_FALSE(reading.is_ours);
  const std::string mine = head_slot({{6, std::string(64, 'b')}, 200}, ours);
  EXPECT_EQ(read_head(later + mine, ours).head->place.seq, 6U);
  EXPECT_EQ(read_head(mine + later, ours).head->place.seq, 6U);
}

}  // namespace
}  // namespace helve::toolkit
