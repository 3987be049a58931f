#include "toolkit/memory/postgres/postgres_schema.h"

#include <fmt/format.h>

#include "toolkit/memory/postgres/postgres_rows.h"

namespace helve::memory {

namespace {

// What there is under the name.
struct Examined {
  bool has_schema = false;
  bool has_bank = false;
  bool has_tables = false;
  std::string encoding;
  bool is_synced = true;
};

Examined examined(const sql::ResultPtr& answer) {
  const PgRow row(answer, 0);
  Examined found;
  found.has_schema = row.integer(0) > 0;
  found.has_bank = row.integer(1) > 0;
  found.has_tables = row.integer(2) > 0;
  found.encoding = row.text(3);
  found.is_synced = row.text(4) != "off";
  return found;
}

class Schema {
 public:
  Schema(BankSession& session, const BankSql& sql, const std::string& name,
         const OpContext& context)
      : session_(session), sql_(sql), name_(name), context_(context) {}

  Result<Examined> examine() {
    session_.begin(BankAccess::Read, context_);
    session_.add(sql_.examine, {name_});
    session_.commit();
    HELVE_ASSIGN(const auto answers, session_.run(context_));
    return examined(answers[0]);
  }

  Result<int> version() {
    session_.begin(BankAccess::Read, context_);
    session_.add(sql_.read_bank);
    session_.commit();
    HELVE_ASSIGN(const auto answers, session_.run(context_));
    HELVE_ASSIGN(const BankNumbers numbers, read_bank_numbers(answers[0]));
    return numbers.version;
  }

  // Others that do the same wait, and find it done.
  Result<void> bring_up_to_date() {
    session_.begin(BankAccess::Write, context_);
    session_.add(sql_.lock_schema, {name_});
    session_.add(sql_.examine, {name_});
    HELVE_ASSIGN(const auto answers, session_.run(context_));
    const Examined found = examined(answers[1]);
    int version = 0;
    if (found.has_bank) {
      session_.add(sql_.lock_bank);
      HELVE_ASSIGN(const auto bank, session_.run(context_));
      const auto numbers = read_bank_numbers(bank[0]);
      if (!numbers) {
        session_.roll_back(context_);
        return numbers.error();
      }
      version = numbers->version;
    } else if (!found.has_schema) {
      session_.add_once(fmt::format("CREATE SCHEMA \"{}\"", name_));
    }
    for (; version < kPostgresSchemaVersion; ++version) {
      for (std::string& statement : schema_step(version, name_)) {
        session_.add_once(std::move(statement));
      }
    }
    session_.add_once(fmt::format("UPDATE \"{}\".bank SET version = {}", name_, version));
    session_.commit();
    HELVE_TRY(session_.run(context_));
    return {};
  }

 private:
  BankSession& session_;
  const BankSql& sql_;
  const std::string& name_;
  const OpContext& context_;
};

Error may_not_be_made(Error cause, const std::string& schema, bool has_bank) {
  cause.restate(has_bank ? "the bank is of an older version and cannot be migrated"
                         : "the bank cannot be made");
  cause.code = ErrorCode::Denied;
  cause.hint =
      has_bank ? "let the owner of its tables open it once with this Helve, and grant rights anew"
               : fmt::format(
                     "let the owner of the database make its schema for the user: CREATE SCHEMA "
                     "{} AUTHORIZATION ...",
                     schema);
  return cause;
}

}  // namespace

Result<void> prepare_schema(BankSession& session, const BankSql& sql, const std::string& schema,
                            bool is_made, std::vector<std::string>& warnings,
                            const OpContext& context) {
  Schema tables(session, sql, schema, context);
  HELVE_ASSIGN(const Examined found, tables.examine());
  if (found.encoding != "UTF8") {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("the database has its texts in {}", found.encoding),
                 "name one that has them in UTF8: CREATE DATABASE ... ENCODING 'UTF8'"};
  }
  if (!found.has_bank && found.has_tables) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("the schema {} is there, but it is no memory bank", schema),
                 "name another one: ?search_path=NAME in the address"};
  }
  if (!found.has_bank && !is_made) {
    return Error{ErrorCode::NotFound,
                 fmt::format("the database has no memory bank in the schema {}", schema),
                 "adding an item makes it"};
  }
  if (!found.is_synced) {
    warnings.emplace_back(
        "the server of the bank has fsync = off: what it acknowledges may be lost with the "
        "machine");
  }
  if (found.has_bank) {
    HELVE_ASSIGN(const int version, tables.version());
    if (version == kPostgresSchemaVersion) return {};
  }
  auto done = tables.bring_up_to_date();
  if (!done && done.error().code == ErrorCode::Denied) {
    return may_not_be_made(done.error(), schema, found.has_bank);
  }
  return done;
}

}  // namespace helve::memory
