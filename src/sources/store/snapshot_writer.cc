// Writing a snapshot: which sections it has. snapshot_reader.cc reads them.
#include <fmt/format.h>

#include <vector>

#include "sources/store/byte_stream.h"
#include "sources/store/section_writer.h"
#include "sources/store/snapshot_file.h"
#include "sources/store/snapshot_layout.h"
#include "sources/store/statistics_codec.h"

namespace helve::store {

namespace {

class SnapshotWriter {
 public:
  SnapshotWriter(const Snapshot& snapshot, const SnapshotOrigin& origin)
      : snapshot_(snapshot), origin_(origin) {}

  Result<void> gather(const OpContext& context) {
    add_numbers();
    add_texts();
    add_names();
    out_.add_plain(kStatisticsSection, encode_statistics(snapshot_.statistics()));
    out_.add_plain(kSetsSection,
                   encode_characteristic_sets(snapshot_.statistics().characteristic_sets));
    for (std::size_t tag = 1; tag <= Dictionary::kSections; ++tag) {
      HELVE_TRY(context.check());
      add_dictionary(static_cast<Tag>(tag));
    }
    out_.add_column(kInlinedSection, snapshot_.dictionary().inlined());
    for (const Part part : {Part::Subject, Part::Predicate, Part::Object, Part::Graph}) {
      out_.add_column(directory_section(part), snapshot_.indexes()[directory_order(part)].starts());
    }
    for (std::size_t i = 0; i < kOrders; ++i) {
      for (std::size_t depth = 1; depth <= 3; ++depth) {
        HELVE_TRY(context.check());
        out_.add_column(column_section(static_cast<Order>(i), depth),
                        snapshot_.indexes().orders[i].column(depth).values());
      }
    }
    // What was read from a damaged file must not get a right checksum.
    if (auto failure = snapshot_.failure()) return *std::move(failure);
    return {};
  }

  const SectionWriter& sections() const { return out_; }

 private:
  void add_dictionary(Tag tag) {
    const DictionarySection& from = snapshot_.dictionary().section(tag);
    out_.add_strings(strings_section(tag, "text"), strings_section(tag, "blocks"), from.strings);
    out_.add_column(strings_section(tag, "qualifiers"), from.qualifiers);
  }

  void add_numbers() {
    const Indexes& indexes = snapshot_.indexes();
    ByteWriter out;
    out.number(snapshot_.dictionary().size());
    out.number(indexes.has_named_graphs ? 1 : 0);
    out.number(indexes.repeated_triples);
    for (const Part part : {Part::Subject, Part::Predicate, Part::Object, Part::Graph}) {
      out.number(indexes[directory_order(part)].leading_codes().first);
    }
    out_.add_plain(kNumbersSection, out.take());
  }

  void add_texts() {
    ByteWriter qualifiers;
    qualifiers.number(snapshot_.dictionary().qualifier_names().size());
    for (const auto& name : snapshot_.dictionary().qualifier_names()) qualifiers.text(name);
    out_.add_plain(kQualifiersSection, qualifiers.take());
    ByteWriter prefixes;
    prefixes.number(snapshot_.prefixes().size());
    for (const auto& [name, iri] : snapshot_.prefixes()) {
      prefixes.text(name);
      prefixes.text(iri);
    }
    out_.add_plain(kPrefixesSection, prefixes.take());
    ByteWriter origin;
    origin.text(origin_.created_by);
    origin.text(origin_.key);
    origin.number(origin_.documents.size());
    for (const auto& document : origin_.documents) origin.text(document);
    out_.add_plain(kOriginSection, origin.take());
  }

  // Columns of one part all have the same list of names.
  void add_names() {
    ByteWriter out;
    const Permutation& spo = snapshot_.indexes()[Order::Spo];
    for (const std::size_t depth : {1U, 3U}) {  // predicate and graph
      const Column<Code>& names = spo.column(depth).names();
      out.bytes(bytes_of(names.data(), names.size()));
    }
    out_.add_plain(kNamesSection, out.take());
  }

  const Snapshot& snapshot_;
  const SnapshotOrigin& origin_;
  SectionWriter out_;
};

Result<void> publish(Files& files, const std::filesystem::path& draft,
                     const std::filesystem::path& folder, IfPresent if_present) {
  const auto path = folder / kSnapshotFileName;
  if (if_present == IfPresent::Replace) return files.rename(draft, path);
  auto outcome = files.rename_new(draft, path);
  const bool is_late =
      !outcome && outcome.error().code == ErrorCode::InvalidInput && files.status(path);
  return is_late ? snapshot_is_there(folder) : outcome;
}

// A folder that was made is on disk once the one that it is in was synchronised. Some of those may
// not be read, and were there before then.
void sync_folders_above(Files& files, const std::filesystem::path& folder) {
  std::filesystem::path at = folder.has_filename() ? folder : folder.parent_path();
  while (at.has_relative_path()) {
    at = at.has_parent_path() ? at.parent_path() : ".";
    if (!files.sync_directory(at) || at == ".") return;
  }
}

// A log is known by the content of its base: one that stayed behind when its base went must not
// become that of a new one. The log of what is replaced stays until that is.
Result<void> remove_stray_log(std::uint64_t content_checksum, const std::filesystem::path& folder,
                              const OpContext& context, Env& env) {
  const auto path = log_path(folder, content_checksum);
  if (!env.files().status(path)) return {};
  if (is_snapshot_folder(folder, env)) {
    const auto present = open_snapshot(folder, context, env);
    if (!present || (*present)->content_checksum() == content_checksum) return {};
  }
  HELVE_TRY(env.files().remove(path));
  return env.files().sync_directory(folder);
}

}  // namespace

Result<SnapshotDraft> write_snapshot_draft(const Snapshot& snapshot, const SnapshotOrigin& origin,
                                           const std::filesystem::path& folder,
                                           const OpContext& context, Env& env) {
  Files& files = env.files();
  SnapshotWriter writer(snapshot, origin);
  HELVE_TRY(writer.gather(context));
  SnapshotDraft draft;
  draft.path = new_snapshot_draft(folder, env);
  draft.content_checksum = writer.sections().content_checksum(kOriginSection);
  // Where the file system has no locks, drafts are kept.
  if (auto lock = files.lock(draft.path)) draft.lock = std::move(*lock);
  constexpr FileFormat kFormat{SnapshotHeader::kMagic, kSnapshotFormat};
  auto outcome = writer.sections().write_durably(files, draft.path, kFormat, context);
  if (outcome) return draft;
  (void)files.remove(draft.path);  // the first error is the one worth telling
  return outcome.error();
}

Result<void> publish_snapshot(const SnapshotDraft& draft, const std::filesystem::path& folder,
                              IfPresent if_present, Env& env) {
  auto outcome = publish(env.files(), draft.path, folder, if_present);
  if (!outcome) (void)env.files().remove(draft.path);
  return outcome;
}

Result<void> write_snapshot(const Snapshot& snapshot, const SnapshotOrigin& origin,
                            const std::filesystem::path& folder, const OpContext& context, Env& env,
                            IfPresent if_present, const FileLock* held) {
  Files& files = env.files();
  HELVE_TRY(check_snapshot_target(folder, if_present, env));
  HELVE_TRY(files.make_directories(folder));
  remove_dead_drafts(folder, env);
  // Nobody shall go on changing what is replaced, nor begin to.
  std::unique_ptr<FileLock> lock;
  const bool replaces = if_present == IfPresent::Replace;
  if (held == nullptr && replaces) {
    HELVE_ASSIGN(lock, lock_for_writing(folder, env));
  }
  HELVE_ASSIGN(const SnapshotDraft draft,
               write_snapshot_draft(snapshot, origin, folder, context, env));
  if (auto removed = remove_stray_log(draft.content_checksum, folder, context, env); !removed) {
    (void)files.remove(draft.path);
    return removed;
  }
  HELVE_TRY(publish_snapshot(draft, folder, if_present, env));
  // Its log is all that the older one has more than its base: it goes after it. Where nothing was
  // replaced there was none, and may be one of the new index by now.
  HELVE_TRY(files.sync_directory(folder));
  if (replaces && remove_logs_but({}, folder, env)) HELVE_TRY(files.sync_directory(folder));
  sync_folders_above(files, folder);
  return {};
}

Result<std::uint64_t> compute_content_checksum(const Snapshot& snapshot, const OpContext& context) {
  if (snapshot.content_checksum()) return *snapshot.content_checksum();
  const SnapshotOrigin nowhere;
  SnapshotWriter writer(snapshot, nowhere);
  HELVE_TRY(writer.gather(context));
  return writer.sections().content_checksum(kOriginSection);
}

}  // namespace helve::store
