#include "surfaces/worker/serve_worker.h"

#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "base/stdio.h"
#include "sources/sql/sqlite/sqlite_protocol.h"
#include "sources/sql/sqlite/sqlite_worker.h"
#include "toolkit/sql/sql_worker.h"

namespace helve {

namespace {

// Bytes that were looked at already, and then the rest.
class ContinuedSource final : public ByteSource {
 public:
  ContinuedSource(std::string_view begin, ByteSource& rest) : begin_(begin), rest_(rest) {}

  Result<std::size_t> read(std::span<char> into) override {
    if (begin_.empty()) return rest_.read(into);
    const std::size_t count = std::min(begin_.size(), into.size());
    std::copy_n(begin_.begin(), count, into.begin());
    begin_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view begin_;
  ByteSource& rest_;
};

}  // namespace

int serve_worker(ByteSink& out, const Clock& clock) {
  const auto in = patient_stdin_source();
  std::array<char, sql::kSqliteMagic.size()> buffer;
  std::size_t size = 0;
  while (size < buffer.size()) {
    const auto count = in->read(std::span(buffer).subspan(size));
    if (!count) return 1;
    if (*count == 0) break;
    size += *count;
  }
  const std::string_view begin(buffer.data(), size);
  ContinuedSource whole(begin, *in);
  if (begin != sql::kSqliteMagic) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // its input ends before its work
    return toolkit::run_sql_worker(whole, out, clock);
  }
  end_with_stdin();
  return sql::run_sqlite_worker(whole, out, clock);
}

}  // namespace helve
