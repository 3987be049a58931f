// Lists and long texts on their way into a reply: what they would take, and what of them fits.
// Neighbour of reply_form.cc, which puts the whole together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "toolkit/tools/reply.h"
#include "toolkit/tools/reply_fit.h"
#include "toolkit/tools/reply_sheet.h"

namespace helve::toolkit {

// How a reply goes on where a part of it was cut. Bounded by what note_chars() said.
struct CutNote {
  std::uint64_t shown = 0;
  std::uint64_t of = 0;
  bool by_characters = true;  // or by rows: the tool itself left them out
};

class ListBlock {
 public:
  // `has_columns`: the structured form says the columns already. Of a page, no more than
  // `page_items_max` items are shown.
  ListBlock(ReplySheet& sheet, const ReplyList& list, bool has_columns,
            std::uint64_t page_items_max);

  std::size_t wanted(PrefixUse prefixes) const;  // characters; no further than the budget
  std::size_t least() const { return open_chars_ + note_chars_; }
  // Characters it takes; at most `room`. REQUIRES: room >= least().
  std::size_t fit(std::size_t room, PrefixUse& prefixes);
  void write(std::string& out) const;
  std::uint64_t shown() const { return fit_.chosen.size(); }
  bool is_cut() const { return shown() < list_->items.size() || left_out_ > 0; }
  void write_json_note(std::string& out) const;  // "key":{...}

 private:
  bool is_json() const { return sheet_->form() == ReplyForm::Json; }
  void open_json(bool has_columns);
  void open_text();
  void find_columns();
  void find_lines();
  std::string_view between() const;
  bool is_table() const { return !columns_.empty(); }
  void item(const ReplyValue& item, std::uint64_t index, const Nesting& nesting);
  void row(const ReplyValue::List& cells, std::uint64_t index, const Nesting& nesting);
  void object(const ReplyValue::Members& members, std::uint64_t index, const Nesting& nesting);
  CellPlace place(std::uint64_t index, std::string_view column) const;
  std::size_t separator() const;
  CutNote note() const;
  std::string text_note(const CutNote& note) const;

  ReplySheet* sheet_;
  const ReplyList* list_;
  std::uint64_t left_out_ = 0;  // by the tool
  std::size_t items_max_ = 0;
  bool has_address_ = false;
  bool is_note_short_ = false;
  bool has_lines_ = false;                 // an item for each line of the text form
  std::vector<std::string_view> columns_;  // of the table in the text form
  ReplyLine open_;
  std::size_t open_chars_ = 0;  // with what closes it
  std::size_t note_chars_ = 0;
  std::vector<ReplyLine> lines_;  // of as many items as could fit
  Fit fit_;
};

class TextBlock {
 public:
  TextBlock(ReplySheet& sheet, const Reply::LongText& text);

  std::size_t wanted() const;
  std::size_t least() const { return frame_chars_ + note_chars_; }
  std::size_t fit(std::size_t room);
  void write(std::string& out) const;
  bool is_cut() const { return shown_bytes_ < text_->text.size(); }
  void write_json_note(std::string& out) const;

 private:
  bool is_json() const { return sheet_->form() == ReplyForm::Json; }
  std::string text_note(std::uint64_t shown, std::uint64_t left) const;

  const ReplySheet* sheet_;
  const Reply::LongText* text_;
  std::string name_;
  std::size_t frame_chars_ = 0;
  std::size_t note_chars_ = 0;
  std::size_t shown_bytes_ = 0;
};

}  // namespace helve::toolkit
