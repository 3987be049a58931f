#include "agent/llm/model_config.h"

#include <algorithm>
#include <array>

#include "agent/llm/prices.h"
#include "agent/llm/text_file.h"
#include "base/ascii.h"
#include "base/redaction.h"

namespace helve::llm {

namespace {

constexpr std::size_t kFileBytesMax = 1 * kMiB;
constexpr double kSecondsMax = 86'400;
constexpr std::size_t kHeadersMax = 64;

Error written_out() {
  return {ErrorCode::InvalidInput, "a secret is named, not written out",
          "write \"env:NAME\", or \"file:PATH\" of a file that only you may read"};
}

std::string within(const std::filesystem::path& folder, std::string_view path) {
  return (folder / path).string();
}

// The file of a reference is that of the configuration too.
std::string reference_within(const std::filesystem::path& folder, const std::string& text) {
  constexpr std::string_view kFile = "file:";
  if (!text.starts_with(kFile)) return text;
  return std::string(kFile) + within(folder, std::string_view(text).substr(kFile.size()));
}

// By the name of the header, or by the form of the value.
bool is_secret(std::string_view name, const std::string& value) {
  constexpr std::array<std::string_view, 6> kNames = {"auth",   "key",      "token",
                                                      "secret", "password", "cookie"};
  const std::string lower = ascii_lower(name);
  const bool is_named = std::any_of(kNames.begin(), kNames.end(), [&](std::string_view part) {
    return lower.find(part) != std::string::npos;
  });
  return is_named || redact(value) != value;
}

bool is_header_name(std::string_view name) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !name.empty() && name.size() <= 100 &&
         std::all_of(name.begin(), name.end(), [kMarks](char c) {
           return is_letter_or_digit(c) || kMarks.find(c) != std::string_view::npos;
         });
}

bool is_line(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
}

class ConfigReader {
 public:
  ConfigReader(const TomlSection& section, const std::filesystem::path& folder)
      : section_(section), folder_(folder) {}

  Result<ModelConfig> read() {
    HELVE_TRY(section_.check_keys({"provider", "model", "url", "key", "prices", "headers", "script",
                                   "record", "retries_max", "connect_timeout", "answer_timeout",
                                   "silence_timeout", "answer_bytes_max", "allows_private"}));
    HELVE_TRY(read_names());
    HELVE_TRY(read_limits());
    HELVE_TRY(read_prices());
    HELVE_TRY(read_headers());
    return std::move(config_);
  }

 private:
  Result<void> read_text(std::string_view key, std::string& into) {
    HELVE_ASSIGN(const auto text, section_.text(key));
    into = text.value_or("");
    return {};
  }
  Result<void> read_path(std::string_view key, std::string& into) {
    HELVE_TRY(read_text(key, into));
    if (!into.empty()) into = within(folder_, into);
    return {};
  }

  Result<void> read_names() {
    HELVE_TRY(read_text("provider", config_.provider));
    HELVE_TRY(read_text("model", config_.model));
    HELVE_TRY(read_text("url", config_.url));
    HELVE_TRY(read_path("script", config_.script));
    HELVE_TRY(read_path("record", config_.record));
    HELVE_TRY(read_text("key", config_.key));
    if (config_.key.empty()) return {};
    if (!is_reference(config_.key)) return section_.at_hidden("key", written_out());
    config_.key = reference_within(folder_, config_.key);
    return {};
  }

  Result<void> read_limits() {
    HELVE_ASSIGN(const auto retries, section_.number("retries_max", 0, kRetriesMost));
    if (retries) config_.retries_max = static_cast<unsigned>(*retries);
    HELVE_ASSIGN(config_.connect_timeout, section_.seconds("connect_timeout", kSecondsMax));
    HELVE_ASSIGN(config_.answer_timeout, section_.seconds("answer_timeout", kSecondsMax));
    HELVE_ASSIGN(config_.silence_timeout, section_.seconds("silence_timeout", kSecondsMax));
    HELVE_ASSIGN(config_.answer_bytes_max, section_.number("answer_bytes_max", kKiB, kGiB));
    HELVE_ASSIGN(config_.allows_private, section_.flag("allows_private"));
    return {};
  }

  // A table, or a file that has one for each model.
  Result<void> read_prices() {
    const JsonValue* const value = section_.find("prices");
    if (value == nullptr) return {};
    if (value->if_object() == nullptr) return read_path("prices", config_.prices_file);
    HELVE_ASSIGN(config_.prices,
                 read_price_table(section_.document(), section_.pointer_to("prices"), *value));
    return {};
  }

  Result<void> read_headers() {
    const JsonValue* const value = section_.find("headers");
    if (value == nullptr) return {};
    HELVE_ASSIGN(const TomlSection headers,
                 TomlSection::open(section_.document(), section_.pointer_to("headers"), *value));
    for (const JsonMember& member : *value->if_object()) {
      HELVE_TRY(read_header(headers, member.key));
    }
    if (config_.headers.size() > kHeadersMax) return section_.wrong("headers", "64 at most");
    return {};
  }

  Result<void> read_header(const TomlSection& headers, const std::string& name) {
    HELVE_ASSIGN(const auto text, headers.text(name));
    if (!is_header_name(name)) {
      return headers.at(name, {ErrorCode::InvalidInput, "this is no name of a header",
                               "letters, digits and '-', for example X-Team"});
    }
    if (!is_reference(*text) && is_secret(name, *text)) {
      return headers.at_hidden(name, written_out());
    }
    if (!is_line(*text)) return headers.wrong(name, "one line");
    config_.headers.emplace_back(name, reference_within(folder_, *text));
    return {};
  }

  const TomlSection& section_;
  const std::filesystem::path& folder_;
  ModelConfig config_;
};

}  // namespace

Result<ModelConfig> read_model_section(const TomlSection& section,
                                       const std::filesystem::path& folder) {
  return ConfigReader(section, folder).read();
}

Result<ModelConfig> read_model_file(const std::filesystem::path& path, Env& env) {
  HELVE_ASSIGN(const std::string text, read_text_file(path, kFileBytesMax, env));
  HELVE_ASSIGN(const TomlDocument document, parse_toml(text, path.string()));
  HELVE_ASSIGN(const TomlSection root, TomlSection::open(document, "", document.root));
  HELVE_TRY(root.check_keys({"model"}));
  const JsonValue* const model = root.find("model");
  if (model == nullptr) {
    return Error{ErrorCode::InvalidInput, path.string() + " has no section [model]",
                 "write [model] and below it provider = \"chat\", model = \"NAME\" and more"};
  }
  HELVE_ASSIGN(const TomlSection section, TomlSection::open(document, "/model", *model));
  return read_model_section(section, path.parent_path());
}

}  // namespace helve::llm
