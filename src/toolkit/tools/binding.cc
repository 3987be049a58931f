// Which argument of a call is for which parameter of its tool. argument_reading.h reads the values.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"
#include "toolkit/tools/argument_reading.h"
#include "toolkit/tools/nearest_name.h"
#include "toolkit/tools/parameter_names.h"
#include "toolkit/tools/tool.h"
#include "toolkit/tools/tool_words.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kArgumentsMax = 100;  // of one call; those behind are not read
constexpr std::size_t kUnknownTold = 8;
constexpr std::size_t kWarningsMax = 24;

class Binder {
 public:
  explicit Binder(const Tool& tool)
      : tool_(tool), parameters_(all_parameters(tool)), slots_(parameters_.size()) {}

  void take(const JsonValue& given);
  Result<BoundCall> bind();

 private:
  struct Slot {
    const JsonValue* given = nullptr;
    std::string name;  // as the caller wrote it
  };

  void take_object(const JsonValue::Object& members);
  void take_list(const JsonValue::Array& items);
  void take_first(const JsonValue& value);
  bool is_named(const JsonValue& value) const;
  std::optional<std::size_t> find_real(std::string_view name) const;
  std::optional<std::size_t> find_alias(std::string_view name) const;
  void assign(std::size_t slot, const JsonMember& member, bool is_real);
  bool take_end(const JsonMember& member);
  bool take_length(const JsonMember& member);
  void take_unknown(const std::string& name);
  Result<void> apply_end();
  Result<void> apply_length();
  Result<std::optional<std::int64_t>> number_of(const char* name, const JsonValue* given);
  Result<void> bind_one(std::size_t slot, BoundCall& call);
  Error missing(const Parameter& parameter) const;
  void warn(std::string warning) { warnings_.push_back(std::move(warning)); }

  const Tool& tool_;
  std::vector<const Parameter*> parameters_;
  std::vector<Slot> slots_;
  const JsonValue* end_ = nullptr;     // of a tool with offset and limit
  const JsonValue* length_ = nullptr;  // of a tool with start and end
  std::size_t unknown_ = 0;
  std::string unknown_told_;  // the warning of the first of them
  JsonValue parsed_;          // of arguments that came as a text
  JsonValue made_;            // of "end" or of a length
  std::vector<std::string> warnings_;
};

std::optional<std::size_t> Binder::find_real(std::string_view name) const {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters_[i]->name == name) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> Binder::find_alias(std::string_view name) const {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (is_alias_of(*parameters_[i], name)) return i;
  }
  return std::nullopt;
}

// An object of arguments, and not one that is the first argument itself, as a Ref may be.
bool Binder::is_named(const JsonValue& value) const {
  const auto* object = value.if_object();
  if (object == nullptr) return false;
  if (tool_.parameters.empty()) return true;
  const ParameterType first = tool_.parameters.front().type;
  return first != ParameterType::Handle || value.find("dtype") == nullptr ||
         value.find("key") == nullptr;
}

void Binder::take(const JsonValue& given) {
  if (given.is_null()) return;
  const JsonValue* value = &given;
  if (const std::string* text = given.if_string(); text && text->starts_with('{')) {
    // A text of SPARQL may begin so too, but it is no JSON.
    if (auto parsed = parse_json(*text); parsed && parsed->if_object()) {
      parsed_ = *std::move(parsed);
      value = &parsed_;
      warn("the arguments were a text; it was read as the JSON object it holds");
    }
  }
  if (is_named(*value)) {
    take_object(*value->if_object());
  } else if (const auto* list = value->if_array()) {
    take_list(*list);
  } else {
    take_first(*value);
  }
}

void Binder::take_first(const JsonValue& value) {
  if (tool_.parameters.empty()) {
    warn(fmt::format("{} takes no positional argument; {} was ignored", tool_.name,
                     brief_json(value)));
  } else {
    slots_[0] = {&value, tool_.parameters.front().name};
  }
}

void Binder::take_list(const JsonValue::Array& items) {
  const bool is_wrapped =
      items.size() == 1 && items[0].if_object() && is_named(items[0]) &&
      !items[0].if_object()->empty() &&
      (tool_.parameters.empty() || (tool_.parameters[0].type != ParameterType::Object &&
                                    tool_.parameters[0].type != ParameterType::Json));
  if (is_wrapped) {
    const std::string name = folded_name(items[0].if_object()->front().key);
    if (find_real(name) || find_alias(name)) return take_object(*items[0].if_object());
  }
  const std::size_t count = std::min(items.size(), tool_.parameters.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (!items[i].is_null()) slots_[i] = {&items[i], tool_.parameters[i].name};
  }
  if (items.size() > count) {
    warn(fmt::format("{} takes {} positional arguments; the last {} were ignored", tool_.name,
                     count, items.size() - count));
  }
}

void Binder::take_object(const JsonValue::Object& members) {
  const std::size_t count = std::min(members.size(), kArgumentsMax);
  if (count < members.size()) {
    warn(fmt::format("only the first {} of {} arguments were read", count, members.size()));
  }
  std::vector<const JsonMember*> others;
  for (std::size_t i = 0; i < count; ++i) {
    if (members[i].value.is_null()) continue;
    if (const auto slot = find_real(members[i].key)) {
      assign(*slot, members[i], true);
    } else {
      others.push_back(&members[i]);
    }
  }
  for (const JsonMember* member : others) {
    const std::string folded = folded_name(member->key);
    if (const auto real = find_real(folded)) {
      assign(*real, *member, false);
    } else if (const auto alias = find_alias(member->key)) {
      assign(*alias, *member, false);
    } else if (const auto other = folded != member->key ? find_alias(folded) : std::nullopt) {
      assign(*other, *member, false);
    } else if (!take_end(*member) && !take_length(*member)) {
      take_unknown(member->key);
    }
  }
  if (unknown_ > kUnknownTold) {
    warn(fmt::format("{} more unknown parameters were ignored", unknown_ - kUnknownTold));
  }
}

void Binder::assign(std::size_t slot, const JsonMember& member, bool is_real) {
  if (slots_[slot].given != nullptr && !is_real) {
    warn(fmt::format("'{}' was ignored: '{}' is given and means the same", brief_text(member.key),
                     brief_text(slots_[slot].name)));
    return;
  }
  slots_[slot] = {&member.value, member.key};
}

// "end" of a tool that has offset and limit, and no parameter of that name.
bool Binder::take_end(const JsonMember& member) {
  if (folded_name(member.key) != "end" || !find_real("offset") || !find_real("limit")) return false;
  end_ = &member.value;
  return true;
}

// The other way round: "limit" of a tool that has start and end.
bool Binder::take_length(const JsonMember& member) {
  const std::string name = folded_name(member.key);
  if ((name != "limit" && name != "n" && name != "length") || !find_real("start") ||
      !find_real("end")) {
    return false;
  }
  length_ = &member.value;
  return true;
}

void Binder::take_unknown(const std::string& name) {
  if (++unknown_ > kUnknownTold) return;
  std::vector<std::string_view> names;
  for (const Parameter* parameter : parameters_) names.push_back(parameter->name);
  std::string hint = did_you_mean(name, names);
  if (hint.empty()) {
    std::string listed;
    for (const Parameter& parameter : tool_.parameters) {
      listed += (listed.empty() ? "" : ", ") + parameter.name;
    }
    hint = listed.empty() ? "; it takes none" : "; it takes " + listed;
  }
  std::string told = fmt::format("'{}' is no parameter of {} and was ignored{}", brief_text(name),
                                 tool_.name, hint);
  if (unknown_ == 1) unknown_told_ = told;
  warn(std::move(told));
}

// A number that is not for the parameter of its own name.
Result<std::optional<std::int64_t>> Binder::number_of(const char* name, const JsonValue* given) {
  if (given == nullptr) return std::optional<std::int64_t>();
  Parameter number;
  number.name = name;
  number.type = ParameterType::Integer;
  number.min = -1;
  HELVE_ASSIGN(const auto value, read_argument(number, *given, warnings_));
  if (!value) return std::optional<std::int64_t>();
  return std::optional(std::get<std::int64_t>(*value));
}

Result<void> Binder::apply_end() {
  HELVE_ASSIGN(const auto end, number_of("end", end_));
  if (!end) return {};
  const std::size_t limit = *find_real("limit");
  if (slots_[limit].given != nullptr) {
    warn("'end' was ignored: 'limit' is given");
    return {};
  }
  HELVE_ASSIGN(const auto offset, number_of("offset", slots_[*find_real("offset")].given));
  const std::int64_t begin = std::max<std::int64_t>(0, offset.value_or(0));
  const std::int64_t most = parameters_[limit]->max;
  const std::int64_t asked = *end < 0 ? most : std::max<std::int64_t>(0, *end - begin);
  made_ = JsonValue(std::min(asked, most));
  slots_[limit] = {&made_, "end"};
  warn(fmt::format("end={} was read as limit={} from offset={} on", *end, std::min(asked, most),
                   begin));
  return {};
}

Result<void> Binder::apply_length() {
  HELVE_ASSIGN(const auto length, number_of("limit", length_));
  if (!length) return {};
  const std::size_t end = *find_real("end");
  if (slots_[end].given != nullptr) {
    warn("'limit' was ignored: 'end' is given");
    return {};
  }
  HELVE_ASSIGN(const auto start, number_of("start", slots_[*find_real("start")].given));
  const std::int64_t begin = std::max<std::int64_t>(0, start.value_or(0));
  const std::int64_t room = INT64_MAX - begin;
  const std::int64_t last = *length < 0 ? -1 : begin + std::min(*length, room);
  made_ = JsonValue(last);
  slots_[end] = {&made_, "limit"};
  warn(fmt::format("limit={} was read as end={}, for start={}", *length, last, begin));
  return {};
}

Error Binder::missing(const Parameter& parameter) const {
  std::string message = fmt::format("{} needs {}: {}", tool_.name, parameter.name, parameter.doc);
  if (!unknown_told_.empty()) message += "; " + unknown_told_;
  return {ErrorCode::InvalidInput, std::move(message), "it is called as " + signature_of(tool_)};
}

Result<void> Binder::bind_one(std::size_t slot, BoundCall& call) {
  const Parameter& parameter = *parameters_[slot];
  std::optional<Arguments::Value> value;
  bool was_given = false;
  if (slots_[slot].given != nullptr) {
    auto read = read_argument(parameter, *slots_[slot].given, warnings_);
    if (!read) {
      Error error = std::move(read).error();
      error.message = tool_.name + ": " + error.message;
      return error;
    }
    value = *std::move(read);
    was_given = value.has_value();
  }
  if (!value && parameter.otherwise && !parameter.otherwise->is_null()) {
    std::vector<std::string> none;
    auto standard = read_argument(parameter, *parameter.otherwise, none);
    HELVE_CHECK(standard && none.empty());  // a default that its own parameter takes as it is
    value = *std::move(standard);
  }
  if (!value) return parameter.is_required ? Result<void>(missing(parameter)) : Result<void>();
  if (slot >= tool_.parameters.size()) {
    if (parameter.name == "max_chars") {
      call.max_chars = static_cast<std::size_t>(std::get<std::int64_t>(*value));
    } else if (parameter.name == "output_format") {
      call.output_format = std::get<std::string>(*value);
    } else {
      call.source = std::get<std::string>(*value);
    }
    return {};
  }
  call.arguments.bound.push_back({parameter.name, *std::move(value), was_given});
  return {};
}

Result<BoundCall> Binder::bind() {
  BoundCall call;
  HELVE_TRY(apply_end());
  HELVE_TRY(apply_length());
  for (std::size_t slot = 0; slot < parameters_.size(); ++slot) HELVE_TRY(bind_one(slot, call));
  if (warnings_.size() > kWarningsMax) {
    const std::size_t more = warnings_.size() - kWarningsMax;
    warnings_.resize(kWarningsMax);
    warn(fmt::format("{} more warnings about the arguments", more));
  }
  call.warnings = std::move(warnings_);
  return call;
}

}  // namespace

Result<BoundCall> bind_arguments(const Tool& tool, const JsonValue& given) {
  Binder binder(tool);
  binder.take(given);
  return binder.bind();
}

}  // namespace helve::toolkit
