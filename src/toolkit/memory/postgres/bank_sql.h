// The statements of a bank in PostgreSQL, for one schema. Values are parameters always; the name of
// the schema is checked by is_schema_name() and quoted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace helve::memory {

inline constexpr std::string_view kDefaultSchema = "helve_memory";
inline constexpr int kPostgresSchemaVersion = 2;

// Lower-case letters, digits and _, not beginning with a digit or "pg_"; 63 at most.
bool is_schema_name(std::string_view name);

struct BankSql {
  explicit BankSql(const std::string& schema);

  std::string read_bank;  // version, items, length, last_item, last_change
  std::string lock_bank;  // the same, and nobody else changes anything until the end
  std::string update_bank;

  std::string find_items;  // by a list of ids
  std::string next_items;  // behind a row
  std::string insert_item;
  std::string update_item;
  std::string delete_item;
  std::string note_usage;

  std::string read_terms;
  std::string add_postings;
  std::string delete_postings;
  std::string count_terms;
  std::string delete_terms;  // that no item has any more
  std::string plan_search;   // says how the looks are to be planned, within the transaction
  std::string look_any;
  std::string look_all;

  std::string insert_change;
  std::string entries_of;
  std::string latest_change;
  std::string undone_by;
  std::string history;
  std::string history_of_item;

  std::string vector_dims;
  std::string put_vector;
  std::string drop_vectors;  // of an item
  std::string count_vectors;
  std::string vectors_stamp;
  std::string vectors;
  std::string without_vectors;

  std::string stats;
  std::string stats_sources;
  std::string stats_domains;

  std::string examine;  // what there is under the name of the schema
  std::string lock_schema;

 private:
  void make_items(const std::string& schema);
  void make_search(const std::string& schema);
  void make_history(const std::string& schema);
  void make_rest(const std::string& schema);
};

// What brings a bank of the version to the next; 0: there is none yet.
std::vector<std::string> schema_step(int version, const std::string& schema);

}  // namespace helve::memory
