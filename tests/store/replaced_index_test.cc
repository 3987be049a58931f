// An index with changes that another is loaded over, without power at any moment of it: the old one
// with all of its changes is there, or the new one.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "sources/store/live/live_testing.h"
#include "tests/store/power_loss_files.h"
#include "tests/store/store_asking.h"
#include "tests/support/temp_directory.h"

namespace helve {
namespace {

using store::live_testing::Model;
using Path = std::filesystem::path;

class ReplacedIndexTest : public ::testing::Test {
 protected:
  void write(const Model& model, Env& env) {
    const auto made = store::live_testing::load(store::live_testing::to_nquads(model));
    const auto written = store::write_snapshot(*made, {}, index_, {}, env);
    ASSERT_TRUE(written) << written.error().to_string();
  }

  // The disk as it was before.
  void restore() {
    std::filesystem::remove_all(disk_);
    std::filesystem::copy(before_, disk_, std::filesystem::copy_options::recursive);
  }

  Model found_after_power_loss(unsigned seed) {
    std::mt19937_64 random(seed);
    restore();
    DiskModel model(disk_);
    model.adopt();
    model.replay(journal_);
    model.lose_power(random);
    model.write_out();
    const auto read = store::open_live_snapshot(index_, {});
    EXPECT_TRUE(read) << read.error().to_string();
    return read ? store::live_testing::contents_of(**read) : Model();
  }

  // Loads over the index, with power losses at many moments towards its end, where names change.
  void load_over(const Model& present, const Model& next) {
    restore();
    {
      PowerLossFiles files(disk_, journal_, std::chrono::microseconds(0));
      PowerLossEnv env(files);
      write(next, env);
    }
    constexpr std::uint64_t kEnd = 600;
    const std::uint64_t bytes = std::filesystem::file_size(journal_);
    ASSERT_GT(bytes, kEnd);
    for (std::uint64_t cut = bytes; cut > bytes - kEnd; cut -= 32) {
      std::filesystem::resize_file(journal_, cut);
      for (unsigned seed = 0; seed < 8; ++seed) {
        const Model found = found_after_power_loss(seed);
        ASSERT_TRUE(found == next || (cut < bytes && found == present))
            << "cut at byte " << cut << " of " << bytes << ", seed " << seed << ":\n"
            << store::live_testing::to_nquads(found);
      }
    }
  }

  const TempDirectory folder_;
  const Path disk_ = folder_ / "disk";
  const Path index_ = disk_ / "index";
  const Path journal_ = folder_ / "journal";
  const Path before_ = folder_ / "before";
};

TEST_F(ReplacedIndexTest, IsTheOldOneWithItsChangesOrTheNewOne) {
  const Model old = {{"<urn:s>", "<urn:p>", "\"old\"", ""}};
  const Model changed = {{"<urn:s>", "<urn:p>", "\"old\"", ""},
                         {"<urn:s>", "<urn:p>", "\"changed\"", ""}};
  const Model next = {{"<urn:s>", "<urn:p>", "\"new\"", ""}};
  write(old, real_env());
  {
    const auto opened = store::LiveStore::open(index_, {}, {});
    ASSERT_TRUE(opened) << opened.error().to_string();
    ASSERT_TRUE(change(**opened, "INSERT DATA { <urn:s> <urn:p> 'changed' }"));
  }
  std::filesystem::copy(disk_, before_, std::filesystem::copy_options::recursive);
  load_over(changed, next);
  load_over(changed, old);  // which takes the changes back
}

}  // namespace
}  // namespace helve
