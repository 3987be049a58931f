#include "toolkit/memory/bank_schema.h"

#include <fmt/format.h>

#include <array>

#include "toolkit/memory/bank_file.h"
#include "toolkit/memory/terms.h"

namespace helve::memory {

namespace {

// What is looked at for every candidate stands before the texts, which may lie on other pages.
constexpr const char* kVersion1 = R"(
CREATE TABLE total(
  items INTEGER NOT NULL,
  length INTEGER NOT NULL,
  next_slot INTEGER NOT NULL,
  settled INTEGER NOT NULL,
  terms_version INTEGER NOT NULL
);
INSERT INTO total(items, length, next_slot, settled, terms_version) VALUES (0, 0, 0, 0, 0);
CREATE TABLE item(
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  slot INTEGER NOT NULL UNIQUE,
  src INTEGER NOT NULL,
  scope INTEGER NOT NULL,
  quarantined INTEGER NOT NULL,
  superseded_by TEXT NOT NULL,
  retracted_at INTEGER,
  domain TEXT NOT NULL,
  tags TEXT NOT NULL,
  retrieved INTEGER NOT NULL,
  helped INTEGER NOT NULL,
  hurt INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  verified_at INTEGER,
  length INTEGER NOT NULL,
  bag BLOB NOT NULL,
  title TEXT NOT NULL,
  desc TEXT NOT NULL,
  content TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  provenance TEXT NOT NULL
);
CREATE TABLE long_list(
  term INTEGER NOT NULL,
  first INTEGER NOT NULL,
  items INTEGER NOT NULL,
  entries BLOB NOT NULL,
  PRIMARY KEY(term, first)
) WITHOUT ROWID;
CREATE TABLE short_list(
  term INTEGER NOT NULL,
  first INTEGER NOT NULL,
  items INTEGER NOT NULL,
  entries BLOB NOT NULL,
  PRIMARY KEY(term, first)
) WITHOUT ROWID;
CREATE TABLE span(
  first INTEGER PRIMARY KEY,
  slots INTEGER NOT NULL,
  is_short INTEGER NOT NULL,
  lengths BLOB NOT NULL
);
CREATE TABLE gone(term INTEGER PRIMARY KEY, items INTEGER NOT NULL);
CREATE TABLE change(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  change INTEGER NOT NULL,
  at INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  item TEXT NOT NULL,
  undoes INTEGER,
  before TEXT,
  after TEXT
);
CREATE INDEX change_number ON change(change);
CREATE INDEX change_item ON change(item);
CREATE INDEX change_undoes ON change(undoes) WHERE undoes IS NOT NULL;
)";

constexpr const char* kVersion2 = R"(
ALTER TABLE total ADD COLUMN vectors INTEGER NOT NULL DEFAULT 0;
CREATE TABLE vector(
  n INTEGER NOT NULL,
  model TEXT NOT NULL,
  dims INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (model, n)
);
CREATE INDEX vector_item ON vector(n);
)";

// From each version to the next.
constexpr std::array<const char*, kSchemaVersion> kSteps = {kVersion1, kVersion2};

}  // namespace

Result<int> schema_version(sqlite::Store& store) {
  HELVE_ASSIGN(const std::int64_t application, store.number("PRAGMA application_id"));
  HELVE_ASSIGN(const std::int64_t version, store.number("PRAGMA user_version"));
  HELVE_ASSIGN(const std::int64_t tables, store.number("SELECT count(*) FROM sqlite_master"));
  if (application == 0 && version == 0 && tables == 0) return 0;
  if (application != kApplicationId) {
    return Error{ErrorCode::InvalidInput, "the file is a database, but no memory bank",
                 "name another file; one that does not exist is made"};
  }
  if (version < 1) {
    return Error(ErrorCode::Unavailable,
                 fmt::format("the file is damaged: its version is {}", version),
                 "restore it from a backup")
        .because(ErrorReason::Corrupt);
  }
  if (version > kSchemaVersion) {
    return Error{ErrorCode::Unavailable,
                 fmt::format("the bank has version {}, and this program knows {} at most", version,
                             kSchemaVersion),
                 "use the newer Helve that made it"};
  }
  return static_cast<int>(version);
}

Result<bool> has_todays_words(sqlite::Store& store) {
  HELVE_ASSIGN(const std::int64_t version, store.number("SELECT terms_version FROM total"));
  return version == kTermsVersion;
}

Result<void> migrate(sqlite::Store& store, int from) {
  for (int version = from; version < kSchemaVersion; ++version) {
    HELVE_TRY(store.execute(kSteps[static_cast<std::size_t>(version)]));
  }
  HELVE_TRY(store.execute(fmt::format("PRAGMA application_id = {}", kApplicationId)));
  return store.execute(fmt::format("PRAGMA user_version = {}", kSchemaVersion));
}

}  // namespace helve::memory
