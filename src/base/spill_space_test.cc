// Spill files: what is read is what was written, or an error; their room is counted.
#include "base/spill_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/fake_env.h"
#include "tests/support/temp_directory.h"

namespace helve {
namespace {

using ::testing::HasSubstr;

std::vector<char> block_of(std::string_view text) {
  std::vector<char> block(SpillFile::kHeaderBytes);
  block.insert(block.end(), text.begin(), text.end());
  return block;
}

std::string text_of(const std::vector<char>& block) {
  return {block.begin() + SpillFile::kHeaderBytes, block.end()};
}

TEST(SpillSpace, GivesBlocksBack) {
  FakeEnv env;
  SpillSpace space(env.files(), "/", 1'000);
  {
    auto file = space.make_file("a sort");
    ASSERT_TRUE(file);
    std::vector<char> first = block_of("one");
    std::vector<char> second = block_of("two and more");
    const auto first_place = (*file)->append(first);
    const auto second_place = (*file)->append(second);
    ASSERT_TRUE(first_place && second_place);
    std::vector<char> read(second.size());
    ASSERT_TRUE((*file)->read(*second_place, read));
    EXPECT_EQ(text_of(read), "two and more");
    read.resize(first.size());
    ASSERT_TRUE((*file)->read(*first_place, read));
    EXPECT_EQ(text_of(read), "one");
    EXPECT_EQ(space.bytes_used(), first.size() + second.size());
    EXPECT_EQ(env.files().scratch_files(), 1U);
  }
  EXPECT_EQ(space.bytes_used(), 0U);
  EXPECT_EQ(space.bytes_written(), 31U);
  EXPECT_EQ(env.files().scratch_files(), 0U);
}

TEST(SpillSpace, EveryDamagedByteIsFound) {
  for (std::uint64_t at = 0; at < 20; ++at) {
    FakeEnv env;
    SpillSpace space(env.files(), "/", 1'000);
    const auto file = *space.make_file("a sort");
    std::vector<char> block = block_of("twelve bytes");
    const auto place = file->append(block);
    ASSERT_TRUE(place);
    env.files().damage_scratch(at);
    const auto read = file->read(*place, block);
    ASSERT_FALSE(read) << at;
    EXPECT_EQ(read.error().code, ErrorCode::Unavailable);
    EXPECT_THAT(read.error().message, HasSubstr("damaged"));
  }
}

TEST(SpillSpace, HoldsItsLimitOverAllFiles) {
  FakeEnv env;
  SpillSpace space(env.files(), "/", 40);
  const auto first = *space.make_file("a sort");
  auto second = *space.make_file("a join");
  std::vector<char> block = block_of("twelve bytes");
  ASSERT_TRUE(first->append(block));
  ASSERT_TRUE(second->append(block));
  const auto refused = first->append(block);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::LimitExceeded);
  EXPECT_THAT(refused.error().message, HasSubstr("a sort needs more than the 40 B"));
  EXPECT_THAT(refused.error().hint, HasSubstr("--max-temp"));
  second.reset();
  EXPECT_TRUE(first->append(block));
}

TEST(SpillSpace, AFullDiskIsAnError) {
  FakeEnv env;
  SpillSpace space(env.files(), "/", 1'000);
  env.files().disk_full_after(25);
  const auto file = *space.make_file("a sort");
  std::vector<char> block = block_of("twelve bytes");
  ASSERT_TRUE(file->append(block));
  const auto refused = file->append(block);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(refused.error().message, HasSubstr("No space left"));
  EXPECT_THAT(refused.error().hint, HasSubstr("--temp"));
}

TEST(SpillSpace, AFolderThatIsNotThereIsAnError) {
  FakeEnv env;
  SpillSpace space(env.files(), "/none", 1'000);
  const auto file = space.make_file("a sort");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(file.error().message, HasSubstr("/none"));
}

TEST(SpillSpace, LeavesNoNamesOnARealDisk) {
  const TempDirectory folder;
  SpillSpace space(real_env().files(), folder.path(), kMiB);
  const auto file = space.make_file("a sort");
  ASSERT_TRUE(file) << file.error().to_string();
  std::vector<char> block = block_of(std::string(100'000, 'x'));
  ASSERT_TRUE((*file)->append(block));
  const auto place = (*file)->append(block);
  ASSERT_TRUE(place);
  EXPECT_TRUE(real_env().files().list(folder.path())->empty());
  std::vector<char> read(block.size());
  ASSERT_TRUE((*file)->read(*place, read));
  EXPECT_EQ(read, block);
  EXPECT_EQ((*file)->read(*place + 1, read).error().code, ErrorCode::Unavailable);
}

}  // namespace
}  // namespace helve
