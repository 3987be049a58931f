#include "agent/sandbox/function.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/ascii.h"

namespace helve::sandbox {

namespace {

constexpr std::size_t kNameBytesMax = 100;
constexpr std::size_t kParametersMax = 100;

constexpr std::array<std::string_view, 35> kKeywords = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

bool is_identifier(std::string_view name) {
  if (name.empty() || name.size() > kNameBytesMax || is_digit(name.front())) return false;
  const bool has_only_letters = std::all_of(
      name.begin(), name.end(), [](char c) { return is_letter_or_digit(c) || c == '_'; });
  return has_only_letters && std::find(kKeywords.begin(), kKeywords.end(), name) == kKeywords.end();
}

// "dict[str, list[int]] | None": what can be evaluated and does nothing but name types.
bool is_annotation(std::string_view type) {
  return !type.empty() && type.size() <= kNameBytesMax &&
         std::all_of(type.begin(), type.end(), [](char c) {
           return is_letter(c) || c == '[' || c == ']' || c == ',' || c == ' ' || c == '|';
         });
}

Error refused(const Function& function, std::string_view what) {
  return {ErrorCode::InvalidInput,
          fmt::format("'{}' cannot be a Python function: {}", function.name, what)};
}

}  // namespace

Result<void> Function::validate() const {
  if (!is_identifier(name) || name.front() == '_') {
    return refused(*this, "its name is no public identifier");
  }
  if (!is_annotation(returns)) return refused(*this, fmt::format("'{}' is no type", returns));
  if (parameters.size() > kParametersMax) return refused(*this, "it has too many parameters");
  bool had_default = false;
  for (auto parameter = parameters.begin(); parameter != parameters.end(); ++parameter) {
    if (!is_identifier(parameter->name) || parameter->name.front() == '_') {
      return refused(*this,
                     fmt::format("its parameter '{}' is no public identifier", parameter->name));
    }
    if (!is_annotation(parameter->type)) {
      return refused(*this, fmt::format("'{}' is no type", parameter->type));
    }
    const bool is_twice = std::any_of(parameters.begin(), parameter, [&](const auto& earlier) {
      return earlier.name == parameter->name;
    });
    if (is_twice) return refused(*this, fmt::format("it has '{}' twice", parameter->name));
    if (parameter->is_required && had_default) {
      return refused(*this,
                     fmt::format("'{}' is required behind one that is not", parameter->name));
    }
    had_default = had_default || !parameter->is_required;
  }
  return {};
}

bool is_same_declaration(const Function& a, const Function& b) {
  const auto is_same = [](const FunctionParameter& x, const FunctionParameter& y) {
    return x.name == y.name && x.type == y.type && x.otherwise == y.otherwise &&
           x.is_required == y.is_required;
  };
  return a.name == b.name && a.doc == b.doc && a.returns == b.returns &&
         std::equal(a.parameters.begin(), a.parameters.end(), b.parameters.begin(),
                    b.parameters.end(), is_same);
}

}  // namespace helve::sandbox
