#include "surfaces/opening/policy_file.h"

#include <fmt/format.h>

#include "base/read_whole.h"
#include "toolkit/tools/registry.h"

namespace helve::opening {

namespace {

// Where the process happens to have been started says nothing about which folders are meant.
toolkit::Policy with_folders(toolkit::Policy policy, const std::filesystem::path& folder) {
  if (policy.allowed_paths) {
    for (std::string& path : *policy.allowed_paths) {
      if (std::filesystem::path(path).is_relative()) path = (folder / path).string();
    }
  }
  return policy;
}

// A name that no tool has allows nothing, which is not what was meant.
Result<void> check_tools(const toolkit::Policy& policy) {
  const toolkit::Registry registry = toolkit::make_registry();
  for (const std::string& name : *policy.allowed_tools) {
    const auto tool = registry.find(name);
    if (!tool) return tool.error();
    if ((*tool)->name == name) continue;
    return Error{ErrorCode::NotFound, fmt::format("there is no tool named \"{}\"", name),
                 fmt::format("did you mean {}?", (*tool)->name)};
  }
  return {};
}

}  // namespace

Result<std::string> read_small_file(const std::filesystem::path& path, Env& env,
                                    std::size_t bytes_max) {
  HELVE_ASSIGN(const auto file, env.files().open_read(path));
  return read_whole(*file, path.string(), bytes_max);
}

Result<toolkit::Policy> read_policy_table(const TomlDocument& document, std::string_view pointer,
                                          const JsonValue& table,
                                          const std::filesystem::path& folder,
                                          toolkit::Policy base) {
  auto policy = toolkit::policy_from_json(table, std::move(base));
  if (policy && table.find("allowed_tools") != nullptr) {
    if (auto known = check_tools(*policy); !known) {
      return document.at(json_pointer(pointer, "allowed_tools"), std::move(known).error());
    }
  }
  if (policy) {
    return table.find("allowed_paths") != nullptr ? with_folders(*std::move(policy), folder)
                                                  : *std::move(policy);
  }
  // The member that fails by itself is the one that was meant.
  if (const auto* members = table.if_object()) {
    for (const JsonMember& member : *members) {
      auto alone = toolkit::policy_from_json(JsonValue(JsonValue::Object{member}));
      if (!alone) {
        return document.at(json_pointer(pointer, member.key), std::move(alone).error());
      }
    }
  }
  return document.at(pointer, std::move(policy).error());
}

Result<TomlDocument> read_policy_document(const std::filesystem::path& path, Env& env) {
  HELVE_ASSIGN(const std::string text, read_small_file(path, env));
  if (path.extension() == ".toml") return parse_toml(text, path.string());
  auto json = parse_json(text);
  if (!json) {
    json.error().document = path.string();
    return std::move(json).error();
  }
  TomlDocument document;  // without places
  document.name = path.string();
  document.root = *std::move(json);
  return document;
}

Result<toolkit::Policy> read_policy_file(const std::filesystem::path& path, Env& env,
                                         toolkit::Policy base) {
  HELVE_ASSIGN(const TomlDocument document, read_policy_document(path, env));
  return read_policy_table(document, "", document.root, path.parent_path(), std::move(base));
}

}  // namespace helve::opening
