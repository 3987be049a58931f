// What tests of the audit share: records, and verifying what is in fake files.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/fake_env.h"
#include "tests/support/fake_shared_files.h"
#include "toolkit/audit/audit_file.h"
#include "toolkit/audit/verify.h"

namespace helve::toolkit {

inline AuditRecord record_of(std::string tool) {
  AuditRecord record;
  record.at = WallTime(std::chrono::milliseconds(1'735'689'600'250));
  record.identity = "local";
  record.session = "default";
  record.tool = std::move(tool);
  record.query = "SELECT *\n{ ?s ?p \"\xC3\xA9\" }";
  record.verdict = "ok";
  record.rows = 7;
  record.ms = 1.5;
  return record;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

inline std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

struct AuditText {
  std::string name;
  std::string text;
};

inline AuditReport verify_texts(const std::vector<AuditText>& files, AuditEnd end,
                                const std::string& key = {}) {
  AuditVerifier verifier{ChainHash(key), std::move(end)};
  for (const AuditText& file : files) {
    StringSource source(file.text);
    EXPECT_TRUE(verifier.add(file.name, source, {}));
  }
  return verifier.finish();
}

inline AuditReport verify_fake(const FakeSharedFiles& files, const std::string& key = {},
                               const std::string& path = "audit.jsonl") {
  AuditEnd end;
  end.head_text = files.content(path + ".head");
  return verify_texts({{path, files.content(path).value_or("")}}, std::move(end), key);
}

// "" where there is none.
inline std::string fault_of(const AuditReport& report) {
  if (!report.fault) return "";
  return report.fault->kind + " at line " + std::to_string(report.fault->line) + ": " +
         report.fault->text;
}

}  // namespace helve::toolkit
