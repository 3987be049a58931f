#include "toolkit/tools/reply_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/utf8.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kKeyChars = 60;       // of the key in a note
constexpr std::size_t kNameShare = 40;      // of a name of a column
constexpr std::size_t kColumnsMax = 12;     // of a table made of objects
constexpr std::size_t kItemsLookedAt = 50;  // for its columns
constexpr std::array<Nesting, 5> kItemNestings = {{{12, 4}, {4, 3}, {2, 2}, {1, 1}, {0, 0}}};

const ReplyValue* find_member(const ReplyValue::Members& members, std::string_view key) {
  for (const auto& [name, value] : members) {
    if (name == key) return &value;
  }
  return nullptr;
}

void append_note(std::string& out, std::string_view unit, std::uint64_t shown, std::uint64_t of,
                 bool by_characters) {
  out += fmt::format(R"({{"{}":{},"of":{},"ended_by":"{}"}})", unit, shown, of,
                     by_characters ? "characters" : "rows");
}

// "shown":{"key":{...}}, with numbers of that many digits.
std::size_t json_note_chars(std::string_view key, std::uint64_t of) {
  std::string note;
  append_note(note, "items", of, of, true);
  return note.size() + shown_chars(key, Spelling::Plain, ReplyForm::Json, kKeyChars) + 16;
}

}  // namespace

ListBlock::ListBlock(ReplySheet& sheet, const ReplyList& list, bool has_columns,
                     std::uint64_t page_items_max)
    : sheet_(&sheet),
      list_(&list),
      left_out_(list.left_out),
      items_max_(list.items.size()),
      has_address_(is_plain_word(list.handle)) {
  if (list.is_page) {
    const std::uint64_t end = list.first_row + list.items.size();
    left_out_ = list.total > end ? list.total - end : 0;
    items_max_ = std::min<std::uint64_t>(items_max_, page_items_max);
  }
  sheet.begin();
  if (is_json()) {
    open_json(has_columns);
  } else {
    find_columns();
    find_lines();
    open_text();
  }
  open_ = sheet.end();
  open_chars_ = sheet.chars(open_, kNameShare) + 3;
  sheet.set_columns(columns_.size() > 1);
  std::size_t least = 0;  // more items are chosen with no smaller share
  for (std::size_t i = 0; i < items_max_ && least <= sheet.budget(); ++i) {
    ReplyLine line;
    for (const Nesting& nesting : kItemNestings) {
      sheet.begin();
      item(list.items[i], i, nesting);
      line = sheet.end();
      if (sheet.chars(line, kLeastShare) <= sheet.budget() / 3) break;
      if (nesting.items_max > 0) sheet.drop();
    }
    least += sheet.chars(line, kFairShare) + separator();
    lines_.push_back(line);
  }
  sheet.set_columns(false);
  const std::uint64_t all = list.items.size() + left_out_;
  note_chars_ = json_note_chars(list.key, all);
  if (!is_json()) {
    is_note_short_ = sheet.budget() < 500;
    note_chars_ = text_note({all, all + all, true}).size() + 2;
  }
}

void ListBlock::open_json(bool has_columns) {
  if (!list_->columns.empty() && !has_columns) {
    sheet_->fixed(R"("columns":[)");
    for (std::size_t i = 0; i < list_->columns.size(); ++i) {
      if (i > 0) sheet_->fixed(",");
      sheet_->cell(list_->columns[i]);
    }
    sheet_->fixed("],");
  }
  sheet_->name(list_->key);
  sheet_->fixed("[");
}

// Items of a table stand on lines of their own, and so do objects, and texts that are no words.
void ListBlock::find_lines() {
  constexpr std::size_t kWordBytes = 40;
  const std::size_t count = std::min(list_->items.size(), kItemsLookedAt);
  has_lines_ =
      is_table() ||
      std::any_of(list_->items.begin(), list_->items.begin() + static_cast<std::ptrdiff_t>(count),
                  [](const ReplyValue& item) {
                    const auto* text = item.if_is<std::string>();
                    return item.if_is<ReplyValue::Members>() || (text && text->size() > kWordBytes);
                  });
}

// Objects with the same few keys are rows of a table.
void ListBlock::find_columns() {
  columns_.assign(list_->columns.begin(), list_->columns.end());
  if (is_table()) return;
  const std::size_t count = std::min(list_->items.size(), kItemsLookedAt);
  for (std::size_t i = 0; i < count; ++i) {
    const auto* members = list_->items[i].if_is<ReplyValue::Members>();
    if (members == nullptr || members->size() > kColumnsMax) return columns_.clear();
    for (const auto& [name, value] : *members) {
      if (std::find(columns_.begin(), columns_.end(), name) == columns_.end()) {
        columns_.emplace_back(name);
      }
    }
  }
  if (columns_.size() > kColumnsMax) columns_.clear();
}

void ListBlock::open_text() {
  sheet_->name(list_->key);
  if (!is_table()) {
    return sheet_->fixed(list_->items.empty() ? ": none" : has_lines_ ? ":\n" : ": ");
  }
  if (columns_.size() == 1 && columns_[0] == list_->key) return sheet_->fixed(":\n");
  sheet_->fixed(" (");
  sheet_->set_columns(columns_.size() > 1);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (i > 0) sheet_->fixed(" | ");
    sheet_->cell(columns_[i]);
  }
  sheet_->set_columns(false);
  sheet_->fixed(list_->items.empty() ? "): none" : "):\n");
}

std::size_t ListBlock::separator() const { return between().size(); }

std::string_view ListBlock::between() const {
  if (is_json()) return ",";
  return has_lines_ ? "\n" : ", ";
}

CellPlace ListBlock::place(std::uint64_t index, std::string_view column) const {
  if (!has_address_ || !is_plain_word(column)) return {};
  return {list_, list_->first_row + index, column};
}

void ListBlock::item(const ReplyValue& item, std::uint64_t index, const Nesting& nesting) {
  if (const auto* cells = item.if_is<ReplyValue::List>(); cells && !list_->columns.empty()) {
    row(*cells, index, nesting);
  } else if (const auto* members = item.if_is<ReplyValue::Members>()) {
    object(*members, index, nesting);
  } else {
    sheet_->value(item, nesting);
  }
}

void ListBlock::row(const ReplyValue::List& cells, std::uint64_t index, const Nesting& nesting) {
  if (is_json()) sheet_->fixed("[");
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) sheet_->fixed(is_json() ? "," : " | ");
    std::string_view column;
    if (i < list_->columns.size()) column = list_->columns[i];
    sheet_->value(cells[i], nesting, place(index, column));
  }
  if (is_json()) sheet_->fixed("]");
}

void ListBlock::object(const ReplyValue::Members& members, std::uint64_t index,
                       const Nesting& nesting) {
  if (is_json() || !is_table()) {
    const CellPlace row{has_address_ ? list_ : nullptr, list_->first_row + index, {}};
    return sheet_->members(members, nesting, row);
  }
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (i > 0) sheet_->fixed(" | ");
    const ReplyValue* value = find_member(members, columns_[i]);
    if (value == nullptr) {
      sheet_->fixed("-");
    } else {
      sheet_->value(*value, nesting, place(index, columns_[i]));
    }
  }
}

std::size_t ListBlock::wanted(PrefixUse prefixes) const {
  std::size_t total =
      open_chars_ + (left_out_ > 0 || items_max_ < list_->items.size() ? note_chars_ : 0);
  std::vector<const Prefix*> buffer;
  for (const ReplyLine& line : lines_) {
    total +=
        sheet_->chars(line, kWhole) + separator() + prefixes.add(sheet_->prefixes_of(line, buffer));
    if (total > sheet_->budget()) break;
  }
  return total;
}

std::size_t ListBlock::fit(std::size_t room, PrefixUse& prefixes) {
  const std::size_t before = prefixes.size();
  const bool has_all = lines_.size() == list_->items.size();
  const auto try_in = [&](std::size_t around) {
    prefixes.shrink(before);
    fit_ = fit_lines(*sheet_, lines_, separator(), room - std::min(room, around), FitMode::Leading,
                     kFairShare, prefixes);
    return around + fit_.chars;
  };
  if (has_all && left_out_ == 0) {
    const std::size_t chars = try_in(open_chars_);
    if (shown() == lines_.size()) return chars;
  }
  if (list_->chars_if_cut > 0) room = std::min(room, std::max(list_->chars_if_cut, least()));
  return try_in(open_chars_ + note_chars_);
}

CutNote ListBlock::note() const {
  return {shown(), list_->items.size() + left_out_, shown() < list_->items.size()};
}

std::string ListBlock::text_note(const CutNote& note) const {
  const std::string_view why = note.by_characters ? "characters" : "rows";
  const std::uint64_t left = note.of - note.shown;
  if (has_address_ && !list_->columns.empty() && !is_note_short_) {
    return fmt::format("... {} more (ended by {}; sparql_slice result={} offset={})",
                       format_count(left), why, list_->handle, list_->first_row + note.shown);
  }
  return fmt::format("... {} more (ended by {})", format_count(left), why);
}

void ListBlock::write(std::string& out) const {
  sheet_->write(out, open_, kNameShare);
  for (std::size_t i = 0; i < fit_.chosen.size(); ++i) {
    if (i > 0) out += between();
    sheet_->write(out, lines_[fit_.chosen[i]], fit_.share);
  }
  if (is_json()) {
    out += "],";
    return;
  }
  if (!out.ends_with('\n')) out += '\n';
  if (is_cut()) out += text_note(note()) + "\n";
}

void ListBlock::write_json_note(std::string& out) const {
  const CutNote cut = note();
  out += '"';
  append_shown(out, list_->key, Spelling::Plain, ReplyForm::Json, kKeyChars);
  out += "\":";
  append_note(out, "items", cut.shown, cut.of, cut.by_characters);
}

TextBlock::TextBlock(ReplySheet& sheet, const Reply::LongText& text)
    : sheet_(&sheet), text_(&text) {
  append_shown(name_, text.key, Spelling::Plain, sheet.form(), kKeyChars);
  frame_chars_ = utf8_length(name_) + 8;
  const std::uint64_t all = utf8_length(text.text);
  note_chars_ = is_json() ? json_note_chars(text.key, all) : text_note(all, all).size() + 2;
}

std::size_t TextBlock::wanted() const {
  return frame_chars_ + shown_chars(text_->text, Spelling::Lines, sheet_->form(), sheet_->budget());
}

std::size_t TextBlock::fit(std::size_t room) {
  const std::string_view text = text_->text;
  if (const std::size_t all = wanted(); all <= room) {
    shown_bytes_ = text.size();
    return all;
  }
  std::string shown;
  const ShownPart part =
      append_shown(shown, text, Spelling::Lines, sheet_->form(), room - frame_chars_ - note_chars_);
  const std::string_view head = text.substr(0, part.bytes);
  const std::size_t line = head.rfind('\n');
  const std::size_t word = head.find_last_of(" \n\t");
  shown_bytes_ = head.size();
  if (line != std::string_view::npos && line >= head.size() / 2) {
    shown_bytes_ = line + 1;
  } else if (word != std::string_view::npos && word >= head.size() / 2) {
    shown_bytes_ = word + 1;
  }
  return room;
}

std::string TextBlock::text_note(std::uint64_t shown, std::uint64_t left) const {
  const std::string more = "... " + format_count(left) + " more chars (ended by characters";
  if (!is_plain_word(text_->handle)) return more + ")";
  return fmt::format("{}; ctx_slice key={} start={})", more, text_->handle,
                     text_->first_char + shown);
}

void TextBlock::write(std::string& out) const {
  const std::string_view shown = std::string_view(text_->text).substr(0, shown_bytes_);
  if (is_json()) {
    out += '"' + name_ + "\":\"";
    append_shown(out, shown, Spelling::Lines, ReplyForm::Json, kWhole);
    out += "\",";
    return;
  }
  out += name_ + ":\n";
  append_shown(out, shown, Spelling::Lines, ReplyForm::Text, kWhole);
  if (!out.ends_with('\n')) out += '\n';
  if (!is_cut()) return;
  const std::size_t chars = utf8_length(shown);
  out += text_note(chars, utf8_length(text_->text) - chars) + "\n";
}

void TextBlock::write_json_note(std::string& out) const {
  const std::string_view text = text_->text;
  out += '"' + name_ + "\":";
  append_note(out, "chars", utf8_length(text.substr(0, shown_bytes_)), utf8_length(text), true);
}

}  // namespace helve::toolkit
