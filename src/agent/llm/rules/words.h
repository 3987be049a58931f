// Words of questions and of names, made comparable: "forgedBy" and "forges" have one in common.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace helve::llm::rules {

// Lower-case words: "ex:meanDepth_m" is mean, depth, m. Brackets and what is in them are left out.
std::vector<std::string> words_of_name(std::string_view name);
// Without plural and tense, crudely; equal forms of a word have equal stems mostly.
std::string stem(std::string_view word);
std::vector<std::string> stems(const std::vector<std::string>& words);

// Words that say nothing of the data: "which", "the", "have".
bool is_function_word(std::string_view lower);

// How well words name something, 0 to 1: 1 where both have the same words. Words such as "has" and
// "by" of a name do not count.
double likeness(const std::vector<std::string>& asked_stems, std::string_view name);

// The same seed, text and place give the same number.
std::uint64_t mix(std::uint64_t seed, std::string_view text);

}  // namespace helve::llm::rules
