#include "helve/policy.h"

#include <tuple>
#include <utility>

#include "base/json.h"
#include "surfaces/api/state.h"
#include "toolkit/policy/policy_members.h"

namespace helve::api {

namespace {

// The words of both are in the same order.
static_assert(static_cast<int>(Confirmation::Person) ==
              static_cast<int>(toolkit::Confirmation::Person));
static_assert(static_cast<int>(AuditMode::Full) == static_cast<int>(toolkit::AuditMode::Full));

template <typename Value>
void convert(const Value& from, Value& to) {
  to = from;
}
void convert(Confirmation from, toolkit::Confirmation& to) {
  to = static_cast<toolkit::Confirmation>(from);
}
void convert(toolkit::Confirmation from, Confirmation& to) { to = static_cast<Confirmation>(from); }
void convert(std::optional<AuditMode> from, std::optional<toolkit::AuditMode>& to) {
  if (from) to = static_cast<toolkit::AuditMode>(*from);
}
void convert(std::optional<toolkit::AuditMode> from, std::optional<AuditMode>& to) {
  if (from) to = static_cast<AuditMode>(*from);
}
using Names = toolkit::Policy::Names;
void convert(const Names& from, std::optional<Names>& to) { to = from; }
void convert(const std::optional<Names>& from, Names& to) { to = from.value_or(Names()); }

// Members of both are in the same order (policy_documents_test.cc).
void convert_members(const auto& from, auto& to) {
  const auto sources = toolkit::members_of(from);
  const auto targets = toolkit::members_of(to);
  [&]<std::size_t... kIndexes>(std::index_sequence<kIndexes...>) {
    (convert(std::get<kIndexes>(sources), std::get<kIndexes>(targets)), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<decltype(toolkit::members_of(from))>>());
}

}  // namespace

Result<Policy> Policy::from_json(std::string_view json) {
  const auto parsed = parse_json(json);
  if (!parsed) return to_public(parsed.error());
  auto read = toolkit::policy_from_json(*parsed);
  if (!read) return to_public(read.error());
  Policy policy;
  convert_members(*read, policy);
  return policy;
}

helve::Result<toolkit::Policy> checked_policy(const Policy& policy) {
  toolkit::Policy unchecked;
  convert_members(policy, unchecked);
  return toolkit::policy_from_json(toolkit::policy_to_json(unchecked),
                                   toolkit::unrestricted_policy());
}

}  // namespace helve::api
