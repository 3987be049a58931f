// Words of the question, bound to what is known: classes, properties and things of a graph.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/llm/rules/knowledge.h"
#include "agent/llm/rules/question.h"

namespace helve::llm::rules {

enum class MentionKind : std::uint8_t { Class, Property, Thing, Text };

struct Mention {
  MentionKind kind = MentionKind::Text;
  std::vector<std::string> options;  // names, the best first; of Text the words
  std::size_t from = 0, to = 0;      // tokens
  bool is_negated = false;
  bool is_group = false;  // behind "each", "per"
  bool is_sure = false;   // the words are the name, and it is of the kind that is asked for

  bool is_noun() const { return kind == MentionKind::Class || kind == MentionKind::Thing; }
};

// In the order of the question. Where two names are as good as each other the seed decides.
std::vector<Mention> find_mentions(const Question& question, const Knowledge& known,
                                   std::uint64_t seed);

// "date", "year" and such words are in the name, or the range is a date.
bool is_of_time(const std::string& property, const Knowledge& known);

}  // namespace helve::llm::rules
