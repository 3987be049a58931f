// What the conversation has told so far: by the context in the system prompt, and by replies.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agent/llm/rules/reply.h"

namespace helve::llm::rules {

enum class TermKind : std::uint8_t { Class, Property, Instance };

struct Term {
  std::string name;   // as queries write it
  std::string label;  // may be empty
  TermKind kind = TermKind::Class;
  std::string domain;  // of a property; empty: not known
  std::string range;
};

struct Column {
  std::string name;
  std::string type;
};

struct ForeignKey {
  std::string column;
  std::string table;
  std::string key;  // of that table; empty: its primary key
};

struct Table {
  std::string name;
  std::string primary_key;
  std::vector<Column> columns;
  std::vector<ForeignKey> foreign_keys;
  bool is_inspected = false;  // all columns are known
};

enum class LessonKind : std::uint8_t {
  Worked,   // a pattern with slots
  Avoid,    // likewise, of a failure
  General,  // words
  Example,  // a question of a guide with its query
};

struct Lesson {
  LessonKind kind = LessonKind::General;
  std::string title;
  std::string query;                                       // empty: none
  std::vector<std::pair<std::string, std::string>> slots;  // mark, what it is
};

struct Knowledge {
  // Graphs
  std::vector<Term> terms;
  std::string label_property;  // empty: not known
  std::vector<std::string> languages;
  bool asks_subclasses = false;                     // classes have their instances in subclasses
  std::map<std::string, std::string> used_instead;  // never used: its inverse is
  std::map<std::string, std::string> units;         // of a property
  std::vector<std::vector<std::string>> either;     // properties of which a thing has one
  // Databases
  bool is_of_tables = false;
  std::vector<Table> tables;

  std::vector<Lesson> lessons;

  Term* find(std::string_view name);
  const Term* find(std::string_view name) const;
  Term& add(std::string_view name, TermKind kind);
  Table& add_table(std::string_view name);
  const Table* find_table(std::string_view name) const;
};

inline constexpr std::size_t kTermsMax = 2'000;

// Of the section of the system prompt that has the context, and of the hints of the caller.
Knowledge read_context(std::string_view system);
// What replies of schema tools, of searches and of memory add.
void learn_from(std::string_view tool, const ToolReply& reply, Knowledge& known);

// Prefixed names of a text, in their order, without those of RDF, RDFS, OWL and XSD.
std::vector<std::string> names_in(std::string_view text);

}  // namespace helve::llm::rules
