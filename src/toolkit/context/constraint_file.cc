#include "toolkit/context/constraint_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/deceptive.h"
#include "base/text.h"
#include "base/toml.h"
#include "base/utf8.h"
#include "toolkit/context/constraint_texts.h"

namespace helve::context {

namespace {

constexpr std::string_view kHint = "keys are ontology, avoid and hints, each a list of texts";

bool has_deceptive(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    if (is_deceptive(decode_utf8(at, end))) return true;
  }
  return false;
}

Result<void> check_text(const TomlDocument& document, const std::string& place,
                        const std::string& text) {
  if (text.empty()) {
    return document.at(place, {ErrorCode::InvalidInput, "the text is empty", std::string(kHint)});
  }
  if (has_deceptive(text)) {
    return document.at(place, {ErrorCode::InvalidInput,
                               "the text has line ends, control or invisible characters: " +
                                   escape_for_terminal(text.substr(0, 80)),
                               "write one plain line"});
  }
  if (utf8_length(text) > kConstraintCharsMax) {
    return document.at(place, {ErrorCode::LimitExceeded,
                               fmt::format("the text has {} characters, at most {} are taken",
                                           utf8_length(text), kConstraintCharsMax),
                               "say it in two shorter ones"});
  }
  return {};
}

Result<std::vector<std::string>> texts_of(const TomlDocument& document, std::string_view key,
                                          std::size_t most) {
  std::vector<std::string> texts;
  const JsonValue* const value = document.root.find(key);
  if (value == nullptr) return texts;
  const std::string place = json_pointer("", key);
  const JsonValue::Array* const list = value->if_array();
  if (list == nullptr) {
    return document.at(
        place, {ErrorCode::InvalidInput, fmt::format("{} is not a list", key), std::string(kHint)});
  }
  if (list->size() > most) {
    return document.at(
        place, {ErrorCode::LimitExceeded,
                fmt::format("{} has {} texts, at most {} are taken", key, list->size(), most),
                "keep the most important ones"});
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string here = fmt::format("{}/{}", place, i);
    const std::string* const text = (*list)[i].if_string();
    if (text == nullptr) {
      return document.at(
          here, {ErrorCode::InvalidInput, fmt::format("item {} of {} is not a text", i + 1, key),
                 std::string(kHint)});
    }
    HELVE_TRY(check_text(document, here, *text));
    texts.push_back(*text);
  }
  return texts;
}

Result<void> check_keys(const TomlDocument& document) {
  for (const JsonMember& member : *document.root.if_object()) {
    if (member.key == "ontology" || member.key == "avoid" || member.key == "hints") continue;
    return document.at(
        json_pointer("", member.key),
        {ErrorCode::InvalidInput,
         fmt::format("there is no key '{}'", escape_for_terminal(member.key.substr(0, 80))),
         std::string(kHint)});
  }
  return {};
}

bool is_for(const ConstraintFile& file, const GraphFacts& facts) {
  return std::any_of(file.ontology.begin(), file.ontology.end(), [&](const std::string& iri) {
    return iri == facts.main_namespace || iri == facts.main.iri ||
           std::binary_search(facts.ontologies.begin(), facts.ontologies.end(), iri);
  });
}

const ConstraintFile* find_in(std::span<const ConstraintFile> files, const GraphFacts& facts) {
  for (const ConstraintFile& file : files) {
    if (is_for(file, facts)) return &file;
  }
  return nullptr;
}

ConstraintFile built_in(std::string_view text, std::string name) {
  auto file = parse_constraints(text, std::move(name));
  HELVE_CHECK(file.has_value());
  return *std::move(file);
}

}  // namespace

Result<ConstraintFile> parse_constraints(std::string_view text, std::string name) {
  if (text.size() > kConstraintBytesMax) {
    return Error{
        ErrorCode::LimitExceeded,
        fmt::format("{} has {} bytes, at most {} are read", name, text.size(), kConstraintBytesMax),
        "constraints are a few lines; a longer text is a guide"};
  }
  HELVE_ASSIGN(const TomlDocument document, parse_toml(text, std::move(name)));
  HELVE_TRY(check_keys(document));
  ConstraintFile file;
  file.name = document.name;
  HELVE_ASSIGN(file.ontology, texts_of(document, "ontology", kConstraintIrisMax));
  HELVE_ASSIGN(file.avoid, texts_of(document, "avoid", kConstraintLinesMax));
  HELVE_ASSIGN(file.hints, texts_of(document, "hints", kConstraintLinesMax));
  if (file.ontology.empty()) {
    return document.at("", {ErrorCode::InvalidInput, "it does not say which ontology it is for",
                            "ontology = [\"http://...\"]"});
  }
  return file;
}

std::span<const ConstraintFile> built_in_constraints() {
  static const std::array<ConstraintFile, 2> files = {
      built_in(constraints::prov(), "prov.toml"),
      built_in(constraints::solar_system(), "solar-system.toml")};
  return files;
}

const ConstraintFile* find_constraints(const GraphFacts& facts,
                                       std::span<const ConstraintFile> own) {
  const ConstraintFile* const found = find_in(own, facts);
  return found != nullptr ? found : find_in(built_in_constraints(), facts);
}

}  // namespace helve::context
