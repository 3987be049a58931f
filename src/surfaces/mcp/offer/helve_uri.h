// Addresses of resources: helve://schema/planets, helve://results/results_0?offset=100&limit=50.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace helve::mcp {

inline constexpr std::string_view kSchemaTemplate = "helve://schema/{source}";
inline constexpr std::string_view kResultsTemplate = "helve://results/{key}{?offset,limit}";
// The same without its pages, as it is written by hand.
inline constexpr std::string_view kResultsPath = "helve://results/{key}";

inline constexpr std::string_view kFragmentTemplate = "helve://fragments/{name}";
inline constexpr std::string_view kContextTemplate = "helve://context/{source}";
inline constexpr std::string_view kSkillTemplate = "helve://skills/{name}";

enum class ResourceKind : std::uint8_t {
  Sources,
  Tools,
  Schema,
  Results,
  Skills,
  Fragments,
  Context
};

struct ResourceAddress {
  ResourceKind kind = ResourceKind::Sources;
  std::string name;  // of a source, a skill or a fragment, or the key of a handle
  std::optional<std::uint64_t> offset;
  std::optional<std::uint64_t> limit;
};

// nullopt for whatever is no address of ours.
std::optional<ResourceAddress> read_address(std::string_view uri);
std::string write_address(ResourceKind kind, std::string_view name = {});

}  // namespace helve::mcp
