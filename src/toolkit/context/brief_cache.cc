#include "toolkit/context/brief_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/file_identity.h"
#include "base/json.h"
#include "base/utf8.h"

namespace helve::context {

namespace {

constexpr std::string_view kEnding = ".brief";
constexpr std::size_t kDigestDigits = 64;

void write_layer(JsonWriter& json, std::string_view key, const LayerText& layer) {
  json.key(key);
  json.begin_object();
  json.member("text", layer.text);
  json.member("budget", layer.budget);
  json.member("left_out", layer.left_out);
  json.key("parts");
  json.begin_array();
  for (const auto& [part, chars] : layer.parts) {
    json.begin_array();
    json.value(part);
    json.value(chars);
    json.end_array();
  }
  json.end_array();
  json.end_object();
}

std::string text_of(const std::string& key, const SourceBrief& brief) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.member("key", key);
  write_layer(json, "sense", brief.sense);
  write_layer(json, "constraints", brief.constraints);
  json.member("schema_fingerprint", brief.schema_fingerprint);
  json.member("ontology", brief.ontology);
  json.member("main_namespace", brief.main_namespace);
  json.key("ontologies");
  json.begin_array();
  for (const std::string& iri : brief.ontologies) json.value(iri);
  json.end_array();
  json.end_object();
  return text;
}

// Reads members; remembers that one was not as it must be.
class Reader {
 public:
  explicit Reader(const JsonValue& json) : json_(json) {}

  std::string text(std::string_view key) {
    const JsonValue* value = json_.find(key);
    const std::string* text = value != nullptr ? value->if_string() : nullptr;
    is_good = is_good && text != nullptr;
    return text != nullptr ? *text : std::string();
  }

  std::size_t number(std::string_view key) {
    const JsonValue* value = json_.find(key);
    const auto number = value != nullptr ? value->to_uint64() : std::nullopt;
    is_good = is_good && number.has_value();
    return number.value_or(0);
  }

  JsonValue::Array array(std::string_view key) {
    const JsonValue* value = json_.find(key);
    const JsonValue::Array* array = value != nullptr ? value->if_array() : nullptr;
    is_good = is_good && array != nullptr;
    return array != nullptr ? *array : JsonValue::Array();
  }

  LayerText layer(std::string_view key) {
    const JsonValue* value = json_.find(key);
    LayerText layer;
    if (value == nullptr) {
      is_good = false;
      return layer;
    }
    Reader inner(*value);
    layer.text = inner.text("text");
    layer.chars = utf8_length(layer.text);
    layer.budget = inner.number("budget");
    layer.left_out = inner.number("left_out");
    for (const JsonValue& part : inner.array("parts")) {
      const JsonValue::Array* pair = part.if_array();
      const bool is_pair = pair != nullptr && pair->size() == 2 &&
                           (*pair)[0].if_string() != nullptr && (*pair)[1].to_uint64().has_value();
      inner.is_good = inner.is_good && is_pair;
      if (is_pair) layer.parts.emplace_back(*(*pair)[0].if_string(), *(*pair)[1].to_uint64());
    }
    is_good = is_good && inner.is_good && layer.chars <= layer.budget;
    return layer;
  }

  bool is_good = true;

 private:
  const JsonValue& json_;
};

std::optional<SourceBrief> read_brief(std::string_view file, const std::string& key) {
  // A digest and a line end, then what it is of.
  if (file.size() <= kDigestDigits || file[kDigestDigits] != '\n') return std::nullopt;
  const std::string_view text = file.substr(kDigestDigits + 1);
  if (file.substr(0, kDigestDigits) != digest_hex(DigestKind::Sha256, text)) return std::nullopt;
  const auto json = parse_json(text);
  if (!json) return std::nullopt;
  Reader reader(*json);
  SourceBrief brief;
  brief.sense = reader.layer("sense");
  brief.constraints = reader.layer("constraints");
  brief.schema_fingerprint = reader.text("schema_fingerprint");
  brief.ontology = reader.text("ontology");
  brief.main_namespace = reader.text("main_namespace");
  for (const JsonValue& iri : reader.array("ontologies")) {
    if (const std::string* one = iri.if_string()) brief.ontologies.push_back(*one);
  }
  if (reader.text("key") != key || !reader.is_good) return std::nullopt;
  return brief;
}

}  // namespace

std::string brief_key(const GraphSource& graph, const ConstraintFile* own,
                      const BriefBudgets& budgets) {
  const SourceInfo& info = graph.info();
  std::string text = fmt::format("{} {} {}\n", kPackersVersion, budgets.sense, budgets.constraints);
  const auto add = [&text](std::string_view part) {
    text += fmt::format("{}:{}\n", part.size(), part);
  };
  for (const std::string& part : {graph.fingerprint(), info.name, info.description}) add(part);
  if (const auto traits = graph.traits(); traits && traits->known_since) {
    add(fmt::format("{}", traits->known_since->time_since_epoch().count()));
  }
  if (own != nullptr) {
    for (const auto* lines : {&own->ontology, &own->avoid, &own->hints}) {
      text += fmt::format("own {}\n", lines->size());
      for (const std::string& line : *lines) add(line);
    }
  }
  return digest_hex(DigestKind::Sha256, text);
}

std::filesystem::path BriefCache::file_of(const std::string& key) const {
  return folder_ / (key + std::string(kEnding));
}

std::optional<SourceBrief> BriefCache::find(const std::string& key) const {
  Files& files = env_.files();
  const auto status = files.status(file_of(key));
  if (!status || status->kind != FileKind::Regular || status->size > limits_.file_bytes_max) {
    return std::nullopt;
  }
  // Read rather than mapped: a file that is cut off meanwhile is damaged, and no more than that.
  const auto source = files.open_read(file_of(key));
  if (!source) return std::nullopt;
  std::string file(limits_.file_bytes_max + 1, '\0');
  std::size_t size = 0;
  while (size < file.size()) {
    const auto count = (*source)->read({file.data() + size, file.size() - size});
    if (!count) return std::nullopt;
    if (*count == 0) break;
    size += *count;
  }
  file.resize(size);
  return size > limits_.file_bytes_max ? std::nullopt : read_brief(file, key);
}

void BriefCache::keep(const std::string& key, const SourceBrief& brief) const {
  const std::string text = text_of(key, brief);
  const std::string file = digest_hex(DigestKind::Sha256, text) + "\n" + text;
  if (file.size() > limits_.file_bytes_max) return;
  if (!make_private_folder(folder_)) return;
  if (write_file_atomically(env_, file_of(key), file)) make_room();
}

std::vector<std::pair<WallTime, std::filesystem::path>> BriefCache::files() const {
  std::vector<std::pair<WallTime, std::filesystem::path>> ours;
  const auto names = env_.files().list(folder_);
  if (!names) return ours;
  for (const std::filesystem::path& name : *names) {
    if (name.extension() != kEnding) continue;
    if (const auto status = env_.files().status(folder_ / name)) {
      ours.emplace_back(status->modified, folder_ / name);
    }
  }
  std::sort(ours.begin(), ours.end());
  return ours;
}

void BriefCache::make_room() const {
  auto ours = files();
  if (ours.size() <= limits_.files_max) return;
  ours.resize(ours.size() - limits_.files_max);
  for (const auto& [modified, path] : ours) static_cast<void>(env_.files().remove(path));
}

std::size_t BriefCache::clear() const {
  std::size_t removed = 0;
  for (const auto& [modified, path] : files()) removed += env_.files().remove(path) ? 1 : 0;
  return removed;
}

}  // namespace helve::context
