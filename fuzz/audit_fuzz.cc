// Audit files that others wrote: verifying, looking for records, and writing on. What is valid
// stays valid when a writer goes on, and nothing of it is lost.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "tests/support/fake_env.h"
#include "tests/support/fake_shared_files.h"
#include "toolkit/audit/audit_file.h"
#include "toolkit/audit/search.h"
#include "toolkit/audit/verify.h"

namespace {

using namespace helve;
using namespace helve::toolkit;

AuditReport verify(const std::string& text, std::optional<std::string> head) {
  AuditEnd end;
  end.is_open = !head;
  end.head_text = std::move(head);
  AuditVerifier verifier{ChainHash(), std::move(end)};
  StringSource source(text);
  HELVE_CHECK(verifier.add("audit", source, {}).has_value());
  return verifier.finish();
}

void search(const std::string& text) {
  AuditFilter filter;
  filter.text = "a";
  filter.since = "2026";
  StringSource source(text);
  AuditLineReader lines(source);
  while (const auto line = *lines.next()) {
    if (const auto record = read_audit_record(*line)) static_cast<void>(matches(filter, *record));
  }
}

}  // namespace

// The first two slots are the head file, where the input is long enough and begins with one.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  std::optional<std::string> head;
  if (text.starts_with(R"({"v":1,"kind":"head")") && text.size() >= kHeadBytes) {
    head = text.substr(0, kHeadBytes);
    text.erase(0, kHeadBytes);
  }
  search(text);
  const AuditReport before = verify(text, head);
  FakeEnv env;
  FakeSharedFiles files;
  files.put("audit", text);
  if (head) files.put("audit.head", *head);
  const auto audit = open_audit_file("audit", env, {}, files);
  if (!audit) return 0;
  AuditRecord record;
  record.tool = "after";
  HELVE_CHECK((*audit)->write(record).has_value());
  // Where there was no head, a writer tells so, and that counts only for those who look at heads.
  const auto new_head = head ? files.content("audit.head") : std::nullopt;
  const AuditReport after = verify(*files.content("audit"), new_head);
  HELVE_CHECK(before.fault.has_value() || !after.fault.has_value());
  HELVE_CHECK(before.fault.has_value() || after.records > before.records);
  return 0;
}
