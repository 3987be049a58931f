// Updates to their own tree.
#include <gtest/gtest.h>

#include "sources/sparql/algebra/parser.h"

namespace helve::sparql {
namespace {

Update update(std::string_view text) {
  auto parsed = parse_update("PREFIX : <http://e/> " + std::string(text));
  EXPECT_TRUE(parsed.has_value()) << text << "\n" << parsed.error().to_string();
  return parsed ? std::move(parsed->update) : Update{};
}

template <typename T>
T only(std::string_view text) {
  const Update parsed = update(text);
  EXPECT_EQ(parsed.operations.size(), 1U) << text;
  if (parsed.operations.size() != 1) return {};
  const T* node = std::get_if<T>(&parsed.operations[0].node);
  EXPECT_NE(node, nullptr) << text;
  return node == nullptr ? T{} : *node;
}

bool is_good_update(std::string_view text) {
  return parse_update("PREFIX : <http://e/> " + std::string(text)).has_value();
}

TEST(ParserUpdate, Data) {
  const auto insert = only<InsertData>("INSERT DATA { :s :p 1 . GRAPH :g { :s :p 2, 3 } :t :p 4 }");
  ASSERT_EQ(insert.quads.size(), 4U);
  EXPECT_FALSE(insert.quads[0].graph.has_value());
  ASSERT_TRUE(insert.quads[2].graph.has_value());
  EXPECT_EQ(std::get<Constant>(*insert.quads[2].graph).term.value, "http://e/g");
  EXPECT_FALSE(insert.quads[3].graph.has_value());
  EXPECT_EQ(only<DeleteData>("DELETE DATA { :s :p 1 }").quads.size(), 1U);
  EXPECT_EQ(only<DeleteWhere>("DELETE WHERE { ?s :p 1 . GRAPH ?g { ?s ?p ?o } }").quads.size(), 2U);
}

TEST(ParserUpdate, Modify) {
  const auto modify = only<Modify>(
      "WITH :g DELETE { ?s ?p ?o } INSERT { ?s ?p [] } USING :a USING NAMED :b WHERE { ?s ?p ?o }");
  EXPECT_EQ(modify.with, "http://e/g");
  ASSERT_TRUE(modify.deletes.has_value());
  ASSERT_TRUE(modify.inserts.has_value());
  ASSERT_EQ(modify.using_graphs.size(), 2U);
  EXPECT_TRUE(modify.using_graphs[1].is_named);
  EXPECT_NE(modify.where.if_is<BasicGraphPattern>(), nullptr);
  const auto empty = only<Modify>("DELETE {} WHERE {}");
  EXPECT_TRUE(empty.deletes.has_value());
  EXPECT_FALSE(empty.inserts.has_value());
}

TEST(ParserUpdate, Graphs) {
  const auto load = only<Load>("LOAD SILENT :d INTO GRAPH :g");
  EXPECT_TRUE(load.is_silent);
  EXPECT_EQ(load.into.iri, "http://e/g");
  EXPECT_EQ(only<Load>("LOAD :d").into.kind, GraphTarget::Kind::Default);
  EXPECT_EQ(only<ManageGraph>("CLEAR ALL").target.kind, GraphTarget::Kind::All);
  EXPECT_EQ(only<ManageGraph>("DROP SILENT NAMED").target.kind, GraphTarget::Kind::Named);
  EXPECT_EQ(only<ManageGraph>("CREATE GRAPH :g").verb, ManageGraph::Verb::Create);
  const auto move = only<TransferGraph>("MOVE :g TO DEFAULT");
  EXPECT_EQ(move.verb, TransferGraph::Verb::Move);
  EXPECT_EQ(move.from.iri, "http://e/g");
  EXPECT_EQ(move.to.kind, GraphTarget::Kind::Default);
}

TEST(ParserUpdate, SeveralOperations) {
  const Update parsed = update("CLEAR ALL ; PREFIX q: <http://q/> INSERT DATA { q:a q:b q:c } ;");
  EXPECT_EQ(parsed.operations.size(), 2U);
  EXPECT_EQ(parsed.prefixes.size(), 2U);
  EXPECT_TRUE(update("").operations.empty());
  EXPECT_FALSE(is_good_update("CLEAR ALL ;; CLEAR ALL"));
  EXPECT_FALSE(is_good_update("CLEAR ALL CLEAR ALL"));
}

TEST(ParserUpdate, WhatDataAndTemplatesMayHold) {
  EXPECT_FALSE(is_good_update("INSERT DATA { ?s :p 1 }"));
  EXPECT_FALSE(is_good_update("INSERT DATA { GRAPH ?g { :s :p 1 } }"));
  EXPECT_FALSE(is_good_update("DELETE DATA { _:a :p 1 }"));
  EXPECT_FALSE(is_good_update("DELETE { ?s :p [] } WHERE { ?s :p ?o }"));
  EXPECT_FALSE(is_good_update("DELETE WHERE { ?s :p _:o }"));
  EXPECT_FALSE(is_good_update("INSERT { ?s :p/:q ?o } WHERE { ?s :p ?o }"));
  EXPECT_FALSE(is_good_update("INSERT DATA { GRAPH :g { GRAPH :h { :s :p 1 } } }"));
  EXPECT_TRUE(is_good_update("INSERT { ?s :p [] } WHERE { ?s :p/:q ?o }"));
}

TEST(ParserUpdate, LabelsBelongToOneInsertData) {
  EXPECT_TRUE(is_good_update("INSERT DATA { GRAPH :g { _:a :p 1 } GRAPH :h { _:a :p 1 } }"));
  EXPECT_FALSE(is_good_update("INSERT DATA { _:a :p 1 } ; INSERT DATA { _:a :p 1 }"));
  EXPECT_TRUE(is_good_update(
      "DELETE { ?s ?p 1 } WHERE { ?s ?p _:a } ; DELETE { ?s ?p 2 } WHERE { ?s ?p _:a }"));
}

}  // namespace
}  // namespace helve::sparql
