#include "toolkit/diagnosis/literal_variants.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/ascii.h"
#include "base/unicode_case.h"
#include "base/utf8.h"
#include "sources/rdf/vocabulary.h"
#include "sources/rdf/xsd_value.h"
#include "toolkit/diagnosis/build_expression.h"

namespace helve::toolkit {

namespace {

using sparql::Function;

constexpr std::size_t kVariantsMax = 10;
constexpr std::size_t kLiteralBytesMax = 10'000;  // longer literals are not compared
constexpr std::size_t kDateBytes = 10;            // 2024-02-29

constexpr std::array<std::string_view, 14> kLanguages = {
    "en", "de", "fr", "es", "it", "pt", "nl", "ru", "ja", "zh", "pl", "en-us", "en-gb", "la"};
constexpr std::array<std::string_view, 12> kDatatypes = {"integer",
                                                         "decimal",
                                                         "double",
                                                         "float",
                                                         "boolean",
                                                         "date",
                                                         "dateTime",
                                                         "gYear",
                                                         "anyURI",
                                                         "int",
                                                         "nonNegativeInteger",
                                                         "token"};

bool is_unicode_space(char32_t c) {
  return (c >= 9 && c <= 13) || c == ' ' || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

std::optional<double> number_in(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

bool is_date_like(std::string_view text) {
  return text.size() >= kDateBytes && text[4] == '-' && text[7] == '-' && is_digit(text[0]);
}

bool same_day(std::string_view a, std::string_view b) {
  return is_date_like(a) && is_date_like(b) && a.substr(0, kDateBytes) == b.substr(0, kDateBytes) &&
         std::min(a.size(), b.size()) == kDateBytes;
}

struct TextDifference {
  EmptyCause cause;
  int count;
};

// In texts alone; nullopt: another value.
std::optional<TextDifference> text_difference(const rdf::Term& a, const rdf::Term& b) {
  const auto x = number_in(a.value);
  const auto y = number_in(b.value);
  if (x && y && *x == *y) return TextDifference{EmptyCause::LiteralDatatype, 1};
  if (same_day(a.value, b.value)) return TextDifference{EmptyCause::LiteralDatatype, 1};
  if (without_space(a.value) == without_space(b.value)) {
    return TextDifference{EmptyCause::LiteralSpace, 1};
  }
  if (folded(a.value) != folded(b.value)) return std::nullopt;
  const bool is_case_alone = to_lower_case(a.value) == to_lower_case(b.value);
  return TextDifference{EmptyCause::LiteralCase, is_case_alone ? 1 : 2};
}

std::string capitalised(std::string_view text, bool is_every_word) {
  std::string out = to_lower_case(text);
  bool at_start = true;
  for (char& c : out) {
    if (at_start) c = ascii_upper(c);
    at_start = is_every_word && c == ' ';
  }
  return out;
}

std::string without_outer_space(std::string_view text) {
  while (!text.empty() && is_unicode_space(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  while (!text.empty() && is_unicode_space(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  return std::string(text);
}

bool is_value_of(std::string_view text, std::string_view datatype) {
  const auto type = rdf::xsd_type_of_iri(datatype);
  return !type || rdf::parse_xsd_value(text, *type, rdf::XsdSpace::Reject).has_value();
}

// What people most often mix up, to be looked up directly.
sparql::Values usual_variants(const rdf::Term& wanted, const std::string& variable_name) {
  sparql::Values values;
  values.variables.push_back(variable(variable_name));
  const auto add = [&](rdf::Term term) {
    if (!(term == wanted)) values.rows.push_back({std::move(term)});
  };
  const std::string& value = wanted.value;
  add(rdf::Term(rdf::TermView::literal(value)));
  for (const std::string_view tag : kLanguages) {
    add(rdf::Term(rdf::TermView::lang_literal(value, tag)));
  }
  for (const std::string_view type : kDatatypes) {
    const std::string iri = std::string(rdf::kXsd) + std::string(type);
    // Engines refuse whole queries for what is no value of its datatype.
    if (is_value_of(value, iri)) add(rdf::Term(rdf::TermView::literal(value, iri)));
  }
  for (const std::string& other :
       {without_outer_space(value), to_lower_case(value), to_upper_case(value),
        capitalised(value, false), capitalised(value, true)}) {
    rdf::Term term = wanted;
    term.value = other;
    add(std::move(term));
  }
  return values;
}

// True for every literal that variant_of() would accept, and some more.
sparql::Expression is_variant(const rdf::Term& wanted, const std::string& name) {
  const sparql::Expression value(variable(name));
  std::vector<sparql::Expression> any;
  any.push_back(
      call(Function::Equal, {lower_case(squeezed(str(value))), text(folded(wanted.value))}));
  if (const auto number = number_in(wanted.value)) {
    any.push_back(call(Function::Equal, {cast(rdf::kXsdDouble, str(value)),
                                         cast(rdf::kXsdDouble, text(wanted.value))}));
  }
  if (is_date_like(wanted.value)) {
    any.push_back(call(Function::StrStarts,
                       {str(value), text(std::string_view(wanted.value).substr(0, kDateBytes))}));
  }
  return any.size() == 1 ? any.front() : call(Function::Or, std::move(any));
}

std::vector<LiteralVariant> variants_in(const rdf::Term& wanted,
                                        const std::vector<rdf::Term>& found) {
  std::vector<LiteralVariant> out;
  for (const rdf::Term& term : found) {
    if (auto variant = variant_of(wanted, term)) out.push_back(*std::move(variant));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.differences < b.differences; });
  return out;
}

}  // namespace

std::string without_space(std::string_view text) {
  std::string out;
  const char* at = text.data();
  const char* const end = at + text.size();
  if (utf8_valid_prefix(text) != text.size()) return std::string(text);
  while (at < end) {
    const char32_t c = decode_utf8(at, end);
    if (!is_unicode_space(c)) append_utf8(out, c);
  }
  return out;
}

std::string folded(std::string_view text) {
  if (utf8_valid_prefix(text) != text.size()) return std::string(text);
  return to_lower_case(without_space(text));
}

std::optional<LiteralVariant> variant_of(const rdf::Term& wanted, const rdf::Term& found) {
  if (found.kind == rdf::TermKind::BlankNode || wanted == found) return std::nullopt;
  if (found.kind != wanted.kind) {
    if (found.value != wanted.value) return std::nullopt;
    return LiteralVariant{found, EmptyCause::LiteralDatatype, 1};
  }
  if (wanted.kind != rdf::TermKind::Literal || found.value.size() > kLiteralBytesMax) {
    return std::nullopt;
  }
  std::optional<EmptyCause> kind_cause;
  if (wanted.language != found.language) {
    kind_cause = EmptyCause::LiteralLanguage;
  } else if (wanted.datatype != found.datatype) {
    kind_cause = EmptyCause::LiteralDatatype;
  }
  if (wanted.value == found.value) {
    if (!kind_cause) return std::nullopt;
    return LiteralVariant{found, *kind_cause, 1};
  }
  const auto difference = text_difference(wanted, found);
  if (!difference) return std::nullopt;
  // The same value in another datatype is one difference, however it is written.
  const bool is_same_value = difference->cause == EmptyCause::LiteralDatatype;
  const int more = kind_cause && !is_same_value ? 1 : 0;
  return LiteralVariant{found, difference->cause, difference->count + more};
}

std::vector<LiteralVariant> variants_among(const rdf::Term& wanted, const sparql::Pattern& pattern,
                                           const std::string& variable, const Scope& scope,
                                           Probes& probes) {
  if (wanted.value.size() > kLiteralBytesMax) return {};
  const auto usual =
      probes.values(joined(sparql::Pattern(usual_variants(wanted, variable)), pattern), scope,
                    variable, kVariantsMax);
  if (usual) {
    auto variants = variants_in(wanted, *usual);
    if (!variants.empty()) return variants;
  }
  const auto found =
      probes.values(filtered(pattern, is_variant(wanted, variable)), scope, variable, kVariantsMax);
  if (!found) return {};
  return variants_in(wanted, *found);
}

}  // namespace helve::toolkit
