// Reading JSON: simdjson's On-Demand interface feeds a JsonValue. Its errors have no place in the
// text, so json_fault.cc looks for the fault once there is one.
#include <fmt/core.h>

#define SIMDJSON_EXCEPTIONS 0  // conversions that throw shall not compile
#include <simdjson.h>

#include <algorithm>
#include <unordered_set>

#include "base/json.h"
#include "base/json_fault.h"
#include "base/json_number.h"

namespace helve {

namespace {

namespace od = simdjson::ondemand;

constexpr std::size_t kDepthHardMax = 4'096;  // the tree is built and destroyed by recursion
constexpr std::size_t kFewMembers = 16;       // below, comparing all keys beats hashing

class TreeBuilder {
 public:
  TreeBuilder(std::string_view text, const Limits& limits)
      : text_(text),
        depth_max_(std::min(limits.json_depth_max, kDepthHardMax)),
        values_max_(limits.json_values_max) {}

  Result<JsonValue> run() {
    // In brackets, so that a lone scalar takes the same way as everything else.
    simdjson::padded_string padded(text_.size() + 2);
    char* bytes = padded.data();
    bytes[0] = '[';
    std::copy(text_.begin(), text_.end(), bytes + 1);
    bytes[text_.size() + 1] = ']';
    start_ = bytes + 1;

    od::parser parser;
    od::document document;
    od::array wrapper;
    if (parser.iterate(padded).get(document) || document.get_array().get(wrapper)) return fault();
    JsonValue root;
    std::size_t count = 0;
    for (auto element : wrapper) {
      od::value value;
      if (element.get(value) || ++count > 1) return fault();
      HELVE_TRY(read(value, root, 0));
    }
    const char* behind = nullptr;
    const bool at_end = document.current_location().get(behind) == simdjson::OUT_OF_BOUNDS;
    if (count != 1 || !at_end) return fault();
    return root;
  }

 private:
  Result<void> read(od::value& value, JsonValue& into, std::size_t depth) {
    if (++values_ > values_max_) {
      return Error{ErrorCode::LimitExceeded,
                   fmt::format("the JSON text has more than {} values", values_max_)};
    }
    od::json_type type{};
    if (value.type().get(type)) return fault();
    switch (type) {
      case od::json_type::array:
        return read_array(value, into, depth + 1);
      case od::json_type::object:
        return read_object(value, into, depth + 1);
      case od::json_type::number:
        return read_number(value, into);
      case od::json_type::string: {
        std::string_view text;
        if (value.get_string().get(text)) return fault();
        into = JsonValue(text);
        return {};
      }
      case od::json_type::boolean: {
        bool truth = false;
        if (value.get_bool().get(truth)) return fault();
        into = JsonValue(truth);
        return {};
      }
      case od::json_type::null: {
        bool is_null = false;
        if (value.is_null().get(is_null) || !is_null) return fault();
        return {};
      }
    }
    return fault();
  }

  Result<void> read_number(od::value& value, JsonValue& into) {
    std::string_view token = value.raw_json_token();
    token = token.substr(0, token.find_last_not_of(" \t\r\n") + 1);
    if (!is_json_number(token)) return fault();
    into = json_number_value(token);
    return {};  // the iteration steps over the token
  }

  Result<void> read_array(od::value& value, JsonValue& into, std::size_t depth) {
    HELVE_TRY(check_depth(depth));
    od::array elements;
    if (value.get_array().get(elements)) return fault();
    JsonValue::Array array;
    for (auto element : elements) {
      od::value inner;
      if (element.get(inner)) return fault();
      HELVE_TRY(read(inner, array.emplace_back(), depth));
    }
    into = JsonValue(std::move(array));
    return {};
  }

  Result<void> read_object(od::value& value, JsonValue& into, std::size_t depth) {
    HELVE_TRY(check_depth(depth));
    od::object fields;
    if (value.get_object().get(fields)) return fault();
    JsonValue::Object object;
    const std::size_t first_key = key_offsets_.size();
    for (auto field : fields) {
      od::raw_json_string raw_key;
      std::string_view key;
      if (field.key().get(raw_key)) return fault();
      key_offsets_.push_back(static_cast<std::size_t>(raw_key.raw() - 1 - start_));
      if (field.unescaped_key().get(key)) return fault();
      JsonMember& member = object.emplace_back();
      member.key = key;
      od::value inner;
      if (field.value().get(inner)) return fault();
      HELVE_TRY(read(inner, member.value, depth));
    }
    HELVE_TRY(check_keys(object, first_key));
    key_offsets_.resize(first_key);
    into = JsonValue(std::move(object));
    return {};
  }

  Result<void> check_depth(std::size_t depth) const {
    if (depth <= depth_max_) return {};
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("the JSON text is nested deeper than {} levels", depth_max_)};
  }

  // Two values for one key: readers differ in which they take, so an attacker could show one to a
  // check and the other to what follows.
  Result<void> check_keys(const JsonValue::Object& object, std::size_t first_key) const {
    std::unordered_set<std::string_view> seen;
    for (std::size_t i = 0; i < object.size(); ++i) {
      const auto is_same = [&](const JsonMember& other) { return other.key == object[i].key; };
      const bool is_new = object.size() > kFewMembers
                              ? seen.insert(object[i].key).second
                              : std::none_of(object.begin(), object.begin() + i, is_same);
      if (is_new) continue;
      return Error{ErrorCode::InvalidInput,
                   fmt::format("the key \"{}\" stands twice in one object", object[i].key),
                   "keep one of the two"}
          .at("", text_position(text_, key_offsets_[first_key + i]));
    }
    return {};
  }

  // Something is wrong somewhere; says what and where.
  Error fault() const {
    const auto found = find_json_fault(text_);
    if (!found) return Error{ErrorCode::InvalidInput, "the text is not JSON"};
    return Error{ErrorCode::InvalidInput, "not JSON: " + found->message}.at(
        "", text_position(text_, found->offset));
  }

  const std::string_view text_;
  const std::size_t depth_max_;
  const std::size_t values_max_;
  const char* start_ = nullptr;  // of text_ in simdjson's copy
  std::size_t values_ = 0;
  std::vector<std::size_t> key_offsets_;  // of the objects that are open
};

}  // namespace

Result<JsonValue> parse_json(std::string_view text, const Limits& limits) {
  if (text.size() > limits.json_bytes_max) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("the JSON text has {} bytes, more than the limit of {}", text.size(),
                             limits.json_bytes_max),
                 "split it or raise json_bytes_max"};
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return TreeBuilder(text, limits).run();
}

}  // namespace helve
