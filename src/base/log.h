// Logging to standard error: one line per event, as text for people or JSON for machines. Data
// never goes here; that is what standard output is for.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

#include "base/clock.h"

namespace helve {

enum class LogLevel : std::uint8_t { Error, Warn, Info, Debug };
enum class LogFormat : std::uint8_t { Text, Json };

std::string_view log_level_name(LogLevel level);  // "error", "warn", "info", "debug"

// A key and a value, alive for the call only.
struct LogField {
  std::string_view key;
  std::variant<std::string_view, std::int64_t, std::uint64_t, double, bool> value;

  LogField(std::string_view name, std::string_view text) : key(name), value(text) {}
  LogField(std::string_view name, const char* text) : key(name), value(std::string_view(text)) {}
  LogField(std::string_view name, const std::string& text)
      : key(name), value(std::string_view(text)) {}
  template <std::integral T>
  LogField(std::string_view name, T number) : key(name) {
    if constexpr (std::same_as<T, bool>) {
      value = number;
    } else if constexpr (std::signed_integral<T>) {
      value = std::int64_t{number};
    } else {
      value = std::uint64_t{number};
    }
  }
  LogField(std::string_view name, double number) : key(name), value(number) {}
};

// Takes one whole line, its line end included. Called from any thread, one call at a time.
using LogSink = std::function<void(std::string_view line)>;

// What the log looks like; the command line sets it once at the start. Thread-safe.
void set_log_level(LogLevel level);  // Warn until told
LogLevel log_level();
void set_log_format(LogFormat format);  // Text until told
// An empty sink means standard error again. `clock` stamps JSON lines; it must outlive its use.
void set_log_sink(LogSink sink, const Clock& clock = real_clock());

inline bool is_logged(LogLevel level) { return level <= log_level(); }

// Text: "helve: warning: message key=value key="two words"", made safe for a terminal.
// JSON: {"time":"2025-01-02T03:04:05.678Z","level":"warn","message":...,"key":value ...}; a key
// that repeats an earlier one gets a "_" behind it.
void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {});

inline void log_error(std::string_view message, std::initializer_list<LogField> fields = {}) {
  log(LogLevel::Error, message, fields);
}
inline void log_warn(std::string_view message, std::initializer_list<LogField> fields = {}) {
  log(LogLevel::Warn, message, fields);
}
inline void log_info(std::string_view message, std::initializer_list<LogField> fields = {}) {
  log(LogLevel::Info, message, fields);
}
inline void log_debug(std::string_view message, std::initializer_list<LogField> fields = {}) {
  log(LogLevel::Debug, message, fields);
}

}  // namespace helve
