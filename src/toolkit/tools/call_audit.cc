#include "toolkit/tools/call_audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/digest.h"
#include "base/redaction.h"
#include "base/utf8.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kAuditedQueryBytes = 64 * kKiB;

// Say how an answer is come by, not what it is.
constexpr std::array<std::string_view, 6> kNotOfTheAnswer = {
    "limit", "timeout", "diagnose", "validate", "store_pattern", "confirm"};

void append_value(std::string& out, const Arguments::Value& value) {
  std::visit(
      [&out](const auto& content) {
        using Content = std::decay_t<decltype(content)>;
        if constexpr (std::is_same_v<Content, JsonValue>) {
          out += to_json(content);
        } else if constexpr (std::is_same_v<Content, Duration>) {
          out += fmt::format("{}", content.count());
        } else if constexpr (std::is_same_v<Content, std::vector<std::string>>) {
          out += fmt::format("{}", fmt::join(content, "\x1f"));
        } else {
          out += fmt::format("{}", content);
        }
      },
      value);
}

AuditMode mode_of(const Policy& policy) { return policy.audit.value_or(AuditMode::Full); }

// The token that the call was given as a word, spent by now or not; empty: none.
std::string_view word_of(const AuditedCall& call) {
  for (const Arguments::Bound& one : call.arguments.bound) {
    const auto* text = std::get_if<std::string>(&one.value);
    if (one.name != "confirm" || text == nullptr) continue;
    return text->size() == Confirmations::kTokenChars ? *text : std::string_view();
  }
  return {};
}

void drop_words(JsonValue& given) {
  if (auto* members = given.if_object()) {
    std::erase_if(*members, [](const JsonMember& member) { return member.key == "confirm"; });
  }
}

// The same call is written the same, with or without a word.
std::string written_arguments(const AuditedCall& call) {
  JsonValue kept = call.given;
  drop_words(kept);
  if (auto* members = kept.if_object()) {  // of call_tool
    for (JsonMember& member : *members) drop_words(member.value);
  }
  return to_json(kept);
}

// What confirms a change stands in no record, under whatever name it came.
std::string without_tokens(std::string_view text, const AuditedCall& call) {
  std::string out = call.confirmations != nullptr ? call.confirmations->without_tokens(text)
                                                  : without_token_forms(text);
  const std::string_view word = word_of(call);
  for (std::size_t at = 0; !word.empty() && (at = out.find(word, at)) != std::string::npos;) {
    out.replace(at, word.size(), kTokenMark);
  }
  return out;
}

// What is cut off is looked at as far as a token could reach into it.
std::string audited(std::string_view text, const AuditedCall& call) {
  const std::string_view looked_at =
      text.substr(0, kAuditedQueryBytes + Confirmations::kTokenChars);
  return redact(without_tokens(looked_at, call)).substr(0, kAuditedQueryBytes);
}

// Of the text as it was given: the same query has the same, whoever asks it and however.
std::string sha256_of_query(const AuditedCall& call) {
  for (const Arguments::Bound& one : call.arguments.bound) {
    const auto* text = std::get_if<std::string>(&one.value);
    const bool is_query = one.name == "query" || one.name == "sql";
    if (is_query && text != nullptr && !text->empty()) {
      return digest_hex(DigestKind::Sha256, *text);
    }
  }
  return {};
}

std::string query_of(const AuditedCall& call) {
  for (const char* name : {"query", "sql", "resource", "pattern", "path"}) {
    for (const Arguments::Bound& one : call.arguments.bound) {
      const auto* text = std::get_if<std::string>(&one.value);
      if (one.name != name || text == nullptr || text->empty()) continue;
      // Values are a part of what was asked: who changed which row cannot be told without them.
      const auto params = std::find_if(
          call.arguments.bound.begin(), call.arguments.bound.end(),
          [](const Arguments::Bound& other) { return other.name == "params" && other.was_given; });
      if (params == call.arguments.bound.end()) return audited(*text, call);
      const auto* values = std::get_if<JsonValue>(&params->value);
      return audited(values == nullptr ? *text : *text + "\nparams: " + to_json(*values), call);
    }
  }
  return audited(written_arguments(call), call);
}

}  // namespace

std::string hash_of(std::string_view text) {
  constexpr std::size_t kDigits = 32;
  return digest_hex(DigestKind::Sha256, text).substr(0, kDigits);
}

bool is_recorded(const Policy& policy) { return mode_of(policy) != AuditMode::Off; }

std::string hash_call(const Tool& tool, const Arguments& arguments, std::string_view source) {
  std::string text = tool.name;
  for (const Arguments::Bound& one : arguments.bound) {
    if (std::find(kNotOfTheAnswer.begin(), kNotOfTheAnswer.end(), one.name) !=
        kNotOfTheAnswer.end()) {
      continue;
    }
    text += '\x1e' + one.name + '\x1f';
    append_value(text, one.value);
  }
  if (!source.empty()) text += '\x1e' + std::string(source);
  return hash_of(text);
}

Result<void> CallAudit::check(const Policy& policy) const {
  if (sink_ == nullptr || mode_of(policy) == AuditMode::Off) return {};
  return sink_->check();
}

Result<void> CallAudit::check_tool(const Policy& policy, const Tool& tool) const {
  if (sink_ != nullptr || mode_of(policy) == AuditMode::Off) return {};
  if (!policy.audit && !tool.is_writing && !tool.is_defining) return {};
  return Error{ErrorCode::Denied,
               fmt::format("{} cannot be recorded: there is no audit file", tool.name),
               "start with --audit FILE; a policy with \"audit\": false goes without"};
}

AuditRecord CallAudit::record_of(const AuditedCall& call, const WriteNotes& notes) const {
  AuditRecord record;
  record.at = env_.clock().wall();
  record.identity = call.caller.identity;
  record.session = call.caller.session;
  for (const auto& [name, value] : call.caller.lineage) {
    record.lineage.emplace_back(without_tokens(name, call), without_tokens(value, call));
  }
  record.tool = without_tokens(call.name, call);
  if (call.tool != nullptr && call.tool->name != call.name) {
    record.tool += " " + call.tool->name;  // the one that call_tool called
  }
  record.source = call.source;
  record.query_hash = call.call_hash;
  if (record.query_hash.empty()) record.query_hash = hash_of(written_arguments(call));
  record.query_sha256 = sha256_of_query(call);
  if (mode_of(call.policy) == AuditMode::Full) record.query = query_of(call);
  record.call_id = notes.call_id;
  record.transaction = notes.transaction;
  record.estimated = notes.estimated;
  record.affected = notes.affected;
  record.confirmation = notes.confirmation;
  record.before = notes.before;
  record.after = notes.after;
  return record;
}

Result<void> CallAudit::intent(const AuditedCall& call, const WriteNotes& notes) const {
  if (sink_ == nullptr || mode_of(call.policy) == AuditMode::Off) return {};
  AuditRecord record = record_of(call, notes);
  record.kind = AuditKind::Intent;
  return sink_->write(record);
}

Result<void> CallAudit::call(const AuditedCall& call, const AuditedEnd& end,
                             const WriteNotes& notes) const {
  if (sink_ == nullptr || mode_of(call.policy) == AuditMode::Off) return {};
  AuditRecord record = record_of(call, notes);
  record.verdict = end.reply.is_error ? error_code_name(end.reply.code)
                   : notes.is_asking  ? "asked"
                                      : "ok";
  if (notes.is_uncertain) record.verdict = "unknown";
  record.rule = end.rule;
  record.rows = end.reply.rows_shown;
  record.reply_chars = utf8_length(end.reply.text);
  record.ms = end.ms;
  return sink_->write(record);
}

void CallAudit::event(AuditRecord record) const {
  if (sink_ == nullptr) return;
  record.kind = AuditKind::Event;
  record.at = env_.clock().wall();
  (void)sink_->write(record);
}

}  // namespace helve::toolkit
