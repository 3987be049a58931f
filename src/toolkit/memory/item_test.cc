#include "toolkit/memory/item.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utc.h"
#include "toolkit/memory/item_json.h"

namespace helve::memory {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Item sample() {
  Item item;
  item.title = "Count before exporting";
  item.desc = "Use before any large export.";
  item.content = "Ask for COUNT(*) first.\nThen decide.";
  item.src = ItemSource::Seed;
  item.tags = {"export", "sparql"};
  item.id = id_of(item);
  return item;
}

std::string message_of(const Result<void>& result) {
  return result ? "" : result.error().message + " | " + result.error().hint;
}

TEST(Item, IdIsTheBeginningOfADigestOfTitleAndContent) {
  Item item;
  item.title = "a";
  item.content = "b";
  EXPECT_EQ(id_of(item), "7e18f737311b");  // printf 'a\nb' | sha256sum
  item.desc = "another";
  EXPECT_EQ(id_of(item), "7e18f737311b");
  EXPECT_TRUE(is_id("7e18f737311b"));
  EXPECT_FALSE(is_id("7E18F737311B"));
  EXPECT_FALSE(is_id("7e18f73731"));
  EXPECT_FALSE(is_id("'; DROP --xx"));
}

TEST(Item, EveryFieldHasALimitThatItsErrorNames) {
  EXPECT_TRUE(check_item(sample()));
  const auto message = [](auto change) {
    Item item = sample();
    change(item);
    return message_of(check_item(item));
  };
  EXPECT_EQ(message([](Item& item) { item.title = " "; }),
            "title is empty | say in a few words what it is about");
  EXPECT_EQ(message([](Item& item) { item.title = "1 2 3 4 5 6 7 8 9 10 11"; }),
            "title has 11 words | at most 10; the rest belongs into desc or content");
  EXPECT_THAT(message([](Item& item) { item.title = std::string(121, 'x'); }),
              HasSubstr("title has 121 characters | at most 120"));
  EXPECT_THAT(message([](Item& item) { item.title = "two\nlines"; }),
              HasSubstr("title has control characters"));
  EXPECT_THAT(message([](Item& item) { item.desc = ""; }), HasSubstr("desc is empty"));
  EXPECT_THAT(message([](Item& item) { item.desc = std::string(401, 'x'); }),
              HasSubstr("desc has 401 characters"));
  EXPECT_THAT(message([](Item& item) { item.content = std::string(8'001, 'x'); }),
              HasSubstr("content has 8,001 characters | at most 8,000"));
  EXPECT_THAT(message([](Item& item) { item.content = std::string("a\0b", 3); }),
              HasSubstr("content has control characters"));
  EXPECT_THAT(message([](Item& item) { item.content = "\xFF"; }),
              HasSubstr("content is not valid UTF-8"));
  EXPECT_THAT(message([](Item& item) { item.tags.assign(17, "x"); }), HasSubstr("tags are 17"));
  EXPECT_THAT(message([](Item& item) { item.tags = {"a,b"}; }), HasSubstr("has a comma"));
  EXPECT_THAT(message([](Item& item) { item.tags = {""}; }), HasSubstr("tags: one is empty"));
  EXPECT_THAT(message([](Item& item) { item.domain = std::string(201, 'x'); }),
              HasSubstr("domain has 201"));
  EXPECT_THAT(message([](Item& item) { item.provenance.run = std::string(201, 'x'); }),
              HasSubstr("provenance: run has 201"));
  EXPECT_THAT(message([](Item& item) { item.superseded_by = "me"; }), HasSubstr("is no id"));
}

TEST(ItemJson, BothFormsComeBackAsTheyWere) {
  Item item = sample();
  EXPECT_EQ(to_json(item, ItemForm::Plain),
            R"({"id":")" + item.id +
                R"(","title":"Count before exporting","desc":"Use before any large export.",)"
                R"("content":"Ask for COUNT(*) first.\nThen decide.","src":"seed",)"
                R"("tags":["export","sparql"]})");
  item.scope = ItemScope::Exception;
  item.domain = "uniprot";
  item.schema_fingerprint = "abc";
  item.provenance = {"run 1", 7, "correct", "results_0", "123"};
  item.counters = {3, 2, 1};
  item.created_at = *read_utc("2026-01-31T08:05:00Z");
  item.last_used_at = *read_utc("2026-02-01T08:05:00Z");
  item.verified_at = item.last_used_at;
  item.retracted_at = item.last_used_at;
  item.superseded_by = "0123456789ab";
  item.quarantined = true;
  const auto read = read_item(*parse_json(to_json(item, ItemForm::Full)));
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(read->item, item);
  EXPECT_THAT(read->warnings, ElementsAre());
}

TEST(ItemJson, TellsWhatIsWrongAndWhatWasLeftOut) {
  const auto read = [](std::string_view text) { return read_item(*parse_json(text)); };
  EXPECT_EQ(read("[]").error().message, "the item is no object");
  EXPECT_THAT(read(R"({"title":1})").error().message, "title is not a text");
  EXPECT_THAT(read(R"({"title":"t","desc":"d","content":"c","src":"luck"})").error().message,
              HasSubstr("src is not one of success, failure, seed"));
  EXPECT_THAT(read(R"({"title":"t","desc":"d","content":"c","tags":"x"})").error().message,
              "tags is not a list of texts");
  EXPECT_THAT(read(R"({"title":"t","desc":"d","content":"c","created_at":"soon"})").error().message,
              HasSubstr("created_at is not a time"));
  EXPECT_THAT(
      read(R"({"title":"t","desc":"d","content":"c","counters":{"hurt":-1}})").error().message,
      HasSubstr("counters: hurt is not a whole number"));
  const auto odd = read(R"({"id":"0123456789ab","title":"t","desc":"d","content":"c","mood":1})");
  ASSERT_TRUE(odd);
  EXPECT_THAT(odd->warnings,
              ElementsAre("'mood' is not known and was left out",
                          "the id is " + odd->item.id + ": it is that of title and content"));
}

}  // namespace
}  // namespace helve::memory
