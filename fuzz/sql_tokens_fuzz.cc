// Any bytes as SQL of each dialect: tokens in the order of the text, each a part of it, or an
// error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "sources/sql_tokens.h"

namespace {

using namespace helve;

void check_tokens(std::string_view sql, SqlDialect dialect) {
  const auto tokens = read_sql_tokens(sql, dialect);
  if (!tokens) {
    HELVE_CHECK(tokens.error().code == ErrorCode::InvalidInput ||
                tokens.error().code == ErrorCode::LimitExceeded);
    return;
  }
  std::size_t end = 0;
  for (const SqlToken& token : *tokens) {
    HELVE_CHECK(!token.text.empty());
    HELVE_CHECK(token.begin >= end);
    end = token.begin + token.text.size();
    HELVE_CHECK(end <= sql.size());
    HELVE_CHECK(sql.substr(token.begin, token.text.size()) == token.text);
    HELVE_CHECK(value_of(token, dialect).size() <= 2 * token.text.size());
    const TextPosition place = sql_position(sql, token.begin);
    HELVE_CHECK(place.line >= 1 && place.column >= 1);
  }
  // What is between tokens alone: blanks and comments never become tokens of their own.
  HELVE_CHECK(tokens->size() <= sql.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kBytesMax = 4'096;  // positions of every token are looked up
  if (size > kBytesMax) return 0;
  const std::string_view sql(reinterpret_cast<const char*>(data), size);
  for (const SqlDialect dialect : {SqlDialect::Sqlite, SqlDialect::PostgreSql, SqlDialect::MySql}) {
    check_tokens(sql, dialect);
  }
  return 0;
}
