// ConstraintFile: what people know of an ontology that its statements do not say, as TOML:
//
//     ontology = ["http://www.w3.org/ns/prov#"]   # IRIs of ontologies or namespaces
//     avoid = ["Do not ..."]                      # one line each, before all that is found out
//     hints = ["Ask ..."]
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "toolkit/context/graph_facts.h"

namespace helve::context {

struct ConstraintFile {
  std::string name;                   // for errors: the file
  std::vector<std::string> ontology;  // one or more
  std::vector<std::string> avoid;
  std::vector<std::string> hints;
};

inline constexpr std::size_t kConstraintBytesMax = 64UL * 1024;
inline constexpr std::size_t kConstraintLinesMax = 32;   // of avoid and of hints each
inline constexpr std::size_t kConstraintCharsMax = 200;  // of a line
inline constexpr std::size_t kConstraintIrisMax = 16;

// InvalidInput with line and column; LimitExceeded beyond the limits above. Unknown keys are
// errors.
Result<ConstraintFile> parse_constraints(std::string_view text, std::string name);

// Those that come with the program.
std::span<const ConstraintFile> built_in_constraints();

// The first of `own`, then of the built-in ones, that is for an ontology which the graph has the
// header of, or for the namespace that most of its terms are in. Null: none is.
const ConstraintFile* find_constraints(const GraphFacts& facts,
                                       std::span<const ConstraintFile> own = {});

}  // namespace helve::context
