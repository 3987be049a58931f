// Parameters of a statement as the binary protocol takes them.
#pragma once

#include <mysql.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "sources/table_source.h"

namespace helve::sql::mysql {

// Owns what the library reads when the statement is executed.
class Parameters {
 public:
  explicit Parameters(const std::vector<SqlValue>& values);
  std::size_t size() const { return binds_.size(); }
  bool bind(MYSQL_STMT* statement);

 private:
  struct Value {
    std::string text;
    std::int64_t integer = 0;
    double real = 0;
    unsigned long length = 0;
  };
  void set(const rdf::Term& term, Value& value, MYSQL_BIND& bind);

  std::vector<Value> values_;
  std::vector<MYSQL_BIND> binds_;
};

// An xsd:dateTime as the databases read it: a blank for the T, in UTC where it has a zone. What is
// no dateTime stays as it is.
std::string date_time_text(std::string_view lexical);

}  // namespace helve::sql::mysql
