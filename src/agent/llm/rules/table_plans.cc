// The way through a database: tables and columns are inspected, names are looked for in columns of
// text, then statements are tried.
#include <fmt/format.h>

#include <algorithm>

#include "agent/llm/rules/lesson_plans.h"
#include "agent/llm/rules/mentions.h"
#include "agent/llm/rules/plans.h"
#include "agent/llm/rules/sql_text.h"
#include "agent/llm/rules/words.h"
#include "base/ascii.h"

namespace helve::llm::rules {

namespace {

constexpr std::size_t kSearchedMax = 60;  // columns

bool is_text(const Column& column) {
  const std::string type = ascii_lower(column.type);
  return type.empty() || type.find("char") != std::string::npos ||
         type.find("text") != std::string::npos || type.find("clob") != std::string::npos;
}

bool is_number_column(const Column& column) {
  const std::string type = ascii_lower(column.type);
  return type.find("int") != std::string::npos || type.find("real") != std::string::npos ||
         type.find("num") != std::string::npos || type.find("dec") != std::string::npos ||
         type.find("double") != std::string::npos || type.find("float") != std::string::npos;
}

class TablePlanner {
 public:
  explicit TablePlanner(const Situation& now) : now_(now), known_(now.known) {}

  std::vector<Call> next() {
    std::vector<Call> calls = inspect();
    if (!calls.empty()) return calls;
    add_terms();
    mentions_ = find_mentions(now_.question, known_, now_.seed);
    calls = search_names();
    if (!calls.empty()) return calls;
    leave_out_noise();
    prefer_places();
    std::vector<std::string> queries =
        lesson_queries(now_.question, mentions_, slot_values(), known_);
    sketch_ = make_sketch(now_.question, mentions_);
    settle_values();
    add_readings(queries);
    return next_query(now_, "query_execute", "sql", std::move(queries));
  }

 private:
  // Which tables, then the columns of those that the question may be about.
  std::vector<Call> inspect() const {
    const Call all{"schema_inspect", JsonValue(JsonValue::Object{})};
    if (known_.tables.empty()) {
      return now_.talk.find(all) == nullptr ? std::vector<Call>{all} : std::vector<Call>{};
    }
    std::vector<const Table*> wanted;
    for (const Table& table : known_.tables) {
      if (!table.is_inspected) wanted.push_back(&table);
    }
    std::stable_sort(wanted.begin(), wanted.end(),
                     [&](const Table* a, const Table* b) { return asked_for(*a) > asked_for(*b); });
    std::vector<Call> calls;
    for (const Table* const table : wanted) {
      Call call = call_of("schema_inspect", "table", table->name);
      if (now_.talk.find(call) != nullptr || calls.size() + inspected() >= kLookUpsMax) continue;
      calls.push_back(std::move(call));
    }
    return calls;
  }

  std::size_t inspected() const {
    return static_cast<std::size_t>(
        std::count_if(now_.talk.exchanges.begin(), now_.talk.exchanges.end(),
                      [](const Exchange& one) { return one.call.tool == "schema_inspect"; }));
  }

  double asked_for(const Table& table) const {
    // What has worked for a question that is alike goes before what nothing speaks for.
    constexpr double kOfLesson = 0.5;
    const bool has_worked =
        std::any_of(known_.lessons.begin(), known_.lessons.end(), [&](const Lesson& lesson) {
          return lesson.kind == LessonKind::Worked &&
                 ascii_lower(lesson.query).find(ascii_lower(table.name)) != std::string::npos;
        });
    double best = has_worked ? kOfLesson : 0;
    for (const Token& token : now_.question.tokens) {
      best = std::max(best, likeness({stem(token.lower)}, table.name));
    }
    return best;
  }

  // Tables as classes, columns as properties, so that words are bound to them as to a graph's.
  void add_terms() {
    for (const Table& table : known_.tables) {
      known_.add(table.name, TermKind::Class);
      for (const Column& column : table.columns) {
        const bool is_key =
            column.name == table.primary_key ||
            std::any_of(table.foreign_keys.begin(), table.foreign_keys.end(),
                        [&](const ForeignKey& key) { return key.column == column.name; });
        if (is_key) continue;
        Term& term = known_.add(table.name + "." + column.name, TermKind::Property);
        term.label = column.name;
        const std::string type = ascii_lower(column.type);
        if (type.find("date") != std::string::npos || type.find("time") != std::string::npos) {
          term.range = "date";
        }
      }
    }
    for (const Exchange& one : now_.talk.exchanges) {
      const ReplyTable* const rows = one.reply.result();
      if (rows == nullptr || !text_argument(one.call.arguments, "sql").starts_with(kPlaceProbe)) {
        continue;
      }
      for (std::size_t i = 0; i < rows->rows.size(); ++i) {
        const std::string place = plain(rows->cell(i, "place"));
        const std::string value = plain(rows->cell(i, "value"));
        known_.add(fmt::format("{}={}", place, value), TermKind::Instance).label = value;
      }
    }
  }

  static std::string plain(std::string_view cell) {
    if (cell.size() >= 2 && cell.starts_with('"')) {
      cell = cell.substr(1, cell.rfind('"') - 1);
    }
    return std::string(cell);
  }

  // Where the names stand: one statement over the columns of text.
  std::vector<Call> search_names() const {
    std::vector<std::string> names;
    for (const Mention& mention : mentions_) {
      if (mention.kind != MentionKind::Text) continue;
      names.push_back("LOWER(" + sql_quoted(mention.options.front()) + ")");
    }
    if (names.empty()) return {};
    std::string parts;
    std::size_t searched = 0;
    for (const bool first : {true, false}) {
      for (const Table& table : known_.tables) {
        const std::vector<std::string> main = name_columns(table);
        for (const Column& column : table.columns) {
          const bool is_main = std::find(main.begin(), main.end(), column.name) != main.end();
          if (is_main != first || !is_text(column) || searched == kSearchedMax) continue;
          parts += fmt::format(
              "{}SELECT '{}.{}' AS place, {} AS value FROM {} WHERE LOWER({}) IN ({})",
              searched++ == 0 ? "" : " UNION ", table.name, column.name, sql_name(column.name),
              sql_name(table.name), sql_name(column.name), fmt::join(names, ", "));
        }
      }
    }
    const Call call =
        call_of("query_execute", "sql", fmt::format("{}{}) AS places", kPlaceProbe, parts));
    const bool was_asked = std::any_of(
        now_.talk.exchanges.begin(), now_.talk.exchanges.end(), [](const Exchange& one) {
          return text_argument(one.call.arguments, "sql").starts_with(kPlaceProbe);
        });
    return searched == 0 || was_asked ? std::vector<Call>{} : std::vector<Call>{call};
  }

  // Words that stand in no column, unless they are names.
  void leave_out_noise() {
    std::erase_if(mentions_, [&](const Mention& mention) {
      const Token& first = now_.question.tokens[mention.from];
      return mention.kind == MentionKind::Text && !first.is_capital && !first.is_quoted;
    });
  }

  std::vector<std::string> places_of(const std::string& value) const {
    std::vector<std::string> places;
    for (const Term& term : known_.terms) {
      const bool is_same =
          term.kind == TermKind::Instance && ascii_lower(term.label) == ascii_lower(value);
      if (is_same) places.push_back(term.name);
    }
    return places;
  }

  // A name may stand in several columns: those of the table that is asked about go first, then
  // those that name what a row is.
  void prefer_places() {
    const auto is_asked = [&](const std::string& table) {
      return std::any_of(mentions_.begin(), mentions_.end(), [&](const Mention& mention) {
        return mention.kind == MentionKind::Class && mention.options.front() == table;
      });
    };
    for (Mention& mention : mentions_) {
      if (mention.kind != MentionKind::Thing) continue;
      mention.options = places_of(read_place(mention.options.front()).value);
      const auto rank = [&](const std::string& option) {
        const Place place = read_place(option);
        const Table* const table = known_.find_table(place.table);
        const bool is_key = table != nullptr && table->primary_key == place.column;
        return is_asked(place.table) ? 0 : is_key ? 1 : 2;
      };
      std::stable_sort(
          mention.options.begin(), mention.options.end(),
          [&](const std::string& a, const std::string& b) { return rank(a) < rank(b); });
    }
  }

  SlotValues slot_values() const {
    SlotValues values;
    for (const Mention& mention : mentions_) {
      if (mention.kind == MentionKind::Thing) {
        values.texts.push_back(read_place(mention.options.front()).value);
      }
    }
    for (const Bound& bound : now_.question.bounds) {
      if (!bound.number.empty()) values.numbers.push_back(bound.number);
    }
    return values;
  }

  // "largest": a column with numbers, or with dates, of the table; which one the seed says.
  void settle_values() {
    for (Value& value : sketch_.values) {
      const Table* const table = known_.find_table(sketch_.nodes[value.node].type);
      if (!value.options.empty() || table == nullptr) continue;
      const bool wants_time = (now_.question.extreme && now_.question.extreme->is_time) ||
                              std::any_of(value.bounds.begin(), value.bounds.end(),
                                          [](const Bound& bound) { return bound.is_year; });
      for (const Column& column : table->columns) {
        const std::string name = table->name + "." + column.name;
        const Term* const term = known_.find(name);
        if (term == nullptr) continue;  // a key
        const bool is_time = is_of_time(name, known_);
        if (wants_time ? is_time : is_number_column(column) && !is_time)
          value.options.push_back(name);
      }
      std::sort(value.options.begin(), value.options.end(),
                [&](const std::string& a, const std::string& b) {
                  return mix(now_.seed, a) < mix(now_.seed, b);
                });
    }
  }

  void add_readings(std::vector<std::string>& queries) const {
    Reading base;
    base.edges.resize(sketch_.edges.size());
    base.values.resize(sketch_.values.size());
    const auto add = [&](const Reading& reading) {
      if (auto text = sql_text(sketch_, reading, known_)) queries.push_back(*std::move(text));
    };
    add(base);
    for (std::size_t i = 0; i < sketch_.edges.size(); ++i) {
      for (std::size_t k = 1; k < sketch_.edges[i].options.size(); ++k) {
        Reading other = base;
        other.edges[i] = k;
        add(other);
      }
    }
    for (std::size_t i = 0; i < sketch_.values.size(); ++i) {
      for (std::size_t k = 1; k < sketch_.values[i].options.size(); ++k) {
        Reading other = base;
        other.values[i] = k;
        add(other);
      }
    }
  }

  const Situation& now_;
  Knowledge known_;
  std::vector<Mention> mentions_;
  Sketch sketch_;
};

}  // namespace

std::vector<Call> next_table_calls(const Situation& now) { return TablePlanner(now).next(); }

}  // namespace helve::llm::rules
