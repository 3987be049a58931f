#include "sources/sql/database_uri.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <span>

#include "base/ascii.h"
#include "base/near_names.h"
#include "base/percent.h"
#include "base/redaction.h"

namespace helve::sql {

namespace {

constexpr std::size_t kConnectionsMax = 100;
constexpr std::size_t kPasswordBytesMax = 4'096;

constexpr std::array<std::string_view, 10> kPostgresOptions = {
    "password", "connections", "sslmode", "sslrootcert",      "sslcert",
    "sslkey",   "search_path", "options", "application_name", "passfile"};
constexpr std::array<std::string_view, 9> kMysqlOptions = {"password", "connections", "databases",
                                                           "socket",   "ssl-mode",    "ssl-ca",
                                                           "ssl-cert", "ssl-key",     "charset"};

std::string_view scheme_of(std::string_view uri) {
  const std::size_t colon = uri.find(':');
  return colon == std::string_view::npos ? std::string_view() : uri.substr(0, colon);
}

std::optional<SqlDialect> dialect_of(std::string_view uri) {
  const std::string scheme = ascii_lower(scheme_of(uri));
  if (scheme == "sqlite" || scheme == "sqlite3") return SqlDialect::Sqlite;
  if (scheme == "postgresql" || scheme == "postgres") return SqlDialect::PostgreSql;
  if (scheme == "mysql" || scheme == "mariadb") return SqlDialect::MySql;
  return std::nullopt;
}

Error no_address(std::string_view what, SqlDialect dialect) {
  constexpr std::string_view kForms[] = {"sqlite:PATH",
                                         "postgresql://USER@HOST:5432/DATABASE?password=env:NAME",
                                         "mysql://USER@HOST:3306/DATABASE?password=env:NAME"};
  return {ErrorCode::InvalidInput, fmt::format("the address of the database {}", what),
          fmt::format("write {}", kForms[static_cast<std::size_t>(dialect)])};
}

Error written_password() {
  return {ErrorCode::InvalidInput, "the address of the database has a password written out",
          "put it into an environment variable and write ?password=env:NAME, or into a file and "
          "write ?password=file:PATH; for PostgreSQL ~/.pgpass serves too"};
}

Result<std::string> decoded(std::string_view text, SqlDialect dialect) {
  auto plain = percent_decoded(text);
  if (!plain || plain->find('\0') != std::string::npos) {
    return no_address("has a broken %-escape", dialect);
  }
  return *std::move(plain);
}

class AddressReader {
 public:
  explicit AddressReader(DatabaseAddress& address) : address_(address) {}

  Result<void> read(std::string_view rest) {
    if (!rest.starts_with("//")) return no_address("has no //", address_.dialect);
    rest.remove_prefix(2);
    if (rest.find('#') != std::string_view::npos) {
      return no_address("has a #", address_.dialect);
    }
    const std::size_t question = rest.find('?');
    if (question != std::string_view::npos) {
      HELVE_TRY(read_options(rest.substr(question + 1)));
      rest = rest.substr(0, question);
    }
    const std::size_t slash = rest.find('/');
    if (slash != std::string_view::npos) {
      HELVE_ASSIGN(address_.database, decoded(rest.substr(slash + 1), address_.dialect));
      rest = rest.substr(0, slash);
    }
    const std::size_t at = rest.rfind('@');
    if (at != std::string_view::npos) {
      const std::string_view user = rest.substr(0, at);
      if (user.find(':') != std::string_view::npos) return written_password();
      HELVE_ASSIGN(address_.user, decoded(user, address_.dialect));
      rest.remove_prefix(at + 1);
    }
    HELVE_TRY(read_host(rest));
    if (address_.database.empty()) return no_address("names no database", address_.dialect);
    return {};
  }

 private:
  Result<void> read_host(std::string_view text) {
    std::size_t colon = text.rfind(':');
    if (text.starts_with('[')) {  // IPv6
      const std::size_t close = text.find(']');
      if (close == std::string_view::npos) return no_address("has no ]", address_.dialect);
      colon = close + 1 < text.size() ? close + 1 : std::string_view::npos;
      address_.host = text.substr(1, close - 1);
    } else {
      HELVE_ASSIGN(address_.host, decoded(text.substr(0, colon), address_.dialect));
    }
    if (colon == std::string_view::npos) return {};
    const std::string_view digits = text.substr(colon + 1);
    std::uint16_t port = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (text[colon] != ':' || read.ec != std::errc() || read.ptr != digits.data() + digits.size() ||
        port == 0) {
      return no_address("has no port that is a number from 1 to 65535", address_.dialect);
    }
    address_.port = port;
    return {};
  }

  Result<void> read_options(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('&'), text.size());
      const std::string_view one = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (one.empty()) continue;
      const std::size_t equal = std::min(one.find('='), one.size());
      HELVE_ASSIGN(std::string key, decoded(one.substr(0, equal), address_.dialect));
      HELVE_ASSIGN(std::string value,
                   decoded(one.substr(std::min(equal + 1, one.size())), address_.dialect));
      HELVE_TRY(add_option(std::move(key), std::move(value)));
    }
    return {};
  }

  Result<void> add_option(std::string key, std::string value) {
    const std::span<const std::string_view> known =
        address_.dialect == SqlDialect::MySql ? std::span<const std::string_view>(kMysqlOptions)
                                              : std::span<const std::string_view>(kPostgresOptions);
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      const std::vector<std::string_view> names(known.begin(), known.end());
      const auto near = near_names(key, names);
      return Error{ErrorCode::InvalidInput,
                   fmt::format("the address of the database has an unknown option {}", key),
                   near.empty() ? fmt::format("there are: {}", fmt::join(names, ", "))
                                : fmt::format("did you mean {}?", near.front())};
    }
    if (key == "password") {
      const bool is_named = (value.starts_with("env:") && value.size() > 4) ||
                            (value.starts_with("file:") && value.size() > 5);
      if (!is_named) return written_password();
      address_.password_reference = std::move(value);
      return {};
    }
    if (key == "connections") return read_connections(value);
    address_.options.emplace_back(std::move(key), std::move(value));
    return {};
  }

  Result<void> read_connections(std::string_view value) {
    std::size_t count = 0;
    const char* const end = value.data() + value.size();
    const auto read = std::from_chars(value.data(), end, count);
    if (read.ec != std::errc() || read.ptr != end || count == 0 || count > kConnectionsMax) {
      return no_address(
          fmt::format("has connections that are not a number from 1 to {}", kConnectionsMax),
          address_.dialect);
    }
    address_.connections = count;
    return {};
  }

  DatabaseAddress& address_;
};

Result<std::string> read_secret_file(const std::string& path, Env& env) {
  HELVE_ASSIGN(const auto file, env.files().open_read(path));
  std::string text(kPasswordBytesMax + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    HELVE_ASSIGN(const std::size_t count, file->read(std::span(text).subspan(size)));
    if (count == 0) break;
    size += count;
  }
  text.resize(size);
  return text;
}

}  // namespace

std::string DatabaseAddress::shown() const {
  if (dialect == SqlDialect::Sqlite) return "sqlite:" + path;
  std::string text = fmt::format("{}://", name_of(dialect));
  if (!user.empty()) text += user + "@";
  text += host.find(':') == std::string::npos ? host : fmt::format("[{}]", host);
  if (port) text += fmt::format(":{}", *port);
  return text + "/" + database;
}

bool is_database_uri(std::string_view uri) { return dialect_of(uri).has_value(); }

Result<DatabaseAddress> read_database_uri(std::string_view uri) {
  DatabaseAddress address;
  const auto dialect = dialect_of(uri);
  if (!dialect) return no_address("has no known beginning", SqlDialect::PostgreSql);
  address.dialect = *dialect;
  std::string_view rest = uri.substr(scheme_of(uri).size() + 1);
  if (address.dialect == SqlDialect::Sqlite) {
    // As URIs have it, three slashes and four begin a path from the root: there is no host.
    const std::size_t named = rest.find_first_not_of('/');
    if (named == std::string_view::npos) return no_address("names no file", address.dialect);
    if (named > 2) rest.remove_prefix(named - 1);
    if (rest.starts_with("//")) {
      // What looks like a login is not repeated.
      const bool is_login = rest.find('@') != std::string_view::npos;
      const std::string_view path = is_login ? "PATH" : rest.substr(2);
      return Error{
          ErrorCode::InvalidInput, "the address of the database has a host behind sqlite://",
          fmt::format("write sqlite:{0} for a file from here, sqlite:/{0} for one from the "
                      "root",
                      path)};
    }
    address.path = rest;
    return address;
  }
  HELVE_TRY(AddressReader(address).read(rest));
  return address;
}

Result<std::string> read_password(const DatabaseAddress& address, Env& env,
                                  const ReadVariable& read_variable) {
  const std::string_view reference = address.password_reference;
  if (reference.empty()) return std::string();
  std::string password;
  if (reference.starts_with("env:")) {
    const std::string name(reference.substr(4));
    const char* const value = read_variable ? read_variable(name.c_str()) : nullptr;
    if (value == nullptr) {
      return Error{ErrorCode::Unavailable,
                   fmt::format("the environment variable {} is not set", name),
                   "it has the password of the database: set it before the program starts"};
    }
    password = value;
  } else {
    auto read = read_secret_file(std::string(reference.substr(5)), env);
    if (!read) {
      return Error{ErrorCode::Unavailable, read.error().message,
                   "it has the password of the database: see whether it is there and can be read"};
    }
    password = *std::move(read);
    while (!password.empty() && (password.back() == '\n' || password.back() == '\r')) {
      password.pop_back();
    }
  }
  if (password.size() > kPasswordBytesMax || password.find('\0') != std::string::npos) {
    return Error{ErrorCode::InvalidInput, fmt::format("what {} gives is no password", reference),
                 fmt::format("{} bytes at most, on one line", kPasswordBytesMax)};
  }
  register_secret(password);
  return password;
}

}  // namespace helve::sql
