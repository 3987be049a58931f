// Candidates for a question from a server, within a transaction of the caller.
#pragma once

#include "toolkit/memory/postgres/bank_session.h"
#include "toolkit/memory/postgres/bank_sql.h"
#include "toolkit/memory/repository.h"

namespace helve::memory {

Result<Candidates> find_candidates(BankSession& session, const BankSql& sql,
                                   const CandidateRequest& request, const OpContext& context);

}  // namespace helve::memory
