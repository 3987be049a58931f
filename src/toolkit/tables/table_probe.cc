#include "toolkit/tables/table_probe.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"
#include "sources/rdf/vocabulary.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kProbeBytesMax = std::size_t{4} << 20;
constexpr std::uint64_t kSampledRows = 20;
constexpr std::size_t kColumnsProbedApart = 40;

class ProbeSink final : public RowSink {
 public:
  Result<void> columns(const std::vector<std::string>& /*names*/) override { return {}; }
  Result<void> row(Row cells) override {
    ProbeRow& row = rows.emplace_back();
    row.reserve(cells.size());
    for (const auto& cell : cells) row.push_back(cell ? SqlValue(rdf::Term(*cell)) : SqlValue());
    return {};
  }
  std::vector<ProbeRow> rows;
};

// Numbers and truths have no quotes.
bool is_bare(const rdf::Term& term) {
  return term.datatype == rdf::kXsdInteger || term.datatype == rdf::kXsdDecimal ||
         term.datatype == rdf::kXsdDouble || term.datatype == rdf::kXsdBoolean;
}

void add_samples(const std::vector<ProbeRow>& rows, std::size_t column, std::size_t values_max,
                 ColumnSample& sample) {
  for (const ProbeRow& row : rows) {
    if (sample.values.size() >= values_max) return;
    if (column >= row.size() || !row[column]) continue;
    const auto& values = sample.values;
    if (std::find(values.begin(), values.end(), row[column]) == values.end()) {
      sample.values.push_back(row[column]);
    }
  }
}

}  // namespace

std::optional<std::vector<ProbeRow>> TableProbe::ask(const TableQuery& query) {
  if (asked_ >= probes_max_ || !context_.check()) return std::nullopt;
  ++asked_;
  ProbeSink sink;
  const TableRun run = source_.run(query, sink, context_);
  if (run.error) return std::nullopt;
  return std::move(sink.rows);
}

ProbeText& ProbeText::raw(std::string_view text) {
  query_.sql += text;
  return *this;
}

ProbeText& ProbeText::value(SqlValue value) {
  query_.parameters.push_back(std::move(value));
  query_.sql += dialect_ == SqlDialect::PostgreSql ? fmt::format("${}", query_.parameters.size())
                                                   : std::string("?");
  return *this;
}

ProbeText& ProbeText::span(const SqlSpan& span) {
  std::size_t taken = span.begin;
  std::size_t before = 0;
  for (const SqlToken& token : tokens_) {
    if (token.begin >= span.end) break;
    if (token.kind != SqlTokenKind::Parameter) continue;
    const std::size_t number = before++;
    if (token.begin < span.begin) continue;
    const SqlValue* given = parameter_at(token, number, parameters_);
    if (given == nullptr) continue;
    raw(sql_.substr(taken, token.begin - taken)).value(*given);
    taken = token.begin + token.text.size();
  }
  return raw(sql_.substr(taken, span.end - taken));
}

TableQuery ProbeText::query(std::uint64_t rows_max) const {
  TableQuery query = query_;
  query.rows_max = rows_max;
  query.bytes_max = kProbeBytesMax;
  return query;
}

std::string as_text(std::string_view expression, SqlDialect dialect) {
  return fmt::format("CAST({} AS {})", expression, dialect == SqlDialect::MySql ? "CHAR" : "TEXT");
}

std::string_view stored_form_begin(SqlDialect dialect) {
  return dialect == SqlDialect::Sqlite ? "+(" : "";
}

std::string_view stored_form_end(SqlDialect dialect) {
  return dialect == SqlDialect::Sqlite ? ")" : "";
}

std::string literal_of(const SqlValue& value, SqlDialect dialect) {
  if (!value) return "NULL";
  if (is_bare(*value)) return value->value;
  std::string quoted = "'";
  for (const char c : value->value) {
    if (c == '\'' || (c == '\\' && dialect == SqlDialect::MySql)) quoted += c;
    quoted += c;
  }
  return quoted + "'";
}

std::string shown_value(const SqlValue& value) {
  constexpr std::size_t kShown = 60;
  if (!value) return "NULL";
  if (is_bare(*value)) return value->value;
  const bool is_text = utf8_valid_prefix(value->value) == value->value.size();
  return fmt::format("'{}'", is_text ? elide_end(value->value, kShown) : "...");
}

std::vector<ColumnSample> sample_values(const TableSource& source, const TableInfo& table,
                                        const Catalogue& catalogue, std::size_t values_max,
                                        const OpContext& context) {
  std::vector<ColumnSample> samples;
  if (table.columns.empty()) return samples;
  TableProbe probe(source, context, 1 + kColumnsProbedApart);
  const std::string from = quote_table(table, catalogue, source.dialect());
  const auto stored = [&](const ColumnInfo& column) {
    return fmt::format("{}{}{}", stored_form_begin(source.dialect()),
                       quote_name(column.name, source.dialect()),
                       stored_form_end(source.dialect()));
  };
  const auto ask = [&](const std::string& columns) {
    TableQuery query;
    query.sql = fmt::format("SELECT {} FROM {} LIMIT {}", columns, from, kSampledRows);
    query.rows_max = kSampledRows;
    query.bytes_max = kProbeBytesMax;
    return probe.ask(query);
  };
  std::string all;
  for (const ColumnInfo& column : table.columns) {
    if (!all.empty()) all += ", ";
    all += stored(column);
  }
  const auto rows = ask(all);
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    ColumnSample sample{table.columns[i].name, {}};
    if (rows) {
      add_samples(*rows, i, values_max, sample);
    } else if (i < kColumnsProbedApart) {
      const auto apart = ask(stored(table.columns[i]));
      if (apart) add_samples(*apart, 0, values_max, sample);
    }
    if (!sample.values.empty()) samples.push_back(std::move(sample));
  }
  return samples;
}

}  // namespace helve::toolkit
