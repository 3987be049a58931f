// Vectors of items: their bytes in a bank, the ranking by them, and its fusion with that by words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "toolkit/memory/rank.h"
#include "toolkit/memory/repository.h"

namespace helve::memory {

// Little-endian.
std::string vector_bytes(const std::vector<float>& values);
// Appends to `values`; false where it has not `dims` of them.
bool append_vector(std::string_view bytes, std::size_t dims, std::vector<float>& values);

// InvalidInput unless all have `dims` values; 0: as many as the first.
Result<void> check_dims(const std::string& model, std::size_t dims,
                        const std::vector<ItemVector>& vectors);
// A row of a bank. LimitExceeded where the table has too much then; what is damaged is left out.
Result<void> add_vector(std::string_view id, std::size_t dims, std::string_view bytes,
                        const VectorRequest& request, VectorTable& table);

// The nearest first, by the cosine; those that are equally near by id. REQUIRES: vectors of
// length 1.
std::vector<Ranked> rank_by_vector(const VectorTable& table, const std::vector<float>& wanted,
                                   std::size_t count);

// Reciprocal rank fusion: each list gives 1 / (60 + place). Ties by id.
std::vector<Ranked> fuse(const std::vector<std::vector<Ranked>>& lists, std::size_t count);

}  // namespace helve::memory
