// A small snapshot on disk with any bytes of it changed. Without new checksums every change must be
// noticed; with them, reading it must stay within bounds.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "base/check.h"
#include "sources/store/chunk_sums.h"
#include "sources/store/loader.h"
#include "sources/store/snapshot_file.h"
#include "sources/store/snapshot_layout.h"
#include "tests/support/fake_env.h"

namespace helve::store {

namespace {

const std::filesystem::path kIndexFolder = "/index";

std::string small_snapshot() {
  constexpr std::string_view kText =
      "@prefix x: <http://x/> .\n"
      "x:a a x:C ; x:p x:b, \"one\", \"one\"@en, \"one\"@de, \"z\"^^x:t, 1, 2.5, true .\n"
      "x:b x:p _:b ; x:q \"2024-02-29\"^^<http://www.w3.org/2001/XMLSchema#date> .\n"
      "x:g { x:a x:p x:b . _:b x:q 1 }\n";
  std::vector<rdf::Document> documents;
  documents.push_back(rdf::Document::from_text("t", kText, rdf::Format::TriG));
  const auto loaded = load_documents(std::move(documents), {}, OpContext{});
  HELVE_CHECK(loaded.has_value());
  FakeEnv env;
  HELVE_CHECK(write_snapshot(*loaded->snapshot, {}, kIndexFolder, OpContext{}, env).has_value());
  return *env.files().content(kIndexFolder / kSnapshotFileName);
}

// Of a section with one chunk, and so one page of checksums.
void put_sums(std::uint64_t sum, char* bytes) {
  const auto front = ChunkSums::with_pages({&sum, 1});
  std::memcpy(bytes, front.data(), front.size() * sizeof(sum));
}

template <typename Value>
void sign_column(const SectionEntry& entry, char* bytes) {
  using Packed = PackedColumn<Value>;
  using Header = PackedHeader<Value>;
  const std::uint64_t chunks = Packed::chunks_of(entry.count);
  const std::uint64_t headers = Packed::blocks_of(entry.count) + 1;
  const std::uint64_t front = ChunkSums::all_bytes(chunks);
  const std::uint64_t data = front + headers * sizeof(Header);
  if (chunks != 1 || data > entry.bytes) return;
  // The section has one chunk: all that is behind the checksums, headers first.
  put_sums(checksum({bytes + data, entry.bytes - data},
                    checksum({bytes + front, headers * sizeof(Header)})),
           bytes);
}

void sign_section(SectionEntry& entry, char* bytes) {
  if (entry.kind == SectionKind::Codes) sign_column<std::uint32_t>(entry, bytes);
  if (entry.kind == SectionKind::Numbers) sign_column<std::uint64_t>(entry, bytes);
  const std::uint64_t chunks = entry.count > 1'000'000 ? 0 : chunks_of(entry.kind, entry.count);
  const std::uint64_t front = ChunkSums::all_bytes(1);
  if (entry.kind == SectionKind::Strings && chunks == 1 && entry.bytes >= front) {
    put_sums(checksum({bytes + front, entry.bytes - front}), bytes);
  }
  const std::uint64_t checked =
      entry.kind == SectionKind::Plain ? entry.bytes : ChunkSums::page_bytes(chunks);
  if (checked <= entry.bytes) entry.checksum = checksum({bytes, checked});
}

// New checksums for everything, as far as it can be found.
void sign(std::string& file) {
  SnapshotHeader header;
  std::memcpy(&header, file.data(), sizeof(header));
  if (header.sections > (file.size() - sizeof(header)) / sizeof(SectionEntry)) return;
  for (std::uint64_t i = 0; i < header.sections; ++i) {
    SectionEntry entry;
    char* const place = file.data() + sizeof(header) + i * sizeof(entry);
    std::memcpy(&entry, place, sizeof(entry));
    if (entry.offset > file.size() || entry.bytes > file.size() - entry.offset) continue;
    sign_section(entry, file.data() + entry.offset);
    std::memcpy(place, &entry, sizeof(entry));
  }
  header.table_checksum =
      checksum({file.data() + sizeof(header), header.sections * sizeof(SectionEntry)});
  header.checksum = checksum(bytes_of(&header, 1).substr(0, offsetof(SnapshotHeader, checksum)));
  std::memcpy(file.data(), &header, sizeof(header));
}

void use(const Snapshot& snapshot) {
  std::string scratch;
  const Dictionary& dictionary = snapshot.dictionary();
  for (std::uint64_t code = 0; code < dictionary.size() && code < 10'000; ++code) {
    const Id id = dictionary.id_of(static_cast<Code>(code));
    if (id.is_defined()) (void)dictionary.find(dictionary.term(id, scratch));
  }
  for (std::size_t order = 0; order < kOrders; ++order) {
    for (const auto kind : {GraphChoice::Kind::Union, GraphChoice::Kind::Named}) {
      Scan scan = snapshot.scan({.graph = {kind, Id()}}, static_cast<Order>(order));
      QuadBatch batch;
      for (int batches = 0; batches < 100 && scan.next(batch); ++batches) {
        for (const auto& column : batch.columns) {
          for (const Id id : column) {
            if (id.is_defined()) (void)dictionary.term(id, scratch);
          }
        }
        const QuadPattern pattern{.subject = batch[Part::Subject][0],
                                  .object = batch[Part::Object][0]};
        (void)snapshot.count(pattern);
      }
    }
  }
}

}  // namespace

}  // namespace helve::store

// Three bytes are an edit: where, and what is xored. The first byte of all asks for new checksums.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace helve;
  using namespace helve::store;
  static const std::string original = small_snapshot();
  if (size == 0) return 0;
  std::string file = original;
  for (std::size_t i = 1; i + 3 <= size; i += 3) {
    const std::size_t at = (data[i] * std::size_t{256} + data[i + 1]) % file.size();
    file[at] = static_cast<char>(file[at] ^ data[i + 2]);
  }
  const bool is_changed = file != original;
  const bool is_signed = data[0] % 2 == 1;
  if (is_signed) sign(file);
  FakeEnv env;
  env.files().put(kIndexFolder / kSnapshotFileName, file);
  const OpContext context;
  const auto opened = open_snapshot(kIndexFolder, context, env);
  if (opened) use(**opened);
  const auto verified = verify_snapshot(kIndexFolder, context, env);
  if (is_changed && !is_signed) HELVE_CHECK(!verified.has_value());
  return 0;
}
