#include "toolkit/memory/embeddings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json.h"

namespace helve::memory {

namespace {

Error no_answer(std::string_view why) {
  return {ErrorCode::Unavailable, fmt::format("the embeddings endpoint gave no vectors: {}", why),
          "check its address and its model"};
}

std::string request_body(const std::string& model, const std::vector<std::string>& texts,
                         std::size_t first, std::size_t count) {
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  json.member("model", model);
  json.key("input");
  json.begin_array();
  for (std::size_t i = first; i < first + count; ++i) json.value(texts[i]);
  json.end_array();
  json.member("encoding_format", "float");
  json.end_object();
  return body;
}

// Of length 1; empty for what is none.
std::vector<float> vector_of(const JsonValue* list, std::size_t dims_max) {
  std::vector<float> values;
  if (list == nullptr || list->if_array() == nullptr || list->if_array()->size() > dims_max) {
    return values;
  }
  double squares = 0;
  for (const JsonValue& one : *list->if_array()) {
    const auto number = one.to_double();
    if (!number || !std::isfinite(*number)) return {};
    values.push_back(static_cast<float>(*number));
    squares += *number * *number;
  }
  if (!(squares > 0) || !std::isfinite(squares)) return {};
  const auto length = static_cast<float>(std::sqrt(squares));
  for (float& value : values) value /= length;
  return values;
}

}  // namespace

std::string embedded_text(const Item& item) {
  return fmt::format("{}\n{}\n{}", item.title, item.desc, item.content);
}

Result<EmbeddingClient> EmbeddingClient::make(EmbeddingOptions options, Http& http) {
  HELVE_ASSIGN(const HttpAddress address, read_http_address(options.url));
  if (options.model.empty()) {
    return Error{ErrorCode::InvalidInput, "embeddings need the name of a model",
                 "name one that the endpoint has"};
  }
  options.batch_max = std::max<std::size_t>(options.batch_max, 1);
  return EmbeddingClient(std::move(options), http, is_private_host(address.host));
}

Result<std::vector<std::vector<float>>> EmbeddingClient::embed(
    const std::vector<std::string>& texts, const OpContext& context) const {
  std::vector<std::vector<float>> vectors;
  for (std::size_t first = 0; first < texts.size(); first += options_.batch_max) {
    const std::size_t count = std::min(options_.batch_max, texts.size() - first);
    HELVE_TRY(embed_batch(texts, first, count, vectors, context));
  }
  return vectors;
}

Result<void> EmbeddingClient::embed_batch(const std::vector<std::string>& texts, std::size_t first,
                                          std::size_t count,
                                          std::vector<std::vector<float>>& vectors,
                                          const OpContext& context) const {
  HttpRequest request;
  request.method = "POST";
  request.url = options_.url;
  request.headers = {{"Content-Type", "application/json"}, {"Accept", "application/json"}};
  if (!options_.key.empty()) request.credentials = {{"Authorization", "Bearer " + options_.key}};
  request.body = request_body(options_.model, texts, first, count);
  request.reach.allows_private = is_private_;
  OpContext bounded = context;
  bounded.limits.http_body_bytes_max = options_.reply_bytes_max;
  HELVE_ASSIGN(const HttpResponse response, http_->send(std::move(request), bounded));
  if (response.status == 401 || response.status == 403) {
    return Error{ErrorCode::Denied, "the embeddings endpoint refuses the key", "check the key"};
  }
  // Its words may be anybody's, and are not repeated.
  if (response.status != 200) return no_answer(fmt::format("status {}", response.status));
  const auto json = parse_json(response.body);
  const JsonValue* data = json ? json->find("data") : nullptr;
  if (data == nullptr || data->if_array() == nullptr || data->if_array()->size() != count) {
    return no_answer(fmt::format("its answer has not {} vectors", count));
  }
  vectors.resize(first + count);
  for (const JsonValue& one : *data->if_array()) {
    const JsonValue* const index = one.find("index");
    const auto place = index == nullptr ? std::nullopt : index->to_int64();
    if (!place || *place < 0 || *place >= static_cast<std::int64_t>(count)) {
      return no_answer("a vector has no place");
    }
    std::vector<float>& into = vectors[first + static_cast<std::size_t>(*place)];
    if (!into.empty()) return no_answer("two vectors have the same place");
    into = vector_of(one.find("embedding"), options_.dims_max);
    if (into.empty()) return no_answer("a vector is no list of numbers");
  }
  const std::size_t dims = options_.dims != 0 ? options_.dims : vectors.front().size();
  for (std::size_t i = first; i < vectors.size(); ++i) {
    if (vectors[i].size() == dims) continue;
    return no_answer(fmt::format("a vector has {} values and not {}", vectors[i].size(), dims));
  }
  return {};
}

}  // namespace helve::memory
