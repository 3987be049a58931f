#include "agent/llm/rules/sql_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>

#include "agent/llm/rules/words.h"
#include "base/ascii.h"

namespace helve::llm::rules {

namespace {

std::string table_of(const std::string& column) { return column.substr(0, column.find('.')); }

std::string key_of(const Knowledge& known, const std::string& name) {
  const Table* const table = known.find_table(name);
  if (table == nullptr) return "rowid";
  if (!table->primary_key.empty() && table->primary_key != "-") {
    return table->primary_key.substr(0, table->primary_key.find(','));
  }
  return table->columns.empty() ? "rowid" : table->columns.front().name;
}

struct Join {
  std::string table;
  std::string on;
};

// Neighbours by foreign keys, in both directions.
std::vector<Join> joins_of(const Knowledge& known, const std::string& name) {
  std::vector<Join> joins;
  for (const Table& table : known.tables) {
    for (const ForeignKey& key : table.foreign_keys) {
      const std::string other = key.key.empty() ? key_of(known, key.table) : key.key;
      std::string on = fmt::format("{}.{} = {}.{}", table.name, key.column, key.table, other);
      if (table.name == name && key.table != name) joins.push_back({key.table, on});
      if (key.table == name && table.name != name) joins.push_back({table.name, on});
    }
  }
  return joins;
}

class SqlWriter {
 public:
  SqlWriter(const Sketch& sketch, const Reading& reading, const Knowledge& known)
      : sketch_(sketch), reading_(reading), known_(known) {}

  std::optional<std::string> write() {
    if (!choose_target()) return std::nullopt;
    for (std::size_t i = 0; i < sketch_.nodes.size(); ++i) {
      if (!add_node(i)) return std::nullopt;
    }
    for (std::size_t i = 0; i < sketch_.values.size(); ++i) {
      if (!add_value(i)) return std::nullopt;
    }
    return statement();
  }

 private:
  std::string node_table(std::size_t node) const {
    const Node& of = sketch_.nodes[node];
    if (!of.type.empty()) return of.type;
    return of.thing.empty() ? std::string() : read_place(of.thing).table;
  }

  // A table, or a column of one: "the price of Foo".
  bool choose_target() {
    from_ = node_table(0);
    for (std::size_t i = 0; i < sketch_.edges.size(); ++i) {
      const Edge& edge = sketch_.edges[i];
      if ((edge.from != 0 && edge.to != 0) || edge.options.empty() || !from_.empty()) continue;
      const std::size_t choice = i < reading_.edges.size() ? reading_.edges[i] : 0;
      column_ = edge.options[std::min(choice, edge.options.size() - 1)];
    }
    if (from_.empty() && !column_.empty()) from_ = table_of(column_);
    for (const Value& value : sketch_.values) {
      if (from_.empty() && !value.options.empty()) {
        column_ = value.options.front();
        from_ = table_of(column_);
      }
    }
    joined_ = {from_};
    return known_.find_table(from_) != nullptr;
  }

  // The shortest way of keys from what is there.
  bool join(const std::string& table, bool is_outer) {
    if (std::find(joined_.begin(), joined_.end(), table) != joined_.end()) return true;
    std::map<std::string, std::pair<std::string, std::string>> came_from;
    std::deque<std::string> open(joined_.begin(), joined_.end());
    while (!open.empty() && !came_from.contains(table)) {
      const std::string at = open.front();
      open.pop_front();
      for (const Join& next : joins_of(known_, at)) {
        const bool is_there =
            std::find(joined_.begin(), joined_.end(), next.table) != joined_.end();
        if (is_there || came_from.contains(next.table)) continue;
        came_from[next.table] = {at, next.on};
        open.push_back(next.table);
      }
    }
    if (!came_from.contains(table)) return false;
    std::vector<std::string> way;
    for (std::string at = table; std::find(joined_.begin(), joined_.end(), at) == joined_.end();
         at = came_from[at].first) {
      way.push_back(at);
    }
    std::reverse(way.begin(), way.end());
    for (const std::string& at : way) {
      joins_ += fmt::format(" {}JOIN {} ON {}", is_outer ? "LEFT " : "", at, came_from[at].second);
      joined_.push_back(at);
    }
    return true;
  }

  bool is_negated(std::size_t node) const {
    return std::any_of(sketch_.edges.begin(), sketch_.edges.end(), [node](const Edge& edge) {
      return edge.is_negated && (edge.from == node || edge.to == node);
    });
  }

  bool add_node(std::size_t at) {
    const Node& node = sketch_.nodes[at];
    const std::string table = node_table(at);
    if (table.empty()) return true;
    const bool is_outer = at != 0 && is_negated(at);
    if (!join(table, is_outer)) return false;
    if (is_outer) add_condition(fmt::format("{}.{} IS NULL", table, key_of(known_, table)));
    if (!node.thing.empty()) {
      const Place place = read_place(node.thing);
      add_condition(fmt::format("{}.{} = {}", place.table, place.column, sql_quoted(place.value)));
    }
    return true;
  }

  void add_condition(const std::string& text) {
    where_ += (where_.empty() ? " WHERE " : " AND ") + text;
  }

  bool add_value(std::size_t index) {
    const Value& value = sketch_.values[index];
    if (value.options.empty()) return true;
    const std::size_t choice = index < reading_.values.size() ? reading_.values[index] : 0;
    const std::string& column = value.options[std::min(choice, value.options.size() - 1)];
    if (!join(table_of(column), false)) return false;
    for (const Bound& bound : value.bounds) {
      if (bound.number.empty()) continue;
      const std::string of =
          bound.is_year
              ? fmt::format("CAST(SUBSTR(CAST({} AS VARCHAR(10)), 1, 4) AS INTEGER)", column)
              : column;
      add_condition(fmt::format("{} {} {}", of, bound.op, bound.number));
    }
    if (!value.than.empty()) add_than(value, column);
    if (value.is_claim) {
      add_condition(fmt::format("{} IS {}NULL", column, value.is_negated ? "" : "NOT "));
    }
    const bool is_asked = sketch_.nodes[0].type.empty() && column_.empty();
    if (value.is_shown || is_asked) shown_.push_back(column);
    if (sketch_.ordered_by == index) {
      order_ = column;
      add_condition(fmt::format("{} IS NOT NULL", column));
    }
    return true;
  }

  void add_than(const Value& value, const std::string& column) {
    const Place place = read_place(value.than);
    add_condition(fmt::format("{} {} (SELECT {} FROM {} WHERE {} = {})", column,
                              value.bounds.front().op, column, place.table, place.column,
                              sql_quoted(place.value)));
  }

  std::vector<std::string> target_columns() const {
    if (!column_.empty()) return {column_};
    std::vector<std::string> columns;
    for (const std::string& name : name_columns(*known_.find_table(from_))) {
      columns.push_back(from_ + "." + name);
    }
    return columns;
  }

  std::string order_text(const std::string& by) const {
    if (by.empty()) return {};
    std::string text = fmt::format(" ORDER BY {}{}", by, sketch_.is_descending ? " DESC" : "");
    if (sketch_.limit) text += fmt::format(" LIMIT {}", *sketch_.limit);
    return text;
  }

  std::string statement() {
    const std::string body = fmt::format(" FROM {}{}{}", from_, joins_, where_);
    const std::string key = from_ + "." + key_of(known_, from_);
    if (!sketch_.aggregate.empty()) {
      const std::string of = !column_.empty() ? column_ : shown_.empty() ? key : shown_.front();
      return fmt::format("SELECT {}({}) AS value{}", sketch_.aggregate, of, body);
    }
    if (sketch_.counted || sketch_.group_value) return grouped(body, key);
    if (sketch_.form == Form::Count) {
      return fmt::format("SELECT COUNT(DISTINCT {}) AS count{}", column_.empty() ? key : column_,
                         body);
    }
    std::vector<std::string> columns = target_columns();
    columns.insert(columns.end(), shown_.begin(), shown_.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    // Rows of the same name are different rows where they are put in an order.
    return fmt::format("SELECT {}{}{}{}", order_.empty() ? "DISTINCT " : "",
                       fmt::join(columns, ", "), body, order_text(order_));
  }

  std::string grouped(const std::string& body, const std::string& key) {
    if (!sketch_.counted) {
      return fmt::format("SELECT {}, COUNT(DISTINCT {}) AS count{} GROUP BY {}{}",
                         *sketch_.group_value, key, body, *sketch_.group_value,
                         order_text(sketch_.limit ? "count" : ""));
    }
    const std::string table = node_table(*sketch_.counted);
    const std::string counted = table + "." + key_of(known_, table);
    std::string having;
    for (const Bound& bound : sketch_.count_bounds) {
      having += fmt::format(" HAVING COUNT(DISTINCT {}) {} {}", counted, bound.op, bound.number);
    }
    const std::string columns = fmt::format("{}", fmt::join(target_columns(), ", "));
    return fmt::format("SELECT {}, COUNT(DISTINCT {}) AS count{} GROUP BY {}, {}{}{}", columns,
                       counted, body, key, columns, having,
                       order_text(sketch_.limit && !sketch_.ordered_by ? "count" : ""));
  }

  const Sketch& sketch_;
  const Reading& reading_;
  const Knowledge& known_;
  std::string from_;
  std::string column_;  // that is asked for; empty: rows of the table are
  std::vector<std::string> joined_;
  std::string joins_;
  std::string where_;
  std::vector<std::string> shown_;
  std::string order_;
};

}  // namespace

Place read_place(std::string_view thing) {
  const std::size_t equals = thing.find('=');
  const std::string_view column = thing.substr(0, equals);
  const std::size_t dot = column.find('.');
  if (equals == std::string_view::npos || dot == std::string_view::npos) return {};
  return {std::string(column.substr(0, dot)), std::string(column.substr(dot + 1)),
          std::string(thing.substr(equals + 1))};
}

std::vector<std::string> name_columns(const Table& table) {
  std::vector<std::string> names;
  for (const Column& column : table.columns) {
    const std::vector<std::string> words = words_of_name(column.name);
    const bool is_name = !words.empty() && (words.back() == "name" || words.back() == "title" ||
                                            words.back() == "label");
    if (is_name && names.size() < 2) names.push_back(column.name);
  }
  if (names.empty() && !table.primary_key.empty() && table.primary_key != "-") {
    names.push_back(table.primary_key.substr(0, table.primary_key.find(',')));
  }
  if (names.empty()) names.push_back(table.columns.empty() ? "*" : table.columns.front().name);
  return names;
}

std::optional<std::string> sql_text(const Sketch& sketch, const Reading& reading,
                                    const Knowledge& known) {
  return SqlWriter(sketch, reading, known).write();
}

std::string sql_name(const std::string& name) {
  constexpr std::array kWords = std::to_array<std::string_view>(
      {"all",   "and",   "as",     "by",   "case",  "check",  "default", "desc",  "end",
       "from",  "full",  "group",  "in",   "index", "is",     "join",    "key",   "left",
       "limit", "not",   "null",   "on",   "or",    "order",  "primary", "range", "rank",
       "right", "row",   "rows",   "set",  "table", "then",   "to",      "union", "unique",
       "user",  "using", "values", "when", "where", "window", "with"});
  const bool is_word = std::find(kWords.begin(), kWords.end(), ascii_lower(name)) != kWords.end();
  return is_word ? "\"" + name + "\"" : name;
}

std::string sql_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += '\'';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + "'";
}

}  // namespace helve::llm::rules
