// Policies: what a policy file says of everybody, of callers by their names, and of sources.
// policy_file.h reads single policies.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "base/result.h"
#include "base/toml.h"
#include "toolkit/policy/policy.h"

namespace helve::opening {

// A file of TOML or JSON:
//
//   max_rows = 1000            # keys of a policy, for everybody
//   default = "deny"           # who is not named below is refused everything
//   [caller.ann]               # Ann's: what is not said here is as above
//   read_only = false
//   [source.shop]              # for all calls that are asked of it, beside the caller's own
//   denied_columns = ["customer.email"]
struct Policies {
  enum class Others : std::uint8_t {
    Common,  // callers that are not named have the common policy
    Denied,  // nothing is allowed to them
    Unsaid,  // the common one; but a name that was given and is not here is taken for a mistake
  };

  toolkit::Policy common;
  Others others = Others::Unsaid;
  std::map<std::string, toolkit::Policy, std::less<>> callers;
  std::map<std::string, toolkit::Policy, std::less<>> sources;  // met with those of callers
  TomlDocument document;  // as it was read; places are known of TOML
  std::string pointer;    // to the table in it

  // Of a caller that is named, or of one that is not.
  toolkit::Policy of(std::string_view caller) const;
  // The same for a name that somebody wrote: InvalidInput where it must be a mistake.
  Result<toolkit::Policy> of_named(std::string_view caller) const;
  std::shared_ptr<const toolkit::Policy> of_source(std::string_view source) const;  // null: none
  // InvalidInput where rules are for a source that is none of `names`, and one of these has none of
  // its own: a name that is misspelt must not let more pass. An empty section says that there are
  // no rules for a source.
  Result<void> check_sources(const std::vector<std::string>& names) const;
  // The toolkit::visibility_key() of all sources: results stored under other rules are not shown.
  std::string visibility_of_sources() const;
  // Sources may be changed by somebody only where a policy says so; `policy` is the caller's.
  bool lets_write(const toolkit::Policy& policy, std::string_view source) const;
};

// As strictly as read_policy_file. Errors have the place where it is known.
Result<Policies> read_policies(const std::filesystem::path& path, Env& env,
                               toolkit::Policy base = {});
// A table of a document, at `pointer`.
Result<Policies> read_policies_table(const TomlDocument& document, std::string_view pointer,
                                     const JsonValue& table, const std::filesystem::path& folder,
                                     toolkit::Policy base = {});

// Allows nothing at all.
toolkit::Policy policy_of_strangers();

// Whether a call within both may change the source. `of_source` may be null.
bool lets_write(const toolkit::Policy& policy, const toolkit::Policy* of_source,
                std::string_view source);

}  // namespace helve::opening
