#include "toolkit/tools/reply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "base/json.h"
#include "base/utf8.h"

namespace helve::toolkit {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kXsdDate = "http://www.w3.org/2001/XMLSchema#date";
constexpr const char* kXsdInteger = "http://www.w3.org/2001/XMLSchema#integer";

ReplyFrame frame_of(std::size_t max_chars = 2'000) {
  ReplyFrame frame;
  frame.source = "sample";
  frame.execution_time_ms = 1.25;
  frame.max_chars = max_chars;
  frame.prefixes = PrefixList{{"ex", "http://example.org/"},
                              {"exv", "http://example.org/v#"},
                              {"xsd", "http://www.w3.org/2001/XMLSchema#"}};
  return frame;
}

JsonValue parsed(const RenderedReply& reply) {
  auto value = parse_json(reply.json);
  EXPECT_TRUE(value) << reply.json;
  return value ? *value : JsonValue();
}

// What holds for every reply.
void check_frame(const RenderedReply& reply, std::size_t max_chars) {
  EXPECT_EQ(utf8_valid_prefix(reply.text), reply.text.size());
  EXPECT_EQ(utf8_valid_prefix(reply.json), reply.json.size());
  EXPECT_LE(utf8_length(reply.text), std::max(max_chars, kCharsMin)) << reply.text;
  EXPECT_LE(utf8_length(reply.json), std::max(max_chars, kCharsMin)) << reply.json;
  const JsonValue json = parsed(reply);
  for (const char* key : {"source", "execution_time_ms", "warnings"}) {
    EXPECT_NE(json.find(key), nullptr) << key << " in " << reply.json;
  }
  EXPECT_THAT(reply.json, Not(HasSubstr("did not fit")));
  EXPECT_THAT(reply.text, Not(HasSubstr("did not fit")));
  EXPECT_EQ(reply.text.find("<data 5f3a9c>\n") == std::string::npos,
            reply.text.find("</data 5f3a9c>\n") == std::string::npos)
      << reply.text;
}

Reply rows_reply(std::size_t rows, std::size_t literal_chars) {
  ReplyList list;
  list.key = "preview";
  list.columns = {"item", "abstract"};
  list.handle = "results_0";
  for (std::size_t i = 0; i < rows; ++i) {
    list.items.emplace_back(
        ReplyValue::List{ReplyValue::iri("http://example.org/item" + std::to_string(i)),
                         rdf::TermView::lang_literal(std::string(literal_chars, 'x'), "en")});
  }
  Reply reply;
  reply.say(std::to_string(rows) + " rows").set("rows", rows);
  reply.list(std::move(list));
  return reply;
}

TEST(Reply, WritesBothFormsOfAnOrdinaryAnswer) {
  Ref ref;
  ref.key = "results_0";
  ref.rows = 2;
  ref.sz = 40;
  ref.source = "sample";
  Reply reply = rows_reply(2, 3);
  reply.ref(ref).set("truncated", false).set("total_available", ReplyValue());
  reply.next("sparql_slice result=results_0 offset=2").warn("limit was 5; 2 is the most");
  const RenderedReply rendered = render(reply, frame_of());
  check_frame(rendered, 2'000);
  EXPECT_EQ(rendered.json,
            R"({"rows":2,"key":"results_0","truncated":false,"total_available":null,)"
            R"j("ref":"Ref('results_0', 'results', 2 items, 40 chars from sample)",)j"
            R"("columns":["item","abstract"],)"
            R"("preview":[["ex:item0","\"xxx\"@en"],["ex:item1","\"xxx\"@en"]],)"
            R"("usage":["sparql_slice result=results_0 offset=2"],)"
            R"("prefixes":{"ex":"http://example.org/"},)"
            R"("source":"sample","execution_time_ms":1.25,)"
            R"("warnings":["limit was 5; 2 is the most"]})");
  EXPECT_EQ(rendered.text,
            "2 rows\n"
            "rows: 2 · truncated: false · total_available: -\n"
            "preview (item | abstract):\n"
            "ex:item0 | \"xxx\"@en\n"
            "ex:item1 | \"xxx\"@en\n"
            "Ref('results_0', 'results', 2 items, 40 chars from sample)\n"
            "next: sparql_slice result=results_0 offset=2\n"
            "warning: limit was 5; 2 is the most\n"
            "prefixes: ex: <http://example.org/>\n"
            "sample · 1.25 ms");
  EXPECT_EQ(rendered.rows_shown, 2U);
  EXPECT_FALSE(rendered.is_error);
}

TEST(Reply, MarksWhatComesFromSources) {
  Ref ref;
  ref.key = "results_0";
  ref.rows = 2;
  ref.sz = 40;
  ref.source = "sample";
  Reply reply = rows_reply(2, 3);
  reply.ref(ref).next("sparql_slice result=results_0").warn("limit was 5; 2 is the most");
  reply.warn_from_data({"read \"x\" as ex:item0", "the word was guessed", "read_as", "ex:item0"});
  reply.next_from_data({"sparql_query query=\"ASK {ex:item0 ?p ?o}\"", "sparql_query",
                        "suggested_query", "ASK {ex:item0 ?p ?o}"});
  reply.next_from_data({"sparql_peek resource=ex:item1", "sparql_peek", "preview", {}});
  ReplyFrame frame = frame_of();
  const RenderedReply plain = render(reply, frame);
  frame.boundary = "5f3a9c";
  const RenderedReply marked = render(reply, frame);
  EXPECT_EQ(marked.json, plain.json);
  EXPECT_EQ(marked.text,
            "2 rows\n"
            "<data 5f3a9c>\n"
            "rows: 2\n"
            "preview (item | abstract):\n"
            "ex:item0 | \"xxx\"@en\n"
            "ex:item1 | \"xxx\"@en\n"
            "suggested_query: ASK {ex:item0 ?p ?o}\n"
            "read_as: ex:item0\n"
            "prefixes: ex: <http://example.org/>\n"
            "</data 5f3a9c>\n"
            "Ref('results_0', 'results', 2 items, 40 chars from sample)\n"
            "next: sparql_slice result=results_0\n"
            "next: sparql_query with the value of suggested_query in the data\n"
            "next: sparql_peek with the value of preview in the data\n"
            "warning: limit was 5; 2 is the most\n"
            "warning: the word was guessed; see read_as in the data\n"
            "sample · 1.25 ms");
}

// Runs of models could not be repeated otherwise.
TEST(Reply, IsCutAtTheSamePlaceHoweverLongItTook) {
  ReplyFrame frame = frame_of(1'000);
  frame.boundary = "5f3a9c";
  std::set<std::string> texts;
  for (const double ms : {0.25, 12.0, 61'234.567, 299'999.0}) {
    frame.execution_time_ms = ms;
    const std::string text = render(rows_reply(100, 30), frame).text;
    EXPECT_LE(text.size(), 1'000U + 1U);  // the dot is two bytes
    texts.insert(text.substr(0, text.rfind(" · ")));
  }
  EXPECT_EQ(texts.size(), 1U);
}

TEST(Reply, MarksWhatErrorsTellOfData) {
  ToolError failure(Error(ErrorCode::NotFound, "no class Plant", "use sparql_find"));
  failure.error.suggestions = {"ex:Planet \"obey\""};
  ReplyFrame frame = frame_of();
  frame.boundary = "5f3a9c";
  EXPECT_EQ(render(failure, frame).text,
            "error (not_found): no class Plant\n"
            "hint: use sparql_find\n"
            "<data 5f3a9c>\n"
            "did_you_mean: ex:Planet \"obey\"\n"
            "</data 5f3a9c>\n"
            "sample · 1.25 ms");
  failure.error.suggestions.clear();
  EXPECT_THAT(render(failure, frame).text, Not(HasSubstr("data")));
  failure.error.detail = "it is called Planet";
  EXPECT_THAT(render(failure, frame).text,
              StartsWith("error (not_found): no class Plant; see detail in the data\n"
                         "hint: use sparql_find\n"
                         "<data 5f3a9c>\ndetail: it is called Planet\n</data"));
  frame.boundary.clear();
  EXPECT_THAT(render(failure, frame).text,
              StartsWith("error (not_found): no class Plant: it is called Planet\nhint: "));
}

TEST(Reply, CutsListsBehindWholeItemsAndSaysSo) {
  const RenderedReply rendered = render(rows_reply(100, 30), frame_of(1'000));
  check_frame(rendered, 1'000);
  const JsonValue json = parsed(rendered);
  const JsonValue* note = json.find("shown")->find("preview");
  const auto shown = note->find("items")->to_uint64();
  EXPECT_EQ(json.find("preview")->if_array()->size(), shown);
  EXPECT_EQ(note->find("of")->to_uint64(), 100U);
  EXPECT_EQ(*note->find("ended_by")->if_string(), "characters");
  EXPECT_GT(*shown, 8U);
  EXPECT_GT(utf8_length(rendered.json), 930U);  // the room is used
  EXPECT_THAT(rendered.text, HasSubstr(" more (ended by characters; sparql_slice result=results_0 "
                                       "offset="));
}

TEST(Reply, ShowsTheSameItemsOfAPageInBothForms) {
  for (const std::size_t budget : {200, 300, 500, 1'000, 1'999, 6'000, 20'000}) {
    Reply reply = rows_reply(100, 30);
    reply.lists[0].is_page = true;
    reply.lists[0].first_row = 40;
    reply.lists[0].total = 150;
    const RenderedReply rendered = render(reply, frame_of(budget));
    check_frame(rendered, budget);
    const JsonValue json = parsed(rendered);
    if (json.find("preview") == nullptr) continue;  // the smallest have no room for the list
    const std::uint64_t shown = json.find("preview")->if_array()->size();
    if (json.find("returned") != nullptr) {
      EXPECT_EQ(json.find("returned")->to_uint64(), shown);
    }
    if (json.find("next_offset") != nullptr) {
      EXPECT_EQ(json.find("next_offset")->to_uint64(), 40 + shown) << budget;
    }
    std::size_t lines = 0;
    for (std::size_t at = 0; (at = rendered.text.find("\nex:item", at)) != std::string::npos;
         ++at) {
      ++lines;
    }
    EXPECT_EQ(lines, shown) << rendered.text;
    EXPECT_EQ(rendered.rows_shown, shown);
  }
}

TEST(Reply, ThePageThatEndsTheTableHasNoNext) {
  Reply reply = rows_reply(10, 3);
  reply.lists[0].is_page = true;
  reply.lists[0].first_row = 90;
  reply.lists[0].total = 100;
  const RenderedReply rendered = render(reply, frame_of());
  EXPECT_THAT(rendered.json, HasSubstr(R"("returned":10,"has_more":false,"next_offset":null)"));
  EXPECT_THAT(rendered.text, Not(HasSubstr("more")));
}

TEST(Reply, TellsWhatTheToolLeftOut) {
  Reply reply = rows_reply(3, 5);
  reply.lists[0].left_out = 97;
  const RenderedReply rendered = render(reply, frame_of());
  EXPECT_THAT(rendered.json,
              HasSubstr(R"("shown":{"preview":{"items":3,"of":100,"ended_by":"rows"}})"));
  EXPECT_THAT(rendered.text,
              HasSubstr("... 97 more (ended by rows; sparql_slice result=results_0 offset=3)"));
}

TEST(Reply, ShowsLessOfAListThatCannotBeWholeWhereToldSo) {
  Reply whole = rows_reply(20, 10);
  whole.lists[0].chars_if_cut = 300;
  EXPECT_EQ(render(whole, frame_of()).rows_shown, 20U);  // it fits
  Reply cut = rows_reply(100, 30);
  cut.lists[0].chars_if_cut = 300;
  const RenderedReply rendered = render(cut, frame_of());
  EXPECT_LT(utf8_length(rendered.text), 500U);
  EXPECT_GT(rendered.rows_shown, 2U);
  EXPECT_THAT(rendered.text,
              HasSubstr(" more (ended by characters; sparql_slice result=results_0"));
}

TEST(Reply, ElidesLongCellsWithTheAddressOfTheWhole) {
  Reply reply = rows_reply(5, 4'000);
  reply.lists[0].first_row = 20;
  const RenderedReply rendered = render(reply, frame_of());
  check_frame(rendered, 2'000);
  EXPECT_THAT(rendered.text, HasSubstr("…\"@en +3,"));
  EXPECT_THAT(rendered.text, HasSubstr(" chars: ctx_slice key=results_0[24].abstract"));
  EXPECT_EQ(parsed(rendered).find("preview")->if_array()->size(), 5U);
  EXPECT_GT(utf8_length(rendered.text), 1'900U);
}

TEST(Reply, GivesOneLongCellAllThatIsFree) {
  Reply reply = rows_reply(3, 5);
  reply.lists[0].items[1] =
      ReplyValue::List{ReplyValue(1), rdf::TermView::literal(std::string(1'500, 'y'))};
  const RenderedReply rendered = render(reply, frame_of());
  EXPECT_THAT(rendered.text, HasSubstr(std::string(1'500, 'y')));
  EXPECT_THAT(rendered.json, HasSubstr(std::string(1'500, 'y')));
}

TEST(Reply, CountsWhatAnElisionLeavesOut) {
  Reply reply;
  reply.set("note", std::string(5'000, 'z'));
  const RenderedReply rendered = render(reply, frame_of(300));
  const auto shown =
      static_cast<std::size_t>(std::count(rendered.text.begin(), rendered.text.end(), 'z'));
  EXPECT_THAT(rendered.text,
              HasSubstr("… +" + std::string("4,") + std::to_string(5'000 - shown - 4'000)));
}

TEST(Reply, ShowsObjectsOfEqualKeysAsATable) {
  ReplyList list;
  list.key = "classes";
  for (int i = 0; i < 2; ++i) {
    list.items.emplace_back(
        ReplyValue::Members{{"uri", ReplyValue::iri("http://example.org/C" + std::to_string(i))},
                            {"count", 10 * i},
                            {"common_properties", ReplyValue::List{"a", "b"}}});
  }
  Reply reply;
  reply.list(list);
  const RenderedReply rendered = render(reply, frame_of());
  EXPECT_THAT(rendered.text, StartsWith("classes (uri | count | common_properties):\n"
                                        "ex:C0 | 0 | a, b\n"
                                        "ex:C1 | 10 | a, b\n"));
  EXPECT_THAT(
      rendered.json,
      StartsWith(R"({"classes":[{"uri":"ex:C0","count":0,"common_properties":["a","b"]},)"));
}

TEST(Reply, CutsTextsAtLinesOrWords) {
  std::string lines;
  for (int i = 0; i < 300; ++i) lines += "line " + std::to_string(i) + " of the text\n";
  Reply reply;
  reply.text("text", lines, "text_0", 50);
  const RenderedReply rendered = render(reply, frame_of());
  check_frame(rendered, 2'000);
  const JsonValue json = parsed(rendered);
  const std::string& shown = *json.find("text")->if_string();
  EXPECT_TRUE(lines.starts_with(shown));
  EXPECT_THAT(shown, EndsWith("of the text\n"));
  EXPECT_EQ(json.find("shown")->find("text")->find("chars")->to_uint64(), shown.size());
  EXPECT_EQ(json.find("shown")->find("text")->find("of")->to_uint64(), lines.size());
  EXPECT_THAT(rendered.text,
              HasSubstr(" more chars (ended by characters; ctx_slice key=text_0 start="));
}

TEST(Reply, MakesSteeringCharactersVisible) {
  Reply reply;
  reply.say("a\x1B[31m\xE2\x80\xAEz").set("k", "x\xE2\x80\xAE\ny\xFF");
  reply.set("term", rdf::TermView::literal("q\"\n\xE2\x80\xAE"));
  const RenderedReply rendered = render(reply, frame_of());
  check_frame(rendered, 2'000);
  EXPECT_THAT(rendered.text, StartsWith("a\\u001B[31m\\u202Ez\nk: x\\u202E\\ny\xEF\xBF\xBD · "));
  EXPECT_THAT(rendered.json, HasSubstr(R"("k":"x\\u202E\ny)"));
  EXPECT_THAT(rendered.json, HasSubstr(R"("term":"\"q\\\"\\n\\u202E\"")"));
}

TEST(Reply, WritesErrorsThatRepair) {
  ToolError failure(Error(ErrorCode::InvalidInput, "no such class", "use sparql_find")
                        .at("query", TextPosition{3, 7}));
  failure.error.suggestions = {"ex:Protein", "ex:Gene"};
  failure.example = "sparql_peek resource=ex:Protein";
  failure.details = {{"pattern", "?s a ex:Protien"}};
  const RenderedReply rendered = render(failure, frame_of());
  check_frame(rendered, 2'000);
  EXPECT_TRUE(rendered.is_error);
  EXPECT_EQ(rendered.code, ErrorCode::InvalidInput);
  EXPECT_EQ(
      rendered.json,
      R"({"error":{"code":"invalid_input","message":"no such class","hint":"use sparql_find",)"
      R"("position":{"document":"query","line":3,"column":7},)"
      R"("did_you_mean":["ex:Protein","ex:Gene"],"pattern":"?s a ex:Protien",)"
      R"("example":"sparql_peek resource=ex:Protein"},)"
      R"("source":"sample","execution_time_ms":1.25,"warnings":[]})");
  EXPECT_EQ(rendered.text,
            "error (invalid_input): no such class\n"
            "hint: use sparql_find\n"
            "position: (document query, line 3, column 7)\n"
            "did_you_mean: ex:Protein, ex:Gene\n"
            "pattern: ?s a ex:Protien\n"
            "example: sparql_peek resource=ex:Protein\n"
            "sample · 1.25 ms");
}

TEST(Reply, NeverCutsTheCodeOfAnError) {
  const std::string code = R"({"error":{"code":"invalid_input","message":")";
  for (std::size_t chars = kCharsMin; chars < 400; ++chars) {
    for (const double ms : {0.0, 1.25, 61'234.567}) {
      ToolError failure(Error(ErrorCode::InvalidInput, std::string(150, 'm'), "do this"));
      failure.warnings = {"max_chars is 200 at least"};
      failure.error.suggestions = {"some_long_name_of_a_thing", "another_long_name_of_a_thing"};
      ReplyFrame frame = frame_of();
      frame.max_chars = chars;
      frame.execution_time_ms = ms;
      const RenderedReply rendered = render(failure, frame);
      check_frame(rendered, chars);
      EXPECT_THAT(rendered.json, StartsWith(code)) << chars << ' ' << ms;
      EXPECT_THAT(rendered.json, HasSubstr(R"("hint":")")) << chars << ' ' << ms;
    }
  }
}

TEST(Reply, ListsOnlyPrefixesThatOccur) {
  Reply reply;
  reply.set("a", ReplyValue::iri("http://example.org/v#name"));
  reply.set("b", ReplyValue::iri("http://other.org/x"));
  const RenderedReply rendered = render(reply, frame_of());
  EXPECT_THAT(rendered.json, HasSubstr(R"("prefixes":{"exv":"http://example.org/v#"})"));
  EXPECT_THAT(rendered.json, HasSubstr(R"("b":"<http://other.org/x>")"));
}

TEST(Reply, ShowsTermsInTurtle) {
  const PrefixList prefixes = frame_of().prefixes;
  EXPECT_EQ(show_term(rdf::TermView::iri("http://example.org/v#a"), prefixes), "exv:a");
  EXPECT_EQ(show_term(rdf::TermView::iri("http://example.org/a b"), prefixes),
            "<http://example.org/a\\u0020b>");
  EXPECT_EQ(show_term(rdf::TermView::literal("42", kXsdInteger), prefixes), "42");
  EXPECT_EQ(show_term(rdf::TermView::literal("x", kXsdDate), prefixes), "\"x\"^^xsd:date");
  EXPECT_EQ(show_term(rdf::TermView::lang_literal("a\nb", "en"), prefixes), "\"a\\nb\"@en");
  EXPECT_EQ(show_term(rdf::TermView::blank("b0"), prefixes), "_:b0");
}

class HostileReplies : public ::testing::Test {
 protected:
  std::size_t up_to(std::size_t most) { return random_() % (most + 1); }

  std::string text() {
    static const std::vector<std::string> pieces = {
        "a",    "word ", "\n", "\"",   "\\", "\xE2\x80\xAE", "\xF3\xA0\x81\x81", "\x01",
        "\xFF", "\x80",  "é",  "日本", "|",  "\t",           "\xE2\x80",         "<>{}",
        "😀",    "\x7F"};
    const std::size_t length = up_to(15) == 0 ? up_to(25'000) : up_to(40);
    const bool is_mixed = up_to(1) == 0;
    const std::string& piece = pieces[up_to(pieces.size() - 1)];
    std::string out;
    while (out.size() < length) out += is_mixed ? pieces[up_to(pieces.size() - 1)] : piece;
    return out;
  }

  // Tools do not answer two things under one name.
  std::string key() { return std::to_string(++keys_) + text(); }

  rdf::Term term() {
    switch (up_to(4)) {
      case 0:
        return rdf::Term(rdf::TermView::iri("http://example.org/" + text()));
      case 1:
        return rdf::Term(rdf::TermView::iri(text()));
      case 2:
        return rdf::Term(rdf::TermView::blank(text()));
      case 3:
        return rdf::Term(rdf::TermView::lang_literal(text(), text()));
      default:
        return rdf::Term(rdf::TermView::literal(text(), text()));
    }
  }

  ReplyValue value(int depth) {
    switch (up_to(depth > 8 ? 6 : 8)) {
      case 0:
        return {};
      case 1:
        return up_to(1) == 0;
      case 2:
        return std::uint64_t{random_()};
      case 3:
        return -1e300 * static_cast<double>(up_to(3));
      case 4:
        return text();
      case 5:
      case 6:
        return term();
      case 7: {
        ReplyValue::List list;
        for (std::size_t n = up_to(up_to(60) == 0 ? 500 : 4); n > 0; --n) {
          list.push_back(value(depth + 2));
        }
        return list;
      }
      default: {
        ReplyValue::Members members;
        for (std::size_t n = up_to(4); n > 0; --n) members.emplace_back(key(), value(depth + 2));
        return members;
      }
    }
  }

  ReplyList list() {
    ReplyList list;
    list.key = key();
    for (std::size_t n = up_to(5); n > 1; --n) list.columns.push_back(text());
    for (std::size_t n = up_to(up_to(5) == 0 ? 300 : 5); n > 0; --n) {
      list.items.push_back(value(0));
    }
    list.left_out = up_to(2) == 0 ? random_() >> 1U : 0;
    list.handle = up_to(1) == 0 ? "results_0" : text();
    list.first_row = up_to(1'000);
    list.is_page = up_to(4) == 0;
    list.total = up_to(3'000);
    return list;
  }

  Reply reply() {
    Reply reply;
    reply.say(text());
    for (std::size_t n = up_to(up_to(19) == 0 ? 1'500 : 10); n > 0; --n) {
      reply.facts.push_back({key(), value(0), up_to(3) == 0});
    }
    for (std::size_t n = up_to(3); n > 0; --n) reply.list(list());
    for (std::size_t n = up_to(2); n > 0; --n) reply.text(key(), text(), text(), up_to(100));
    for (std::size_t n = up_to(19) == 0 ? 500 : up_to(3); n > 0; --n) reply.warn(text());
    for (std::size_t n = up_to(3); n > 0; --n) reply.next(text());
    for (std::size_t n = up_to(2); n > 0; --n) {
      reply.warn_from_data({text(), text(), "field", text()});
      reply.next_from_data({text(), text(), "field", up_to(1) == 0 ? text() : ""});
    }
    if (up_to(1) == 0) reply.say(reply.headline, text(), "field");
    if (up_to(1) == 0) {
      Ref ref;
      ref.key = text();
      ref.source = text();
      reply.ref(ref);
    }
    return reply;
  }

  ReplyFrame frame() {
    ReplyFrame frame = frame_of();
    const std::size_t budgets[] = {0,   200, 201,   230,   260,   300,
                                   400, 700, 1'000, 2'000, 6'000, 20'000};
    frame.max_chars = budgets[up_to(11)] + up_to(20);
    frame.source = text();
    if (up_to(2) == 0) {
      PrefixList prefixes = frame.prefixes;
      prefixes.emplace_back(text(), text());
      frame.prefixes = std::move(prefixes);
    }
    if (up_to(1) == 0) frame.boundary = "5f3a9c";
    return frame;
  }

  std::mt19937 random_{20'26};
  std::uint64_t keys_ = 0;
};

TEST_F(HostileReplies, StayWithinTheirBudget) {
  for (int i = 0; i < 300 && !HasFailure(); ++i) {
    const ReplyFrame where = frame();
    check_frame(render(reply(), where), where.max_chars);
  }
}

TEST_F(HostileReplies, StayWithinTheirBudgetAsErrors) {
  for (int i = 0; i < 300 && !HasFailure(); ++i) {
    const ReplyFrame where = frame();
    ToolError failure(
        Error(ErrorCode::NotFound, text(), text()).at(text(), TextPosition{random_(), 9}));
    for (std::size_t n = up_to(20); n > 0; --n) failure.error.suggestions.push_back(text());
    if (up_to(1) == 0) failure.schema_fragment = list();
    failure.example = text();
    if (up_to(1) == 0) failure.error.detail = text();
    for (std::size_t n = up_to(3); n > 0; --n) failure.details.emplace_back(key(), value(0));
    check_frame(render(failure, where), where.max_chars);
  }
}

TEST(Reply, AtTheSmallestBudgetItStillTellsWhatIsMissing) {
  Reply reply = rows_reply(10'000, 1'000);
  for (int i = 0; i < 10'000; ++i) {
    reply.facts.push_back({"fact number " + std::to_string(i), std::string(100, 'f'), false});
  }
  for (int i = 0; i < 1'000; ++i) reply.warn(std::string(200, 'w'));
  const RenderedReply rendered = render(reply, frame_of(1));
  check_frame(rendered, 1);
  EXPECT_THAT(rendered.json, HasSubstr(R"("left_out":{"facts":)"));
  EXPECT_THAT(rendered.text, HasSubstr("left out (ended by characters): "));
}

TEST(Reply, ReplacesAFactThatIsSetAgain) {
  Reply reply;
  reply.set("a", 1).set("b", 2).set("a", 3);
  ASSERT_EQ(reply.facts.size(), 2U);
  EXPECT_EQ(*reply.facts[0].value.if_is<std::int64_t>(), 3);
}

}  // namespace
}  // namespace helve::toolkit
