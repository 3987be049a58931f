// libpq, loaded when a database is first connected to: it brings Kerberos, LDAP and TLS with it,
// which would be a good part of the start of a process that never asks PostgreSQL.
#pragma once

#include <libpq-fe.h>

#include "base/result.h"

namespace helve::sql {

struct PqLibrary {
  decltype(&::PQcancel) cancel = nullptr;
  decltype(&::PQclear) clear = nullptr;
  decltype(&::PQcmdStatus) cmd_status = nullptr;
  decltype(&::PQcmdTuples) cmd_tuples = nullptr;
  decltype(&::PQconnectPoll) connect_poll = nullptr;
  decltype(&::PQconnectStartParams) connect_start_params = nullptr;
  decltype(&::PQconsumeInput) consume_input = nullptr;
  decltype(&::PQenterPipelineMode) enter_pipeline_mode = nullptr;
  decltype(&::PQerrorMessage) error_message = nullptr;
  decltype(&::PQfinish) finish = nullptr;
  decltype(&::PQflush) flush = nullptr;
  decltype(&::PQfmod) fmod = nullptr;
  decltype(&::PQfname) fname = nullptr;
  decltype(&::PQfreeCancel) free_cancel = nullptr;
  decltype(&::PQftype) ftype = nullptr;
  decltype(&::PQgetCancel) get_cancel = nullptr;
  decltype(&::PQgetResult) get_result = nullptr;
  decltype(&::PQgetisnull) getisnull = nullptr;
  decltype(&::PQgetlength) getlength = nullptr;
  decltype(&::PQgetvalue) getvalue = nullptr;
  decltype(&::PQisBusy) is_busy = nullptr;
  decltype(&::PQnfields) nfields = nullptr;
  decltype(&::PQntuples) ntuples = nullptr;
  decltype(&::PQparameterStatus) parameter_status = nullptr;
  decltype(&::PQpipelineSync) pipeline_sync = nullptr;
  decltype(&::PQresultErrorField) result_error_field = nullptr;
  decltype(&::PQresultErrorMessage) result_error_message = nullptr;
  decltype(&::PQresultMemorySize) result_memory_size = nullptr;
  decltype(&::PQresultStatus) result_status = nullptr;
  decltype(&::PQsendPrepare) send_prepare = nullptr;
  decltype(&::PQsendQueryParams) send_query_params = nullptr;
  decltype(&::PQsendQueryPrepared) send_query_prepared = nullptr;
  decltype(&::PQserverVersion) server_version = nullptr;
  decltype(&::PQsetNoticeReceiver) set_notice_receiver = nullptr;
  decltype(&::PQsetSingleRowMode) set_single_row_mode = nullptr;
  decltype(&::PQsetnonblocking) setnonblocking = nullptr;
  decltype(&::PQsocket) socket = nullptr;
  decltype(&::PQstatus) status = nullptr;
};

// Loads it, once; it stays. Unavailable where it is not installed. Thread-safe.
Result<void> load_pq();

namespace loaded {
inline constinit PqLibrary pq;
}
// REQUIRES: load_pq() was good, as it was where there is a connection.
inline const PqLibrary& pq() { return loaded::pq; }

}  // namespace helve::sql
