// The text and the JSON of helve info.
#include "surfaces/cli/info_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <span>

#include "base/text.h"
#include "surfaces/cli/json_output.h"
#include "surfaces/cli/prefix_shortener.h"
#include "surfaces/cli/table.h"

namespace helve::cli {

namespace {

std::string plural(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", format_count(count), count == 1 ? one : many);
}

Table named_counts(std::string title, std::string header,
                   const std::vector<store::NamedCount>& counts, std::size_t top,
                   const PrefixShortener& prefixes) {
  Table table{
      fmt::format("{} ({})", title, format_count(counts.size())), {std::move(header)}, {}, 0};
  for (std::size_t i = 0; i < std::min(top, counts.size()); ++i) {
    const auto& [name, count] = counts[i];
    table.rows.push_back(
        {name.empty() ? "(default graph)" : prefixes.shorten(name), format_count(count)});
  }
  table.rows_left_out = counts.size() - table.rows.size();
  return table;
}

Table property_table(const InfoReport& report, const PrefixShortener& prefixes) {
  const auto& properties = report.summary.properties;
  Table table{fmt::format("Properties ({})", format_count(properties.size())),
              {"triples", "subjects", "objects"},
              {},
              0};
  for (std::size_t i = 0; i < std::min(report.top, properties.size()); ++i) {
    const auto& p = properties[i];
    table.rows.push_back({prefixes.shorten(p.iri), format_count(p.triples),
                          format_count(p.distinct_subjects), format_count(p.distinct_objects)});
  }
  table.rows_left_out = properties.size() - table.rows.size();
  return table;
}

Table namespace_table(const InfoReport& report, const PrefixShortener& prefixes) {
  const auto& spaces = report.summary.namespaces;
  Table table{fmt::format("Namespaces ({})", format_count(spaces.size())), {"terms"}, {}, 0};
  std::size_t widest = 0;
  const std::size_t shown = std::min(report.top, spaces.size());
  for (std::size_t i = 0; i < shown; ++i)
    widest = std::max(widest, prefixes.name_of(spaces[i].name).size());
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string name = prefixes.name_of(spaces[i].name);
    const std::string gap(widest == 0 ? 0 : widest - name.size() + 1, ' ');
    table.rows.push_back({name + gap + spaces[i].name, format_count(spaces[i].count)});
  }
  table.rows_left_out = spaces.size() - shown;
  return table;
}

std::string declared_line(const store::Declarations& declared) {
  std::string line = plural(declared.classes, "class", "classes");
  if (declared.named_classes != declared.classes) {
    line += fmt::format(" ({} named)", format_count(declared.named_classes));
  }
  line += ", " + plural(declared.properties, "property", "properties");
  if (declared.object_properties + declared.datatype_properties > 0) {
    line += fmt::format(" ({} object, {} datatype)", format_count(declared.object_properties),
                        format_count(declared.datatype_properties));
  }
  if (declared.annotation_properties > 0) {
    line += ", " +
            plural(declared.annotation_properties, "annotation property", "annotation properties");
  }
  return line;
}

std::string render_head(const InfoReport& report, const Terminal& terminal) {
  std::string out;
  for (const InfoFile& file : report.files) {
    out +=
        terminal.styled(Style::Accent, escape_for_terminal(file.name)) +
        terminal.styled(Style::Dim, "  " + file.format +
                                        (file.bytes > 0 ? "  " + format_bytes(file.bytes) : "")) +
        "\n";
  }
  const store::Statistics statistics = report.data.statistics();
  const auto line = [&](std::string_view name, const std::string& value) {
    out += fmt::format("  {:<10} {}\n", name, value);
  };
  out += "\n";
  line("Triples", terminal.styled(Style::Bold, format_count(statistics.triples)));
  if (statistics.statements != statistics.triples) {
    line("Statements", format_count(statistics.statements) + ", some in several graphs");
  }
  line("Subjects", format_count(statistics.distinct_subjects));
  line("Objects", format_count(statistics.distinct_objects));
  line("Terms", plural(report.summary.iris, "IRI", "IRIs") + ", " +
                    plural(report.summary.blank_nodes, "blank node", "blank nodes") + ", " +
                    plural(report.summary.literals, "literal", "literals"));
  const auto& declared = report.summary.declared;
  if (declared.classes + declared.properties + declared.annotation_properties > 0) {
    line("Declared", declared_line(declared));
  }
  return out;
}

// How many there are, and the first of them.
template <typename Item, typename WriteMembers>
void write_top(JsonWriter& json, std::string_view key, const std::vector<Item>& items,
               std::size_t top, const WriteMembers& write_members) {
  json.key(key);
  json.begin_object();
  json.member("total", items.size());
  write_objects(json, "top", std::span(items).first(std::min(top, items.size())), write_members);
  json.end_object();
}

void write_counts(JsonWriter& json, std::string_view key, std::string_view name_key,
                  std::string_view count_key, const std::vector<store::NamedCount>& counts,
                  std::size_t top) {
  write_top(json, key, counts, top, [&](const store::NamedCount& count) {
    json.key(name_key);
    if (count.name.empty()) {
      json.null();
    } else {
      json.value(count.name);
    }
    json.member(count_key, count.count);
  });
}

void write_properties(JsonWriter& json, const InfoReport& report) {
  write_top(json, "properties", report.summary.properties, report.top, [&](const auto& property) {
    json.member("iri", property.iri);
    json.member("triples", property.triples);
    json.member("distinct_subjects", property.distinct_subjects);
    json.member("distinct_objects", property.distinct_objects);
  });
}

void write_declared(JsonWriter& json, const store::Declarations& declared) {
  json.key("declared");
  json.begin_object();
  json.member("classes", declared.classes);
  json.member("named_classes", declared.named_classes);
  json.member("properties", declared.properties);
  json.member("object_properties", declared.object_properties);
  json.member("datatype_properties", declared.datatype_properties);
  json.member("annotation_properties", declared.annotation_properties);
  json.end_object();
}

void write_files_and_prefixes(JsonWriter& json, const InfoReport& report) {
  write_objects(json, "files", report.files, [&](const InfoFile& file) {
    json.member("name", file.name);
    json.member("format", file.format);
    json.member("bytes", file.bytes);
  });
  json.key("prefixes");
  json.begin_object();
  const auto& prefixes = report.data.prefixes();
  for (std::size_t i = 0; i < std::min<std::size_t>(1'000, prefixes.size()); ++i) {
    json.member(prefixes[i].first, prefixes[i].second);
  }
  json.end_object();
}

void write_problems(JsonWriter& json, const store::LoadReport& load) {
  json.member("skipped", load.skipped);
  json.key("problems");
  json.begin_array();
  for (const Error& problem : load.problems) json.value(problem.to_string());
  json.end_array();
}

}  // namespace

std::string render_info_text(const InfoReport& report, const Terminal& terminal) {
  const PrefixShortener prefixes(report.data.prefixes());
  const auto& summary = report.summary;
  std::string out = render_head(report, terminal);
  const bool only_default = summary.graphs.size() == 1 && summary.graphs[0].name.empty();
  std::vector<Table> tables;
  if (!only_default)
    tables.push_back(named_counts("Graphs", "statements", summary.graphs, report.top, prefixes));
  tables.push_back(named_counts("Classes", "instances", summary.classes, report.top, prefixes));
  tables.push_back(property_table(report, prefixes));
  tables.push_back(namespace_table(report, prefixes));
  tables.push_back(
      named_counts("Languages", "statements", summary.languages, report.top, prefixes));
  tables.push_back(
      named_counts("Datatypes", "statements", summary.datatypes, report.top, prefixes));
  for (const Table& table : tables) {
    const std::string text = render(table, terminal);
    if (!text.empty()) out += "\n" + text;
  }
  return out;
}

std::string render_info_json(const InfoReport& report) {
  const store::Statistics statistics = report.data.statistics();
  const auto& summary = report.summary;
  return json_object([&](JsonWriter& json) {
    write_files_and_prefixes(json, report);
    json.member("triples", statistics.triples);
    json.member("statements", statistics.statements);
    json.member("distinct_subjects", statistics.distinct_subjects);
    json.member("distinct_objects", statistics.distinct_objects);
    json.member("iris", summary.iris);
    json.member("blank_nodes", summary.blank_nodes);
    json.member("literals", summary.literals);
    write_declared(json, summary.declared);
    write_counts(json, "graphs", "graph", "statements", summary.graphs, report.top);
    write_counts(json, "classes", "iri", "instances", summary.classes, report.top);
    write_properties(json, report);
    write_counts(json, "namespaces", "iri", "terms", summary.namespaces, report.top);
    write_counts(json, "languages", "language", "statements", summary.languages, report.top);
    write_counts(json, "datatypes", "iri", "statements", summary.datatypes, report.top);
    write_problems(json, report.load);
    json.member("execution_time_ms",
                std::chrono::duration<double, std::milli>(report.elapsed).count());
  });
}

}  // namespace helve::cli
