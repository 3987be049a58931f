// Lines of the log: made on the caller's thread, written under a lock, one write each.
#include "base/log.h"

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <set>

#include "base/fd.h"
#include "base/json_writer.h"
#include "base/redaction.h"
#include "base/secret_positions.h"
#include "base/text.h"

namespace helve {

namespace {

std::atomic<LogLevel> level_now{LogLevel::Warn};
std::atomic<LogFormat> format_now{LogFormat::Text};

// Never destroyed: the last words of other statics may still come here.
struct Outlet {
  std::mutex mutex;
  LogSink sink;
  const Clock* clock = &real_clock();
};

Outlet& outlet() {
  static auto* the_outlet = new Outlet;
  return *the_outlet;
}

std::string timestamp(WallTime time) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(ms);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(static_cast<std::time_t>(seconds.count())),
                     (ms - seconds).count());
}

// Words stand as they are; everything else in quotes, so that a line splits into its fields.
void append_text_value(std::string& line, std::string_view value) {
  const std::string safe = escape_for_terminal(value);
  if (!safe.empty() && safe.find_first_of(" \"=\\") == std::string::npos) {
    line += safe;
    return;
  }
  line += '"';
  for (const char c : safe) {
    if (c == '"') line += '\\';
    line += c;
  }
  line += '"';
}

std::string shown_field(const LogField& field, std::string_view text) {
  return is_telling_name(field.key) ? std::string(kRedacted) : redact(text);
}

std::string text_line(LogLevel level, std::string_view message,
                      std::initializer_list<LogField> fields) {
  std::string line = "helve: ";
  if (level != LogLevel::Info) {
    line += level == LogLevel::Warn ? "warning" : log_level_name(level);
    line += ": ";
  }
  line += escape_for_terminal(redact(message));
  for (const LogField& field : fields) {
    line += ' ';
    line += escape_for_terminal(field.key);
    line += '=';
    if (const auto* text = std::get_if<std::string_view>(&field.value)) {
      append_text_value(line, shown_field(field, *text));
    } else {
      std::visit([&](const auto& value) { line += fmt::format("{}", value); }, field.value);
    }
  }
  line += '\n';
  return line;
}

std::string json_line(WallTime time, LogLevel level, std::string_view message,
                      std::initializer_list<LogField> fields) {
  std::string line;
  JsonWriter writer(line);
  writer.begin_object();
  writer.member("time", timestamp(time));
  writer.member("level", log_level_name(level));
  writer.member("message", redact(message));
  std::set<std::string, std::less<>> keys{"time", "level", "message"};
  for (const LogField& field : fields) {
    std::string key(field.key);
    while (!keys.insert(key).second) key += '_';
    writer.key(key);
    if (const auto* text = std::get_if<std::string_view>(&field.value)) {
      writer.value(shown_field(field, *text));
    } else {
      std::visit([&](const auto& value) { writer.value(value); }, field.value);
    }
  }
  writer.end_object();
  line += '\n';
  return line;
}

}  // namespace

std::string_view log_level_name(LogLevel level) {
  switch (level) {
    case LogLevel::Error:
      return "error";
    case LogLevel::Warn:
      return "warn";
    case LogLevel::Info:
      return "info";
    case LogLevel::Debug:
      return "debug";
  }
  return "error";
}

void set_log_level(LogLevel level) { level_now.store(level, std::memory_order_relaxed); }
LogLevel log_level() { return level_now.load(std::memory_order_relaxed); }
void set_log_format(LogFormat format) { format_now.store(format, std::memory_order_relaxed); }

void set_log_sink(LogSink sink, const Clock& clock) {
  Outlet& out = outlet();
  const std::lock_guard lock(out.mutex);
  out.sink = std::move(sink);
  out.clock = &clock;
}

void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  if (!is_logged(level)) return;
  const bool is_json = format_now.load(std::memory_order_relaxed) == LogFormat::Json;
  Outlet& out = outlet();
  std::string line;
  if (!is_json) line = text_line(level, message, fields);
  const std::lock_guard lock(out.mutex);
  if (is_json) line = json_line(out.clock->wall(), level, message, fields);
  if (out.sink) {
    out.sink(line);
  } else {
    (void)write_fd_fully(STDERR_FILENO, line);  // nowhere left to complain
  }
}

}  // namespace helve
