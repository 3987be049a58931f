// Loads that do not fit into memory, against the same loads in memory.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "base/executor.h"
#include "sources/store/loader.h"
#include "sources/store/snapshot_file.h"
#include "tests/support/fake_env.h"

namespace helve::store {
namespace {

struct Text {
  std::string text;
  rdf::Format format = rdf::Format::NQuads;
};

Result<Loaded> load_texts(const std::vector<Text>& texts, const LoadOptions& options,
                          const OpContext& context) {
  std::vector<rdf::Document> documents;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    documents.push_back(
        rdf::Document::from_text("t" + std::to_string(i), texts[i].text, texts[i].format));
  }
  return load_documents(std::move(documents), options, context);
}

// Terms of all kinds, many of them shared between pieces, and statements that come twice.
std::string random_statements(unsigned seed, std::size_t count, bool with_graphs) {
  std::mt19937 random(seed);
  const auto number = [&](std::size_t below) { return std::to_string(random() % below); };
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += random() % 8 == 0 ? "_:b" + number(50) : "<http://a/s" + number(300) + ">";
    text += " <http://a/p" + number(random() % 16 == 0 ? 40 : 5) + "> ";
    switch (random() % 6) {
      case 0:
        text += "<http://a/s" + number(300) + ">";
        break;
      case 1:
        text += "\"text " + number(900) + "\"";
        break;
      case 2:
        text += "\"text " + number(9) + "\"@" + (random() % 2 == 0 ? "en" : "de-AT");
        break;
      case 3:
        text += "\"" + number(9) + "\"^^<http://a/type" + number(3) + ">";
        break;
      case 4:
        text += "_:b" + number(50);
        break;
      default:
        text += "\"" + number(500) + "\"^^<http://www.w3.org/2001/XMLSchema#integer>";
    }
    if (with_graphs && random() % 3 != 0) {
      text += random() % 4 == 0 ? " _:g" : " <http://g/" + number(4) + ">";
    }
    text += " .\n";
  }
  return text;
}

std::uint64_t loaded_checksum(const Loaded& loaded) {
  return compute_content_checksum(*loaded.snapshot, OpContext()).value_or(0);
}

void expect_same(const std::vector<Text>& texts, LoadOptions options = {}) {
  const auto expected = load_texts(texts, options, OpContext());
  ASSERT_TRUE(expected) << expected.error().to_string();
  EXPECT_FALSE(expected->report.is_external);
  Executor executor(3);
  for (const std::size_t batch_bytes : {1u, 20'000u, 200'000u}) {
    for (Executor* const with : {static_cast<Executor*>(nullptr), &executor}) {
      FakeEnv env;
      OpContext context;
      context.executor = with;
      options.piece_bytes = 10'000;
      options.scratch = "/out";
      options.batch_bytes = batch_bytes;
      options.env = &env;
      const auto loaded = load_texts(texts, options, context);
      ASSERT_TRUE(loaded) << loaded.error().to_string();
      EXPECT_EQ(loaded_checksum(*loaded), loaded_checksum(*expected)) << batch_bytes;
      EXPECT_EQ(loaded->report.statements_read, expected->report.statements_read);
      EXPECT_EQ(loaded->report.skipped, expected->report.skipped);
      EXPECT_FALSE(env.files().status("/out"));  // nothing is left
    }
  }
}

TEST(ExternalLoad, IsTheLoadInMemoryToTheByte) {
  expect_same({{random_statements(1, 6'000, false), rdf::Format::NTriples}});
}

TEST(ExternalLoad, NamedGraphsToo) { expect_same({{random_statements(2, 6'000, true)}}); }

TEST(ExternalLoad, NamedGraphsInTheLastPiecesOnly) {
  expect_same({{random_statements(3, 4'000, false) + random_statements(4, 500, true)}});
}

TEST(ExternalLoad, SeveralDocumentsWithPrefixesAndBlankNodes) {
  std::string turtle = "@prefix a: <http://a/> . @prefix b: <http://b/> .\n";
  for (int i = 0; i < 800; ++i) {
    turtle += "a:s" + std::to_string(i) + " a:p1 [ a:p2 " + std::to_string(i) + ", 2.5, true ] .\n";
  }
  expect_same({{random_statements(5, 2'000, true)},
               {turtle, rdf::Format::Turtle},
               {random_statements(5, 2'000, true)}},
              {.graphs = {"", "http://g/turtle", ""}});
}

TEST(ExternalLoad, BadStatementsAreSkippedAlike) {
  std::string text;
  for (unsigned i = 0; i < 20; ++i) text += random_statements(i, 100, false) + "no statement\n";
  expect_same({{text}}, {.lenient = true});
}

TEST(ExternalLoad, NothingIsNothing) {
  expect_same({{""}});
  expect_same({});
}

TEST(ExternalLoad, BeginsWhereTheBudgetEnds) {
  const std::vector<Text> texts{{random_statements(6, 40'000, false)}};
  const auto expected = load_texts(texts, {}, OpContext());
  ASSERT_TRUE(expected);
  const auto load_within = [&](std::size_t bytes_max, const char* scratch) {
    FakeEnv env;
    MemoryBudget memory("test", bytes_max);
    OpContext context;
    context.memory = &memory;
    auto loaded = load_texts(texts, {.scratch = scratch, .env = &env}, context);
    if (loaded) {
      EXPECT_EQ(loaded_checksum(*loaded), loaded_checksum(*expected));
    }
    std::string outcome = "in memory";
    if (!loaded) {
      outcome = loaded.error().code == ErrorCode::LimitExceeded ? "too large" : "another error";
    } else if (loaded->report.is_external) {
      outcome = "external";
    }
    loaded = Loaded{};  // before the budget
    return outcome;
  };
  EXPECT_EQ(load_within(64 * kMiB, "/out"), "in memory");
  EXPECT_EQ(load_within(3 * kMiB, "/out"), "external");
  EXPECT_EQ(load_within(3 * kMiB, ""), "too large");
}

TEST(ExternalLoad, FailuresAreToldAndLeaveNothing) {
  const std::vector<Text> texts{{random_statements(7, 20'000, true)}};
  FakeEnv env;
  const LoadOptions options{.scratch = "/out", .batch_bytes = 200'000, .env = &env};
  env.files().disk_full_after(50'000);
  const auto full = load_texts(texts, options, OpContext());
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, ErrorCode::Unavailable);
  EXPECT_NE(full.error().hint.find("/out"), std::string::npos);
  EXPECT_FALSE(env.files().status("/out"));
  env.files().unlimited_disk();

  const auto bad = load_texts({{texts[0].text + "no statement\n"}}, options, OpContext());
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, ErrorCode::InvalidInput);
  EXPECT_FALSE(env.files().status("/out"));
}

// Whatever operation on files fails, the load does or is as it should be.
TEST(ExternalLoad, EveryFailureOfAFileIsMet) {
  const std::vector<Text> texts{{random_statements(8, 8'000, true)}};
  const auto expected = load_texts(texts, {}, OpContext());
  ASSERT_TRUE(expected);
  std::size_t failures = 0;
  for (std::uint64_t k = 1;; ++k) {
    FakeEnv env;
    env.files().fail_operation(k);
    const auto loaded =
        load_texts(texts, {.scratch = "/out", .batch_bytes = 200'000, .env = &env}, OpContext());
    if (!loaded) {
      ++failures;
      EXPECT_EQ(loaded.error().code, ErrorCode::Unavailable) << loaded.error().to_string();
    } else {
      EXPECT_EQ(loaded_checksum(*loaded), loaded_checksum(*expected));
    }
    if (env.files().operations() < k) break;
  }
  EXPECT_GT(failures, 5u);
}

}  // namespace
}  // namespace helve::store
