// The vectors of items in a bank's file: the part of SqliteRows that has them.
#include <fmt/format.h>

#include "toolkit/memory/item_row.h"
#include "toolkit/memory/sqlite_rows.h"
#include "toolkit/memory/vectors.h"

namespace helve::memory {

using sqlite::StoreStatement;

Result<void> SqliteRows::drop_vectors(std::int64_t row) {
  HELVE_TRY(
      store_.run("UPDATE total SET vectors = vectors + 1 WHERE EXISTS "
                 "(SELECT 1 FROM vector WHERE n = ?)",
                 {row}));
  return store_.run("DELETE FROM vector WHERE n = ?", {row});
}

Result<void> SqliteRows::put_vectors(const std::string& model,
                                     const std::vector<ItemVector>& vectors) {
  if (vectors.empty()) return {};
  std::int64_t dims = 0;
  {
    HELVE_ASSIGN(StoreStatement row,
                 store_.prepare("SELECT dims FROM vector WHERE model = ? LIMIT 1"));
    HELVE_TRY(row.bind({model}));
    HELVE_ASSIGN(const bool has_row, row.step());
    if (has_row) dims = row.integer(0);
  }
  HELVE_TRY(check_dims(model, static_cast<std::size_t>(dims), vectors));
  for (const ItemVector& one : vectors) {
    const std::string bytes = vector_bytes(one.values);
    HELVE_TRY(store_.run(
        "INSERT OR REPLACE INTO vector(n, model, dims, bytes) "
        "SELECT n, ?2, ?3, ?4 FROM item WHERE id = ?1",
        {one.id, model, static_cast<std::int64_t>(one.values.size()), sqlite::Blob{bytes}}));
  }
  return store_.run("UPDATE total SET vectors = vectors + 1", {});
}

Result<std::optional<VectorTable>> SqliteRows::vectors(const VectorRequest& request) {
  VectorTable table;
  HELVE_ASSIGN(const std::int64_t stamp, store_.number("SELECT vectors FROM total"));
  table.stamp = static_cast<std::uint64_t>(stamp);
  if (request.known_stamp == table.stamp) return std::optional<VectorTable>();
  HELVE_ASSIGN(StoreStatement rows,
               store_.prepare("SELECT item.id, dims, bytes FROM vector JOIN item ON item.n = "
                              "vector.n WHERE model = ? ORDER BY vector.n"));
  HELVE_TRY(rows.bind({request.model}));
  while (true) {
    HELVE_ASSIGN(const bool has_row, rows.step());
    if (!has_row) return std::optional(std::move(table));
    HELVE_TRY(add_vector(rows.text(0), count_at(rows, 1), rows.text(2), request, table));
  }
}

Result<std::vector<Item>> SqliteRows::without_vectors(const std::string& model, std::size_t most) {
  static const std::string sql = fmt::format(
      "SELECT {} FROM item WHERE superseded_by = '' AND retracted_at IS NULL AND NOT EXISTS "
      "(SELECT 1 FROM vector v WHERE v.n = item.n AND v.model = ?) ORDER BY n LIMIT ?",
      kItemColumns);
  HELVE_ASSIGN(StoreStatement rows, store_.prepare(sql));
  HELVE_TRY(rows.bind({model, static_cast<std::int64_t>(most)}));
  std::vector<Item> items;
  while (true) {
    HELVE_ASSIGN(const bool has_row, rows.step());
    if (!has_row) return items;
    HELVE_ASSIGN(StoredItem stored, read_row(rows));
    items.push_back(std::move(stored.item));
  }
}

}  // namespace helve::memory
