// Who does what to whom: by the forms of verbs in the question, and by names of properties.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "agent/llm/rules/mentions.h"
#include "agent/llm/rules/question.h"

namespace helve::llm::rules {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> list);

// "forgedBy", "sentFrom": the other end is the one that acts, or the place.
bool is_passive_name(const std::string& property);
// "were forged by", "sent from".
bool is_passive(const Question& question, const Mention& verb);
// "did Foo": it acts.
bool has_do_before(const Question& question, const Mention& noun);

}  // namespace helve::llm::rules
