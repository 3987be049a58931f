#include "sources/store/snapshot_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <set>
#include <thread>

#include "base/executor.h"
#include "sources/store/dataset.h"
#include "sources/store/loader.h"
#include "sources/store/packed_column_builder.h"
#include "sources/store/snapshot_layout.h"
#include "sources/store/statistics_codec.h"
#include "tests/support/fake_env.h"

namespace helve::store {
namespace {

using Kind = GraphChoice::Kind;

const std::filesystem::path kFileIndexFolder = "/data/index";
const std::filesystem::path kIndexFile = kFileIndexFolder / kSnapshotFileName;
const SnapshotOrigin kTestOrigin = {{"a.ttl", "b.nq"}, "helve test", "0123abcd"};

std::shared_ptr<const Snapshot> load_text(const std::string& text, rdf::Format format) {
  std::vector<rdf::Document> documents;
  documents.push_back(rdf::Document::from_text("t", text, format));
  auto loaded = load_documents(std::move(documents), {}, OpContext{});
  EXPECT_TRUE(loaded.has_value()) << loaded.error().to_string();
  return loaded->snapshot;
}

std::string random_nquads(unsigned seed, std::size_t count, std::size_t terms, bool with_graphs) {
  std::mt19937 random(seed);
  const auto iri = [&](const char* name, std::size_t of) {
    return "<http://example.org/" + std::string(name) + std::to_string(random() % of) + ">";
  };
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += random() % 9 == 0 ? "_:b" + std::to_string(random() % 5) : iri("s", terms);
    text += " " + iri("p", 7) + " ";
    const std::string number = std::to_string(random() % (2 * terms));
    switch (random() % 7) {
      case 0:
        text += "\"text " + number + "\"";
        break;
      case 1:
        text += "\"text " + number + "\"@" + (random() % 2 == 0 ? "en" : "de");
        break;
      case 2:
        text += "\"" + number + "\"^^<http://www.w3.org/2001/XMLSchema#integer>";
        break;
      case 3:
        text += "\"" + number + "\"^^<http://example.org/type>";
        break;
      case 4:
        text += "\"2024-02-29\"^^<http://www.w3.org/2001/XMLSchema#date>";
        break;
      default:
        text += iri("s", terms);
    }
    if (with_graphs && random() % 3 != 0) text += " " + iri("g", 4);
    text += " .\n";
  }
  return text;
}

// Everything that can be asked of a snapshot, as text.
std::string dump(const Snapshot& snapshot) {
  std::string out;
  std::string scratch;
  const Dictionary& dictionary = snapshot.dictionary();
  for (std::uint64_t code = 0; code < dictionary.size(); ++code) {
    const Id id = dictionary.id_of(static_cast<Code>(code));
    if (!id.is_defined() || !dictionary.has(id)) return out + "unknown";
    out += rdf::to_ntriples(dictionary.term(id, scratch));
    const auto found = dictionary.find(dictionary.term(id, scratch));
    out += found == id ? "\n" : " is not found\n";
  }
  for (const Permutation& order : snapshot.indexes().orders) {
    const auto [first, last] = order.leading_codes();
    for (Code code = first; code < last; ++code) {
      const RowRange rows = order.rows_of(code);
      for (std::uint64_t row = rows.first; row < rows.last; ++row) {
        out += std::to_string(order.leading(row));
        for (std::size_t depth = 1; depth <= 3 && order.has_column(depth); ++depth) {
          out += " " + std::to_string(order.at(depth, row));
        }
        out += "\n";
      }
    }
  }
  for (const auto& [name, iri] : snapshot.prefixes()) {
    out.append(name).append(" = ").append(iri).append("\n");
  }
  out += encode_statistics(snapshot.statistics());
  out += encode_characteristic_sets(snapshot.statistics().characteristic_sets);
  return out;
}

// The rows of a pattern.
std::vector<std::array<Id, 4>> rows_of(const Snapshot& snapshot, const QuadPattern& pattern) {
  std::vector<std::array<Id, 4>> rows;
  Scan scan = snapshot.scan(pattern);
  QuadBatch batch;
  while (scan.next(batch)) {
    for (std::size_t i = 0; i < batch.rows; ++i) {
      auto& row = rows.emplace_back();
      for (std::size_t k = 0; k < 4; ++k) {
        if (!batch.columns[k].empty()) row[k] = batch.columns[k][i];
      }
    }
  }
  return rows;
}

class SnapshotFile : public ::testing::Test {
 protected:
  void write(const Snapshot& snapshot) {
    const auto written = write_snapshot(snapshot, kTestOrigin, kFileIndexFolder, context_, env_);
    ASSERT_TRUE(written.has_value()) << written.error().to_string();
  }
  Result<std::shared_ptr<const Snapshot>> open() {
    return open_snapshot(kFileIndexFolder, context_, env_);
  }
  Result<void> verify() { return verify_snapshot(kFileIndexFolder, context_, env_); }
  std::string content() { return *env_.files().content(kIndexFile); }
  void put(std::string content) { env_.files().put(kIndexFile, std::move(content)); }

  // Writes the header's checksum again, as somebody would who means harm.
  void put_signed(std::string content) {
    const std::uint64_t sum = checksum({content.data(), offsetof(SnapshotHeader, checksum)});
    std::memcpy(content.data() + offsetof(SnapshotHeader, checksum), &sum, sizeof(sum));
    put(std::move(content));
  }

  FakeEnv env_;
  OpContext context_;
};

TEST_F(SnapshotFile, ComesBackAsItWas) {
  for (const bool with_graphs : {false, true}) {
    const auto original = load_text(random_nquads(1, 3'000, 400, with_graphs), rdf::Format::NQuads);
    write(*original);
    const auto opened = open();
    ASSERT_TRUE(opened.has_value()) << opened.error().to_string();
    EXPECT_TRUE(dump(**opened) == dump(*original));
    EXPECT_EQ((*opened)->indexes().has_named_graphs, with_graphs);
    EXPECT_EQ((*opened)->indexes().repeated_triples, original->indexes().repeated_triples);
    EXPECT_FALSE((*opened)->failure().has_value());
    const auto verified = verify();
    EXPECT_TRUE(verified.has_value()) << verified.error().to_string();
  }
}

TEST_F(SnapshotFile, AnswersPatternsAsTheOriginalDoes) {
  for (const bool with_graphs : {false, true}) {
    const auto original = load_text(random_nquads(2, 2'000, 60, with_graphs), rdf::Format::NQuads);
    write(*original);
    const auto opened = *open();
    const auto all = rows_of(*original, {.graph = {with_graphs ? Kind::Named : Kind::Default, {}}});
    std::mt19937 random(3);
    for (int round = 0; round < 400; ++round) {
      const auto& row = all[random() % all.size()];
      QuadPattern pattern;
      if (random() % 2 == 0) pattern.subject = row[0];
      if (random() % 2 == 0) pattern.predicate = row[1];
      if (random() % 2 == 0) pattern.object = row[2];
      pattern.graph.kind = static_cast<Kind>(random() % 4);
      if (pattern.graph.kind == Kind::One) pattern.graph.graph = row[3];
      ASSERT_EQ(rows_of(*opened, pattern), rows_of(*original, pattern));
      ASSERT_EQ(opened->count(pattern).n, original->count(pattern).n);
    }
    EXPECT_FALSE(opened->failure().has_value());
  }
}

TEST_F(SnapshotFile, KeepsPrefixesAndOrigin) {
  write(*load_text("@prefix ex: <http://example.org/> . ex:a ex:b ex:c .", rdf::Format::Turtle));
  const std::vector<std::pair<std::string, std::string>> prefixes = {{"ex", "http://example.org/"}};
  EXPECT_EQ((*open())->prefixes(), prefixes);
  const auto info = read_snapshot_info(kFileIndexFolder, context_, env_);
  ASSERT_TRUE(info.has_value());
  EXPECT_EQ(info->format, kSnapshotFormat);
  EXPECT_EQ(info->bytes, content().size());
  EXPECT_EQ(info->origin.documents, kTestOrigin.documents);
  EXPECT_EQ(info->origin.created_by, kTestOrigin.created_by);
  EXPECT_EQ(info->origin.key, kTestOrigin.key);
  std::uint64_t bytes = 0;
  for (const SnapshotSection& section : info->sections) bytes += section.bytes;
  EXPECT_LE(bytes, info->bytes);
}

TEST_F(SnapshotFile, AnEmptyGraphIsASnapshotToo) {
  write(*load_text("", rdf::Format::Turtle));
  const auto opened = open();
  ASSERT_TRUE(opened.has_value()) << opened.error().to_string();
  EXPECT_EQ((*opened)->statistics().triples, 0u);
  EXPECT_TRUE(rows_of(**opened, {}).empty());
  EXPECT_TRUE(verify().has_value());
}

TEST_F(SnapshotFile, ASnapshotCanBeWrittenFromAnOpenOne) {
  write(*load_text(random_nquads(4, 500, 50, true), rdf::Format::NQuads));
  const std::string first = content();
  const auto opened = *open();
  write(*opened);
  EXPECT_TRUE(content() == first);
}

// Opens the file that is there and uses all of it; the answer must be `expected`, or an error.
void expect_noticed(const Result<std::shared_ptr<const Snapshot>>& opened,
                    const std::string& expected, bool must_fail) {
  if (!opened) {
    EXPECT_FALSE(opened.error().hint.empty());
    return;
  }
  const std::string answer = dump(**opened);
  const auto failure = (*opened)->failure();
  if (failure) {
    EXPECT_NE(failure->message.find(kIndexFile.string()), std::string::npos) << failure->message;
    EXPECT_FALSE(failure->hint.empty());
    return;
  }
  EXPECT_FALSE(must_fail);
  EXPECT_TRUE(answer == expected);
}

TEST_F(SnapshotFile, AFlippedByteAnywhereIsNoticed) {
  for (const bool with_graphs : {false, true}) {
    write(*load_text(random_nquads(5, 24, 8, with_graphs), rdf::Format::NQuads));
    const std::string original = content();
    const std::string expected = dump(**open());
    for (std::size_t i = 0; i < original.size(); ++i) {
      std::string damaged = original;
      damaged[i] = static_cast<char>(damaged[i] ^ (i % 3 == 0 ? 0xFF : 1 << i % 8));
      put(std::move(damaged));
      expect_noticed(open(), expected, true);
      EXPECT_TRUE(i % 16 != 0 || !verify().has_value());
      if (HasFailure()) FAIL() << "flipped byte " << i;
    }
  }
}

TEST_F(SnapshotFile, AFlippedByteNeverChangesAnAnswer) {
  const auto snapshot = load_text(random_nquads(6, 20'000, 3'000, true), rdf::Format::NQuads);
  write(*snapshot);
  const std::string original = content();
  const auto all = rows_of(*snapshot, {.graph = {Kind::Named, {}}});
  std::mt19937 random(7);
  int noticed = 0;
  for (int round = 0; round < 150; ++round) {
    std::string damaged = original;
    const std::size_t at = random() % damaged.size();
    damaged[at] = static_cast<char>(damaged[at] ^ (1 + random() % 255));
    put(std::move(damaged));
    const auto verified = verify();
    ASSERT_FALSE(verified.has_value()) << at;
    const auto opened = open();
    for (int query = 0; opened && query < 30; ++query) {
      const auto& row = all[random() % all.size()];
      QuadPattern pattern{.predicate = row[1], .graph = {Kind::Union, {}}};
      (random() % 2 == 0 ? pattern.subject : pattern.object) = row[random() % 2 == 0 ? 0 : 2];
      const auto rows = rows_of(**opened, pattern);
      std::string scratch;
      const std::string text = rdf::to_ntriples((*opened)->dictionary().term(row[0], scratch));
      if ((*opened)->failure()) {
        ++noticed;
        break;
      }
      ASSERT_EQ(rows, rows_of(*snapshot, pattern));
      ASSERT_EQ(text, rdf::to_ntriples(snapshot->dictionary().term(row[0], scratch)));
    }
  }
  EXPECT_GT(noticed, 10);
}

TEST_F(SnapshotFile, CutShortAnywhereIsAnError) {
  write(*load_text(random_nquads(8, 24, 8, true), rdf::Format::NQuads));
  const std::string original = content();
  for (std::size_t size = 0; size < original.size(); ++size) {
    put(original.substr(0, size));
    ASSERT_FALSE(open().has_value()) << size;
  }
  put(original + '\0');
  EXPECT_FALSE(open().has_value());
}

TEST_F(SnapshotFile, VersionsAndByteOrdersAreToldApart) {
  write(*load_text(random_nquads(9, 24, 8, false), rdf::Format::NQuads));
  const std::string original = content();
  const auto message_with = [&](std::size_t offset, std::uint32_t value) {
    std::string changed = original;
    std::memcpy(changed.data() + offset, &value, sizeof(value));
    put_signed(std::move(changed));
    const auto opened = open();
    EXPECT_FALSE(opened.has_value());
    EXPECT_EQ(opened.error().code, ErrorCode::InvalidInput);
    return opened.error().message;
  };
  constexpr std::size_t kFormatAt = offsetof(SnapshotHeader, format);
  EXPECT_NE(message_with(kFormatAt, kSnapshotFormat + 1).find("newer"), std::string::npos);
  EXPECT_NE(message_with(kFormatAt, kSnapshotFormat - 1).find("older"), std::string::npos);
  EXPECT_NE(message_with(offsetof(SnapshotHeader, byte_order), 0x0D0C0B0A).find("byte order"),
            std::string::npos);
  put("@prefix ex: <http://example.org/> .");
  EXPECT_EQ(open().error().code, ErrorCode::InvalidInput);
}

TEST_F(SnapshotFile, NoFolderIsNotFound) {
  EXPECT_EQ(open().error().code, ErrorCode::NotFound);
  EXPECT_FALSE(is_snapshot_folder(kFileIndexFolder, env_));
  write(*load_text("", rdf::Format::Turtle));
  EXPECT_TRUE(is_snapshot_folder(kFileIndexFolder, env_));
}

TEST_F(SnapshotFile, AFolderWithSomethingElseIsLeftAlone) {
  env_.files().put(kFileIndexFolder / "letter.txt", "dear");
  const auto snapshot = load_text("", rdf::Format::Turtle);
  const auto written = write_snapshot(*snapshot, kTestOrigin, kFileIndexFolder, context_, env_);
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().code, ErrorCode::InvalidInput);
  env_.files().put("/data/file", "dear");
  EXPECT_FALSE(write_snapshot(*snapshot, kTestOrigin, "/data/file", context_, env_).has_value());
}

TEST_F(SnapshotFile, ALateWriterIsRefused) {
  const auto snapshot = load_text("<x:a> <x:p> <x:b> .", rdf::Format::Turtle);
  const auto write_new = [&] {
    return write_snapshot(*snapshot, kTestOrigin, kFileIndexFolder, context_, env_,
                          IfPresent::Refuse);
  };
  constexpr std::size_t kWriters = 8;
  std::vector<std::string> messages(kWriters);
  std::vector<std::thread> writers;
  writers.reserve(kWriters);
  for (std::string& message : messages) {
    writers.emplace_back([&write_new, &message] {
      const auto written = write_new();
      message = written ? "done" : written.error().message;
    });
  }
  for (std::thread& writer : writers) writer.join();
  const std::string refusal = "there is an index in /data/index already";
  EXPECT_EQ(std::count(messages.begin(), messages.end(), "done"), 1);
  EXPECT_EQ(std::count(messages.begin(), messages.end(), refusal), kWriters - 1);
  EXPECT_EQ(env_.files().list(kFileIndexFolder)->size(), 1u);  // no drafts
  EXPECT_EQ(write_new().error().message, refusal);
}

TEST_F(SnapshotFile, OnlySnapshotsAreReplaced) {
  const auto snapshot = load_text("", rdf::Format::Turtle);
  const auto message_over = [&](std::string old) {
    put(std::move(old));
    const auto written = write_snapshot(*snapshot, kTestOrigin, kFileIndexFolder, context_, env_);
    return written ? "" : written.error().message;
  };
  EXPECT_EQ(message_over("dear"), kIndexFile.string() + " is no index of Helve");
  EXPECT_EQ(content(), "dear");
  EXPECT_EQ(message_over(""), "");
  const std::string whole = content();
  EXPECT_EQ(message_over(whole.substr(0, 4)), "");
  EXPECT_EQ(message_over(whole.substr(0, 100)), "");
  EXPECT_EQ(message_over(std::string("HELVEIDX") + std::string(100, 'x')), "");
}

TEST_F(SnapshotFile, DraftsOfStoppedWritersAreRemoved) {
  const auto draft = kFileIndexFolder / ".helve-index.0123456789abcdef.tmp";
  const auto running = kFileIndexFolder / ".helve-index.fedcba9876543210.tmp";
  env_.files().put(draft, "half");
  env_.files().put(running, "half");
  write(*load_text("", rdf::Format::Turtle));
  EXPECT_TRUE(env_.files().content(draft).has_value());  // too young to tell
  const auto lock = env_.files().lock(running);
  env_.clock().advance(std::chrono::minutes(1));
  write(*load_text("", rdf::Format::Turtle));
  EXPECT_FALSE(env_.files().content(draft).has_value());
  EXPECT_TRUE(env_.files().content(running).has_value());
}

TEST_F(SnapshotFile, WhyAFolderIsNone) {
  const auto check = [&] { return check_snapshot_folder(kFileIndexFolder, env_); };
  EXPECT_EQ(check().error().code, ErrorCode::NotFound);
  env_.files().put(kFileIndexFolder / "letter.txt", "dear");
  EXPECT_EQ(check().error().message, "/data/index is a folder without an index");
  put("");
  EXPECT_TRUE(check().has_value());
  env_.files().deny(kIndexFile);
  EXPECT_EQ(check().error().code, ErrorCode::Denied);
}

TEST_F(SnapshotFile, AFailureLeavesTheOlderSnapshot) {
  write(*load_text("<x:a> <x:p> <x:old> .", rdf::Format::Turtle));
  const std::string before = content();
  const auto next = load_text(random_nquads(10, 50, 10, false), rdf::Format::NQuads);
  for (std::uint64_t k = 1;; ++k) {
    env_.files().fail_from_operation(k);
    const auto written = write_snapshot(*next, kTestOrigin, kFileIndexFolder, context_, env_);
    env_.files().crash();
    if (written) break;
    ASSERT_TRUE(content() == before || open().has_value()) << k;
    ASSERT_LT(k, 1'000u);
  }
  EXPECT_FALSE(content() == before);
  EXPECT_TRUE(verify().has_value());
  env_.files().disk_full_after(100);
  EXPECT_FALSE(write_snapshot(*next, kTestOrigin, kFileIndexFolder, context_, env_).has_value());
  env_.files().unlimited_disk();
  EXPECT_TRUE(open().has_value());
}

}  // namespace
}  // namespace helve::store
