// ReplySheet: the lines of one form of a reply before it is known how much of them fits. Strings
// are cells, which can be shown shorter; the rest is fixed. reply_fit.h decides, reply_form.h
// writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sources/rdf/prefix_map.h"
#include "sources/rdf/term.h"
#include "toolkit/tools/reply.h"
#include "toolkit/tools/shown_text.h"

namespace helve::toolkit {

using Prefix = rdf::PrefixMap::Prefix;

// Where a cell can be read whole: "ctx_slice key=results_0[3].name".
struct CellPlace {
  const ReplyList* list = nullptr;  // null: nowhere
  std::uint64_t row = 0;
  std::string_view column;
};

// May stand in an address as it is.
bool is_plain_word(std::string_view text);

// A string that may be cut: head + body + tail, of which the body is spelled so, the rest plainly.
struct ReplyCell {
  std::string_view head;
  std::string_view body;
  std::string_view tail;
  Spelling spelling = Spelling::Plain;
  bool is_iri = false;
  const Prefix* prefix = nullptr;  // that it uses
  CellPlace place;
  std::size_t chars = 0;  // as a whole; exact up to the budget of the sheet
};

struct ReplyLine {
  std::uint32_t begin = 0;  // of its parts
  std::uint32_t end = 0;
};

// How much of nested lists and objects is put into a line.
struct Nesting {
  std::size_t items_max = 40;
  std::size_t depth_max = 4;
};

// Characters that a cell gets at least, as long as there is room for one line with such cells. IRIs
// get more: half an IRI is of no use.
inline constexpr std::size_t kFairShare = 100;
inline constexpr std::size_t kIriShare = 300;
inline constexpr std::size_t kLeastShare = 12;
inline constexpr std::size_t kWhole = SIZE_MAX;

class ReplySheet {
 public:
  // The map, and every string that is put into lines, must outlive the sheet.
  ReplySheet(ReplyForm form, std::size_t budget, const rdf::PrefixMap& prefixes)
      : form_(form), budget_(budget), prefixes_(prefixes) {
    constexpr std::size_t kUsualParts = 512;
    constexpr std::size_t kUsualCells = 128;
    parts_.reserve(kUsualParts);
    cells_.reserve(kUsualCells);
  }

  ReplyForm form() const { return form_; }
  std::size_t budget() const { return budget_; }

  // Lines are put together part by part: begin(), parts, end().
  void begin() { line_begin_ = static_cast<std::uint32_t>(parts_.size()); }
  ReplyLine end() const { return {line_begin_, static_cast<std::uint32_t>(parts_.size())}; }
  // The cells that follow stand in columns of the text form, or no more.
  void set_columns(bool are_columns) { in_columns_ = are_columns && form_ == ReplyForm::Text; }
  // Gives up what was put since begin().
  void drop() { parts_.resize(line_begin_); }

  void fixed(std::string_view text);  // REQUIRES: ASCII that lives on, escaped already
  void made(std::string text);        // valid UTF-8, escaped already
  void name(std::string_view name);   // a key: plain, cut when very long; in JSON with its colon
  void word(std::string_view text);   // never cut; in JSON with quotation marks
  void cell(std::string_view text);   // in JSON with quotation marks, as the next two
  void cell(const rdf::TermView& term, const CellPlace& place);
  void value(const ReplyValue& value, const Nesting& nesting, const CellPlace& place = {});
  // An object; `row` is the place of its values but for the column.
  void members(const ReplyValue::Members& members, const Nesting& nesting,
               const CellPlace& row = {});

  // Characters of a line whose cells get `share` each at most.
  std::size_t chars(const ReplyLine& line, std::size_t share) const;
  void write(std::string& out, const ReplyLine& line, std::size_t share) const;
  std::span<const Prefix* const> prefixes_of(const ReplyLine& line,
                                             std::vector<const Prefix*>& buffer) const;

 private:
  struct Part {
    std::string_view text;
    std::uint32_t chars = 0;
    std::int32_t cell = -1;
  };

  void add_cell(ReplyCell cell);
  void literal(const rdf::TermView& term, const CellPlace& place);
  std::string_view shorten(std::string_view iri, const Prefix*& prefix);
  void list(const ReplyValue::List& list, const Nesting& nesting);
  void more(std::size_t left_out);
  std::string_view keep(std::string text) { return kept_.emplace_back(std::move(text)); }
  std::size_t share_of(const ReplyCell& cell, std::size_t share) const;
  void write_cut(std::string& out, const ReplyCell& cell, std::size_t share) const;

  ReplyForm form_;
  std::size_t budget_;
  const rdf::PrefixMap& prefixes_;
  std::vector<Part> parts_;
  std::vector<ReplyCell> cells_;
  std::deque<std::string> kept_;
  std::uint32_t line_begin_ = 0;
  bool in_columns_ = false;
};

}  // namespace helve::toolkit
