#include "tests/memory/quality/local_embedder.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/json.h"
#include "base/json_writer.h"
#include "toolkit/memory/terms.h"

namespace helve::quality {

namespace {

constexpr std::size_t kSigns = 8;         // of a sparse random vector
constexpr std::size_t kPieceLetters = 4;  // of a piece of a word
constexpr double kPieceShare = 0.5;
constexpr double kCompanyShare = 1;

std::uint64_t next_random(std::uint64_t& state) {  // splitmix64
  state += 0x9E3779B97F4A7C15ULL;
  std::uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBULL;
  return mixed ^ (mixed >> 31U);
}

std::uint64_t seed_of(std::string_view text) {
  std::uint64_t hash = 14'695'981'039'346'656'037ULL;  // FNV-1a
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1'099'511'628'211ULL;
  }
  return hash;
}

// Adds the sparse random vector of a seed; all have length 1.
void add_signs(std::uint64_t seed, double weight, std::vector<float>& into) {
  const double each = weight / std::sqrt(static_cast<double>(kSigns));
  for (std::size_t i = 0; i < kSigns; ++i) {
    const std::uint64_t random = next_random(seed);
    float& value = into[(random >> 1U) % LocalEmbedder::kDims];
    value += static_cast<float>((random & 1U) != 0 ? each : -each);
  }
}

void make_unit(std::vector<float>& values) {
  double squares = 0;
  for (const float value : values) squares += static_cast<double>(value) * value;
  if (squares <= 0) return;
  const auto length = static_cast<float>(std::sqrt(squares));
  for (float& value : values) value /= length;
}

std::set<std::string> words_of(std::string_view text) {
  const auto terms = memory::terms_of(text);
  return {terms.begin(), terms.end()};
}

std::set<std::string> pieces_of(const std::set<std::string>& words) {
  std::set<std::string> pieces;
  for (const std::string& word : words) {
    const std::string marked = "#" + word + "#";
    for (std::size_t at = 0; at + kPieceLetters <= marked.size(); ++at) {
      pieces.insert(marked.substr(at, kPieceLetters));
    }
  }
  return pieces;
}

}  // namespace

LocalEmbedder::LocalEmbedder(const std::vector<std::string>& texts) : texts_(texts.size()) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto words = words_of(texts[i]);
    for (const std::string& word : words) {
      Word& known = words_[word];
      ++known.texts;
      known.company.resize(kDims);
      add_signs(seed_of("text") + i, 1, known.company);
    }
    for (const std::string& piece : pieces_of(words)) ++pieces_[piece];
  }
  for (auto& [word, known] : words_) make_unit(known.company);
}

double LocalEmbedder::rarity_of(std::size_t texts) const {
  return std::log(1 + static_cast<double>(texts_) / (static_cast<double>(texts) + 0.5));
}

std::vector<float> LocalEmbedder::embed(std::string_view text) const {
  std::vector<float> values(kDims);
  const auto words = words_of(text);
  for (const std::string& word : words) {
    const auto known = words_.find(word);
    const double rarity = rarity_of(known == words_.end() ? 0 : known->second.texts);
    add_signs(seed_of(word), rarity, values);
    if (known == words_.end()) continue;
    const auto share = static_cast<float>(kCompanyShare * rarity);
    for (std::size_t i = 0; i < kDims; ++i) values[i] += share * known->second.company[i];
  }
  for (const std::string& piece : pieces_of(words)) {
    const auto known = pieces_.find(piece);
    const std::size_t count = known == pieces_.end() ? 0 : known->second;
    add_signs(seed_of(piece), kPieceShare * rarity_of(count), values);
  }
  make_unit(values);
  return values;
}

Result<HttpResponse> LocalEmbedder::answer(const HttpRequest& request) const {
  HELVE_ASSIGN(const JsonValue asked, parse_json(request.body));
  const JsonValue* input = asked.find("input");
  if (input == nullptr || input->if_array() == nullptr) return HttpResponse{400, {}, "{}"};
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  json.key("data");
  json.begin_array();
  std::uint64_t place = 0;
  for (const JsonValue& text : *input->if_array()) {
    json.begin_object();
    json.member("index", place++);
    json.key("embedding");
    json.begin_array();
    for (const float value : embed(text.if_string() != nullptr ? *text.if_string() : "")) {
      json.value(static_cast<double>(value));
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return HttpResponse{200, {{"content-type", "application/json"}}, std::move(body)};
}

}  // namespace helve::quality
