#include "toolkit/handles/handle_file.h"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include "base/json.h"

namespace helve::toolkit {

namespace {

// "HLVHNDL" and the version.
constexpr std::uint64_t kHandleMagic = 0x014C444E48564C48;
constexpr std::array<std::string_view, 3> kContents = {"rows", "text", "graph"};

struct FileHeader {
  std::uint64_t magic = kHandleMagic;
  std::uint64_t size = 0;  // of the file
  std::uint64_t note_size = 0;
  std::uint64_t content_checksum = 0;
  std::uint64_t checksum = 0;  // of what comes before it, and of the note
};

std::uint64_t header_checksum(const FileHeader& header, std::string_view note) {
  const std::uint64_t seed = XXH3_64bits(&header, offsetof(FileHeader, checksum));
  return XXH3_64bits_withSeed(note.data(), note.size(), seed);
}

std::int64_t to_micros(WallTime time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
}

std::string note_of(const HandleRecord& record) {
  std::string note;
  JsonWriter out(note);
  const auto& [ref, origin, content] = record;
  out.begin_object();
  out.member("key", ref.key);
  out.member("dtype", name_of(ref.dtype));
  out.member("content", kContents.at(static_cast<std::size_t>(content)));
  out.member("rows", ref.rows);
  out.member("sz", ref.sz);
  out.member("prev", ref.prev);
  out.member("source", ref.source);
  out.member("query_hash", ref.query_hash);
  out.member("created_us", to_micros(ref.created_at));
  out.key("columns");
  out.begin_array();
  for (const std::string& column : ref.columns) out.value(column);
  out.end_array();
  out.key("sources");
  out.begin_array();
  for (const std::string& source : origin.sources) out.value(source);
  out.end_array();
  out.member("tool", origin.tool);
  out.member("query", origin.query);
  out.member("snapshot", origin.snapshot);
  out.member("call_hash", origin.call_hash);
  out.member("execution_time_ms", origin.execution_time_ms);
  out.member("incomplete", origin.incomplete);
  if (origin.total_available) out.member("total_available", *origin.total_available);
  out.member("total_is", origin.total_is);
  out.key("prefixes");  // name and IRI in turn
  out.begin_array();
  for (const auto& [name, iri] : origin.prefixes) {
    out.value(name);
    out.value(iri);
  }
  out.end_array();
  out.end_object();
  return note;
}

// Reads members of a note; the first that is missing or of another type makes it unsound.
class NoteReader {
 public:
  explicit NoteReader(const JsonValue& note) : note_(note) {}

  std::string text(std::string_view key) {
    const JsonValue* value = note_.find(key);
    const std::string* found = value != nullptr ? value->if_string() : nullptr;
    if (found == nullptr) is_sound_ = false;
    return found != nullptr ? *found : std::string();
  }
  std::uint64_t number(std::string_view key) {
    const JsonValue* value = note_.find(key);
    const auto found = value != nullptr ? value->to_uint64() : std::nullopt;
    if (!found) is_sound_ = false;
    return found.value_or(0);
  }
  double real(std::string_view key) {
    const JsonValue* value = note_.find(key);
    const auto found = value != nullptr ? value->to_double() : std::nullopt;
    return found.value_or(0);  // infinity was written as null
  }
  std::vector<std::string> texts(std::string_view key) {
    const JsonValue* value = note_.find(key);
    const JsonValue::Array* items = value != nullptr ? value->if_array() : nullptr;
    std::vector<std::string> found;
    if (items == nullptr) is_sound_ = false;
    for (std::size_t i = 0; items != nullptr && i < items->size(); ++i) {
      const std::string* item = (*items)[i].if_string();
      if (item == nullptr) is_sound_ = false;
      found.push_back(item != nullptr ? *item : std::string());
    }
    return found;
  }
  void check(bool condition) { is_sound_ = is_sound_ && condition; }
  bool is_sound() const { return is_sound_; }

 private:
  const JsonValue& note_;
  bool is_sound_ = true;
};

std::vector<std::string> split_names(std::string_view list) {
  constexpr std::string_view kBetween = ", ";
  std::vector<std::string> names;
  while (true) {
    const std::size_t end = list.find(kBetween);
    names.emplace_back(list.substr(0, end));
    if (end == std::string_view::npos) return names;
    list.remove_prefix(end + kBetween.size());
  }
}

std::optional<HandleRecord> record_of(const JsonValue& note) {
  NoteReader in(note);
  HandleRecord record;
  auto& [ref, origin, content] = record;
  ref.key = in.text("key");
  const auto type = find_handle_type(in.text("dtype"));
  in.check(type.has_value());
  ref.dtype = type.value_or(HandleType::Results);
  in.check(is_handle_key(ref.key, ref.dtype));
  const std::string content_name = in.text("content");
  const auto* const found = std::find(kContents.begin(), kContents.end(), content_name);
  in.check(found != kContents.end());
  content = static_cast<HandleContent>(found - kContents.begin());
  ref.rows = in.number("rows");
  ref.sz = in.number("sz");
  ref.prev = in.text("prev");
  ref.source = in.text("source");
  ref.query_hash = in.text("query_hash");
  ref.columns = in.texts("columns");
  const std::uint64_t created = in.number("created_us");
  in.check(created < std::uint64_t{1} << 52);  // the year 2112: far from overflow
  if (in.is_sound()) {
    ref.created_at = WallTime(std::chrono::microseconds(static_cast<std::int64_t>(created)));
  }
  origin.tool = in.text("tool");
  origin.source = ref.source;
  // Where a note does not say, what it names may be sources: better one too many.
  origin.sources = note.find("sources") != nullptr ? in.texts("sources") : split_names(ref.source);
  origin.query = in.text("query");
  origin.snapshot = in.text("snapshot");
  origin.call_hash = in.text("call_hash");
  origin.execution_time_ms = in.real("execution_time_ms");
  origin.incomplete = in.text("incomplete");
  if (note.find("total_available") != nullptr)
    origin.total_available = in.number("total_available");
  origin.total_is = in.text("total_is");
  const std::vector<std::string> prefixes = in.texts("prefixes");
  in.check(prefixes.size() % 2 == 0);
  PrefixList pairs;
  for (std::size_t i = 0; i + 1 < prefixes.size(); i += 2) {
    pairs.emplace_back(prefixes[i], prefixes[i + 1]);
  }
  origin.prefixes = std::move(pairs);
  ref.complete = origin.incomplete.empty();
  if (!in.is_sound()) return std::nullopt;
  return record;
}

Error damaged_handle(std::string_view what) {
  return Error{ErrorCode::Unavailable, fmt::format("the stored handle is damaged: {}", what),
               "make it anew by the call it came from"};
}

}  // namespace

std::optional<std::uint64_t> number_of_key(std::string_view key, HandleType type) {
  const std::string_view name = name_of(type);
  if (!key.starts_with(name) || key.size() < name.size() + 2 || key[name.size()] != '_') {
    return std::nullopt;
  }
  const std::string_view digits = key.substr(name.size() + 1);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), number);
  const bool is_canonical = digits.size() == 1 || digits.front() != '0';
  if (error != std::errc() || end != digits.end() || digits.size() > 18 || !is_canonical) {
    return std::nullopt;
  }
  return number;
}

bool is_handle_key(std::string_view key, HandleType type) {
  if (number_of_key(key, type)) return true;
  const std::string_view name = name_of(type);
  if (!key.starts_with(name) || key.size() != name.size() + 33 || key[name.size()] != '_') {
    return false;
  }
  return key.substr(name.size() + 1).find_first_not_of("0123456789abcdef") ==
         std::string_view::npos;
}

std::uint64_t text_checksum(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

std::string encode_handle(const HandleRecord& record, std::string_view content) {
  const std::string note = note_of(record);
  FileHeader header;
  header.size = sizeof header + note.size() + content.size();
  header.note_size = note.size();
  header.content_checksum = text_checksum(content);
  header.checksum = header_checksum(header, note);
  std::string out;
  out.reserve(header.size);
  out.append(reinterpret_cast<const char*>(&header), sizeof header);
  out += note;
  out += content;
  return out;
}

Result<HandleFile> decode_handle(std::string_view bytes) {
  FileHeader header;
  if (bytes.size() < sizeof header) return damaged_handle("it is too short");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != kHandleMagic) return damaged_handle("it is of another kind or version");
  if (header.size != bytes.size() || header.note_size > bytes.size() - sizeof header) {
    return damaged_handle("a part is missing");
  }
  const std::string_view note = bytes.substr(sizeof header, header.note_size);
  if (header.checksum != header_checksum(header, note))
    return damaged_handle("the checksum is wrong");
  const auto json = parse_json(note);
  auto record = json ? record_of(*json) : std::nullopt;
  if (!record) return damaged_handle("its note cannot be read");
  return HandleFile{*std::move(record), bytes.substr(sizeof header + header.note_size),
                    header.content_checksum};
}

bool is_content_sound(const HandleFile& file) {
  return text_checksum(file.content) == file.content_checksum;
}

}  // namespace helve::toolkit
