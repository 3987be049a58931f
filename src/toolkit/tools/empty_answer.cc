#include "toolkit/tools/empty_answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "sources/sql_tokens.h"

namespace helve::toolkit {

namespace {

constexpr double kEmptyDiagnosisShare = 0.3;  // of the time that is left
constexpr Duration kDiagnosisMax = std::chrono::seconds(5);

}  // namespace

bool is_as_empty(const RowTable& rows, std::string_view sql, SqlDialect dialect) {
  if (rows.rows() == 0) return true;
  if (rows.rows() != 1) return false;
  const auto tokens = read_sql_tokens(sql, dialect);
  if (!tokens || tokens->size() < 3 || !is_word((*tokens)[0], "SELECT")) return false;
  const bool is_count = is_word((*tokens)[1], "COUNT");
  const bool is_other = is_word((*tokens)[1], "SUM") || is_word((*tokens)[1], "AVG") ||
                        is_word((*tokens)[1], "MIN") || is_word((*tokens)[1], "MAX");
  if (!(is_count || is_other) || (*tokens)[2].text != "(") return false;
  for (std::size_t column = 0; column < rows.columns().size(); ++column) {
    const auto cell = rows.cell(0, column);
    if (cell && cell->value != "0") return false;
    if (cell && is_other && column == 0) return false;
  }
  return true;
}

OpContext for_diagnosis(const ToolCall& call) {
  OpContext part = call.op;
  Duration time = kDiagnosisMax;
  if (!call.op.deadline.is_never()) {
    const double left = static_cast<double>(call.op.deadline.remaining().count());
    time = std::min(time, Duration(static_cast<std::int64_t>(left * kEmptyDiagnosisShare)));
  }
  part.deadline = Deadline(call.env.clock(), time);
  return part;
}

void show_diagnosis(const TableDiagnosis& diagnosis, std::string_view tool, Reply& reply) {
  ReplyValue::Members members;
  members.emplace_back("cause", name_of(diagnosis.cause));
  members.emplace_back("says", diagnosis.says);
  const auto add_all = [&members](const char* key, const std::vector<std::string>& texts) {
    if (!texts.empty()) members.emplace_back(key, ReplyValue::List(texts.begin(), texts.end()));
  };
  add_all("parts", diagnosis.parts);
  add_all("candidates", diagnosis.candidates);
  if (!diagnosis.suggestion.empty()) members.emplace_back("suggestion", diagnosis.suggestion);
  members.emplace_back("probes", diagnosis.probes);
  reply.set_quietly("diagnosis", std::move(members));
  reply.say(reply.headline, diagnosis.says, "diagnosis");
  if (diagnosis.suggestion.empty()) return;
  reply.next_from_data({fmt::format("{} sql={}", tool, to_json(JsonValue(diagnosis.suggestion))),
                        std::string(tool), "suggested_sql", diagnosis.suggestion});
}

}  // namespace helve::toolkit
