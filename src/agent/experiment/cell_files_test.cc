#include "agent/experiment/cell_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/experiment/frozen_bank.h"
#include "tests/support/temp_directory.h"

namespace helve::agent {
namespace {

using ::testing::SizeIs;

TEST(CellFiles, NamesAreFoldersOfTheirOwn) {
  EXPECT_EQ(folder_name("solar-tables"), "solar-tables");
  EXPECT_EQ(folder_name("../../etc"), "set.._.._etc");
  EXPECT_EQ(folder_name(""), "set");
  EXPECT_EQ(folder_name("a/b c\n"), "a_b_c_");
  EXPECT_EQ(folder_name(std::string(500, 'x')).size(), 64U);
}

TEST(CellFiles, TreesGoWithoutWhatLinksLeadTo) {
  const TempDirectory folder;
  ASSERT_TRUE(real_env().files().make_directories(folder / "tree/deep/deeper"));
  ASSERT_TRUE(real_env().files().make_directories(folder / "kept"));
  ASSERT_TRUE(write_file_atomically(real_env(), folder / "kept/file", "x"));
  ASSERT_TRUE(write_file_atomically(real_env(), folder / "tree/deep/file", "x"));
  std::filesystem::create_directory_symlink(folder / "kept", folder / "tree/link");
  ASSERT_TRUE(remove_tree(folder / "tree", real_env()));
  EXPECT_FALSE(is_there(folder / "tree", real_env()));
  EXPECT_TRUE(is_there(folder / "kept/file", real_env()));
  EXPECT_TRUE(remove_tree(folder / "tree", real_env()));
}

TEST(FrozenBank, IsFoundInAndNotChanged) {
  const TempDirectory folder;
  auto bank = *memory::MemoryBank::open(folder / "bank.db", true, real_env(), {});
  memory::Item item;
  item.title = "Count moons";
  item.desc = "When moons are asked for.";
  item.content = "Group by the planet.";
  item.id = id_of(item);
  ASSERT_TRUE(bank->repository().add({item}, {}).has_value());
  {
    const auto cold = frozen(bank, real_clock());
    EXPECT_THAT(cold->search("moons", {}, {})->hits, SizeIs(1));
    cold->note_use(item.id, memory::Usage::Retrieved);
    EXPECT_EQ(cold->repository().add({item}, {}).error().code, ErrorCode::Denied);
    EXPECT_EQ(cold->repository().retract(item.id, {}).error().code, ErrorCode::Denied);
  }
  EXPECT_EQ(bank->repository().get({item.id}, {})->at(0).counters.retrieved, 0U);
}

}  // namespace
}  // namespace helve::agent
