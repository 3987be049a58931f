// Solutions as a table for people. Rows wait until the widths of the columns are known.
#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"
#include "sources/rdf/output_buffer.h"
#include "sources/rdf/turtle_spelling.h"
#include "sources/rdf/vocabulary.h"
#include "sources/sparql/results/result_writers.h"
#include "sources/sparql/results/term_text.h"

namespace helve::sparql {

namespace {

using rdf::TermView;

constexpr std::size_t kKeptBytesMax = 16 * kMiB;  // of the rows that wait
constexpr std::size_t kColumnMin = 5;             // however narrow the terminal
constexpr std::size_t kBytesPerColumn = 16;       // of a cell's text; the rest will not be seen

struct Cell {
  std::string text;
  bool is_number = false;
  bool is_iri = false;
};

struct Column {
  std::string header;
  std::size_t width = 0;
  bool is_bound = false;
  bool is_numeric = true;  // so far
};

// The lines around and between: a rule's left end, line, crossing and right end; the upright line.
struct Frame {
  struct Rule {
    std::string_view left, line, cross, right;
  };
  Rule top, middle, bottom;
  std::string_view upright;
};

constexpr Frame kBoxFrame = {{"┌", "─", "┬", "┐"}, {"├", "─", "┼", "┤"}, {"└", "─", "┴", "┘"}, "│"};
constexpr Frame kAsciiFrame = {
    {"+", "-", "+", "+"}, {"+", "-", "+", "+"}, {"+", "-", "+", "+"}, "|"};

// The widest that columns may be so that all fit into `room`; narrower ones keep their width.
std::size_t fitting_width(std::vector<std::size_t> widths, std::size_t room) {
  std::sort(widths.begin(), widths.end());
  std::size_t left = widths.size();
  for (const std::size_t width : widths) {
    if (width * left > room) return std::max(kColumnMin, room / left);
    room -= width;
    --left;
  }
  return widths.empty() ? 0 : widths.back();
}

class TableWriter final : public SolutionWriter {
 public:
  TableWriter(ByteSink& out, const TableStyle& style)
      : out_(out),
        style_(style),
        frame_(style.is_ascii ? kAsciiFrame : kBoxFrame),
        prefixes_(style.prefixes.size() + kDefaultPrefixes) {
    for (const auto& [name, iri] : style.prefixes) prefixes_.add(name, iri);
    prefixes_.add_default("rdf", rdf::kRdf);
    prefixes_.add_default("rdfs", rdf::kRdfs);
    prefixes_.add_default("xsd", rdf::kXsd);
    prefixes_.add_default("owl", rdf::kOwl);
  }

  Result<void> variables(const std::vector<std::string>& names) override {
    for (const std::string& name : names) {
      columns_.push_back({escape_for_terminal(name)});
      columns_.back().width = std::max<std::size_t>(1, display_width(columns_.back().header));
    }
    is_waiting_ = true;
    return {};
  }

  Result<void> solution(std::span<const std::optional<TermView>> terms) override {
    auto& row = is_waiting_ ? rows_.emplace_back() : later_row_;
    row.resize(terms.size());
    for (std::size_t i = 0; i < terms.size(); ++i) {
      row[i] = terms[i] ? cell_of(*terms[i]) : Cell{};
      if (is_waiting_) measure(columns_[i], row[i]);
    }
    if (!is_waiting_) return write_row(row);
    if (rows_.size() < style_.rows_measured && kept_bytes_ < kKeptBytesMax) return {};
    return write_waiting();
  }

  Result<void> boolean(bool answer) override {
    out_.text() += answer ? "true\n" : "false\n";
    return {};
  }

  Result<void> finish() override {
    if (is_waiting_) HELVE_TRY(write_waiting());
    if (!columns_.empty()) append_rule(frame_.bottom);
    return out_.finish();
  }

 private:
  static constexpr std::size_t kDefaultPrefixes = 4;

  Cell cell_of(const TermView& term) const {
    TermView shown = term;
    const std::size_t bytes_max = kBytesPerColumn * (style_.cell_width_max + 1);
    if (shown.value.size() > bytes_max) {
      shown.value = shown.value.substr(0, bytes_max);
      shown.value = shown.value.substr(0, utf8_valid_prefix(shown.value));
    }
    Cell cell;
    std::string text;
    append_term_text(text, shown, prefixes_);
    cell.is_iri = term.is_iri();
    cell.is_number = rdf::is_bare_literal(shown) && term.datatype != rdf::kXsdBoolean;
    cell.text = elide(escape_for_terminal(text), style_.cell_width_max, cell.is_iri);
    return cell;
  }

  // The end of an IRI tells most; of a text, its beginning.
  std::string elide(std::string text, std::size_t width, bool is_iri) const {
    if (text.size() <= width || display_width(text) <= width) return text;
    if (!style_.is_ascii) return is_iri ? elide_middle(text, width) : elide_end(text, width);
    constexpr std::string_view kDots = "...";
    const std::size_t dots = std::min(kDots.size(), width);
    std::string cut = elide_end(text, width - dots + 1);
    cut.resize(cut.size() - std::string_view("…").size());
    cut += kDots.substr(0, dots);
    return cut;
  }

  void measure(Column& column, const Cell& cell) {
    if (cell.text.empty()) return;
    column.width = std::max(column.width, display_width(cell.text));
    column.is_bound = true;
    column.is_numeric = column.is_numeric && cell.is_number;
    kept_bytes_ += cell.text.size() + sizeof(Cell);
  }

  Result<void> write_waiting() {
    is_waiting_ = false;
    if (columns_.empty()) {
      out_.text() += "(no variables)\n";
      rows_.clear();
      return {};
    }
    fit_columns();
    append_rule(frame_.top);
    std::vector<Cell> headers;
    for (Column& column : columns_) {
      column.is_numeric = column.is_numeric && column.is_bound;
      headers.push_back({column.header, column.is_numeric});
    }
    HELVE_TRY(write_row(headers));
    append_rule(frame_.middle);
    for (const auto& row : rows_) HELVE_TRY(write_row(row));
    rows_ = {};
    return {};
  }

  void fit_columns() {
    if (style_.width_max == 0) return;
    const std::size_t lines = 3 * columns_.size() + 1;
    std::vector<std::size_t> widths;
    for (const Column& column : columns_) widths.push_back(column.width);
    const std::size_t room = style_.width_max > lines ? style_.width_max - lines : 0;
    const std::size_t widest = fitting_width(std::move(widths), room);
    std::size_t used = 0;
    for (const Column& column : columns_) used += std::min(column.width, widest);
    for (Column& column : columns_) {
      if (column.width <= widest) continue;
      column.width = widest + (used < room ? 1 : 0);
      if (used < room) ++used;
    }
  }

  void append_rule(const Frame::Rule& rule) {
    std::string& text = out_.text();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      text += i == 0 ? rule.left : rule.cross;
      for (std::size_t n = 0; n < columns_[i].width + 2; ++n) text += rule.line;
    }
    text += rule.right;
    text += '\n';
  }

  Result<void> write_row(const std::vector<Cell>& row) {
    if (columns_.empty()) return {};
    std::string& text = out_.text();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const Column& column = columns_[i];
      const std::string shown = elide(row[i].text, column.width, row[i].is_iri);
      text += frame_.upright;
      text += ' ';
      text += column.is_numeric ? pad_start(shown, column.width) : pad_end(shown, column.width);
      text += ' ';
      HELVE_TRY(out_.drain_when_full());
    }
    text += frame_.upright;
    text += '\n';
    return out_.drain_when_full();
  }

  rdf::OutputBuffer out_;
  const TableStyle style_;
  const Frame& frame_;
  rdf::PrefixMap prefixes_;
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;  // those that wait
  std::vector<Cell> later_row_;
  std::size_t kept_bytes_ = 0;
  bool is_waiting_ = false;
};

}  // namespace

std::unique_ptr<SolutionWriter> make_table_writer(ByteSink& out, const TableStyle& style) {
  return std::make_unique<TableWriter>(out, style);
}

}  // namespace helve::sparql
