#include "agent/llm/rules/knowledge.h"

#include <algorithm>
#include <array>

#include "agent/llm/rules/lessons.h"
#include "agent/llm/rules/table_knowledge.h"
#include "base/ascii.h"

namespace helve::llm::rules {

namespace {

constexpr std::size_t kContextBytesMax = 256UL * 1024;

bool is_name_part(char c) {
  return is_letter_or_digit(c) || c == '_' || c == '-' || static_cast<unsigned char>(c) >= 0x80;
}

bool is_of_vocabulary(std::string_view name) {
  for (const std::string_view prefix : {"rdf:", "rdfs:", "owl:", "xsd:"}) {
    if (name.starts_with(prefix)) return true;
  }
  return name.find("www.w3.org") != std::string_view::npos;
}

// The context stands between marks, behind its title.
std::string_view section_of(std::string_view system, std::string_view title) {
  const std::size_t begin = system.find(title);
  if (begin == std::string_view::npos) return {};
  const std::string_view text = system.substr(begin + title.size(), kContextBytesMax);
  const std::size_t close = text.find("\n</data ");
  return text.substr(0, close != std::string_view::npos ? close : text.find("\n## "));
}

// "# L2 Lessons" up to the next "# L".
std::string_view layer_of(std::string_view context, std::string_view name) {
  const std::string title = "\n# " + std::string(name) + " ";
  const std::size_t begin = context.find(title);
  if (begin == std::string_view::npos) return {};
  const std::string_view text = context.substr(begin + 1);
  const std::size_t end = text.find("\n# L", 1);
  return text.substr(0, end);
}

// By how they are written: classes begin with a capital, properties do not, and a vocabulary has
// both. Of a namespace with one of them nothing is said: it may have things in it.
void add_names(std::string_view text, Knowledge& known) {
  std::map<std::string, std::pair<bool, bool>> kinds;  // of a prefix: capitals, others
  const std::vector<std::string> names = names_in(text);
  const auto begins_large = [](const std::string& name) {
    return is_upper(name[name.find(':') + 1]);
  };
  for (const std::string& name : names) {
    auto& [large, small] = kinds[name.substr(0, name.find(':'))];
    (begins_large(name) ? large : small) = true;
  }
  for (const std::string& name : names) {
    const auto& [large, small] = kinds[name.substr(0, name.find(':'))];
    if (large && small) {
      known.add(name, begins_large(name) ? TermKind::Class : TermKind::Property);
    }
  }
}

// "Labels: rdfs:label (1,544 triples; @en, @de); descriptions: ..."
void read_labels(std::string_view rest, Knowledge& known) {
  known.label_property = rest.substr(0, rest.find(' '));
  rest = rest.substr(0, rest.find(')'));
  for (std::size_t at = rest.find('@'); at != std::string_view::npos; at = rest.find('@', at + 1)) {
    std::size_t end = at + 1;
    while (end < rest.size() && is_name_part(rest[end]) && rest[end] < 0x7f) ++end;
    known.languages.emplace_back(rest.substr(at + 1, end - at - 1));
  }
}

// "q:Tinker > q:Gong: q:forges, q:tunes"
void read_signature(std::string_view line, Knowledge& known) {
  const std::size_t arrow = line.find(" > ");
  if (arrow == std::string_view::npos) return;
  const std::size_t colon = line.find(": ", arrow);
  if (colon == std::string_view::npos) return;
  const std::string_view domain = trimmed(line.substr(0, arrow));
  const std::string_view range = trimmed(line.substr(arrow + 3, colon - arrow - 3));
  for (const std::string& name : split(line.substr(colon + 2), ", ")) {
    if (name.empty() || name.starts_with('+')) continue;
    Term& term = known.add(name, TermKind::Property);
    if (domain != "any") term.domain = domain;
    term.range = range;
  }
}

void read_graph_line(std::string_view line, Knowledge& known) {
  if (const auto rest = behind(line, "Labels: "); !rest.empty()) read_labels(rest, known);
  if (const auto rest = behind(line, "! Units: "); !rest.empty()) {
    for (const std::string& part : split(rest, ", ")) {
      const std::size_t space = part.find(' ');
      if (space == std::string::npos) continue;
      std::string unit = part.substr(space + 1);
      if (unit.ends_with('.')) unit.pop_back();
      known.units[part.substr(0, space)] = unit;
    }
  }
  if (line.find("rdfs:subClassOf* ") != std::string_view::npos) known.asks_subclasses = true;
  for (const std::string_view title : {"! Only their subclasses have instances: ", "Instances: "}) {
    for (const std::string& name : names_in(behind(line, title))) known.add(name, TermKind::Class);
  }
  // "Instances of q:Gong (3): i:o1, i:o2, +1 more"
  if (const auto rest = behind(line, "Instances of "); !rest.empty()) {
    const std::size_t colon = rest.find("): ");
    if (colon != std::string_view::npos) {
      for (const std::string& name : names_in(rest.substr(colon))) {
        known.add(name, TermKind::Instance).kind = TermKind::Instance;
      }
    }
  }
  // "! Never used, ask the inverse: ex:a (^ex:b)."
  if (const auto rest = behind(line, "! Never used, ask the inverse: "); !rest.empty()) {
    const std::vector<std::string> names = names_in(rest);
    for (std::size_t i = 0; i + 1 < names.size(); i += 2)
      known.used_instead[names[i]] = names[i + 1];
  }
  for (const std::string_view title :
       {"Object properties (domain > range): ", "Datatype properties: ", "  "}) {
    if (const auto rest = behind(line, title); !rest.empty()) read_signature(rest, known);
  }
  if (line.find("never both") != std::string_view::npos ||
      line.find("COALESCE") != std::string_view::npos) {
    known.either.push_back(names_in(line));
  }
}

void learn_hits(const ReplyTable& hits, Knowledge& known) {
  for (std::size_t i = 0; i < hits.rows.size(); ++i) {
    const std::string_view kind = hits.cell(i, "kind");
    const std::string_view name = hits.cell(i, "uri");
    if (name.empty()) continue;
    const TermKind told = kind == "class"      ? TermKind::Class
                          : kind == "property" ? TermKind::Property
                                               : TermKind::Instance;
    Term& term = known.add(name, told);
    term.kind = told;  // what was made of a text may be wrong
    if (const auto label = hits.cell(i, "label"); label != "-") term.label = label;
  }
}

}  // namespace

Term* Knowledge::find(std::string_view name) {
  const auto found = std::find_if(terms.begin(), terms.end(),
                                  [name](const Term& one) { return one.name == name; });
  return found == terms.end() ? nullptr : &*found;
}

const Term* Knowledge::find(std::string_view name) const {
  const auto found = std::find_if(terms.begin(), terms.end(),
                                  [name](const Term& one) { return one.name == name; });
  return found == terms.end() ? nullptr : &*found;
}

Term& Knowledge::add(std::string_view name, TermKind kind) {
  if (Term* const known = find(name)) return *known;
  if (terms.size() >= kTermsMax) return terms.back();
  terms.push_back({std::string(name), "", kind, "", ""});
  return terms.back();
}

Table& Knowledge::add_table(std::string_view name) {
  constexpr std::size_t kTablesMax = 500;
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [name](const Table& one) { return one.name == name; });
  if (found != tables.end()) return *found;
  if (tables.size() >= kTablesMax) return tables.back();
  tables.push_back({std::string(name), "", {}, {}, false});
  return tables.back();
}

const Table* Knowledge::find_table(std::string_view name) const {
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [name](const Table& one) { return one.name == name; });
  return found == tables.end() ? nullptr : &*found;
}

std::vector<std::string> names_in(std::string_view text) {
  constexpr std::size_t kNamesMax = 500;
  std::vector<std::string> names;
  std::size_t i = 0;
  while (i < text.size() && names.size() < kNamesMax) {
    if (text[i] == '"') {  // a literal
      const std::size_t close = text.find('"', i + 1);
      i = close == std::string_view::npos ? text.size() : close + 1;
      continue;
    }
    if (!is_name_part(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_name_part(text[end])) ++end;
    const bool is_prefixed = end + 1 < text.size() && text[end] == ':' &&
                             is_name_part(text[end + 1]) && (i == 0 || text[i - 1] != '?');
    if (is_prefixed) {
      std::size_t last = end + 1;
      while (last < text.size() && is_name_part(text[last])) ++last;
      const std::string name(text.substr(i, last - i));
      if (!is_of_vocabulary(name)) names.push_back(name);
      end = last;
    }
    i = end;
  }
  return names;
}

Knowledge read_context(std::string_view system) {
  Knowledge known;
  const std::string_view context = section_of(system, "## What is known of the source");
  const std::string_view lessons = layer_of(context, "L2");
  const std::string_view guide = layer_of(context, "L3");
  known.is_of_tables = context.find(": SQL database") != std::string_view::npos ||
                       context.find("\nTables: ") != std::string_view::npos;
  for (std::string_view rest = context; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.starts_with("> ")) continue;  // notes are data of others
    if (known.is_of_tables) {
      read_table_line(line, known);
    } else {
      read_graph_line(line, known);
    }
  }
  known.lessons = read_lessons(lessons);
  for (Lesson& example : read_examples(guide)) known.lessons.push_back(std::move(example));
  if (!known.is_of_tables) {
    std::string told(layer_of(context, "L1"));
    told += guide;
    for (const Lesson& lesson : known.lessons) told += lesson.query;
    add_names(told, known);
  }
  return known;
}

void learn_from(std::string_view tool, const ToolReply& reply, Knowledge& known) {
  if (reply.is_error) return;
  if (reply.field("diagnosis").find("subclasses have instances") != std::string_view::npos) {
    known.asks_subclasses = true;
  }
  if (const ReplyTable* const hits = reply.table("hits")) learn_hits(*hits, known);
  if (tool == "sparql_peek") {
    const std::string_view range = reply.field("range");
    if (Term* const term = known.find(reply.field("resource")); term != nullptr && !range.empty()) {
      term->kind = TermKind::Property;
      term->domain = reply.field("domain");
      term->range = range;
    }
    if (const ReplyTable* const properties = reply.table("properties")) {
      for (std::size_t i = 0; i < properties->rows.size(); ++i) {
        const std::string_view name = properties->cell(i, "name");
        if (name.empty() || is_of_vocabulary(name)) continue;
        known.add(name, TermKind::Property).range = properties->cell(i, "type");
      }
    }
  }
  if (tool == "schema_inspect") learn_tables(reply, known);
  if (tool == "mem_get") {
    if (const ReplyTable* const items = reply.table("items")) {
      for (std::size_t i = 0; i < items->rows.size(); ++i) {
        known.lessons.push_back(
            read_item(items->cell(i, "title"), items->cell(i, "src"), items->cell(i, "content")));
        if (!known.is_of_tables) add_names(known.lessons.back().query, known);
      }
    }
  }
}

}  // namespace helve::llm::rules
