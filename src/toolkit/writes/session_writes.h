// What a session keeps of changes from call to call.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "toolkit/writes/changed_rows.h"
#include "toolkit/writes/confirmations.h"
#include "toolkit/writes/open_transactions.h"

namespace helve::toolkit {

struct SessionWrites {
  // `folder` is that of the session. What is open must outlive it.
  SessionWrites(std::filesystem::path folder, Env& env, OpenTransactions& open,
                CallerCounts& counts, std::string name, bool is_lasting, ConfirmationHooks hooks)
      : confirmations(std::move(folder), env, std::move(hooks)),
        transactions(open),
        changed_rows(counts.rows),
        lessons(counts.lessons),
        id(std::move(name)),
        lasts(is_lasting) {}
  ~SessionWrites() { transactions.end_store(id, "its session was closed"); }
  SessionWrites(const SessionWrites&) = delete;
  SessionWrites& operator=(const SessionWrites&) = delete;

  Confirmations confirmations;
  OpenTransactions& transactions;
  SessionRows changed_rows;
  HourlyCounts& lessons;
  const std::string id;
  const bool lasts;  // there are further calls of it in this process
};

}  // namespace helve::toolkit
