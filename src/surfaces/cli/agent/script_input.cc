#include "surfaces/cli/agent/script_input.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/read_whole.h"
#include "base/stdio.h"
#include "base/utf8.h"

namespace helve::cli {

namespace {

Error invalid(std::string message, std::string hint) {
  return {ErrorCode::InvalidInput, std::move(message), std::move(hint)};
}

bool is_name(std::string_view name) {
  constexpr std::string_view kCharacters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  const bool is_of_them =
      !name.empty() && name.find_first_not_of(kCharacters) == std::string_view::npos;
  return is_of_them && !is_digit(name.front());
}

struct NamedWord {
  std::string name;
  std::string rest;
};

Result<NamedWord> split_word(const std::string& word, std::string_view option,
                             std::string_view form, std::string_view example) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) {
    return invalid(fmt::format("{} '{}' is not of the form {}", option, word, form),
                   fmt::format("for example {} {}", option, example));
  }
  NamedWord out{word.substr(0, equals), word.substr(equals + 1)};
  if (is_name(out.name)) return out;
  return invalid(fmt::format("{}: '{}' is no name of a variable", option, out.name),
                 "letters, digits and _, and no digit at the beginning");
}

Result<sandbox::Variable> read_value(const std::string& word, const CommandContext& context) {
  HELVE_ASSIGN(NamedWord named, split_word(word, "--var", "NAME=JSON", "top=5"));
  auto parsed = parse_json(named.rest, context.op.limits);
  if (parsed) return sandbox::Variable{std::move(named.name), std::move(named.rest), {}};
  return invalid(
      fmt::format("--var {}: no JSON: {}", named.name, parsed.error().message),
      fmt::format("a text needs quotation marks: --var '{}=\"...\"'; --var-file {}=PATH takes the "
                  "text of a file",
                  named.name, named.name));
}

}  // namespace

Result<void> check_text(const std::string& text, const std::string& name) {
  const std::size_t valid = utf8_valid_prefix(text);
  if (valid == text.size()) return {};
  const auto line = static_cast<std::uint64_t>(
      1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(valid), '\n'));
  return invalid(fmt::format("{} is not UTF-8: byte 0x{:02X} in line {}", name,
                             static_cast<unsigned char>(text[valid]), line),
                 "save it as UTF-8");
}

Result<std::string> read_text_file(const std::string& path, std::size_t bytes_max,
                                   CommandContext& context) {
  const bool is_stdin = path == "-";
  const std::string name = is_stdin ? "standard input" : fmt::format("'{}'", path);
  if (!is_stdin) {
    HELVE_ASSIGN(const auto status, context.env.files().status(path));
    if (status.kind == FileKind::Directory) {
      return invalid(fmt::format("{} is a folder", name), "name a file in it");
    }
  }
  auto source = is_stdin ? Result<std::unique_ptr<ByteSource>>(
                               stdin_source(context.op.cancel, context.op.deadline))
                         : context.env.files().open_read(path);
  if (!source) return std::move(source).error();
  auto text = read_whole(**source, name, bytes_max);
  if (!text) {
    Error error = std::move(text).error();
    if (error.code == ErrorCode::LimitExceeded) {
      error.hint = "what is that long is data: let a tool read it, or give it in parts";
    }
    return error;
  }
  HELVE_TRY(check_text(*text, name));
  return text;
}

Result<std::vector<sandbox::Variable>> read_variables(const SandboxRunOptions& options,
                                                      CommandContext& context) {
  std::vector<sandbox::Variable> variables;
  for (const std::string& word : options.values) {
    HELVE_ASSIGN(sandbox::Variable variable, read_value(word, context));
    variables.push_back(std::move(variable));
  }
  for (const std::string& word : options.texts) {
    HELVE_ASSIGN(NamedWord named, split_word(word, "--var-file", "NAME=PATH", "text=notes.txt"));
    if (named.rest == "-" && options.file == "-") {
      return invalid("standard input can be read only once", "name '-' once");
    }
    HELVE_ASSIGN(std::string text, read_text_file(named.rest, kVariableBytesMax, context));
    variables.push_back({std::move(named.name), to_json(JsonValue(std::move(text))), {}});
  }
  for (auto variable = variables.begin(); variable != variables.end(); ++variable) {
    const auto same = std::find_if(variables.begin(), variable, [&](const auto& earlier) {
      return earlier.name == variable->name;
    });
    if (same != variable) {
      return invalid(fmt::format("the variable {} is given twice", variable->name),
                     "leave one of them out");
    }
  }
  return variables;
}

}  // namespace helve::cli
