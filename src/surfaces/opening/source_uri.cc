#include "surfaces/opening/source_uri.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>

#include "base/ascii.h"
#include "base/file_uri.h"
#include "base/iri.h"
#include "base/near_names.h"
#include "base/text.h"
#include "sources/sql/database_uri.h"

namespace helve::opening {

namespace {

constexpr std::size_t kSourceNameMax = 64;

enum class Scheme : std::uint8_t { Path, File, Sample, SampleTables, Http, Database, Unknown };

// The kind of source that was probably meant by a word before a colon; empty: none.
std::string_view near_scheme(std::string_view word) {
  const std::string name = ascii_lower(word);
  const auto near = near_names(name,
                               {"sqlite", "sqlite3", "postgresql", "postgres", "mysql", "mariadb",
                                "sample", "sample-tables"},
                               1);
  return name.size() < 4 || near.empty() ? std::string_view() : near.front();
}

Scheme scheme_of(std::string_view uri) {
  const auto scheme = split_iri(uri).scheme;
  if (!scheme) return Scheme::Path;
  const std::string name = ascii_lower(*scheme);
  if (name == "file") return Scheme::File;
  if (name == "sample") return Scheme::Sample;
  if (name == "sample-tables") return Scheme::SampleTables;
  if (name == "http" || name == "https") return Scheme::Http;
  if (sql::is_database_uri(uri)) return Scheme::Database;
  // A colon is a good character of a file name.
  const bool is_unknown =
      uri.substr(scheme->size()).starts_with("://") || !near_scheme(name).empty();
  return is_unknown ? Scheme::Unknown : Scheme::Path;
}

std::string name_of_file(std::string_view path) {
  std::string name;
  for (const char c : std::filesystem::path(path).filename().string()) {
    const bool is_plain = is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
    name += is_plain ? c : '_';
  }
  return name.empty() ? "source" : name.substr(0, kSourceNameMax);
}

// "shop" of sqlite:data/shop.db and of postgresql://reader@db.example/shop.
std::string name_of_database(std::string_view uri) {
  const auto address = sql::read_database_uri(uri);
  if (!address) return "database";  // opening it says what is wrong
  if (address->path.empty()) return name_of_file(address->database);
  return name_of_file(std::filesystem::path(address->path).stem().string());
}

// "sparql.uniprot.org" of https://sparql.uniprot.org/sparql.
std::string name_of_host(std::string_view uri) {
  std::string_view host = split_iri(uri).authority.value_or("");
  host.remove_prefix(std::min(host.rfind('@') + 1, host.size()));
  return name_of_file(host.substr(0, host.find(':')));
}

}  // namespace

bool is_sample(std::string_view uri) { return scheme_of(uri) == Scheme::Sample; }
bool is_sample_tables(std::string_view uri) { return scheme_of(uri) == Scheme::SampleTables; }

bool is_tables_uri(std::string_view uri) {
  return sql::is_database_uri(uri) || is_sample_tables(uri);
}

Result<std::string> place_of(std::string_view uri) {
  switch (scheme_of(uri)) {
    case Scheme::Path:
      break;
    case Scheme::File:
      return path_of_file_uri(uri);
    case Scheme::Sample:
      return std::string(kSample);
    case Scheme::Http:
      return Error{
          ErrorCode::InvalidInput, "a SPARQL endpoint cannot be read as a file",
          "ask it with tools: helve call --source NAME=URL sparql_query query='SELECT ...'"};
    // Neither repeats the address, which may have a password in it.
    case Scheme::Database:
    case Scheme::SampleTables:
      return Error{
          ErrorCode::InvalidInput, "a SQL database is no graph",
          "ask it with tools: helve call --source NAME=URI query_execute sql='SELECT ...'"};
    case Scheme::Unknown: {
      const std::string_view scheme = *split_iri(uri).scheme;
      const std::string_view near = near_scheme(scheme);
      const bool has_slashes = uri.substr(scheme.size()).starts_with("://");
      return Error{
          ErrorCode::InvalidInput,
          fmt::format("no such kind of source: {}:{}", scheme, has_slashes ? "//" : ""),
          (near.empty() ? "" : fmt::format("did you mean {}:? ", near)) +
              "use a path, file:///..., sample: for the bundled sample, sample-tables: for its "
              "tables, sqlite:PATH, postgresql://..., mysql://..., or http(s)://... for a "
              "SPARQL endpoint"};
    }
  }
  if (uri.empty() || uri == "-" || uri.find('\0') != std::string_view::npos) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("\"{}\" names no file", escape_for_terminal(uri)),
                 "give the path of an RDF document or of an index folder"};
  }
  return std::string(uri);
}

NamedSource read_source(std::string_view text, Files& files) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, std::min(equals, text.size()));
  if (equals != std::string_view::npos && !name.empty() &&
      name.find('/') == std::string_view::npos && !files.status(text)) {
    return {std::string(name), std::string(text.substr(equals + 1))};
  }
  if (is_sample(text)) return {"sample", std::string(text)};
  if (is_sample_tables(text)) return {"sample-tables", std::string(text)};
  if (text.starts_with("endpoint:")) {
    return {std::string(text.substr(text.find(':') + 1)), std::string(text)};
  }
  if (sql::is_database_uri(text)) return {name_of_database(text), std::string(text)};
  if (scheme_of(text) == Scheme::Http) return {name_of_host(text), std::string(text)};
  return {name_of_file(text), std::string(text)};
}

}  // namespace helve::opening
