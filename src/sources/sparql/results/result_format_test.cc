// What holds for every format: names, round trips, small pieces, documents that are cut off.
#include "sources/sparql/results/result_format.h"

#include "sources/sparql/results/results_testing.h"

namespace helve::sparql {
namespace {

using namespace test;

constexpr std::array kReadable = {ResultFormat::Json, ResultFormat::Xml, ResultFormat::Csv,
                                  ResultFormat::Tsv};

TEST(ResultFormat, IsFoundByItsNames) {
  EXPECT_EQ(result_format_by_name("json"), ResultFormat::Json);
  EXPECT_EQ(result_format_by_name("TSV"), ResultFormat::Tsv);
  EXPECT_EQ(result_format_by_name("table"), ResultFormat::Table);
  EXPECT_EQ(result_format_by_name("turtle"), std::nullopt);
  EXPECT_EQ(result_format_by_file_name("a/b.srx"), ResultFormat::Xml);
  EXPECT_EQ(result_format_by_file_name("B.SRJ"), ResultFormat::Json);
  EXPECT_EQ(result_format_by_file_name("x.csv"), ResultFormat::Csv);
  EXPECT_EQ(result_format_by_file_name("csv"), std::nullopt);
  EXPECT_EQ(result_format_by_media_type("application/sparql-results+json; charset=utf-8"),
            ResultFormat::Json);
  EXPECT_EQ(result_format_by_media_type("Text/CSV"), ResultFormat::Csv);
  EXPECT_EQ(result_format_by_media_type("text/plain"), std::nullopt);
  EXPECT_EQ(result_format_by_media_type(""), std::nullopt);
  for (const ResultFormat format : kReadable) {
    EXPECT_EQ(result_format_by_name(result_format_name(format)), format);
    EXPECT_EQ(result_format_by_media_type(media_type(format)), format);
  }
}

TEST(ResultFormat, RoundTripsExactly) {
  const std::vector<SolutionTable> samples = {all_kinds(),         table({"x"}), table({}),
                                              table({}, {{}, {}}), answer(true), answer(false)};
  for (const ResultFormat format : {ResultFormat::Json, ResultFormat::Xml, ResultFormat::Tsv}) {
    for (const SolutionTable& sample : samples) {
      const std::string document = written(sample, format);
      const auto again = read(format, document);
      ASSERT_TRUE(again) << document << again.error().to_string();
      EXPECT_TRUE(is_identical(*again, sample)) << document;
      EXPECT_EQ(written(*again, format), document);
    }
  }
}

TEST(ResultFormat, CsvKeepsWhatItCanHold) {
  const SolutionTable sample = table({"a", "b"}, {{iri("http://example.org/a?b,c"), blank("b0")},
                                                  {text(""), kUnbound},
                                                  {text("a,\"b\"\r\nc"), text("http://not an IRI")},
                                                  {kUnbound, kUnbound},
                                                  {iri("urn:x:y"), text("mailto:x@y")}});
  const auto again = read(ResultFormat::Csv, written(sample, ResultFormat::Csv));
  ASSERT_TRUE(again) << again.error().to_string();
  EXPECT_TRUE(is_identical(*again, sample));
  for (const bool value : {true, false}) {
    const auto boolean = read(ResultFormat::Csv, written(answer(value), ResultFormat::Csv));
    ASSERT_TRUE(boolean);
    EXPECT_EQ(boolean->answer, value);
  }
  // Other terms become strings, once.
  const auto flat = read(ResultFormat::Csv, written(all_kinds(), ResultFormat::Csv));
  ASSERT_TRUE(flat);
  EXPECT_EQ(flat->rows[3][1], text("42"));
  const auto flat_again = read(ResultFormat::Csv, written(*flat, ResultFormat::Csv));
  ASSERT_TRUE(flat_again);
  EXPECT_TRUE(is_identical(*flat_again, *flat));
}

TEST(ResultFormat, PiecesDoNotMatter) {
  for (const ResultFormat format : kReadable) {
    const std::string document = written(all_kinds(), format);
    const auto whole = read(format, document);
    ASSERT_TRUE(whole);
    for (std::size_t step = 1; step <= 7; ++step) {
      const auto pieces = read_stepped(format, document, step);
      ASSERT_TRUE(pieces) << pieces.error().to_string();
      EXPECT_TRUE(is_identical(*pieces, *whole)) << result_format_name(format) << step;
    }
  }
}

TEST(ResultFormat, PiecesDoNotMatterForErrors) {
  for (const ResultFormat format : kReadable) {
    const std::string document = written(all_kinds(), format);
    for (std::size_t cut = 1; cut < document.size(); cut += 3) {
      const std::string_view part = std::string_view(document).substr(0, cut);
      const auto whole = read(format, part);
      for (const std::size_t step : {1U, 7U}) {
        const auto pieces = read_stepped(format, part, step);
        ASSERT_EQ(pieces.has_value(), whole.has_value()) << part;
        if (whole) {
          EXPECT_TRUE(is_identical(*pieces, *whole));
        } else {
          EXPECT_EQ(pieces.error().position, whole.error().position) << part;
        }
      }
    }
  }
}

// JSON and XML know when they are not complete; lines can end early without anybody noticing.
TEST(ResultFormat, CutOffDocumentsAreErrors) {
  for (const ResultFormat format : kReadable) {
    const std::string document = written(all_kinds(), format);
    const bool is_closed = format == ResultFormat::Json || format == ResultFormat::Xml;
    for (std::size_t cut = 0; cut + 1 < document.size(); ++cut) {
      const auto found = read(format, std::string_view(document).substr(0, cut));
      EXPECT_TRUE(!found || (!is_closed && cut > 0)) << document.substr(0, cut);
      if (!found) {
        EXPECT_EQ(found.error().code, ErrorCode::InvalidInput);
        EXPECT_TRUE(found.error().position) << document.substr(0, cut);
      }
    }
  }
}

TEST(ResultFormat, InvalidUtf8IsAnErrorWithItsPlace) {
  EXPECT_EQ(error_of(ResultFormat::Csv, "x\na\nb\xFF\n").substr(0, 33),
            "results:3:2: invalid UTF-8 (byte ");
  EXPECT_EQ(error_of(ResultFormat::Tsv, "?x\n\"\xC0\x80\"\n").substr(0, 26),
            "results:2:2: invalid UTF-8");
  EXPECT_EQ(error_of(ResultFormat::Json, "{\"head\":{\"vars\":[\"\xED\xA0\x80\"]}}").substr(0, 27),
            "results:1:19: invalid UTF-8");
  const std::string xml =
      "<sparql xmlns='http://www.w3.org/2005/sparql-results#'>\n<head>\xFF</head></sparql>";
  EXPECT_EQ(error_of(ResultFormat::Xml, xml).substr(0, 13), "results:2:7: ");
}

TEST(ResultFormat, AByteOrderMarkIsPassedOver) {
  for (const ResultFormat format : kReadable) {
    const auto found = read(format, "\xEF\xBB\xBF" + written(table({"x"}, {{text("a")}}), format));
    ASSERT_TRUE(found) << found.error().to_string();
    EXPECT_EQ(found->names, std::vector<std::string>{"x"});
  }
}

TEST(ResultFormat, TermsAreBounded) {
  OpContext context;
  context.limits.term_bytes_max = 100;
  const SolutionTable sample = table({"x"}, {{text(std::string(1'000, 'a'))}});
  for (const ResultFormat format : kReadable) {
    const auto found = read(format, written(sample, format), context);
    ASSERT_FALSE(found) << result_format_name(format);
    EXPECT_EQ(found.error().code, ErrorCode::LimitExceeded);
  }
}

TEST(ResultFormat, RowsAreTakenFromTheBudget) {
  MemoryBudget budget("test", 2 * kMiB);
  OpContext context;
  context.memory = &budget;
  context.limits.window_bytes = 4 * kKiB;
  context.limits.term_bytes_max = 64 * kKiB;
  std::vector<std::string> names;
  std::vector<MaybeTerm> row;
  for (int i = 0; i < 100; ++i) {
    names.push_back("v" + std::to_string(i));
    row.push_back(text(std::string(50'000, 'a')));
  }
  const SolutionTable sample = table(names, {row});
  for (const ResultFormat format : kReadable) {
    const auto found = read(format, written(sample, format), context);
    ASSERT_FALSE(found) << result_format_name(format);
    EXPECT_EQ(found.error().code, ErrorCode::LimitExceeded);
    EXPECT_EQ(budget.bytes_used(), 0U);
  }
}

TEST(ResultFormat, TooManyVariablesAreRefused) {
  OpContext context;
  context.limits.query_parts_max = 10;
  const std::vector<std::string> names = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"};
  for (const ResultFormat format : kReadable) {
    const auto found = read(format, written(table(names), format), context);
    ASSERT_FALSE(found) << result_format_name(format);
    EXPECT_EQ(found.error().code, ErrorCode::LimitExceeded);
  }
}

TEST(ResultFormat, AbandonedDocumentsKeepTheirRows) {
  for (const ResultFormat format : kReadable) {
    StringSink out;
    const auto writer = make_solution_writer(format, out);
    ASSERT_TRUE(table({"x"}, {{text("a")}, {text("b")}}).send(*writer));
    ASSERT_TRUE(writer->abandon());
    SolutionTable found;
    const bool is_whole = read_solutions(format, out.text(), OpContext{}, found).has_value();
    EXPECT_EQ(is_whole, format == ResultFormat::Csv || format == ResultFormat::Tsv);
    EXPECT_TRUE(is_identical(found, table({"x"}, {{text("a")}, {text("b")}}))) << out.text();
  }
}

struct StoppingSink final : SolutionSink {
  Result<void> variables(const std::vector<std::string>& /*names*/) override { return {}; }
  Result<void> solution(std::span<const std::optional<rdf::TermView>> /*terms*/) override {
    if (++rows == 2) return Error{ErrorCode::Cancelled, "enough"};
    return {};
  }
  Result<void> boolean(bool /*answer*/) override { return {}; }
  int rows = 0;
};

TEST(ResultFormat, TheSinkCanStopTheReader) {
  for (const ResultFormat format : kReadable) {
    StoppingSink sink;
    const auto result = read_solutions(format, written(all_kinds(), format), OpContext{}, sink);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::Cancelled);
    EXPECT_EQ(result.error().message, "enough");
    EXPECT_EQ(sink.rows, 2);
  }
}

TEST(ResultFormat, TheReaderCanBeCancelled) {
  OpContext context;
  context.cancel.cancel();
  for (const ResultFormat format : kReadable) {
    const auto found = read(format, written(all_kinds(), format), context);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::Cancelled);
  }
}

TEST(ResultFormat, WhatIsCutSaysSoWhereItCanAndIsReadAsBefore) {
  const SolutionTable rows = table({"x"}, {{text("a")}});
  for (const ResultFormat format : kReadable) {
    StringSink out;
    const auto writer = make_solution_writer(format, out);
    ASSERT_TRUE(rows.send(*writer));
    writer->mark_cut("there is \"more\"");
    ASSERT_TRUE(writer->finish());
    const std::string document = out.take();
    const bool has_place = format == ResultFormat::Json || format == ResultFormat::Xml;
    EXPECT_EQ(document.find("more") != std::string::npos, has_place) << document;
    const auto found = read(format, document);
    ASSERT_TRUE(found) << found.error().to_string();
    EXPECT_TRUE(is_identical(*found, rows));
  }
}

TEST(ResultFormat, TablesAreNotRead) {
  EXPECT_EQ(error_of(ResultFormat::Table, "x"),
            "tables are for people and cannot be read back (write the results as json, xml, csv or "
            "tsv)");
}

}  // namespace
}  // namespace helve::sparql
