#include "surfaces/opening/source_uri.h"

#include <gtest/gtest.h>

#include "tests/support/fake_env.h"

namespace helve::opening {
namespace {

std::string place(std::string_view uri) {
  const auto found = place_of(uri);
  return found ? *found : std::string(error_code_name(found.error().code));
}

TEST(SourceUri, Places) {
  EXPECT_EQ(place("data.ttl"), "data.ttl");
  EXPECT_EQ(place("a:b.ttl"), "a:b.ttl");
  EXPECT_EQ(place("file:///data/a%20b.ttl"), "/data/a b.ttl");
  EXPECT_EQ(place("FILE://localhost/x"), "/x");
  EXPECT_EQ(place("sample:"), "sample:");
  EXPECT_EQ(place("SAMPLE:"), "sample:");
  for (const char* bad : {"", "-", "ftp://e/x", "file://elsewhere/x", "file:///a?b", "file:///a#b",
                          "file:///%zz", "file:///%00", "file:"}) {
    EXPECT_EQ(place(bad), "invalid_input") << bad;
  }
  EXPECT_EQ(place("https://example.org/sparql"), "invalid_input");
  EXPECT_EQ(place("sample-tables:"), "invalid_input") << "it is no graph";
  for (const char* misspelt :
       {"sqllite:shop.db", "postgress://u@h/d", "Sqlit:x", "sample-table:"}) {
    EXPECT_NE(place_of(misspelt).error().hint.find("did you mean"), std::string::npos) << misspelt;
  }
}

TEST(SourceUri, NamesBeforeAnEqualsSign) {
  FakeEnv env;
  env.files().put("x=1.ttl", "");
  const auto read = [&](std::string_view text) {
    const NamedSource source = read_source(text, env.files());
    return source.name + " " + source.uri;
  };
  EXPECT_EQ(read("wiki=/data/wiki.helve"), "wiki /data/wiki.helve");
  EXPECT_EQ(read("/data/a=b.ttl"), "a_b.ttl /data/a=b.ttl");
  EXPECT_EQ(read("x=1.ttl"), "x_1.ttl x=1.ttl") << "a file of that name is there";
  EXPECT_EQ(read("y=1.ttl"), "y 1.ttl");
  EXPECT_EQ(read("y=x=1.ttl"), "y x=1.ttl");
  EXPECT_EQ(read("data.ttl"), "data.ttl data.ttl");
  EXPECT_EQ(read("a b.ttl"), "a_b.ttl a b.ttl");
  EXPECT_EQ(read("sample:"), "sample sample:");
  EXPECT_EQ(read("x=sample:"), "x sample:");
  EXPECT_EQ(read("sample-tables:"), "sample-tables sample-tables:");
  EXPECT_EQ(read("x=Sample-Tables:"), "x Sample-Tables:");
  EXPECT_EQ(read(""), "source ");
  EXPECT_EQ(read_source(std::string(100, 'a'), env.files()).name.size(), 64U);
  EXPECT_EQ(read_source("sqlite:data/shop.db", env.files()).name, "shop");
  EXPECT_EQ(read_source("postgresql://u@h/sales?password=env:A", env.files()).name, "sales");
  EXPECT_EQ(read_source("x=mysql://u@h/sales", env.files()).name, "x");
  // What may have a password in it is not repeated.
  for (const char* uri : {"postgresql://u:hunter2@h/d", "oracle://u:hunter2@h/d"}) {
    const auto place = place_of(uri);
    ASSERT_FALSE(place);
    EXPECT_EQ(place.error().to_string().find("hunter2"), std::string::npos);
  }
}

TEST(SourceUri, WhatIsADatabase) {
  for (const char* uri : {"sample-tables:", "SAMPLE-TABLES:", "sqlite:shop.db", "mysql://u@h/d"}) {
    EXPECT_TRUE(is_tables_uri(uri)) << uri;
    EXPECT_FALSE(is_sample(uri)) << uri;
  }
  for (const char* uri : {"sample:", "sample-tables", "x.ttl", "https://e.example/", ""}) {
    EXPECT_FALSE(is_tables_uri(uri)) << uri;
  }
}

}  // namespace
}  // namespace helve::opening
