// The program of these tests is its own worker: with a role as argument it serves, or misbehaves.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "base/env.h"
#include "base/stdio.h"
#include "sources/sql/sqlite/sqlite_protocol.h"
#include "sources/sql/sqlite/sqlite_worker.h"

namespace {

using namespace helve;  // NOLINT

constexpr std::string_view kHead("\x11\x08\x00\x00\x00", 5);  // Rows of eight bytes

int serve() {
  end_with_stdin();
  const auto in = patient_stdin_source();
  const auto out = stdout_sink();
  return sql::run_sqlite_worker(*in, *out, real_clock());
}

// A disk on which no file gets beyond two megabytes.
int serve_on_small_disk() {
  constexpr rlim_t kBytes = 2 << 20;
  const rlimit limit{kBytes, kBytes};
  (void)std::signal(SIGXFSZ, SIG_IGN);
  if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
  return serve();
}

void say(std::string_view bytes) {
  const auto out = stdout_sink();
  (void)out->write(bytes);
}

// Answers any request with these bytes and stays.
int answer(std::string_view bytes) {
  const auto in = patient_stdin_source();
  std::array<char, 4096> buffer;
  if (!in->read(buffer)) return 1;
  say(bytes);
  while (in->read(buffer).value_or(0) > 0) {
  }
  return 0;
}

std::string columns_and(std::string_view rest) {
  std::string bytes;
  sql::write_columns(bytes, {{"a"}, {""}});
  return bytes.append(rest);
}

std::string one_row(std::int64_t value) {
  std::string bytes;
  sql::FrameOutput frame(bytes);
  frame.begin(sql::SqliteFrame::Rows);
  frame.value(value);
  frame.end();
  return bytes;
}

int flood() {
  const auto out = stdout_sink();
  const std::string noise(1 << 16, 'x');
  const std::string head = columns_and(std::string_view("\x11\xff\xff\xff\x0f", 5));
  if (!out->write(head)) return 1;
  while (out->write(noise)) {
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view role = argc > 1 ? argv[1] : "";
  if (role == "sql-worker") return serve();
  if (role == "small-disk-worker") return serve_on_small_disk();
  if (role == "crashing-worker") std::abort();
  if (role == "silent-worker") return answer("");
  if (role == "noisy-worker") return answer("this is no frame at all");
  if (role == "rows-first-worker") return answer(std::string(kHead) + "12345678");
  if (role == "broken-rows-worker") return answer(columns_and(std::string(kHead) + "12345678"));
  if (role == "huge-frame-worker") return answer(std::string_view("\x11\xff\xff\xff\xff", 5));
  if (role == "flooding-worker") return flood();
  if (role == "half-worker") {
    std::array<char, 4096> buffer;
    (void)patient_stdin_source()->read(buffer);
    say(columns_and(one_row(1)));
    return 3;
  }
  if (role == "many-rows-worker") {
    std::string bytes = columns_and("");
    for (int i = 0; i < 5; ++i) bytes += one_row(i);
    sql::write_done(bytes, false);
    return answer(bytes);
  }
  if (role == "talkative-worker") {
    std::string bytes = columns_and(one_row(7));
    sql::write_done(bytes, false);
    return answer(bytes + "and more");
  }
  if (role == "agreeing-worker") {
    std::string bytes;
    sql::write_changed(bytes, {});
    return answer(bytes);
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
