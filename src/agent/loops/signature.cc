#include "agent/loops/signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/ascii.h"
#include "base/text.h"

namespace helve::agent {

namespace {

constexpr std::size_t kFieldsMax = 20;
constexpr std::size_t kTextMax = 2'000;
constexpr std::array<std::string_view, 7> kTypes = {"str",  "int",  "float", "bool",
                                                    "list", "dict", "object"};

Error wrong(std::string message) {
  return {ErrorCode::InvalidInput, "the signature is wrong: " + std::move(message),
          "for example: context, question -> sparql: str, answer"};
}

Result<sandbox::SubmitField> read_field(std::string_view text) {
  const std::size_t colon = text.find(':');
  sandbox::SubmitField field;
  field.name = trimmed(text.substr(0, colon));
  // Python has the same rule for functions.
  if (!sandbox::Function{field.name, {}, {}, "object", {}}.validate()) {
    return wrong(fmt::format("'{}' is no name", escape_for_terminal(field.name)));
  }
  if (colon == std::string_view::npos) return field;
  const std::string_view written = trimmed(text.substr(colon + 1));
  field.type = written.substr(0, written.find('['));  // items are not looked at
  if (std::find(kTypes.begin(), kTypes.end(), field.type) == kTypes.end()) {
    return wrong(fmt::format("'{}' is no type; there are {}", escape_for_terminal(written),
                             fmt::join(kTypes, ", ")));
  }
  return field;
}

// By commas that stand in no brackets.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[') ++depth;
    if (text[i] == ']') --depth;
    if (text[i] != ',' || depth > 0) continue;
    parts.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

Result<std::vector<sandbox::SubmitField>> read_fields(std::string_view text) {
  std::vector<sandbox::SubmitField> fields;
  std::set<std::string> names;
  for (const std::string_view part : split(text)) {
    HELVE_ASSIGN(sandbox::SubmitField field, read_field(part));
    if (!names.insert(field.name).second)
      return wrong(fmt::format("{} is there twice", field.name));
    fields.push_back(std::move(field));
  }
  if (fields.size() > kFieldsMax)
    return wrong(fmt::format("it has more than {} names", kFieldsMax));
  return fields;
}

}  // namespace

Result<Signature> parse_signature(std::string_view text) {
  constexpr std::string_view kArrow = "->";
  if (text.size() > kTextMax) return wrong(fmt::format("it has more than {} bytes", kTextMax));
  const std::size_t arrow = text.find(kArrow);
  if (arrow == std::string_view::npos) return wrong("there is no ->");
  Signature signature;
  const std::string_view inputs = trimmed(text.substr(0, arrow));
  if (!inputs.empty()) {
    HELVE_ASSIGN(const auto fields, read_fields(inputs));
    for (const sandbox::SubmitField& field : fields) signature.inputs.push_back(field.name);
  }
  HELVE_ASSIGN(signature.outputs, read_fields(text.substr(arrow + kArrow.size())));
  return signature;
}

std::string submit_text(const Signature& signature) {
  std::vector<std::string> fields;
  for (const sandbox::SubmitField& field : signature.outputs) {
    fields.push_back(field.type == "object" ? field.name
                                            : fmt::format("{}: {}", field.name, field.type));
  }
  return fmt::format("SUBMIT({})", fmt::join(fields, ", "));
}

}  // namespace helve::agent
