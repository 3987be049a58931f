// Items as rows of the table item.
#pragma once

#include <optional>
#include <string>

#include "base/sqlite_store.h"
#include "toolkit/memory/bank_rows.h"

namespace helve::memory {

// The columns that read_row() wants, in its order, from 0 on.
inline constexpr std::string_view kItemColumns =
    "n, id, src, scope, quarantined, superseded_by, retracted_at, domain, tags, retrieved, helped, "
    "hurt, created_at, last_used_at, verified_at, title, desc, content, fingerprint, provenance";
Result<StoredItem> read_row(const sqlite::StoreStatement& row);

std::string tags_text(const Item& item);        // ",a,b," or ""
std::string provenance_text(const Item& item);  // JSON

std::int64_t seconds_of(WallTime time);
sqlite::Value seconds_of(const std::optional<WallTime>& time);
WallTime time_of(std::int64_t seconds);

}  // namespace helve::memory
