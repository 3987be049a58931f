// Names of the formats, and which reader or writer is whose.
#include "sources/sparql/results/result_format.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "sources/sparql/results/result_readers.h"
#include "sources/sparql/results/result_writers.h"

namespace helve::sparql {

namespace {

struct FormatNames {
  ResultFormat format;
  std::string_view name;
  std::string_view media_type;
  std::array<std::string_view, 3> file_endings;
  std::array<std::string_view, 3> other_types;
};

constexpr std::array kFormats = {
    FormatNames{ResultFormat::Json,
                "json",
                "application/sparql-results+json",
                {".srj", ".json", ""},
                {"application/json", "text/json", ""}},
    FormatNames{ResultFormat::Xml,
                "xml",
                "application/sparql-results+xml",
                {".srx", ".xml", ""},
                {"application/xml", "text/xml", ""}},
    FormatNames{ResultFormat::Csv, "csv", "text/csv", {".csv", "", ""}, {"", "", ""}},
    FormatNames{
        ResultFormat::Tsv, "tsv", "text/tab-separated-values", {".tsv", "", ""}, {"", "", ""}},
    FormatNames{ResultFormat::Table, "table", "text/plain", {"", "", ""}, {"", "", ""}},
};

const FormatNames& names_of(ResultFormat format) {
  return kFormats[static_cast<std::size_t>(format)];
}

template <typename Matches>
std::optional<ResultFormat> find_format(Matches matches) {
  const auto found = std::find_if(kFormats.begin(), kFormats.end(), matches);
  return found == kFormats.end() ? std::nullopt : std::optional(found->format);
}

Result<void> read_window(ResultFormat format, rdf::InputWindow& window, const OpContext& context,
                         SolutionSink& sink) {
  if (format == ResultFormat::Json) return read_json_results(window, context, sink);
  if (format == ResultFormat::Csv) return read_csv_results(window, context, sink);
  return read_tsv_results(window, context, sink);
}

Error table_is_not_read() {
  return {ErrorCode::InvalidInput, "tables are for people and cannot be read back",
          "write the results as json, xml, csv or tsv"};
}

}  // namespace

std::string_view result_format_name(ResultFormat format) { return names_of(format).name; }

std::string_view media_type(ResultFormat format) { return names_of(format).media_type; }

std::optional<ResultFormat> result_format_by_name(std::string_view name) {
  return find_format(
      [name](const FormatNames& names) { return is_same_in_any_case(names.name, name); });
}

std::optional<ResultFormat> result_format_by_file_name(std::string_view name) {
  return find_format([name](const FormatNames& names) {
    return std::any_of(names.file_endings.begin(), names.file_endings.end(), [name](auto ending) {
      return !ending.empty() && name.size() >= ending.size() &&
             is_same_in_any_case(name.substr(name.size() - ending.size()), ending);
    });
  });
}

std::optional<ResultFormat> result_format_by_media_type(std::string_view type) {
  type = type.substr(0, type.find(';'));
  while (!type.empty() && (type.back() == ' ' || type.back() == '\t')) type.remove_suffix(1);
  return find_format([type](const FormatNames& names) {
    if (names.format == ResultFormat::Table) return false;
    return is_same_in_any_case(names.media_type, type) ||
           std::any_of(names.other_types.begin(), names.other_types.end(), [type](auto other) {
             return !other.empty() && is_same_in_any_case(other, type);
           });
  });
}

std::unique_ptr<SolutionWriter> make_solution_writer(ResultFormat format, ByteSink& out,
                                                     const TableStyle& style) {
  switch (format) {
    case ResultFormat::Json:
      return make_json_writer(out);
    case ResultFormat::Xml:
      return make_xml_writer(out);
    case ResultFormat::Csv:
      return make_csv_writer(out);
    case ResultFormat::Tsv:
      return make_tsv_writer(out);
    case ResultFormat::Table:
      break;
  }
  return make_table_writer(out, style);
}

Result<void> read_solutions(ResultFormat format, ByteSource& source, const OpContext& context,
                            SolutionSink& sink) {
  if (format == ResultFormat::Table) return table_is_not_read();
  if (format == ResultFormat::Xml) return read_xml_results(source, context, sink);
  const Limits& limits = context.limits;
  // A reader keeps at most one term, and needs room to see that it ends.
  rdf::InputWindow window(source, limits.window_bytes, limits.term_bytes_max + limits.window_bytes);
  return read_window(format, window, context, sink);
}

Result<void> read_solutions(ResultFormat format, std::string_view text, const OpContext& context,
                            SolutionSink& sink) {
  if (format == ResultFormat::Table) return table_is_not_read();
  if (format == ResultFormat::Xml) {
    StringSource source(text);
    return read_xml_results(source, context, sink);
  }
  rdf::InputWindow window(text);
  return read_window(format, window, context, sink);
}

}  // namespace helve::sparql
