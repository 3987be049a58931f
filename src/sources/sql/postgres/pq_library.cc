#include "sources/sql/postgres/pq_library.h"

#include "base/shared_library.h"

namespace helve::sql {

namespace {

bool find_all(const SharedLibrary& library, PqLibrary& into) {
  return library.find("PQcancel", into.cancel) && library.find("PQclear", into.clear) &&
         library.find("PQcmdStatus", into.cmd_status) &&
         library.find("PQcmdTuples", into.cmd_tuples) &&
         library.find("PQconnectPoll", into.connect_poll) &&
         library.find("PQconnectStartParams", into.connect_start_params) &&
         library.find("PQconsumeInput", into.consume_input) &&
         library.find("PQenterPipelineMode", into.enter_pipeline_mode) &&
         library.find("PQerrorMessage", into.error_message) &&
         library.find("PQfinish", into.finish) && library.find("PQflush", into.flush) &&
         library.find("PQfmod", into.fmod) && library.find("PQfname", into.fname) &&
         library.find("PQfreeCancel", into.free_cancel) && library.find("PQftype", into.ftype) &&
         library.find("PQgetCancel", into.get_cancel) &&
         library.find("PQgetResult", into.get_result) &&
         library.find("PQgetisnull", into.getisnull) &&
         library.find("PQgetlength", into.getlength) && library.find("PQgetvalue", into.getvalue) &&
         library.find("PQisBusy", into.is_busy) && library.find("PQnfields", into.nfields) &&
         library.find("PQntuples", into.ntuples) &&
         library.find("PQparameterStatus", into.parameter_status) &&
         library.find("PQpipelineSync", into.pipeline_sync) &&
         library.find("PQresultErrorField", into.result_error_field) &&
         library.find("PQresultErrorMessage", into.result_error_message) &&
         library.find("PQresultMemorySize", into.result_memory_size) &&
         library.find("PQresultStatus", into.result_status) &&
         library.find("PQsendPrepare", into.send_prepare) &&
         library.find("PQsendQueryParams", into.send_query_params) &&
         library.find("PQsendQueryPrepared", into.send_query_prepared) &&
         library.find("PQserverVersion", into.server_version) &&
         library.find("PQsetNoticeReceiver", into.set_notice_receiver) &&
         library.find("PQsetSingleRowMode", into.set_single_row_mode) &&
         library.find("PQsetnonblocking", into.setnonblocking) &&
         library.find("PQsocket", into.socket) && library.find("PQstatus", into.status);
}

// The name that it has had since PostgreSQL 8.2. Pipelines are of version 14.
Result<void> load() {
  return SharedLibrary::load_all(
      "libpq.so.5", "install it: the package libpq5, version 14 or later",
      [](const SharedLibrary& library) { return find_all(library, loaded::pq); });
}

}  // namespace

Result<void> load_pq() {
  static const Result<void> done = load();
  return done;
}

}  // namespace helve::sql
