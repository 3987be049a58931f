// Every limit of the product, in one struct that is passed, never global.
#pragma once

#include <cstddef>
#include <cstdint>

namespace helve {

inline constexpr std::size_t kKiB = std::size_t{1} << 10;
inline constexpr std::size_t kMiB = std::size_t{1} << 20;
inline constexpr std::size_t kGiB = std::size_t{1} << 30;

struct Limits {
  // Reading documents.
  std::size_t term_bytes_max = 16 * kMiB;                     // one IRI, literal or label
  std::size_t line_bytes_max = 64 * kMiB;                     // one line of N-Triples or N-Quads
  std::size_t window_bytes = kMiB;                            // read-ahead of a streamed document
  std::size_t nesting_max = 1'000;                            // brackets, collections, XML elements
  std::size_t prefixes_max = 100'000;                         // per document
  std::size_t problems_kept = 10;                             // errors shown by a lenient read
  std::uint64_t document_bytes_max = std::uint64_t{1} << 40;  // after decompression

  // XSD values.
  std::size_t number_digits_max = 10'000;  // of an integer or decimal that is computed with

  // JSON read from outside.
  std::size_t json_bytes_max = 64 * kMiB;
  std::size_t json_depth_max = 512;
  std::size_t json_values_max = 10'000'000;

  // Writing documents.
  std::size_t write_nesting_max =
      64;  // nested blank nodes in pretty Turtle; deeper ones get labels

  // Checking isomorphism.
  std::uint64_t isomorphism_steps_max = 10'000'000;

  // Queries, as written.
  std::size_t query_bytes_max = 4 * kMiB;
  std::size_t query_nesting_max = 100;     // groups, parentheses, paths, sub-queries
  std::size_t query_depth_max = 1'000;     // of the algebra: long chains of OPTIONAL, a + b + c ...
  std::size_t query_parts_max = 10'000;    // triples, expressions, patterns: everything but VALUES
  std::size_t query_branches_max = 1'000;  // of one UNION
  std::size_t query_values_max = 10'000;   // rows of one VALUES
  std::size_t query_prefixes_max = 1'000;

  // Queries, as evaluated.
  std::size_t literal_bytes_max = 16 * kMiB;  // one computed string
  std::size_t regex_program_max = 1 * kMiB;   // memory of one compiled regular expression
  std::size_t regex_cache_max = 64;           // compiled expressions kept by a query
  std::size_t query_joins_max = 2'000;        // triples and patterns of one group
  std::size_t query_columns_max = 2'000;      // variables and blank nodes of one row
  std::size_t query_notes_max = 20;
  std::uint64_t spill_bytes_max = 16 * std::uint64_t{kGiB};  // of temporary files, at one time

  // The store.
  std::uint64_t quads_max = 4'000'000'000;

  // Worker processes and HTTP.
  std::size_t pipe_bytes_max = 64 * kMiB;
  std::size_t http_body_bytes_max = 64 * kMiB;
  int http_redirects_max = 5;
};

}  // namespace helve
