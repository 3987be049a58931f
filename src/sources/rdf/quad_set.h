// QuadSet: statements in memory with interned terms; what writers sort, isomorphism compares and
// tests are made of. For anything large or queried, use the store.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/rdf/reader.h"
#include "sources/rdf/term.h"

namespace helve::rdf {

using TermIndex = std::uint32_t;

// Subject, predicate, object, graph, as indexes into the terms.
using QuadIndexes = std::array<TermIndex, 4>;

class QuadSet final : public StatementSink {
 public:
  explicit QuadSet(const OpContext& context = {});
  ~QuadSet() override;
  QuadSet(QuadSet&&) noexcept;
  QuadSet& operator=(QuadSet&&) noexcept;

  Result<void> statement(const StatementView& statement) override;
  void prefix(std::string_view name, std::string_view iri) override;

  Result<TermIndex> intern(const TermView& term);
  // nullopt when the set has never met the term.
  std::optional<TermIndex> find(const TermView& term) const;
  TermView term(TermIndex index) const;
  std::size_t term_count() const;

  // In order of arrival until deduplicate() sorts them and drops repeats.
  const std::vector<QuadIndexes>& quads() const;
  void deduplicate();
  StatementView view(const QuadIndexes& quad) const;

  // In order of declaration, a later declaration of the same name replacing the earlier.
  const std::vector<std::pair<std::string, std::string>>& prefixes() const;

 private:
  struct Tables;
  std::unique_ptr<Tables> tables_;
};

}  // namespace helve::rdf
