// Tables as one piece of bytes: writing them, and reading them with everything checked.
#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <bit>
#include <cstddef>
#include <utility>

#include "base/utf8.h"
#include "toolkit/handles/row_table_layout.h"

namespace helve::toolkit {

static_assert(std::endian::native == std::endian::little);

namespace {

Error damaged_rows(std::string_view what) {
  return Error{ErrorCode::Unavailable, fmt::format("the stored rows are damaged: {}", what),
               "run the query again"};
}

std::uint64_t checksum_of(std::string_view behind_checksum) {
  return XXH3_64bits(behind_checksum.data(), behind_checksum.size());
}

template <typename T>
void append_value(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// A part ends neither inside a character nor beyond the whole, and ends never go back.
bool is_cut_at(std::string_view whole, std::uint64_t start, std::uint64_t end) {
  return start <= end && end <= whole.size() &&
         (end == whole.size() || (static_cast<unsigned char>(whole[end]) & 0xC0) != 0x80);
}

class TableReader {
 public:
  explicit TableReader(std::string_view bytes) : bytes_(bytes) {}

  Result<TableParts> read() {
    HELVE_TRY(read_header());
    lay_out();
    HELVE_TRY(read_labels());
    HELVE_TRY(check_terms());
    HELVE_TRY(check_cells());
    return std::move(parts_);
  }

 private:
  Result<void> read_header() {
    if (bytes_.size() < sizeof header_) return damaged_rows("they are too short");
    std::memcpy(&header_, bytes_.data(), sizeof header_);
    if (header_.magic != kTableMagic) return damaged_rows("they are of another kind or version");
    if (header_.size != bytes_.size()) return damaged_rows("a part is missing");
    if (header_.checksum != checksum_of(bytes_.substr(kChecksumEnd))) {
      return damaged_rows("the checksum is wrong");
    }
    const bool is_within = header_.rows <= kTableRowsMax && header_.columns <= kTableColumnsMax &&
                           header_.terms <= kTableTermsMax &&
                           header_.qualifiers <= kQualifiersMax && header_.zero == 0 &&
                           header_.label_bytes <= bytes_.size() &&
                           header_.text_bytes <= bytes_.size();
    if (!is_within || table_size(header_) != bytes_.size()) return damaged_rows("sizes disagree");
    return {};
  }

  void lay_out() {
    const char* at = bytes_.data() + sizeof header_;
    const auto take = [&at](std::uint64_t size) { return std::exchange(at, at + size); };
    parts_.rows = header_.rows;
    parts_.terms = header_.terms;
    parts_.characters = header_.characters;
    parts_.text_ends = take(8 * std::uint64_t{header_.terms});
    for (std::uint32_t i = 0; i < header_.columns; ++i) {
      parts_.cells.push_back(take(4 * header_.rows));
    }
    parts_.notes = take(4 * std::uint64_t{header_.terms});
    label_ends_ = take(4 * (std::uint64_t{header_.columns} + header_.qualifiers));
    labels_ = {take(header_.label_bytes), header_.label_bytes};
    parts_.texts = {take(header_.text_bytes), header_.text_bytes};
  }

  Result<void> read_labels() {
    if (utf8_valid_prefix(labels_) != labels_.size()) return damaged_rows("a name is no text");
    std::uint64_t start = 0;
    for (std::uint64_t i = 0; i < std::uint64_t{header_.columns} + header_.qualifiers; ++i) {
      const auto end = load_at<std::uint32_t>(label_ends_, i);
      if (!is_cut_at(labels_, start, end)) return damaged_rows("names disagree");
      const std::string_view label = labels_.substr(start, end - start);
      if (i < header_.columns) {
        parts_.columns.emplace_back(label);
      } else if (label.size() < 2 || (label[0] != '@' && label[0] != '^')) {
        return damaged_rows("a datatype or language is none");
      } else {
        parts_.qualifiers.push_back(label);
      }
      start = end;
    }
    if (start != labels_.size()) return damaged_rows("names disagree");
    parts_.memory_bytes = sizeof(TableParts) + labels_.size() +
                          header_.columns * (sizeof(std::string) + sizeof(char*)) +
                          header_.qualifiers * sizeof(std::string_view);
    return {};
  }

  Result<void> check_terms() const {
    if (utf8_valid_prefix(parts_.texts) != parts_.texts.size())
      return damaged_rows("a term is no text");
    std::uint64_t start = 0;
    for (std::uint32_t i = 0; i < header_.terms; ++i) {
      const auto end = load_at<std::uint64_t>(parts_.text_ends, i);
      if (!is_cut_at(parts_.texts, start, end)) return damaged_rows("terms disagree");
      if (!is_sound(load_at<std::uint32_t>(parts_.notes, i))) return damaged_rows("a term is none");
      start = end;
    }
    if (start != parts_.texts.size()) return damaged_rows("terms disagree");
    return {};
  }

  bool is_sound(std::uint32_t note) const {
    const std::uint32_t kind = note & kKindMask;
    const std::uint32_t direction = (note >> kDirectionShift) & 3;
    const std::uint32_t qualifier = note >> kQualifierShift;
    if (kind > static_cast<std::uint32_t>(rdf::TermKind::Literal)) return false;
    if (direction > static_cast<std::uint32_t>(rdf::Direction::Rtl)) return false;
    if (qualifier > header_.qualifiers) return false;
    if (kind != static_cast<std::uint32_t>(rdf::TermKind::Literal)) {
      return direction == 0 && qualifier == 0;
    }
    return direction == 0 || (qualifier != 0 && parts_.qualifiers[qualifier - 1][0] == '@');
  }

  Result<void> check_cells() const {
    for (const char* column : parts_.cells) {
      std::uint32_t largest = 0;
      for (std::uint64_t row = 0; row < parts_.rows; ++row) {
        largest = std::max(largest, load_at<std::uint32_t>(column, row));
      }
      if (largest > parts_.terms) return damaged_rows("a cell has no term");
    }
    return {};
  }

  std::string_view bytes_;
  TableHeader header_;
  TableParts parts_;
  const char* label_ends_ = nullptr;
  std::string_view labels_;
};

}  // namespace

std::uint64_t table_size(const TableHeader& header) {
  return sizeof header + 12 * std::uint64_t{header.terms} + 4 * header.rows * header.columns +
         4 * (std::uint64_t{header.columns} + header.qualifiers) + header.label_bytes +
         header.text_bytes;
}

std::string table_bytes(const TableParts& parts) {
  TableHeader header;
  header.magic = kTableMagic;
  header.rows = parts.rows;
  header.characters = parts.characters;
  header.text_bytes = parts.texts.size();
  header.columns = static_cast<std::uint32_t>(parts.columns.size());
  header.terms = parts.terms;
  header.qualifiers = static_cast<std::uint32_t>(parts.qualifiers.size());
  std::string label_ends;
  std::string labels;
  const auto add_label = [&](std::string_view label) {
    labels += label;
    append_value(label_ends, static_cast<std::uint32_t>(labels.size()));
  };
  for (const std::string& column : parts.columns) add_label(column);
  for (const std::string_view qualifier : parts.qualifiers) add_label(qualifier);
  header.label_bytes = labels.size();
  header.size = table_size(header);

  std::string out;
  out.reserve(header.size);
  append_value(out, header);
  const auto append = [&out](const char* data, std::uint64_t size) {
    if (size > 0) out.append(data, size);
  };
  append(parts.text_ends, 8 * std::uint64_t{parts.terms});
  for (const char* column : parts.cells) append(column, 4 * parts.rows);
  append(parts.notes, 4 * std::uint64_t{parts.terms});
  out += label_ends;
  out += labels;
  out += parts.texts;
  seal_table(out);
  return out;
}

void seal_table(std::string& bytes) {
  const std::uint64_t checksum = checksum_of(std::string_view(bytes).substr(kChecksumEnd));
  std::memcpy(bytes.data() + offsetof(TableHeader, checksum), &checksum, sizeof checksum);
}

Result<RowTablePtr> table_from_bytes(std::string_view bytes, std::shared_ptr<const void> owner) {
  HELVE_ASSIGN(TableParts parts, TableReader(bytes).read());
  return make_table(std::move(parts), std::move(owner));
}

}  // namespace helve::toolkit
