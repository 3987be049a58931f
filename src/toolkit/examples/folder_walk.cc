#include "toolkit/examples/folder_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/compression.h"
#include "base/text.h"
#include "sources/rdf/format.h"

namespace helve::toolkit {

namespace {

namespace fs = std::filesystem;

bool is_plain_rdf(const std::string& name) {
  return rdf::format_of_path(name) && compression_by_name(name) == Compression::None;
}

class Walk {
 public:
  Walk(const WalkLimits& limits, const OpContext& context) : limits_(limits), context_(context) {}

  Result<WalkedFiles> of_folder(fs::path root) {
    found_.root = std::move(root);
    std::vector<Folder> waiting{{{}, 0}};
    while (!waiting.empty() && found_.incomplete.empty()) {
      const Folder folder = std::move(waiting.back());
      waiting.pop_back();
      HELVE_TRY(list(folder, waiting));
    }
    std::sort(found_.files.begin(), found_.files.end());
    return std::move(found_);
  }

 private:
  struct Folder {
    fs::path name;  // relative to the root
    std::size_t depth = 0;
  };

  Result<void> list(const Folder& folder, std::vector<Folder>& waiting) {
    HELVE_TRY(context_.check());
    std::error_code failed;
    fs::directory_iterator at(found_.root / folder.name, failed);
    if (failed) {
      ++found_.unread;
      return {};
    }
    while (at != fs::directory_iterator()) {
      constexpr std::size_t kBetweenChecks = 256;
      if (++entries_ % kBetweenChecks == 0) HELVE_TRY(context_.check());
      if (entries_ > limits_.entries_max) {
        stop(fmt::format("it has more than {} entries", format_count(limits_.entries_max)));
        return {};
      }
      add(*at, folder, waiting);
      if (!found_.incomplete.empty()) return {};
      at.increment(failed);
      if (failed) {
        ++found_.unread;
        return {};
      }
    }
    return {};
  }

  void add(const fs::directory_entry& entry, const Folder& folder, std::vector<Folder>& waiting) {
    const fs::path name = entry.path().filename();
    if (name.native().starts_with('.')) return;
    std::error_code failed;
    const fs::file_status status = entry.symlink_status(failed);
    if (failed) return;
    if (fs::is_symlink(status)) {
      ++found_.links;
    } else if (fs::is_directory(status)) {
      if (folder.depth + 1 > limits_.depth_max) {
        stop(fmt::format("folders are nested more than {} deep", limits_.depth_max));
        return;
      }
      waiting.push_back({folder.name / name, folder.depth + 1});
    } else if (fs::is_regular_file(status) && is_plain_rdf(name.native())) {
      if (found_.files.size() == limits_.files_max) {
        stop(fmt::format("it has more than {} RDF files", format_count(limits_.files_max)));
        return;
      }
      found_.files.push_back((folder.name / name).generic_string());
    }
  }

  void stop(std::string why) { found_.incomplete = std::move(why); }

  const WalkLimits& limits_;
  const OpContext& context_;
  WalkedFiles found_;
  std::size_t entries_ = 0;
};

}  // namespace

Result<WalkedFiles> walk_rdf_files(const fs::path& path, const WalkLimits& limits,
                                   const OpContext& context) {
  std::error_code failed;
  const fs::path real = fs::canonical(path, failed);
  const fs::file_status status = failed ? fs::file_status() : fs::status(real, failed);
  if (failed || !fs::exists(status)) {
    return Error{ErrorCode::NotFound, fmt::format("there is no file or folder {}", path.native()),
                 "give the path of a folder of RDF files, or of one of them"};
  }
  if (fs::is_directory(status)) return Walk(limits, context).of_folder(real);
  if (!fs::is_regular_file(status)) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("{} is neither file nor folder", real.native()),
                 "give the path of a folder of RDF files, or of one of them"};
  }
  WalkedFiles one;
  one.root = real.parent_path();
  one.files.push_back(real.filename().string());
  return one;
}

}  // namespace helve::toolkit
