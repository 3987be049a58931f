#include "toolkit/tools/parameter_names.h"

#include <algorithm>
#include <array>

namespace helve::toolkit {

namespace {

constexpr std::int64_t kCharsCeiling = 20'000;

// Words that callers use for the same thing. The first column is the contract's own word.
using Synonyms = std::array<std::string_view, 6>;
constexpr std::array<Synonyms, 8> kSynonyms = {{
    {"limit", "n", "k", "max_rows", "top", "max_n"},
    {"query", "q", "sparql", "sparql_query"},
    {"resource", "uri", "iri", "class", "class_uri", "cls"},
    {"offset", "start"},
    {"output_mode", "mode", "output"},
    {"filter_prefix", "filter"},
    {"max_chars", "max"},
    {"path", "ontology_path", "file"},
}};
constexpr Synonyms kHandleWords = {"result", "key", "ref", "ref_key", "handle", "result_key"};
constexpr Synonyms kSqlWords = {"sql", "statement", "query"};

bool has(const Synonyms& words, std::string_view word) {
  return !word.empty() && std::find(words.begin(), words.end(), word) != words.end();
}

Parameter make(std::string name, ParameterType type, std::string doc) {
  Parameter parameter;
  parameter.name = std::move(name);
  parameter.type = type;
  parameter.doc = std::move(doc);
  return parameter;
}

}  // namespace

std::span<const Parameter> common_parameters() {
  static const std::vector<Parameter>* const parameters = [] {
    auto* made = new std::vector<Parameter>;  // lives as long as the process
    Parameter& chars =
        made->emplace_back(make("max_chars", ParameterType::Integer, "reply characters"));
    chars.min = static_cast<std::int64_t>(kCharsMin);
    chars.max = kCharsCeiling;
    Parameter& format = made->emplace_back(make("output_format", ParameterType::Choice,
                                                "form of the reply where only one is carried"));
    format.choices = {"text", "json"};
    made->push_back(make("source", ParameterType::Text, "which source, of several"));
    return made;
  }();
  return *parameters;
}

bool is_alias_of(const Parameter& parameter, std::string_view name) {
  const auto& own = parameter.aliases;
  if (std::find(own.begin(), own.end(), name) != own.end()) return true;
  if (parameter.type == ParameterType::Handle) return has(kHandleWords, name);
  if (parameter.name == "sql") return has(kSqlWords, name);
  return std::any_of(kSynonyms.begin(), kSynonyms.end(), [&](const Synonyms& words) {
    return has(words, name) && has(words, parameter.name);
  });
}

std::vector<std::string> aliases_of(const Parameter& parameter, const Tool& tool) {
  const std::vector<const Parameter*> all = all_parameters(tool);
  // Real names win, and of two that share a word the first.
  const auto is_free = [&](std::string_view word) {
    for (const Parameter* const other : all) {
      if (other->name == word) return false;
    }
    const auto first = std::find_if(
        all.begin(), all.end(), [&](const Parameter* other) { return is_alias_of(*other, word); });
    return first != all.end() && *first == &parameter;
  };
  std::vector<std::string> aliases;
  const auto add = [&](std::string_view word) {
    const bool is_new = std::find(aliases.begin(), aliases.end(), word) == aliases.end();
    if (!word.empty() && is_new && is_alias_of(parameter, word) && is_free(word)) {
      aliases.emplace_back(word);
    }
  };
  for (const std::string& word : parameter.aliases) add(word);
  for (const Synonyms& words : kSynonyms) std::for_each(words.begin(), words.end(), add);
  for (const Synonyms& words : {kHandleWords, kSqlWords}) {
    std::for_each(words.begin(), words.end(), add);
  }
  return aliases;
}

std::vector<const Parameter*> all_parameters(const Tool& tool) {
  std::vector<const Parameter*> all;
  for (const Parameter& parameter : tool.parameters) all.push_back(&parameter);
  for (const Parameter& common : common_parameters()) {
    const bool is_own = std::any_of(tool.parameters.begin(), tool.parameters.end(),
                                    [&](const Parameter& own) { return own.name == common.name; });
    if (!is_own) all.push_back(&common);
  }
  return all;
}

}  // namespace helve::toolkit
