// CallAudit: what is recorded of a call, as the policies of the call want it. toolkit.cc asks it
// around every call; audit/audit.h is where records go.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/env.h"
#include "toolkit/audit/audit.h"
#include "toolkit/policy/policy.h"
#include "toolkit/tools/tool.h"
#include "toolkit/writes/confirmations.h"
#include "toolkit/writes/write_notes.h"

namespace helve::toolkit {

// A call, as far as it is known.
struct AuditedCall {
  std::string_view name;       // that was called
  const Tool* tool = nullptr;  // that ran, perhaps by call_tool; null: there is none
  const Arguments& arguments;
  const JsonValue& given;  // the arguments as they came
  std::string_view source;
  std::string_view call_hash;  // empty: it was not bound
  const Caller& caller;
  const Policy& policy;  // of the call, or of the caller
  // Of the session: what confirms a change must stand in no record. Null: there is no session, and
  // nothing that may be a token is written.
  const Confirmations* confirmations = nullptr;
};

// How it ended.
struct AuditedEnd {
  const RenderedReply& reply;
  double ms = 0;
  std::string_view rule;
};

// Thread-safe.
class CallAudit {
 public:
  // `sink` may be null. Env must outlive it.
  CallAudit(std::unique_ptr<AuditSink> sink, Env& env) : sink_(std::move(sink)), env_(env) {}

  // Whether calls can be recorded, as far as the policy wants them to be.
  Result<void> check(const Policy& policy) const;
  // Denied where the policy wants a record, or the tool writes, and there is nowhere to write it.
  Result<void> check_tool(const Policy& policy, const Tool& tool) const;
  // Before a change is committed. An error means that it must not be.
  Result<void> intent(const AuditedCall& call, const WriteNotes& notes) const;
  Result<void> call(const AuditedCall& call, const AuditedEnd& end, const WriteNotes& notes) const;
  // What became of something without a call. Where it cannot be written, the file tells of it later
  // as of all that could not be.
  void event(AuditRecord record) const;

 private:
  AuditRecord record_of(const AuditedCall& call, const WriteNotes& notes) const;

  std::unique_ptr<AuditSink> sink_;
  Env& env_;
};

// Of what decides the content of the answer: not how much of it is shown, nor how long it may take.
std::string hash_call(const Tool& tool, const Arguments& arguments, std::string_view source);
std::string hash_of(std::string_view text);
// Whether a policy wants what becomes of its changes to be recorded.
bool is_recorded(const Policy& policy);

}  // namespace helve::toolkit
