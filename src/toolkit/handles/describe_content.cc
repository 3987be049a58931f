#include "toolkit/handles/describe_content.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "base/utf8.h"
#include "sources/sparql/algebra/parser.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kCellBytesSeen = 4 * (Ref::kPreviewMax + 1);  // more is not shown
constexpr std::uint64_t kStatementsRead = 200'000;                  // to count their characters

std::string_view first_bytes(std::string_view text, std::size_t bytes) {
  const std::string_view part = text.substr(0, bytes);
  return part.substr(0, part.size() < text.size() ? utf8_valid_prefix(part) : part.size());
}

// On one line, harmless, and at most kPreviewMax characters.
std::string preview_of(std::string_view text) {
  const std::string_view start = first_bytes(text, kCellBytesSeen);
  std::string line = escape_for_terminal(start);
  const char* const end = line.data() + line.size();
  const char* cut = end;  // behind all but the last character of what may be shown
  std::size_t count = 0;
  for (const char* at = line.data(); at < end; ++count) {
    if (count + 1 == Ref::kPreviewMax) cut = at;
    (void)decode_utf8(at, end);
  }
  if (count <= Ref::kPreviewMax && start.size() == text.size()) return line;
  line.resize(static_cast<std::size_t>(cut - line.data()));
  return line + "…";
}

std::size_t length_of(std::string_view text) {
  return utf8_valid_prefix(text) == text.size() ? utf8_length(text) : text.size();
}

class CountingSink final : public rdf::StatementSink {
 public:
  Result<void> statement(const rdf::StatementView& one) override {
    line_.clear();
    for (const rdf::TermView* term : {&one.subject, &one.predicate, &one.object}) {
      rdf::append_ntriples(line_, *term);
      line_ += ' ';
    }
    characters_ += length_of(line_) + 2;  // " .\n" for the last blank
    return {};
  }
  std::uint64_t characters() const { return characters_; }

 private:
  std::string line_;
  std::uint64_t characters_ = 0;
};

}  // namespace

Ref describe_rows(const RowTable& table) {
  Ref ref;
  ref.dtype = HandleType::Results;
  ref.rows = table.rows();
  ref.sz = table.characters();
  ref.columns = table.columns();
  std::string first;
  for (std::size_t i = 0; table.rows() > 0 && i < ref.columns.size(); ++i) {
    if (first.size() > kCellBytesSeen) break;
    if (i > 0) first += " | ";
    if (const auto cell = table.cell(0, i)) first += first_bytes(cell->value, kCellBytesSeen);
  }
  ref.prev = preview_of(first);
  return ref;
}

Ref describe_text(std::string_view text) {
  Ref ref;
  ref.dtype = HandleType::Text;
  const auto breaks = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
  ref.rows = breaks + (text.empty() || text.back() == '\n' ? 0 : 1);
  ref.sz = length_of(text);
  ref.prev = preview_of(text);
  return ref;
}

Result<Ref> describe_graph(const GraphSource& graph, const OpContext& context) {
  Ref ref;
  ref.dtype = HandleType::Graph;
  HELVE_ASSIGN(const auto schema, graph.schema(context));
  ref.rows = schema->triples;
  ref.prev = preview_of(
      fmt::format("{} statements, {} classes, {} properties", format_count(schema->triples),
                  format_count(schema->classes.size()), format_count(schema->properties.size())));
  if (schema->triples <= kStatementsRead) {
    HELVE_ASSIGN(const auto all, sparql::parse_query("CONSTRUCT WHERE { ?s ?p ?o }"));
    CountingSink sink;
    const GraphRun run = graph.run(all.query, kStatementsRead, sink, context);
    if (!run.error) ref.sz = sink.characters();
  }
  return ref;
}

std::string hash_of_query(std::string_view query) {
  return query.empty() ? std::string() : digest_hex(DigestKind::Sha256, query).substr(0, 16);
}

}  // namespace helve::toolkit
