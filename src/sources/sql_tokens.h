// The words of a SQL statement by the rules of each dialect: where texts, names and comments end,
// and nothing more. Guards decide on them, tools find names and positions in them; what a statement
// means is for the database to say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sources/table_source.h"

namespace helve {

enum class SqlTokenKind : std::uint8_t {
  Word,  // a keyword or a bare name
  Name,  // a quoted name
  Text,  // a string, of any kind: 'a', E'a', $$a$$, N'a', x'00', "a" in MySQL
  Number,
  Parameter,  // ?, ?1, :a, $1
  Feed,       // @results_0.column
  Variable,   // @a, @@a (MySQL)
  Symbol,     // one or two characters: ( ) , ; . = <= := ::
};

struct SqlToken {
  SqlTokenKind kind = SqlTokenKind::Symbol;
  std::string_view text;  // as written
  std::size_t begin = 0;  // byte in the statement
};

// Without comments. InvalidInput with the position for texts and comments without an end, for NUL,
// broken UTF-8, characters that steer or hide text (but for plain ones within texts), comments that
// MySQL executes (/*! */), and statements beyond kSqlBytesMax.
inline constexpr std::size_t kSqlBytesMax = std::size_t{1} << 20;
Result<std::vector<SqlToken>> read_sql_tokens(std::string_view sql, SqlDialect dialect);

// What a word, a name or a text stands for, its marks removed; bare names in the case that the
// dialect gives them (PostgreSQL: lower).
std::string value_of(const SqlToken& token, SqlDialect dialect);
// Whether it is this keyword, given in capitals.
bool is_word(const SqlToken& token, std::string_view keyword);

// The place of a byte of the statement.
TextPosition sql_position(std::string_view sql, std::size_t byte);

}  // namespace helve
