#include "agent/experiment/cell_files.h"

#include <fmt/format.h>

#include "base/ascii.h"

namespace helve::agent {

namespace {

constexpr std::size_t kNameChars = 64;
constexpr int kFolderDepthMax = 16;

bool is_plain(char character) {
  return is_letter_or_digit(character) || character == '.' || character == '_' || character == '-';
}

Result<void> remove_below(const std::filesystem::path& path, int depth, Env& env) {
  // A folder that has something in it is the one thing that cannot be removed: a link is.
  auto removed = env.files().remove(path);
  if (removed) return {};
  if (depth == kFolderDepthMax) return removed;
  const auto names = env.files().list(path);
  if (!names) return removed;
  for (const std::filesystem::path& name : *names) {
    HELVE_TRY(remove_below(path / name.filename(), depth + 1, env));
  }
  return env.files().remove(path);
}

}  // namespace

std::string folder_name(std::string_view name) {
  std::string folder(name.substr(0, kNameChars));
  for (char& character : folder) {
    if (!is_plain(character)) character = '_';
  }
  return !folder.empty() && is_letter_or_digit(folder.front()) ? folder : "set" + folder;
}

bool is_there(const std::filesystem::path& path, Env& env) {
  return env.files().status(path).has_value();
}

Result<std::string> read_whole(const std::filesystem::path& path, Env& env) {
  HELVE_ASSIGN(const auto file, env.files().map(path));
  return std::string(file->text());
}

Result<std::optional<JsonValue>> read_json_file(const std::filesystem::path& path, Env& env) {
  auto text = read_whole(path, env);
  if (!text && text.error().code == ErrorCode::NotFound) return std::optional<JsonValue>();
  if (!text) return text.error();
  auto value = parse_json(*text);
  if (!value) {
    Error error = std::move(value).error();
    error.document = path.string();
    return error;
  }
  return std::optional<JsonValue>(*std::move(value));
}

Result<void> write_json_file(const std::filesystem::path& path, const JsonValue& value, Env& env) {
  return write_file_atomically(env, path, to_json(value, JsonStyle::Indented) + "\n");
}

Result<void> copy_file(const std::filesystem::path& from, const std::filesystem::path& to,
                       Env& env) {
  HELVE_ASSIGN(const std::string bytes, read_whole(from, env));
  return write_file_atomically(env, to, bytes);
}

Result<void> remove_tree(const std::filesystem::path& path, Env& env) {
  auto removed = remove_below(path, 0, env);
  if (!removed && removed.error().code == ErrorCode::NotFound) return {};
  return removed;
}

}  // namespace helve::agent
