#include "toolkit/memory/postgres/bank_sql.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/ascii.h"
#include "toolkit/memory/item_row.h"

namespace helve::memory {

namespace {

constexpr std::string_view kSchemaMark = "@";  // for the schema and its dot

// "@item" becomes "\"helve_memory\".item".
std::string placed(std::string_view text, const std::string& schema) {
  std::string out;
  for (const char c : text) {
    if (c == kSchemaMark.front()) {
      out += fmt::format("\"{}\".", schema);
    } else {
      out += c;
    }
  }
  return out;
}

constexpr std::string_view kCandidateColumns =
    "i.n, i.id, i.tags, i.retrieved, i.helped, i.hurt, i.created_at, i.last_used_at, i.length, "
    "i.bag";
// All but the tags, of rows p. $2 is the row that the last page ended with.
constexpr std::string_view kFilter =
    "JOIN @item i ON i.n = p.n WHERE ($3::int < 0 OR i.src = $3::int) "
    "AND ($4::text = '' OR i.domain = $4::text) AND ($5::boolean OR i.quarantined = 0) "
    "AND ($6::boolean OR i.superseded_by = '') AND ($7::boolean OR i.retracted_at IS NULL) "
    "ORDER BY p.n DESC LIMIT $8::bigint";

// A change that undid $1 or c.change, and is not undone in turn.
constexpr std::string_view kStands =
    "NOT EXISTS (SELECT 1 FROM @change r WHERE r.undoes = u.change)";

constexpr std::string_view kActive =
    "superseded_by = '' AND quarantined = 0 AND retracted_at IS NULL";

// What is looked at for every candidate stands before the texts. Numbers of rows and changes come
// from the row of bank, which whoever changes anything has locked: so they have no gaps, are in the
// order of the commits, and need no rights on sequences.
constexpr std::string_view kVersion1[] = {
    R"(CREATE TABLE @bank(one boolean PRIMARY KEY DEFAULT true CHECK (one), version integer NOT
       NULL, items bigint NOT NULL, length bigint NOT NULL, last_item bigint NOT NULL,
       last_change bigint NOT NULL))",
    R"(INSERT INTO @bank(version, items, length, last_item, last_change) VALUES (0, 0, 0, 0, 0))",
    R"(CREATE TABLE @item(n bigint PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE, src
       smallint NOT NULL, scope smallint NOT NULL, quarantined smallint NOT NULL, superseded_by
       text COLLATE "C" NOT NULL, retracted_at bigint, domain text COLLATE "C" NOT NULL, tags
       text COLLATE "C" NOT NULL, retrieved bigint NOT NULL, helped bigint NOT NULL, hurt bigint
       NOT NULL, created_at bigint NOT NULL, last_used_at bigint, verified_at bigint, length
       bigint NOT NULL, bag bytea NOT NULL, title text NOT NULL, "desc" text NOT NULL, content
       text NOT NULL, fingerprint text NOT NULL, provenance text NOT NULL))",
    R"(CREATE TABLE @term(term text COLLATE "C" PRIMARY KEY, items bigint NOT NULL))",
    R"(CREATE TABLE @posting(term text COLLATE "C" NOT NULL, n bigint NOT NULL, PRIMARY KEY
       (term, n)))",
    R"(CREATE TABLE @change(change bigint NOT NULL, place integer NOT NULL, at bigint NOT NULL,
       kind smallint NOT NULL, item text COLLATE "C" NOT NULL, undoes bigint, before text, after
       text, PRIMARY KEY (change, place)))",
    R"(CREATE INDEX change_item ON @change(item, change, place))",
    R"(CREATE INDEX change_undoes ON @change(undoes) WHERE undoes IS NOT NULL)",
};

constexpr std::string_view kVersion2[] = {
    R"(ALTER TABLE @bank ADD COLUMN vectors bigint NOT NULL DEFAULT 0)",
    R"(CREATE TABLE @vector(n bigint NOT NULL, model text COLLATE "C" NOT NULL, dims integer NOT
       NULL, bytes bytea NOT NULL, PRIMARY KEY (model, n)))",
    R"(CREATE INDEX vector_item ON @vector(n))",
};

}  // namespace

bool is_schema_name(std::string_view name) {
  constexpr std::size_t kNameMax = 63;
  const auto may_begin = [](char c) { return is_lower(c) || c == '_'; };
  return !name.empty() && name.size() <= kNameMax && may_begin(name.front()) &&
         !name.starts_with("pg_") &&
         std::all_of(name.begin(), name.end(), [&](char c) { return may_begin(c) || is_digit(c); });
}

BankSql::BankSql(const std::string& schema) {
  make_items(schema);
  make_search(schema);
  make_history(schema);
  make_rest(schema);
}

void BankSql::make_items(const std::string& schema) {
  const auto make = [&](std::string_view text) { return placed(text, schema); };
  read_bank = make("SELECT version, items, length, last_item, last_change FROM @bank");
  lock_bank = read_bank + " FOR UPDATE";
  update_bank = make(
      "UPDATE @bank SET items = items + $1::bigint, length = length + $2::bigint, "
      "last_item = $3::bigint, last_change = $4::bigint");

  find_items = make(fmt::format("SELECT {} FROM @item WHERE id = ANY($1::text[])", kItemColumns));
  next_items = make(fmt::format(
      "SELECT {} FROM @item WHERE n > $1::bigint ORDER BY n LIMIT $2::bigint", kItemColumns));
  insert_item = make(
      "INSERT INTO @item(n, id, src, scope, quarantined, superseded_by, retracted_at, domain, "
      "tags, retrieved, helped, hurt, created_at, last_used_at, verified_at, length, bag, "
      "title, \"desc\", content, fingerprint, provenance) VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,"
      "$10,$11,$12,$13,$14,$15,$16,$17,$18,$19,$20,$21,$22)");
  update_item = make(
      "UPDATE @item SET src = $2, scope = $3, quarantined = $4, superseded_by = $5, "
      "retracted_at = $6, domain = $7, tags = $8, verified_at = $9, length = $10, bag = $11, "
      "\"desc\" = $12, fingerprint = $13, provenance = $14 WHERE n = $1");
  delete_item = make("DELETE FROM @item WHERE n = $1");
  note_usage = make(
      "UPDATE @item SET retrieved = retrieved + $2, helped = helped + $3, hurt = hurt + $4, "
      "last_used_at = $5 WHERE id = $1");
}

void BankSql::make_search(const std::string& schema) {
  const auto make = [&](std::string_view text) { return placed(text, schema); };
  read_terms = make("SELECT term, items FROM @term WHERE term = ANY($1::text[])");
  add_postings = make("INSERT INTO @posting(term, n) SELECT unnest($1::text[]), $2::bigint");
  delete_postings = make("DELETE FROM @posting WHERE n = $2::bigint AND term = ANY($1::text[])");
  count_terms = make(
      "INSERT INTO @term AS t(term, items) SELECT * FROM unnest($1::text[], $2::bigint[]) "
      "ON CONFLICT (term) DO UPDATE SET items = t.items + excluded.items");
  delete_terms = make("DELETE FROM @term WHERE term = ANY($1::text[]) AND items <= 0");
  // Postings first, in order (OFFSET keeps the parts apart), and an item for each as it is wanted.
  // The server would at times rather read and sort all postings of a common term, or all items.
  plan_search =
      "SELECT set_config('enable_seqscan', 'off', true), "
      "set_config('enable_bitmapscan', 'off', true), set_config('enable_hashjoin', 'off', true), "
      "set_config('enable_mergejoin', 'off', true), set_config('enable_sort', 'off', true), "
      "set_config('jit', 'off', true), set_config('max_parallel_workers_per_gather', '0', true), "
      "set_config('plan_cache_mode', 'force_generic_plan', true)";
  look_any = make(fmt::format(
      "SELECT {} FROM (SELECT DISTINCT p.n FROM @posting p WHERE p.term = ANY($1::text[]) "
      "AND p.n < $2::bigint ORDER BY p.n DESC OFFSET 0) p {}",
      kCandidateColumns, kFilter));
  // From the newest item with the rarest term on, with a look for the others at each.
  look_all = make(fmt::format(
      "SELECT {} FROM (SELECT p.n FROM @posting p WHERE p.term = ($1::text[])[1] "
      "AND p.n < $2::bigint AND (SELECT count(*) FROM @posting q WHERE q.n = p.n AND q.term = "
      "ANY($1::text[])) = cardinality($1::text[]) ORDER BY p.n DESC OFFSET 0) p {}",
      kCandidateColumns, kFilter));
}

void BankSql::make_history(const std::string& schema) {
  const auto make = [&](std::string_view text) { return placed(text, schema); };
  insert_change = make(
      "INSERT INTO @change(change, place, at, kind, item, undoes, before, after) "
      "VALUES ($1,$2,$3,$4,$5,$6,$7,$8)");
  entries_of =
      make("SELECT item, before, after FROM @change WHERE change = $1::bigint ORDER BY place DESC");
  latest_change =
      make(fmt::format("SELECT max(change) FROM @change c WHERE undoes IS NULL AND NOT EXISTS "
                       "(SELECT 1 FROM @change u WHERE u.undoes = c.change AND {})",
                       kStands));
  undone_by = make(fmt::format(
      "SELECT max(u.change) FROM @change u WHERE u.undoes = $1::bigint AND {}", kStands));
  const std::string entries = fmt::format(
      "SELECT change, at, kind, item, undoes, before, (SELECT max(u.change) FROM @change u WHERE "
      "u.undoes = c.change AND {}) FROM @change c ",
      kStands);
  constexpr std::string_view kLatest = "ORDER BY change DESC, place DESC LIMIT $1::bigint";
  history = make(entries + std::string(kLatest));
  history_of_item = make(entries + "WHERE item = $2::text " + std::string(kLatest));
}

void BankSql::make_rest(const std::string& schema) {
  const auto make = [&](std::string_view text) { return placed(text, schema); };
  vector_dims = make("SELECT dims FROM @vector WHERE model = $1::text LIMIT 1");
  put_vector = make(
      "INSERT INTO @vector(n, model, dims, bytes) SELECT n, $2::text, $3::int, $4::bytea "
      "FROM @item WHERE id = $1::text ON CONFLICT (model, n) DO UPDATE SET "
      "dims = excluded.dims, bytes = excluded.bytes");
  drop_vectors = make(
      "WITH gone AS (DELETE FROM @vector WHERE n = $1::bigint RETURNING 1) "
      "UPDATE @bank SET vectors = vectors + 1 WHERE EXISTS (SELECT 1 FROM gone)");
  count_vectors = make("UPDATE @bank SET vectors = vectors + 1");
  vectors_stamp = make("SELECT vectors FROM @bank");
  vectors = make(
      "SELECT i.id, v.dims, v.bytes, v.n FROM @vector v JOIN @item i ON i.n = v.n "
      "WHERE v.model = $1::text AND v.n > $2::bigint ORDER BY v.n LIMIT $3::bigint");
  without_vectors = make(fmt::format(
      "SELECT {} FROM @item WHERE superseded_by = '' AND retracted_at IS NULL AND NOT EXISTS "
      "(SELECT 1 FROM @vector v WHERE v.n = item.n AND v.model = $1::text) ORDER BY n "
      "LIMIT $2::bigint",
      kItemColumns));

  stats = make(fmt::format(
      "SELECT count(*), count(*) FILTER (WHERE {}), count(*) FILTER (WHERE quarantined <> 0), "
      "count(*) FILTER (WHERE superseded_by <> ''), count(*) FILTER (WHERE retracted_at IS NOT "
      "NULL), (SELECT count(DISTINCT change) FROM @change), "
      "pg_total_relation_size('@item'::regclass) + pg_total_relation_size('@posting'::regclass) + "
      "pg_total_relation_size('@term'::regclass) + pg_total_relation_size('@change'::regclass) "
      "FROM @item",
      kActive));
  stats_sources = make(
      fmt::format("SELECT src, count(*) FROM @item WHERE {} GROUP BY src ORDER BY src", kActive));
  stats_domains = make(fmt::format(
      "SELECT domain, count(*) AS c FROM @item WHERE {} AND domain <> '' GROUP BY domain "
      "ORDER BY c DESC, domain LIMIT 20",
      kActive));

  examine =
      "SELECT (SELECT count(*) FROM pg_catalog.pg_namespace WHERE nspname = $1), "
      "count(*) FILTER (WHERE c.relname = 'bank' AND c.relkind = 'r'), count(*), "
      "current_setting('server_encoding'), current_setting('fsync') "
      "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace "
      "WHERE s.nspname = $1";
  // "Helv", and the schema.
  lock_schema = "SELECT pg_advisory_xact_lock(1214606454, hashtext($1))";
}

std::vector<std::string> schema_step(int version, const std::string& schema) {
  std::vector<std::string> statements;
  const auto add = [&](std::span<const std::string_view> texts) {
    for (const std::string_view text : texts) statements.push_back(placed(text, schema));
  };
  if (version == 0) add(kVersion1);
  if (version == 1) add(kVersion2);
  return statements;
}

}  // namespace helve::memory
