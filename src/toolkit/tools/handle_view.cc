#include "toolkit/tools/handle_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "sources/rdf/vocabulary.h"
#include "sources/sparql/algebra/parser.h"

namespace helve::toolkit {

namespace {

// Writes statements as lines until there is enough.
class LineSink final : public rdf::StatementSink {
 public:
  LineSink(HandleText& out, std::size_t bytes_max) : out_(out), bytes_max_(bytes_max) {}

  Result<void> statement(const rdf::StatementView& statement) override {
    if (out_.text.size() >= bytes_max_) {
      out_.is_cut = true;
      return Error{ErrorCode::LimitExceeded, "enough"};
    }
    for (const rdf::TermView* term :
         {&statement.subject, &statement.predicate, &statement.object}) {
      rdf::append_ntriples(out_.text, *term);
      out_.text += ' ';
    }
    out_.text += ".\n";
    return {};
  }

 private:
  HandleText& out_;
  std::size_t bytes_max_;
};

void write_rows(const RowTable& rows, std::size_t bytes_max, HandleText& out) {
  out.text = fmt::format("{}\n", fmt::join(rows.columns(), "\t"));
  for (std::uint64_t row = 0; row < rows.rows(); ++row) {
    if (out.text.size() >= bytes_max) {
      out.is_cut = true;
      return;
    }
    for (std::size_t column = 0; column < rows.columns().size(); ++column) {
      if (column > 0) out.text += '\t';
      if (const auto cell = rows.cell(row, column)) rdf::append_ntriples(out.text, *cell);
    }
    out.text += '\n';
  }
}

Result<void> write_graph(const GraphSource& graph, std::size_t bytes_max, HandleText& out,
                         const OpContext& context) {
  HELVE_ASSIGN(const auto all, sparql::parse_query("CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }"));
  LineSink sink(out, bytes_max);
  const GraphRun run = graph.run(all.query, UINT64_MAX, sink, context);
  if (run.error && !out.is_cut) return *run.error;
  return {};
}

Result<HandleText> cell_text(const CellAddress& address, HandleStore& handles,
                             const OpContext& context) {
  HELVE_ASSIGN(const Handle handle, handles.get(address.key, context));
  if (handle.rows == nullptr) {
    return Error{ErrorCode::InvalidInput, fmt::format("{} has no cells", address.key),
                 "name the handle alone"};
  }
  const auto& columns = handle.rows->columns();
  const auto column = std::find(columns.begin(), columns.end(), address.column);
  if (column == columns.end()) {
    return Error{ErrorCode::NotFound,
                 fmt::format("{} has no column {}", address.key, address.column),
                 fmt::format("its columns: {}", quote_names(columns))};
  }
  if (address.row >= handle.rows->rows()) {
    return Error{ErrorCode::NotFound, fmt::format("{} has no row {}", address.key, address.row),
                 fmt::format("rows are numbered from 0 to {}",
                             std::max<std::uint64_t>(handle.rows->rows(), 1) - 1)};
  }
  HandleText out{handle.ref, handle.origin, {}, false};
  const auto cell =
      handle.rows->cell(address.row, static_cast<std::size_t>(column - columns.begin()));
  if (cell) out.text = cell->value;
  return out;
}

// Values of SQL databases are numbers, whatever their digits: 2.5e0 and 9.0 are shorter than their
// datatypes, and can be copied into a statement.
ReplyValue in_sql(const rdf::TermView& cell) {
  const bool is_double = cell.datatype == rdf::kXsdDouble;
  const bool is_decimal = cell.datatype == rdf::kXsdDecimal;
  if (!is_double && !is_decimal) return cell;
  const bool is_plain = cell.value.find_first_not_of("-0123456789.") == std::string_view::npos;
  const bool has_point = cell.value.find('.') != std::string_view::npos;
  if (!is_plain || cell.value.empty() || (is_decimal && has_point)) return cell;
  return rdf::TermView::literal(std::string(cell.value) + (is_double ? "e0" : ".0"), cell.datatype);
}

}  // namespace

ReplyList rows_of(const Handle& handle, std::uint64_t offset, std::uint64_t count,
                  const std::vector<std::size_t>& columns, std::string key) {
  const RowTable& rows = *handle.rows;
  std::vector<std::size_t> chosen = columns;
  if (chosen.empty()) {
    for (std::size_t i = 0; i < rows.columns().size(); ++i) chosen.push_back(i);
  }
  ReplyList list;
  list.key = std::move(key);
  list.handle = handle.ref.key;
  list.first_row = offset;
  for (const std::size_t column : chosen) list.columns.push_back(rows.columns()[column]);
  const bool is_sql = handle.origin.tool == "query_execute" || handle.origin.tool == "result_sql";
  const std::uint64_t end =
      offset >= rows.rows() ? offset : offset + std::min(count, rows.rows() - offset);
  for (std::uint64_t row = offset; row < end; ++row) {
    ReplyValue::List cells;
    cells.reserve(chosen.size());
    for (const std::size_t column : chosen) {
      const auto cell = rows.cell(row, column);
      cells.push_back(cell ? (is_sql ? in_sql(*cell) : ReplyValue(*cell)) : ReplyValue());
    }
    list.items.emplace_back(std::move(cells));
  }
  if (rows.rows() > end) list.left_out = rows.rows() - end;
  return list;
}

std::optional<CellAddress> read_cell_address(std::string_view text) {
  const std::size_t open = text.find('[');
  const std::size_t close = text.find("].");
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return std::nullopt;
  }
  CellAddress address;
  const std::string_view number = text.substr(open + 1, close - open - 1);
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), address.row);
  if (error != std::errc() || end != number.data() + number.size()) return std::nullopt;
  address.key = text.substr(0, open);
  address.column = text.substr(close + 2);
  return address;
}

Result<HandleText> text_of(std::string_view key_or_address, std::size_t bytes_max, ToolCall& call) {
  if (const auto address = read_cell_address(key_or_address)) {
    return cell_text(*address, call.handles, call.op);
  }
  HELVE_ASSIGN(const Handle handle, call.handles.get(key_or_address, call.op));
  HandleText out{handle.ref, handle.origin, {}, false};
  if (handle.text != nullptr) {
    out.text = *handle.text;
  } else if (handle.rows != nullptr) {
    write_rows(*handle.rows, bytes_max, out);
  } else if (handle.graph != nullptr) {
    HELVE_TRY(write_graph(*call.within_policy(handle.graph), bytes_max, out, call.op));
  }
  return out;
}

}  // namespace helve::toolkit
