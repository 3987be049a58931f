// A text index on disk: the file "helve-names" beside the snapshot it belongs to. It is made of the
// snapshot and can be made again at any time: one that is stale, damaged or of another version is
// as good as none.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "base/env.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/store/text_index.h"

namespace helve::store {

// Changes with the layout, and with how texts are cut into words and folded.
inline constexpr std::uint32_t kNamesFormat = 2;

// Takes the place of an older one when everything is on disk.
Result<void> write_text_index(const TextIndex& index, const Snapshot& snapshot,
                              const std::filesystem::path& folder, const OpContext& context,
                              Env& env = real_env());

// Maps it; reads the header and the small parts alone. Errors: NotFound; InvalidInput for one of
// another snapshot or version; Unavailable where it is damaged. Damage in the rest is found at its
// first use: TextIndex::failure().
Result<std::shared_ptr<const TextIndex>> open_text_index(const Snapshot& snapshot,
                                                         const std::filesystem::path& folder,
                                                         const OpContext& context,
                                                         Env& env = real_env());

}  // namespace helve::store
