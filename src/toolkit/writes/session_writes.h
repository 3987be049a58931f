// What a session keeps of changes from call to call.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "toolkit/writes/confirmations.h"
#include "toolkit/writes/open_transactions.h"

namespace helve::toolkit {

struct SessionWrites {
  // `folder` is that of the session. What is open must outlive it.
  SessionWrites(std::filesystem::path folder, Env& env, OpenTransactions& open, std::string id,
                bool is_lasting)
      : confirmations(std::move(folder), env),
        transactions(open),
        owner(std::move(id)),
        lasts(is_lasting) {}
  ~SessionWrites() { transactions.end_all(owner); }
  SessionWrites(const SessionWrites&) = delete;
  SessionWrites& operator=(const SessionWrites&) = delete;

  Confirmations confirmations;
  OpenTransactions& transactions;
  const std::string owner;
  const bool lasts;  // there are further calls of it in this process
};

}  // namespace helve::toolkit
