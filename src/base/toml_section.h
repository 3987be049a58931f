// TomlSection: a table of a configuration, read strictly: every key is known and of its type, or
// the error says where it stands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "base/toml.h"

namespace helve {

class TomlSection {
 public:
  // Of a document that outlives it. InvalidInput where there is something else than a table.
  static Result<TomlSection> open(const TomlDocument& document, std::string pointer,
                                  const JsonValue& value);

  // InvalidInput for the first key that is none of them, with the nearest one.
  Result<void> check_keys(const std::vector<std::string_view>& known) const;

  // nullopt: the key is not there.
  Result<std::optional<std::string>> text(std::string_view key) const;  // not empty
  Result<std::optional<bool>> flag(std::string_view key) const;
  Result<std::optional<std::uint64_t>> number(std::string_view key, std::uint64_t min,
                                              std::uint64_t max) const;
  Result<std::optional<Duration>> seconds(std::string_view key, double max) const;  // above 0
  Result<std::optional<std::vector<std::string>>> texts(std::string_view key) const;

  const JsonValue& value() const { return *value_; }
  const JsonValue* find(std::string_view key) const { return value_->find(key); }
  const TomlDocument& document() const { return *document_; }
  const std::string& pointer() const { return pointer_; }
  std::string pointer_to(std::string_view key) const { return json_pointer(pointer_, key); }

  // The error, at the key.
  Error at(std::string_view key, Error error) const;
  // The same without its place, which would let readers of the error see the line: its number is in
  // the message.
  Error at_hidden(std::string_view key, Error error) const;
  // "KEY must be WHAT", at the key.
  Error wrong(std::string_view key, std::string_view expected) const;

 private:
  TomlSection(const TomlDocument& document, std::string pointer, const JsonValue& value)
      : document_(&document), pointer_(std::move(pointer)), value_(&value) {}

  const TomlDocument* document_;
  std::string pointer_;
  const JsonValue* value_;
};

}  // namespace helve
