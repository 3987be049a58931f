#include "surfaces/opening/policies.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/near_names.h"
#include "base/text.h"
#include "surfaces/opening/policy_file.h"
#include "toolkit/tools/source_table.h"

namespace helve::opening {

namespace {

using toolkit::Policy;

constexpr std::size_t kCallersMax = 10'000;
constexpr std::size_t kPolicyNameMax = 200;

Result<void> check_caller_name(const std::string& name) {
  if (name.empty() || name.size() > kPolicyNameMax) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("the name of a caller has 1 to {} characters", kPolicyNameMax),
                 "write [caller.NAME], with the name that calls are made under"};
  }
  return {};
}

bool is_of_policies(std::string_view key) {
  return key == "caller" || key == "source" || key == "default";
}

// Reads the table of a policy file: the common policy first, then those that build on it.
class PoliciesReader {
 public:
  PoliciesReader(const TomlDocument& document, std::string_view pointer, const JsonValue& table,
                 const std::filesystem::path& folder)
      : document_(document), pointer_(pointer), table_(table), folder_(folder) {}

  Result<Policies> read(Policy base) {
    HELVE_ASSIGN(policies_.common,
                 read_policy_table(document_, pointer_, common_table(), folder_, std::move(base)));
    HELVE_TRY(read_default());
    HELVE_TRY(
        read_named("caller", kCallersMax, check_caller_name, policies_.common, policies_.callers));
    constexpr std::size_t kSourcesMax = 256;
    HELVE_TRY(read_named("source", kSourcesMax, toolkit::check_source_name,
                         toolkit::unrestricted_policy(), policies_.sources));
    policies_.document = document_;
    policies_.pointer = pointer_;
    return std::move(policies_);
  }

 private:
  JsonValue common_table() const {
    const auto* members = table_.if_object();
    if (members == nullptr) return table_;
    JsonValue::Object common;
    for (const JsonMember& member : *members) {
      if (!is_of_policies(member.key)) common.push_back(member);
    }
    return JsonValue(std::move(common));
  }

  Result<void> read_default() {
    const JsonValue* const value = table_.find("default");
    if (value == nullptr) return {};
    const std::string* const word = value->if_string();
    if (word != nullptr && *word == "deny") {
      policies_.others = Policies::Others::Denied;
    } else if (word != nullptr && *word == "allow") {
      policies_.others = Policies::Others::Common;
    } else {
      return at(json_pointer(pointer_, "default"),
                {ErrorCode::InvalidInput, "policy: \"default\" must be \"deny\" or \"allow\"",
                 "\"deny\" refuses everything to callers that have no [caller.NAME]"});
    }
    return {};
  }

  template <typename Check, typename Into>
  Result<void> read_named(const char* kind, std::size_t count_max, Check check, const Policy& base,
                          Into& into) {
    const JsonValue* const value = table_.find(kind);
    if (value == nullptr) return {};
    const std::string all = json_pointer(pointer_, kind);
    const auto* const members = value->if_object();
    const auto not_tables = [&](const std::string& place) {
      return at(place, {ErrorCode::InvalidInput,
                        fmt::format("policy: \"{}\" must have tables by name", kind),
                        fmt::format("write [{}.NAME] and below it the keys of a policy", kind)});
    };
    if (members == nullptr) return not_tables(all);
    if (members->size() > count_max) {
      return at(all, {ErrorCode::LimitExceeded,
                      fmt::format("policy: more than {} of \"{}\"", count_max, kind)});
    }
    for (const JsonMember& member : *members) {
      const std::string place = json_pointer(all, member.key);
      if (auto is_name = check(member.key); !is_name) return at(place, std::move(is_name).error());
      if (member.value.if_object() == nullptr) return not_tables(place);
      auto policy = read_policy_table(document_, place, member.value, folder_, base);
      if (!policy) {
        Error error = std::move(policy).error();
        error.message =
            fmt::format("{} {}: {}", kind, escape_for_terminal(member.key), error.message);
        return error;
      }
      into.emplace(member.key, *std::move(policy));
    }
    return {};
  }

  Error at(std::string_view pointer, Error error) const {
    return document_.at(pointer, std::move(error));
  }

  const TomlDocument& document_;
  std::string pointer_;
  const JsonValue& table_;
  const std::filesystem::path& folder_;
  Policies policies_;
};

}  // namespace

Policy policy_of_strangers() {
  Policy policy;
  policy.allowed_tools.emplace();
  policy.allowed_sources.emplace();
  policy.allowed_graphs.emplace();
  policy.allowed_tables.emplace();
  policy.allowed_paths.emplace();
  return policy;
}

Policy Policies::of(std::string_view caller) const {
  if (const auto found = callers.find(caller); found != callers.end()) return found->second;
  return others == Others::Denied ? policy_of_strangers() : common;
}

Result<Policy> Policies::of_named(std::string_view caller) const {
  HELVE_TRY(check_caller_name(std::string(caller)));
  if (others != Others::Unsaid || callers.empty() || callers.contains(caller)) return of(caller);
  std::vector<std::string_view> names;
  for (const auto& [name, policy] : callers) names.emplace_back(name);
  const auto near = near_names(caller, names);
  return Error{
      ErrorCode::InvalidInput,
      fmt::format("{} has no caller named {}", document.name, escape_for_terminal(caller)),
      near.empty()
          ? fmt::format(
                "it names {}; default = \"allow\" lets others have what stands "
                "above them, \"deny\" refuses them everything",
                fmt::join(names.begin(),
                          names.begin() + std::min<std::ptrdiff_t>(5, std::ssize(names)), ", "))
          : fmt::format("did you mean {}?", escape_for_terminal(near.front()))};
}

std::shared_ptr<const Policy> Policies::of_source(std::string_view source) const {
  const auto found = sources.find(source);
  return found == sources.end() ? nullptr : std::make_shared<const Policy>(found->second);
}

Result<void> Policies::check_sources(const std::vector<std::string>& names) const {
  std::vector<std::string_view> free;  // of rules
  for (const std::string& name : names) {
    if (!sources.contains(name)) free.emplace_back(name);
  }
  if (free.empty()) return {};
  for (const auto& [name, policy] : sources) {
    const bool is_there = std::find(names.begin(), names.end(), name) != names.end();
    const auto keys = toolkit::policy_keys();
    const bool restricts = std::any_of(
        keys.begin(), keys.end(),
        [&rules = policy](const toolkit::PolicyKey& key) { return key.restricts(rules); });
    if (is_there || !restricts) continue;
    const auto near = near_names(name, free, 1);
    const std::string meant(near.empty() ? free.front() : near.front());
    return document.at(
        json_pointer(json_pointer(pointer, "source"), name),
        {ErrorCode::InvalidInput,
         fmt::format("the policy has rules for the source {}, which is not there, and none for {}",
                     escape_for_terminal(name), escape_for_terminal(meant)),
         fmt::format("{}give the source the name that its rules have (NAME=URI), or write "
                     "[source.{}] for one that needs none",
                     near.empty() ? "" : fmt::format("did you mean [source.{}]? ", meant), meant)});
  }
  return {};
}

std::string Policies::visibility_of_sources() const {
  std::string all;
  for (const auto& [name, policy] : sources) {
    const std::string of_source = toolkit::visibility_key(policy);
    if (!of_source.empty()) all += fmt::format("{}:{}{}\n", name.size(), name, of_source);
  }
  return all;
}

bool Policies::lets_write(const Policy& policy, std::string_view source) const {
  return opening::lets_write(policy, of_source(source).get(), source);
}

bool lets_write(const Policy& policy, const Policy* of_source, std::string_view source) {
  return !policy.read_only && (of_source == nullptr || !of_source->read_only) &&
         toolkit::allows_source(policy, source);
}

Result<Policies> read_policies_table(const TomlDocument& document, std::string_view pointer,
                                     const JsonValue& table, const std::filesystem::path& folder,
                                     Policy base) {
  return PoliciesReader(document, pointer, table, folder).read(std::move(base));
}

Result<Policies> read_policies(const std::filesystem::path& path, Env& env, Policy base) {
  HELVE_ASSIGN(const TomlDocument document, read_policy_document(path, env));
  return read_policies_table(document, "", document.root, path.parent_path(), std::move(base));
}

}  // namespace helve::opening
