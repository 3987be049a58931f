#include "toolkit/audit/head.h"

#include <fmt/format.h>

#include "base/digest.h"
#include "base/json.h"

namespace helve::toolkit {

namespace {

constexpr std::string_view kCheck = R"(,"check":")";

struct Slot {
  AuditHead head;
  bool is_ours = false;
};

std::optional<Slot> read_slot(std::string_view text, const ChainHash& hash) {
  const std::size_t end = text.find_last_not_of(" \n");
  if (end == std::string_view::npos) return std::nullopt;
  text = text.substr(0, end + 1);
  const auto json = parse_json(text);
  const std::size_t check_at = text.rfind(kCheck);
  if (!json || check_at == std::string_view::npos) return std::nullopt;
  const JsonValue* const seq = json->find("seq");
  const JsonValue* const bytes = json->find("bytes");
  const JsonValue* const place_hash = json->find("hash");
  const JsonValue* const key_id = json->find("key_id");
  const JsonValue* const check = json->find("check");
  if (seq == nullptr || bytes == nullptr || place_hash == nullptr || key_id == nullptr ||
      check == nullptr || !seq->to_uint64() || !bytes->to_uint64() ||
      place_hash->if_string() == nullptr || key_id->if_string() == nullptr ||
      check->if_string() == nullptr || place_hash->if_string()->size() != kAuditHashDigits) {
    return std::nullopt;
  }
  Slot slot{{{*seq->to_uint64(), *place_hash->if_string()}, *bytes->to_uint64()}, false};
  slot.is_ours = *key_id->if_string() == hash.key_id();
  const bool is_true = is_equal_secret(hash.of(text.substr(0, check_at)), *check->if_string());
  if (slot.is_ours && !is_true) return std::nullopt;
  return slot;
}

}  // namespace

std::filesystem::path head_path(const std::filesystem::path& audit_file) {
  return audit_file.native() + ".head";
}

std::string head_slot(const AuditHead& head, const ChainHash& hash) {
  std::string text =
      fmt::format(R"({{"v":1,"kind":"head","seq":{},"hash":"{}","bytes":{},"key_id":"{}")",
                  head.place.seq, head.place.hash, head.bytes, hash.key_id());
  const std::string check = hash.of(text);
  text.append(kCheck).append(check).append("\"}");
  text.resize(kHeadSlotBytes - 1, ' ');
  text += '\n';
  return text;
}

HeadReading read_head(std::string_view text, const ChainHash& hash) {
  HeadReading reading;
  for (std::size_t i = 0; i < 2 && i * kHeadSlotBytes < text.size(); ++i) {
    const auto slot = read_slot(text.substr(i * kHeadSlotBytes, kHeadSlotBytes), hash);
    if (!slot) continue;
    const bool is_better =
        !reading.head || (slot->is_ours && !reading.is_ours) ||
        (slot->is_ours == reading.is_ours && slot->head.place.seq >= reading.head->place.seq);
    if (!is_better) continue;
    reading = {slot->head, slot->is_ours, 1 - i};
  }
  return reading;
}

}  // namespace helve::toolkit
