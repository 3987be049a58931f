#include "toolkit/handles/handle_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/json.h"
#include "base/text.h"

namespace helve::toolkit {

namespace {

using Path = std::filesystem::path;

constexpr std::string_view kLock = "lock";
constexpr std::string_view kManifest = "manifest.json";
constexpr std::string_view kHandleEnding = ".handle";
constexpr std::string_view kGraphEnding = ".graph";
constexpr std::string_view kDraftEnding = ".tmp";
constexpr Duration kLockPause = std::chrono::milliseconds(10);
constexpr int kFolderDepthMax = 8;  // of the folder of a graph

Result<std::unique_ptr<FileLock>> wait_for_lock(const Path& path, Env& env,
                                                const OpContext& context) {
  const Deadline deadline = context.deadline.is_never()
                                ? Deadline(env.clock(), HandleFolder::kLockWait)
                                : context.deadline;
  for (;;) {
    auto lock = env.files().lock(path);
    if (lock || lock.error().code != ErrorCode::Unavailable) return lock;
    if (context.cancel.is_cancelled()) {
      return Error{ErrorCode::Cancelled, "the operation was cancelled"};
    }
    if (deadline.has_passed()) {
      return Error{ErrorCode::Unavailable,
                   fmt::format("the session folder '{}' is in use by another process",
                               path.parent_path().native()),
                   "wait for that process to end, or use another session folder"};
    }
    env.clock().sleep_for(std::min(kLockPause, deadline.remaining()));
  }
}

// The number in front of an ending: 7 of "7.handle".
std::optional<std::uint64_t> serial_of(std::string_view name) {
  std::uint64_t serial = 0;
  const auto [end, error] = std::from_chars(name.begin(), name.end(), serial);
  if (error != std::errc() || end == name.end() || *end != '.' || end - name.begin() > 18) {
    return std::nullopt;
  }
  return serial;
}

// A link is removed as a link: what it leads to stays.
void remove_tree(Files& files, const Path& path, int depth) {
  if (files.remove(path) || depth == 0) return;
  const auto names = files.list(path);
  if (!names) return;
  for (const Path& name : *names) remove_tree(files, path / name, depth - 1);
  (void)files.remove(path);
}

std::uint64_t tree_bytes(Files& files, const Path& path, int depth) {
  const auto status = files.status(path);
  if (!status) return 0;
  if (status->kind != FileKind::Directory || depth == 0) return status->size;
  const auto names = files.list(path);
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; names && i < names->size(); ++i) {
    bytes += tree_bytes(files, path / (*names)[i], depth - 1);
  }
  return bytes;
}

Error damage(std::string_view what) { return Error{ErrorCode::InvalidInput, std::string(what)}; }

std::int64_t micros_of(WallTime time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
}

std::string manifest_text(const HandleManifest& manifest) {
  std::string text;
  JsonWriter out(text);
  out.begin_object();
  out.member("version", 1);
  out.key("next");
  out.begin_object();
  for (const auto& [type, number] : manifest.next) out.member(type, number);
  out.end_object();
  out.key("used_us");
  out.begin_object();
  for (const auto& [key, time] : manifest.used) out.member(key, micros_of(time));
  out.end_object();
  out.key("gone");
  out.begin_array();
  for (const auto& [key, why] : manifest.gone) {
    out.begin_array();
    out.value(key);
    out.value(why);
    out.end_array();
  }
  out.end_array();
  out.end_object();
  text += fmt::format("\n{:016x}\n", text_checksum(text));
  return text;
}

Result<HandleManifest> manifest_of(std::string_view text) {
  const std::size_t line_end = text.find('\n');
  const std::string_view json_text = text.substr(0, line_end);
  if (line_end == std::string_view::npos ||
      text.substr(line_end) != fmt::format("\n{:016x}\n", text_checksum(json_text))) {
    return damage("the checksum is wrong");
  }
  HELVE_ASSIGN(const JsonValue json, parse_json(json_text));
  const auto members = [&json](std::string_view key) {
    const JsonValue* value = json.find(key);
    return value != nullptr ? value->if_object() : nullptr;
  };
  const JsonValue::Object* next = members("next");
  const JsonValue::Object* used = members("used_us");
  const JsonValue* gone = json.find("gone");
  if (next == nullptr || used == nullptr || gone == nullptr || gone->if_array() == nullptr) {
    return damage("it is of another version");
  }
  HandleManifest manifest;
  for (const auto& [type, value] : *next) manifest.next[type] = value.to_uint64().value_or(0);
  for (const auto& [key, value] : *used) {
    const std::int64_t micros =
        std::clamp<std::int64_t>(value.to_int64().value_or(0), 0, std::int64_t{1} << 52);
    manifest.used[key] = WallTime(std::chrono::microseconds(micros));
  }
  for (const JsonValue& entry : *gone->if_array()) {
    const JsonValue::Array* pair = entry.if_array();
    if (pair == nullptr || pair->size() != 2) continue;
    const std::string* key = (*pair)[0].if_string();
    const std::string* why = (*pair)[1].if_string();
    if (key != nullptr && why != nullptr) manifest.gone.emplace_back(*key, *why);
  }
  return manifest;
}

}  // namespace

Result<std::unique_ptr<HandleFolder>> HandleFolder::open(Path path, Env& env, GraphFactory* graphs,
                                                         const OpContext& context) {
  Files& files = env.files();
  if (!files.status(path)) {
    HELVE_TRY(files.make_directories(path));
    (void)files.sync_directory(path.has_parent_path() ? path.parent_path() : ".");
  }
  HELVE_ASSIGN(auto lock, wait_for_lock(path / kLock, env, context));
  return std::unique_ptr<HandleFolder>(
      new HandleFolder(std::move(path), env, graphs, std::move(lock)));
}

Path HandleFolder::handle_path(std::uint64_t serial) const {
  return path_ / fmt::format("{}{}", serial, kHandleEnding);
}

Path HandleFolder::graph_path(std::uint64_t serial) const {
  return path_ / fmt::format("{}{}", serial, kGraphEnding);
}

Result<std::vector<HandleFolder::Found>> HandleFolder::scan(HandleManifest& manifest,
                                                            std::vector<std::string>& problems) {
  HELVE_ASSIGN(const auto names, env_.files().list(path_));
  std::vector<Found> found;
  std::vector<std::uint64_t> graphs;
  for (const Path& path : names) {
    const std::string& name = path.native();
    if (name.starts_with('.') && name.ends_with(kDraftEnding)) {
      (void)env_.files().remove(path_ / path);
      continue;
    }
    const auto serial = serial_of(name);
    if (!serial) continue;
    next_serial_ = std::max(next_serial_, *serial + 1);
    if (path == graph_path(*serial).filename()) graphs.push_back(*serial);
    if (path == handle_path(*serial).filename()) scan_file(path, found, problems);
  }
  remove_leftover_graphs(graphs, found);
  if (auto read = read_manifest()) {
    manifest = *std::move(read);
  } else if (read.error().code != ErrorCode::NotFound) {
    const Path place = path_ / kManifest;
    (void)env_.files().rename(place, place.native() + ".damaged");
    problems.push_back(fmt::format("the manifest of the session was damaged and set aside: {}",
                                   read.error().full_message()));
  }
  return found;
}

void HandleFolder::scan_file(const Path& name, std::vector<Found>& found,
                             std::vector<std::string>& problems) {
  const std::uint64_t serial = serial_of(name.native()).value_or(0);
  const auto file = env_.files().map(path_ / name);
  if (!file) {  // perhaps it can be read another time
    problems.push_back(file.error().to_string());
    return;
  }
  auto handle = decode_handle((*file)->text());
  if (!handle) {
    problems.push_back(set_aside(serial, handle.error().full_message()));
    return;
  }
  const bool is_double = std::any_of(found.begin(), found.end(), [&](const Found& one) {
    return one.record.ref.key == handle->record.ref.key;
  });
  if (is_double) {
    problems.push_back(set_aside(serial, "its key is there twice"));
    return;
  }
  std::uint64_t bytes = (*file)->bytes().size();
  if (handle->record.content == HandleContent::Graph) {
    bytes += tree_bytes(env_.files(), graph_path(serial), kFolderDepthMax);
  }
  found.push_back({serial, std::move(handle->record), bytes});
}

void HandleFolder::remove_leftover_graphs(const std::vector<std::uint64_t>& graphs,
                                          const std::vector<Found>& found) {
  for (const std::uint64_t serial : graphs) {
    const bool is_used = std::any_of(found.begin(), found.end(), [&](const Found& one) {
      return one.serial == serial && one.record.content == HandleContent::Graph;
    });
    // Beside a file that is not readable now, or set aside, the folder stays.
    const bool has_file = env_.files().status(handle_path(serial)).has_value() ||
                          env_.files().status(handle_path(serial).native() + ".damaged");
    if (!is_used && !has_file) {
      remove_tree(env_.files(), graph_path(serial), kFolderDepthMax);
    }
  }
}

Result<void> HandleFolder::write(std::uint64_t serial, std::string_view file) {
  return write_file_atomically(env_, handle_path(serial), file);
}

Result<std::uint64_t> HandleFolder::write_graph(std::uint64_t serial, const HandleRecord& record,
                                                const GraphSource& graph,
                                                const OpContext& context) {
  if (graphs_ == nullptr) {
    return Error{ErrorCode::Unavailable, "graphs cannot be written to disk here"};
  }
  const Path folder = graph_path(serial);
  auto written = graphs_->save(graph, folder.native(), context);
  if (written) {
    // The file comes last: with it, the handle is there.
    const std::string file = encode_handle(record, {});
    written = write(serial, file);
    if (written) return file.size() + tree_bytes(env_.files(), folder, kFolderDepthMax);
  }
  remove_tree(env_.files(), folder, kFolderDepthMax);
  return std::move(written).error();
}

Result<void> HandleFolder::write_manifest(const HandleManifest& manifest) {
  return write_file_atomically(env_, path_ / kManifest, manifest_text(manifest));
}

Result<HandleManifest> HandleFolder::read_manifest() {
  HELVE_ASSIGN(const auto file, env_.files().map(path_ / kManifest));
  return manifest_of(file->text());
}

Result<HandleFile> HandleFolder::read(std::uint64_t serial, const HandleRecord& record,
                                      std::shared_ptr<const MappedFile>& file) {
  auto mapped = env_.files().map(handle_path(serial));
  if (!mapped) {
    if (mapped.error().code == ErrorCode::NotFound) return damage("its file is gone");
    return std::move(mapped).error();
  }
  file = *std::move(mapped);
  auto handle = decode_handle(file->text());
  if (!handle) return damage(handle.error().full_message());
  if (handle->record.ref.key != record.ref.key || handle->record.content != record.content) {
    return damage("its file holds another handle");
  }
  return handle;
}

Result<RowTablePtr> HandleFolder::read_rows(std::uint64_t serial, const HandleRecord& record) {
  std::shared_ptr<const MappedFile> file;
  HELVE_ASSIGN(const HandleFile handle, read(serial, record, file));
  auto table = table_from_bytes(handle.content, file);
  if (!table) return damage(table.error().full_message());
  if ((*table)->rows() != record.ref.rows || (*table)->columns() != record.ref.columns) {
    return damage("its rows are of another handle");
  }
  return table;
}

Result<std::string> HandleFolder::read_text(std::uint64_t serial, const HandleRecord& record) {
  std::shared_ptr<const MappedFile> file;
  HELVE_ASSIGN(const HandleFile handle, read(serial, record, file));
  if (!is_content_sound(handle)) return damage("the checksum of the text is wrong");
  return std::string(handle.content);
}

Result<std::shared_ptr<const GraphSource>> HandleFolder::read_graph(std::uint64_t serial,
                                                                    const HandleRecord& record,
                                                                    const OpContext& context) {
  std::shared_ptr<const MappedFile> file;
  HELVE_TRY(read(serial, record, file));
  if (graphs_ == nullptr) {
    return Error{ErrorCode::Unavailable, "graphs cannot be read from disk here"};
  }
  const std::string folder = graph_path(serial).native();
  if (!env_.files().status(folder)) return damage("its folder is gone");
  HELVE_TRY(context.check());
  auto graph = graphs_->open(folder, record.ref.source, context);
  if (graph || !context.check()) return graph;
  const ErrorCode code = graph.error().code;
  if (code == ErrorCode::LimitExceeded || code == ErrorCode::Denied) return graph;  // may pass
  return damage(graph.error().full_message());
}

std::string HandleFolder::set_aside(std::uint64_t serial, std::string_view why) {
  const Path place = handle_path(serial);
  const bool is_moved = env_.files().rename(place, place.native() + ".damaged").has_value();
  return fmt::format("{} was {}: {}", place.filename().native(),
                     is_moved ? "damaged and set aside" : "damaged and could not be set aside",
                     escape_for_terminal(why));
}

void HandleFolder::remove(std::uint64_t serial, HandleContent content) {
  (void)env_.files().remove(handle_path(serial));
  if (content == HandleContent::Graph) {
    remove_tree(env_.files(), graph_path(serial), kFolderDepthMax);
  }
}

}  // namespace helve::toolkit
