// What is known of each operator and built-in function: how it is written and with how many
// arguments. The parser, the printer and error messages share this table.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sources/sparql/algebra/expression.h"
#include "sources/sparql/algebra/query.h"

namespace helve::sparql {

struct FunctionInfo {
  Function function;
  std::string_view name;  // "STRLEN", "isIRI"; of an operator its sign: "&&", "IN"
  std::uint8_t arguments_min;
  std::uint8_t arguments_max;  // kAnyNumber: no limit
  Version since;
};
inline constexpr std::uint8_t kAnyNumber = 255;

const FunctionInfo& function_info(Function function);
// A built-in by its keyword in any case, URI and isURI included; nullopt for operators.
std::optional<Function> function_by_name(std::string_view keyword);

std::string_view aggregate_name(AggregateKind kind);  // "GROUP_CONCAT"
std::optional<AggregateKind> aggregate_by_name(std::string_view keyword);

// Keywords are the same in any case.
bool same_keyword(std::string_view a, std::string_view b);

}  // namespace helve::sparql
