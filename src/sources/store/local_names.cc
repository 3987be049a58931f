#include "sources/store/local_names.h"

#include "base/log.h"
#include "sources/store/snapshot_file.h"
#include "sources/store/text_index_builder.h"
#include "sources/store/text_index_file.h"
#include "sources/store/text_index_search.h"

namespace helve::store {

Result<std::vector<NameHit>> LocalNames::find(const Snapshot& snapshot, const FindRequest& request,
                                              const OpContext& context) {
  HELVE_ASSIGN(Index index, open_or_make(snapshot, context));
  auto hits = search_names(snapshot, *index, request, context);
  if (const auto failure = index->failure()) {
    log_info("a damaged index of names is made anew", {{"reason", failure->to_string()}});
    index_.drop(index);
    HELVE_ASSIGN(index, index_.get(context, [&] { return make(snapshot, context); }));
    hits = search_names(snapshot, *index, request, context);
  }
  if (auto failure = snapshot.failure()) return *std::move(failure);
  return hits;
}

Result<LocalNames::Index> LocalNames::open_or_make(const Snapshot& snapshot,
                                                   const OpContext& context) {
  return index_.get(context, [&]() -> Result<Index> {
    if (!folder_.path.empty()) {
      auto opened = open_text_index(snapshot, folder_.path, context, env());
      if (opened) return opened;
      HELVE_TRY(context.check());
      log_debug("there is no index of names that can be used",
                {{"reason", opened.error().to_string()}});
    }
    return make(snapshot, context);
  });
}

// A folder that was compacted since has another index, whose names are not to be replaced.
bool LocalNames::is_of_folder(const Snapshot& snapshot, const OpContext& context) const {
  const auto now = open_snapshot(folder_.path, context, env());
  return now && (*now)->content_checksum() == snapshot.content_checksum();
}

Result<LocalNames::Index> LocalNames::make(const Snapshot& snapshot,
                                           const OpContext& context) const {
  HELVE_ASSIGN(Index index, build_text_index(snapshot, context));
  if (folder_.path.empty() || !is_of_folder(snapshot, context)) return index;
  // The search goes on without it, and the next process makes it again.
  const auto written = write_text_index(*index, snapshot, folder_.path, context, env());
  if (!written) {
    log_debug("the index of names is not kept", {{"reason", written.error().to_string()}});
  }
  return index;
}

}  // namespace helve::store
