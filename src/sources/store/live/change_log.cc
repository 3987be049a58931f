#include "sources/store/live/change_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "sources/store/snapshot_layout.h"

namespace helve::store {

namespace {

using Path = std::filesystem::path;

struct LogHeader {
  static constexpr std::array<char, 8> kMagic = {'H', 'E', 'L', 'V', 'E', 'L', 'O', 'G'};

  std::array<char, 8> magic = kMagic;
  std::uint32_t byte_order = SnapshotHeader::kByteOrder;
  std::uint32_t format = kLogFormat;
  std::uint64_t base_checksum = 0;
  std::uint64_t first_version = 0;
  std::uint64_t seed = 0;  // tells this log's records from those of others
  std::array<std::uint64_t, 2> unused{};
  std::uint64_t checksum = 0;  // of all before it
};
static_assert(sizeof(LogHeader) == 64);

constexpr std::uint32_t kTransaction = 1;  // kinds of records
constexpr std::uint32_t kAcknowledgement = 2;

struct RecordHeader {
  static constexpr std::uint32_t kMagic = 0x52564C48;  // "HLVR"

  std::uint32_t magic = kMagic;
  std::uint32_t kind = 0;
  std::uint64_t payload_bytes = 0;
  std::uint64_t version = 0;
  std::uint64_t checksum = 0;  // of all before it and the payload, from that of the record before
};
static_assert(sizeof(RecordHeader) == 32);

// Where everything before `bytes` is on disk; `checksum`, which goes on from the log's seed, makes
// it known without the chain, and tells it from those of other logs and from what a literal may
// say.
struct Acknowledgement {
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;
};

template <typename T>
std::string_view bytes_of_one(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

std::uint64_t header_checksum(const LogHeader& header) {
  return checksum(bytes_of_one(header).substr(0, offsetof(LogHeader, checksum)));
}

std::uint64_t record_checksum(const RecordHeader& header, std::string_view payload,
                              std::uint64_t chain) {
  const auto head = bytes_of_one(header).substr(0, offsetof(RecordHeader, checksum));
  return checksum(payload, checksum(head, chain));
}

RecordHeader make_record(std::uint32_t kind, std::uint64_t version, std::string_view payload,
                         std::uint64_t chain) {
  RecordHeader header;
  header.kind = kind;
  header.payload_bytes = payload.size();
  header.version = version;
  header.checksum = record_checksum(header, payload, chain);
  return header;
}

Acknowledgement make_acknowledgement(std::uint64_t bytes, std::uint64_t seed) {
  return {bytes, checksum(bytes_of_one(bytes), seed)};
}

Error damaged(const Path& path, std::uint64_t at) {
  return {ErrorCode::Unavailable,
          fmt::format("the log {} is damaged at byte {}: transactions behind it were acknowledged",
                      path.string(), at),
          "restore the folder from a copy; the base without its log is what it was when it was "
          "last compacted"};
}

// Whether anything behind `from` says that what stands there was on disk.
bool is_acknowledged_behind(std::string_view text, std::uint64_t from, std::uint64_t seed) {
  const std::string_view magic = bytes_of_one(RecordHeader::kMagic);
  for (std::size_t at = text.find(magic, from); at != std::string_view::npos;
       at = text.find(magic, at + 1)) {
    if (text.size() - at < sizeof(RecordHeader) + sizeof(Acknowledgement)) return false;
    RecordHeader header;
    std::memcpy(&header, text.data() + at, sizeof(header));
    if (header.kind != kAcknowledgement || header.payload_bytes != sizeof(Acknowledgement))
      continue;
    Acknowledgement found;
    std::memcpy(&found, text.data() + at + sizeof(header), sizeof(found));
    if (found.checksum == make_acknowledgement(found.bytes, seed).checksum && found.bytes > from) {
      return true;
    }
  }
  return false;
}

Result<LogHeader> read_header(const Path& path, std::string_view text, std::uint64_t base) {
  LogHeader header;
  const auto bad = [&](std::string what, std::string hint) {
    return Error{ErrorCode::InvalidInput, fmt::format("{} {}", path.string(), what),
                 std::move(hint)};
  };
  if (text.size() < sizeof(header)) return damaged(path, text.size());
  std::memcpy(&header, text.data(), sizeof(header));
  if (header.magic != LogHeader::kMagic) return damaged(path, 0);
  if (header.byte_order != SnapshotHeader::kByteOrder) {
    return bad("was written on a machine with another byte order", "open it on such a machine");
  }
  // Before its checksum: another format may have another one.
  if (header.format != kLogFormat) {
    return bad(fmt::format("has format {}, which is {} than the {} of this version", header.format,
                           header.format > kLogFormat ? "newer" : "older", kLogFormat),
               header.format > kLogFormat ? "open it with a newer version of helve"
                                          : "compact it with the version that wrote it");
  }
  if (header.checksum != header_checksum(header)) return damaged(path, 0);
  if (header.base_checksum != base) return bad("belongs to another index", "move it away");
  return header;
}

// From content.start on.
Result<void> read_records(const Path& path, LogContent& content) {
  const std::string_view text = content.file->text();
  std::uint64_t at = content.start.bytes;
  std::uint64_t version = content.first_version;
  content.chain = content.start.chain;
  while (text.size() - at >= sizeof(RecordHeader)) {
    RecordHeader record;
    std::memcpy(&record, text.data() + at, sizeof(record));
    if (record.magic != RecordHeader::kMagic ||
        record.payload_bytes > text.size() - at - sizeof(record)) {
      break;
    }
    const std::string_view payload = text.substr(at + sizeof(record), record.payload_bytes);
    if (record.checksum != record_checksum(record, payload, content.chain)) break;
    if (record.kind == kTransaction && record.version == version + 1) {
      content.records.push_back({++version, payload, at, content.chain, record.checksum});
    } else if (record.kind == kAcknowledgement && payload.size() == sizeof(Acknowledgement)) {
      content.acknowledged_records = content.records.size();
    } else {
      break;
    }
    content.chain = record.checksum;
    at += sizeof(record) + record.payload_bytes;
  }
  content.good_bytes = at;
  content.is_torn = at < text.size();
  if (content.is_torn && is_acknowledged_behind(text, at, content.seed)) return damaged(path, at);
  return {};
}

// Whether all before the place is what it was: the checksum of the record there covers it.
bool is_same_before(const LogPlace& place, std::string_view text, const LogHeader& header) {
  if (place.record_at == 0) return place.bytes == sizeof(header) && place.chain == header.seed;
  if (text.size() < place.bytes) return false;
  RecordHeader record;
  std::memcpy(&record, text.data() + place.record_at, sizeof(record));
  return record.magic == RecordHeader::kMagic && record.checksum == place.chain &&
         record.payload_bytes == place.bytes - place.record_at - sizeof(record);
}

}  // namespace

Result<LogContent> read_log(const Path& path, std::uint64_t base_checksum, Env& env) {
  LogContent content;
  HELVE_ASSIGN(content.file, env.files().map(path));
  HELVE_ASSIGN(const LogHeader header, read_header(path, content.file->text(), base_checksum));
  content.start = {sizeof(header), 0, header.seed};
  content.first_version = header.first_version;
  content.seed = header.seed;
  HELVE_TRY(read_records(path, content));
  return content;
}

Result<std::optional<LogContent>> read_log_from(const Path& path, std::uint64_t base_checksum,
                                                const LogPlace& place, std::uint64_t version,
                                                Env& env) {
  LogContent content;
  HELVE_ASSIGN(content.file, env.files().map(path));
  HELVE_ASSIGN(const LogHeader header, read_header(path, content.file->text(), base_checksum));
  content.start = place;
  content.first_version = version;
  content.seed = header.seed;
  if (place.bytes == 0) {
    content.start = {sizeof(header), 0, header.seed};
    if (header.first_version != version) return std::optional<LogContent>();
  } else if (!is_same_before(place, content.file->text(), header)) {
    return std::optional<LogContent>();
  }
  HELVE_TRY(read_records(path, content));
  return std::optional(std::move(content));
}

LogPlace LogContent::place_behind(std::size_t count) const {
  if (count == 0) return start;
  const LogRecord& last = records[count - 1];
  return {last.at + sizeof(RecordHeader) + last.payload.size(), last.at, last.checksum};
}

void LogContent::cut_behind(std::uint64_t version) {
  while (!records.empty() && records.back().version > version) {
    good_bytes = records.back().at;
    chain = records.back().chain;
    is_torn = true;
    records.pop_back();
  }
  acknowledged_records = std::min(acknowledged_records, records.size());
}

Result<LogWriter> LogWriter::create(const Path& path, std::uint64_t base_checksum,
                                    std::uint64_t first_version, Env& env, std::string_view first) {
  LogHeader header;
  header.base_checksum = base_checksum;
  header.first_version = first_version;
  header.seed = env.random().next_u64();
  header.checksum = header_checksum(header);
  std::string bytes(bytes_of_one(header));
  std::uint64_t chain = header.seed;
  const auto put = [&](std::uint32_t kind, std::uint64_t version, std::string_view payload) {
    const RecordHeader record = make_record(kind, version, payload, chain);
    bytes.append(bytes_of_one(record)).append(payload);
    chain = record.checksum;
  };
  if (!first.empty()) {
    put(kTransaction, first_version + 1, first);
    put(kAcknowledgement, 0, bytes_of_one(make_acknowledgement(bytes.size(), header.seed)));
  }
  HELVE_TRY(write_file_atomically(env, path, bytes));
  HELVE_ASSIGN(auto file, env.files().open_write(path, WriteMode::Append));
  return LogWriter(std::move(file), bytes.size(), chain, header.seed);
}

Result<LogWriter> LogWriter::resume(const Path& path, const LogContent& content, Env& env) {
  if (content.is_torn) {
    HELVE_TRY(write_file_atomically(env, path, content.file->text().substr(0, content.good_bytes)));
  }
  HELVE_ASSIGN(auto file, env.files().open_write(path, WriteMode::Append));
  // What was whole but not acknowledged may not have been on disk.
  HELVE_TRY(file->sync());
  LogWriter writer(std::move(file), content.good_bytes, content.chain, content.seed);
  if (content.acknowledged_records < content.records.size()) {
    HELVE_TRY(writer.acknowledge(content.good_bytes));
  }
  return writer;
}

Result<void> LogWriter::put(std::uint32_t kind, std::uint64_t version, std::string_view payload) {
  const RecordHeader header = make_record(kind, version, payload, chain_);
  HELVE_TRY(file_->write(bytes_of_one(header)));
  HELVE_TRY(file_->write(payload));
  HELVE_TRY(file_->flush());
  chain_ = header.checksum;
  bytes_ += sizeof(header) + payload.size();
  return {};
}

Result<void> LogWriter::append(std::uint64_t version, std::string_view payload) {
  return put(kTransaction, version, payload);
}

Result<void> LogWriter::acknowledge(std::uint64_t bytes) {
  const Acknowledgement note = make_acknowledgement(bytes, seed_);
  return put(kAcknowledgement, 0, bytes_of_one(note));
}

}  // namespace helve::store
