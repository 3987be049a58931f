// A registry as text: a line for the whole, then one for each endpoint, graph and prefix.
#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "toolkit/examples/endpoint_registry.h"

namespace helve::toolkit {

namespace {

JsonValue counted(const CountedTexts& texts) {
  JsonValue::Array list;
  for (const auto& [text, count] : texts) {
    list.emplace_back(JsonValue::Array{JsonValue(text), JsonValue(count)});
  }
  return JsonValue(std::move(list));
}

JsonValue prefixes_of(const EndpointEntry& endpoint) {
  JsonValue::Array list;
  for (const auto& [prefix, count] : endpoint.prefixes) {
    list.emplace_back(
        JsonValue::Array{JsonValue(prefix.first), JsonValue(prefix.second), JsonValue(count)});
  }
  return JsonValue(std::move(list));
}

JsonValue texts(const std::vector<std::string>& all) {
  JsonValue::Array list;
  for (const std::string& text : all) list.emplace_back(text);
  return JsonValue(std::move(list));
}

JsonValue forms_of(const std::array<std::uint64_t, kExampleForms>& forms) {
  JsonValue::Object object;
  for (std::size_t i = 0; i < kExampleForms; ++i) {
    object.push_back({std::string(name_of(static_cast<ExampleForm>(i))), JsonValue(forms[i])});
  }
  return JsonValue(std::move(object));
}

void add_line(std::string& out, JsonValue::Object object) {
  out += to_json(JsonValue(std::move(object)));
  out += '\n';
}

JsonValue problems_of(const std::vector<FileProblem>& problems) {
  JsonValue::Array list;
  for (const FileProblem& one : problems) {
    list.emplace_back(JsonValue::Array{JsonValue(one.file), JsonValue(one.message)});
  }
  return JsonValue(std::move(list));
}

Error damaged(std::string_view what) {
  return {ErrorCode::Unavailable, fmt::format("the registry cannot be read: {}", what),
          "make it anew with federated_endpoints"};
}

// Members of one line; the first that is not as it must be is kept.
class LineReader {
 public:
  explicit LineReader(const JsonValue& line) : line_(line) {}

  std::string text(std::string_view key) { return text_of(line_.find(key)); }
  std::uint64_t number(std::string_view key) { return number_of(line_.find(key)); }

  std::vector<std::string> texts(std::string_view key) {
    std::vector<std::string> list;
    for (const JsonValue& one : items(key)) list.push_back(text_of(&one));
    return list;
  }
  CountedTexts counted(std::string_view key) {
    CountedTexts list;
    for (const JsonValue& one : items(key)) {
      const JsonValue::Array* pair = tuple_of(one, 2);
      if (pair != nullptr) list.emplace_back(text_of(&(*pair)[0]), number_of(&(*pair)[1]));
    }
    return list;
  }
  std::vector<std::pair<std::string, std::string>> pairs(std::string_view key) {
    std::vector<std::pair<std::string, std::string>> list;
    for (const JsonValue& one : items(key)) {
      const JsonValue::Array* pair = tuple_of(one, 2);
      if (pair != nullptr) list.emplace_back(text_of(&(*pair)[0]), text_of(&(*pair)[1]));
    }
    return list;
  }
  auto counted_pairs(std::string_view key) {
    std::vector<std::pair<std::pair<std::string, std::string>, std::uint64_t>> list;
    for (const JsonValue& one : items(key)) {
      const JsonValue::Array* all = tuple_of(one, 3);
      if (all == nullptr) continue;
      list.emplace_back(std::pair(text_of(&(*all)[0]), text_of(&(*all)[1])), number_of(&(*all)[2]));
    }
    return list;
  }
  std::array<std::uint64_t, kExampleForms> forms(std::string_view key) {
    std::array<std::uint64_t, kExampleForms> forms{};
    const JsonValue* object = line_.find(key);
    for (std::size_t i = 0; i < kExampleForms; ++i) {
      forms[i] = number_of(object != nullptr ? object->find(name_of(static_cast<ExampleForm>(i)))
                                             : nullptr);
    }
    return forms;
  }
  bool is_sound() const { return is_sound_; }

 private:
  std::string text_of(const JsonValue* value) {
    const std::string* text = value != nullptr ? value->if_string() : nullptr;
    is_sound_ = is_sound_ && text != nullptr;
    return text != nullptr ? *text : std::string();
  }
  std::uint64_t number_of(const JsonValue* value) {
    const auto number = value != nullptr ? value->to_uint64() : std::nullopt;
    is_sound_ = is_sound_ && number.has_value();
    return number.value_or(0);
  }
  const JsonValue::Array& items(std::string_view key) {
    static const JsonValue::Array none;
    const JsonValue* value = line_.find(key);
    const JsonValue::Array* list = value != nullptr ? value->if_array() : nullptr;
    is_sound_ = is_sound_ && list != nullptr;
    return list != nullptr ? *list : none;
  }
  const JsonValue::Array* tuple_of(const JsonValue& value, std::size_t size) {
    const JsonValue::Array* tuple = value.if_array();
    if (tuple != nullptr && tuple->size() == size) return tuple;
    is_sound_ = false;
    return nullptr;
  }

  const JsonValue& line_;
  bool is_sound_ = true;
};

void read_whole(LineReader& line, EndpointRegistry& registry) {
  registry.name = line.text("name");
  registry.queries = line.number("queries");
  registry.forms = line.forms("forms");
  registry.federated_queries = line.number("federated_queries");
  registry.variable_services = line.number("variable_services");
  registry.variable_graphs = line.number("variable_graphs");
  registry.files = line.number("files");
  registry.broken_files = line.number("broken_files");
  registry.links = line.number("links");
  registry.unparsed = line.number("unparsed_queries");
  for (auto& [file, message] : line.pairs("problems")) {
    registry.problems.push_back({std::move(file), std::move(message)});
  }
  registry.incomplete = line.text("incomplete");
}

EndpointEntry read_endpoint(LineReader& line) {
  EndpointEntry entry;
  entry.name = line.text("name");
  entry.url = line.text("url");
  entry.addresses = line.counted("addresses");
  entry.example_count = line.number("example_count");
  entry.federated_count = line.number("federated_count");
  entry.forms = line.forms("forms");
  entry.federates_with = line.counted("federates_with");
  entry.asked_from = line.counted("asked_from");
  entry.keywords = line.counted("keywords");
  entry.questions = line.texts("questions");
  entry.prefixes = line.counted_pairs("prefixes");
  return entry;
}

bool read_line(const JsonValue& json, EndpointRegistry& registry) {
  LineReader line(json);
  const std::string kind = line.text("kind");
  if (kind == "examples") {
    read_whole(line, registry);
  } else if (kind == "endpoint") {
    registry.endpoints.push_back(read_endpoint(line));
  } else if (kind == "graph") {
    registry.graphs.push_back(
        {line.text("graph"), line.number("example_count"), line.texts("endpoints")});
  } else if (kind == "prefix") {
    registry.prefixes.emplace_back(line.text("prefix"), line.text("iri"));
  } else {
    return false;
  }
  return line.is_sound();
}

}  // namespace

std::string to_text(const EndpointRegistry& registry) {
  std::string out;
  add_line(out, {{"kind", JsonValue("examples")},
                 {"name", JsonValue(registry.name)},
                 {"queries", JsonValue(registry.queries)},
                 {"forms", forms_of(registry.forms)},
                 {"federated_queries", JsonValue(registry.federated_queries)},
                 {"variable_services", JsonValue(registry.variable_services)},
                 {"variable_graphs", JsonValue(registry.variable_graphs)},
                 {"files", JsonValue(registry.files)},
                 {"broken_files", JsonValue(registry.broken_files)},
                 {"links", JsonValue(registry.links)},
                 {"unparsed_queries", JsonValue(registry.unparsed)},
                 {"problems", problems_of(registry.problems)},
                 {"incomplete", JsonValue(registry.incomplete)}});
  for (const EndpointEntry& one : registry.endpoints) {
    add_line(out, {{"kind", JsonValue("endpoint")},
                   {"name", JsonValue(one.name)},
                   {"url", JsonValue(one.url)},
                   {"addresses", counted(one.addresses)},
                   {"example_count", JsonValue(one.example_count)},
                   {"federated_count", JsonValue(one.federated_count)},
                   {"forms", forms_of(one.forms)},
                   {"federates_with", counted(one.federates_with)},
                   {"asked_from", counted(one.asked_from)},
                   {"keywords", counted(one.keywords)},
                   {"questions", texts(one.questions)},
                   {"prefixes", prefixes_of(one)}});
  }
  for (const GraphEntry& one : registry.graphs) {
    add_line(out, {{"kind", JsonValue("graph")},
                   {"graph", JsonValue(one.iri)},
                   {"example_count", JsonValue(one.example_count)},
                   {"endpoints", texts(one.endpoints)}});
  }
  for (const auto& [name, iri] : registry.prefixes) {
    add_line(out,
             {{"kind", JsonValue("prefix")}, {"prefix", JsonValue(name)}, {"iri", JsonValue(iri)}});
  }
  return out;
}

Result<EndpointRegistry> registry_from_text(std::string_view text) {
  EndpointRegistry registry;
  std::size_t lines = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto json = parse_json(text.substr(0, end));
    if (!json) return damaged(json.error().full_message());
    if ((lines == 0) != (json->find("queries") != nullptr) || !read_line(*json, registry)) {
      return damaged(fmt::format("line {} is none of a registry", lines + 1));
    }
    ++lines;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (lines == 0) return damaged("it is empty");
  return registry;
}

}  // namespace helve::toolkit
