#include "sources/store/scratch_space.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sources/store/front_coded_stream.h"
#include "sources/store/packed_column_builder.h"
#include "sources/store/packed_column_stream.h"
#include "sources/store/scratch_bytes.h"
#include "tests/support/fake_env.h"

namespace helve::store {
namespace {

std::vector<std::filesystem::path> names_in(Env& env, const char* folder) {
  return env.files().list(folder).value_or(std::vector<std::filesystem::path>());
}

TEST(ScratchSpace, FilesAreReadAfterTheirNamesAndTheSpaceAreGone) {
  FakeEnv env;
  auto space = ScratchSpace::create("/out", env);
  ASSERT_TRUE(space) << space.error().to_string();
  auto file = (*space)->make_file();
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->write("one "));
  ASSERT_TRUE((*file)->write("two"));
  const auto mapped = (*file)->finish();
  ASSERT_TRUE(mapped);
  const auto folders = names_in(env, "/out");
  ASSERT_EQ(folders.size(), 1u);
  EXPECT_TRUE(is_scratch_name(folders[0]));
  EXPECT_EQ(names_in(env, ("/out/" + folders[0].string()).c_str()).size(), 1u);  // the lock
  EXPECT_EQ((*space)->bytes_written(), 7u);
  file->reset();
  space->reset();
  EXPECT_EQ((*mapped)->text(), "one two");
  EXPECT_FALSE(env.files().status("/out"));  // it was made for the space
}

TEST(ScratchSpace, AFolderThatWasThereStays) {
  FakeEnv env;
  env.files().put("/out/other", "x");
  {
    const auto space = ScratchSpace::create("/out", env);
    ASSERT_TRUE(space);
    const auto file = (*space)->make_file();
    ASSERT_TRUE(file);
    ASSERT_TRUE((*file)->write("not finished"));
  }
  EXPECT_EQ(names_in(env, "/out"), std::vector<std::filesystem::path>{"other"});
}

TEST(ScratchSpace, WhatKilledProcessesLeftIsRemoved) {
  FakeEnv env;
  env.files().put("/out/.helve-index.0011.scratch/lock", "");
  env.files().put("/out/.helve-index.0011.scratch/7", "left");
  env.files().put("/out/kept", "");
  const auto alive = ScratchSpace::create("/out", env);
  ASSERT_TRUE(alive);
  env.clock().advance(std::chrono::hours(1));
  const auto names = names_in(env, "/out");
  ASSERT_EQ(names.size(), 2u);
  remove_dead_scratch("/out", env);
  EXPECT_EQ(names_in(env, "/out"), names);  // one that is in use stays, however old
}

TEST(ScratchSpace, AFullDiskIsToldWithTheFolder) {
  FakeEnv env;
  auto space = ScratchSpace::create("/out", env);
  ASSERT_TRUE(space);
  env.files().disk_full_after(10);
  auto file = (*space)->make_file();
  ASSERT_TRUE(file);
  const auto written = (*file)->write("more than ten bytes");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::Unavailable);
  EXPECT_NE(written.error().hint.find("/out"), std::string::npos);
  file->reset();
  space->reset();
  EXPECT_FALSE(env.files().status("/out"));
}

// Columns of every size, in memory and in files, are those of the builder in memory.
TEST(PackedColumnStream, IsTheColumnOfTheBuilder) {
  FakeEnv env;
  const auto space = ScratchSpace::create("/out", env);
  ASSERT_TRUE(space);
  MemoryBudget memory("test", 64 * kMiB);
  for (const std::size_t size : {0u, 1u, 127u, 128u, 129u, 300'000u}) {
    std::vector<std::uint32_t> values;
    for (std::size_t i = 0; i < size; ++i) {
      values.push_back(static_cast<std::uint32_t>(i * 2'654'435'761u) >> (i / 1'000 % 32));
    }
    const auto expected = pack_column<std::uint32_t>(values);
    for (ScratchSpace* const scratch : {space->get(), static_cast<ScratchSpace*>(nullptr)}) {
      PackedColumnStream<std::uint32_t> stream({scratch, &memory});
      const std::span<const std::uint32_t> all(values);
      for (std::size_t i = 0; i < size / 2; ++i) ASSERT_TRUE(stream.add(all[i]));
      ASSERT_TRUE(stream.add(all.subspan(size / 2)));
      const auto column = stream.finish();
      ASSERT_TRUE(column);
      ASSERT_EQ(column->size(), size);
      ASSERT_EQ(column->data().bytes(), expected.data().bytes());
      EXPECT_TRUE(
          std::equal(column->data().begin(), column->data().end(), expected.data().begin()));
      for (std::size_t i = 0; i < size; i += 97) EXPECT_EQ((*column)[i], values[i]);
      const bool is_in_file = scratch != nullptr && size > 1'000;
      EXPECT_EQ(memory.bytes_used() >= column->data().bytes(), !is_in_file);
    }
  }
  EXPECT_EQ(memory.bytes_used(), 0u);
}

TEST(FrontCodedStream, IsWhatTheBuilderMakes) {
  FakeEnv env;
  const auto space = ScratchSpace::create("/out", env);
  ASSERT_TRUE(space);
  for (const std::size_t size : {0u, 1u, 16u, 17u, 100'000u}) {
    FrontCodedBuilder builder;
    FrontCodedStream stream({space->get(), &process_memory()});
    for (std::size_t i = 0; i < size; ++i) {
      const std::string text = "http://example.org/" + std::to_string(1'000'000 + i);
      builder.add(text);
      ASSERT_TRUE(stream.add(text));
    }
    const FrontCoded expected = builder.finish();
    const auto coded = stream.finish();
    ASSERT_TRUE(coded);
    EXPECT_EQ(coded->size(), size);
    EXPECT_TRUE(std::equal(coded->bytes().begin(), coded->bytes().end(), expected.bytes().begin(),
                           expected.bytes().end()));
    EXPECT_EQ(coded->blocks().size(), expected.blocks().size());
    EXPECT_EQ(coded->lower_bound("http://example.org/1000016"),
              expected.lower_bound("http://example.org/1000016"));
  }
}

}  // namespace
}  // namespace helve::store
