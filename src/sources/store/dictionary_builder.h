// Merges the terms of several interners into one sorted dictionary and tells each interner's terms
// their codes.
#pragma once

#include <memory>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/store/dictionary.h"
#include "sources/store/term_interner.h"

namespace helve::store {

struct BuiltDictionary {
  Dictionary dictionary;
  std::vector<std::vector<Code>> codes;  // by interner, by local term
};

// Sections are sorted and merged in parallel on context.executor. The result does not depend on how
// the terms were spread over the interners.
Result<BuiltDictionary> build_dictionary(std::vector<std::unique_ptr<TermInterner>>& interners,
                                         const OpContext& context);

// Memory that it takes beside the terms and the dictionary.
std::size_t build_dictionary_bytes(std::size_t terms);

}  // namespace helve::store
