#include "sources/sparql/algebra/functions.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/check.h"

namespace helve::sparql {

namespace {

constexpr Version k11 = Version::Sparql11;
constexpr Version k12 = Version::Sparql12;

// In the order of the enumeration. Names are spelt as in the grammar.
constexpr std::array<FunctionInfo, kFunctionCount> kFunctions = {{
    {Function::Or, "||", 2, kAnyNumber, k11},
    {Function::And, "&&", 2, kAnyNumber, k11},
    {Function::Not, "!", 1, 1, k11},
    {Function::Equal, "=", 2, 2, k11},
    {Function::NotEqual, "!=", 2, 2, k11},
    {Function::Less, "<", 2, 2, k11},
    {Function::LessEqual, "<=", 2, 2, k11},
    {Function::Greater, ">", 2, 2, k11},
    {Function::GreaterEqual, ">=", 2, 2, k11},
    {Function::In, "IN", 1, kAnyNumber, k11},
    {Function::NotIn, "NOT IN", 1, kAnyNumber, k11},
    {Function::Add, "+", 2, 2, k11},
    {Function::Subtract, "-", 2, 2, k11},
    {Function::Multiply, "*", 2, 2, k11},
    {Function::Divide, "/", 2, 2, k11},
    {Function::Plus, "+", 1, 1, k11},
    {Function::Negate, "-", 1, 1, k11},
    {Function::Bound, "BOUND", 1, 1, k11},
    {Function::If, "IF", 3, 3, k11},
    {Function::Coalesce, "COALESCE", 0, kAnyNumber, k11},
    {Function::SameTerm, "sameTerm", 2, 2, k11},
    {Function::IsIri, "isIRI", 1, 1, k11},
    {Function::IsBlank, "isBLANK", 1, 1, k11},
    {Function::IsLiteral, "isLITERAL", 1, 1, k11},
    {Function::IsNumeric, "isNUMERIC", 1, 1, k11},
    {Function::Str, "STR", 1, 1, k11},
    {Function::Lang, "LANG", 1, 1, k11},
    {Function::Datatype, "DATATYPE", 1, 1, k11},
    {Function::Iri, "IRI", 1, 1, k11},
    {Function::BNode, "BNODE", 0, 1, k11},
    {Function::StrDt, "STRDT", 2, 2, k11},
    {Function::StrLang, "STRLANG", 2, 2, k11},
    {Function::Uuid, "UUID", 0, 0, k11},
    {Function::StrUuid, "STRUUID", 0, 0, k11},
    {Function::StrLen, "STRLEN", 1, 1, k11},
    {Function::Substr, "SUBSTR", 2, 3, k11},
    {Function::UCase, "UCASE", 1, 1, k11},
    {Function::LCase, "LCASE", 1, 1, k11},
    {Function::StrStarts, "STRSTARTS", 2, 2, k11},
    {Function::StrEnds, "STRENDS", 2, 2, k11},
    {Function::Contains, "CONTAINS", 2, 2, k11},
    {Function::StrBefore, "STRBEFORE", 2, 2, k11},
    {Function::StrAfter, "STRAFTER", 2, 2, k11},
    {Function::EncodeForUri, "ENCODE_FOR_URI", 1, 1, k11},
    {Function::Concat, "CONCAT", 0, kAnyNumber, k11},
    {Function::LangMatches, "LANGMATCHES", 2, 2, k11},
    {Function::Regex, "REGEX", 2, 3, k11},
    {Function::Replace, "REPLACE", 3, 4, k11},
    {Function::Abs, "ABS", 1, 1, k11},
    {Function::Round, "ROUND", 1, 1, k11},
    {Function::Ceil, "CEIL", 1, 1, k11},
    {Function::Floor, "FLOOR", 1, 1, k11},
    {Function::Rand, "RAND", 0, 0, k11},
    {Function::Now, "NOW", 0, 0, k11},
    {Function::Year, "YEAR", 1, 1, k11},
    {Function::Month, "MONTH", 1, 1, k11},
    {Function::Day, "DAY", 1, 1, k11},
    {Function::Hours, "HOURS", 1, 1, k11},
    {Function::Minutes, "MINUTES", 1, 1, k11},
    {Function::Seconds, "SECONDS", 1, 1, k11},
    {Function::Timezone, "TIMEZONE", 1, 1, k11},
    {Function::Tz, "TZ", 1, 1, k11},
    {Function::Md5, "MD5", 1, 1, k11},
    {Function::Sha1, "SHA1", 1, 1, k11},
    {Function::Sha256, "SHA256", 1, 1, k11},
    {Function::Sha384, "SHA384", 1, 1, k11},
    {Function::Sha512, "SHA512", 1, 1, k11},
    {Function::HasLang, "hasLANG", 1, 1, k12},
    {Function::HasLangDir, "hasLANGDIR", 1, 1, k12},
    {Function::LangDir, "LANGDIR", 1, 1, k12},
    {Function::StrLangDir, "STRLANGDIR", 3, 3, k12},
}};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kFunctions.size(); ++i) {
    if (static_cast<std::size_t>(kFunctions[i].function) != i) return false;
  }
  return true;
}
static_assert(is_in_order());

constexpr std::size_t kFirstNamed = static_cast<std::size_t>(Function::Bound);

constexpr std::array<std::string_view, 7> kAggregates = {"COUNT", "SUM",    "MIN",         "MAX",
                                                         "AVG",   "SAMPLE", "GROUP_CONCAT"};

}  // namespace

bool same_keyword(std::string_view a, std::string_view b) { return is_same_in_any_case(a, b); }

const FunctionInfo& function_info(Function function) {
  const auto index = static_cast<std::size_t>(function);
  HELVE_CHECK(index < kFunctions.size());
  return kFunctions[index];
}

std::optional<Function> function_by_name(std::string_view keyword) {
  if (same_keyword(keyword, "URI")) return Function::Iri;
  if (same_keyword(keyword, "isURI")) return Function::IsIri;
  for (std::size_t i = kFirstNamed; i < kFunctions.size(); ++i) {
    if (same_keyword(keyword, kFunctions[i].name)) return kFunctions[i].function;
  }
  return std::nullopt;
}

std::string_view aggregate_name(AggregateKind kind) {
  return kAggregates[static_cast<std::size_t>(kind)];
}

std::optional<AggregateKind> aggregate_by_name(std::string_view keyword) {
  for (std::size_t i = 0; i < kAggregates.size(); ++i) {
    if (same_keyword(keyword, kAggregates[i])) return static_cast<AggregateKind>(i);
  }
  return std::nullopt;
}

}  // namespace helve::sparql
