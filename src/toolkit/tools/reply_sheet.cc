#include "toolkit/tools/reply_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"
#include "sources/rdf/turtle_spelling.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kNameCharsMax = 120;
constexpr std::size_t kAddressCharsMax = 100;
constexpr std::string_view kEllipsis = "…";

// " +3,412 chars: ctx_slice key=results_0[3].name"
std::string note_of(const ReplyCell& cell, std::size_t left_out, bool has_address) {
  std::string note = " +" + format_count(left_out) + " chars";
  if (has_address) {
    note += fmt::format(": ctx_slice key={}[{}].{}", cell.place.list->handle, cell.place.row,
                        cell.place.column);
  }
  return note;
}

std::string number_text(double number) {
  if (!std::isfinite(number)) return {};
  std::string text = fmt::format("{}", number);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

bool is_plain_word(std::string_view text) {
  constexpr std::size_t kCharsMax = 60;
  return !text.empty() && text.size() <= kCharsMax &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return c > ' ' && c < 0x7F && c != '"' && c != '\\'; });
}

void ReplySheet::fixed(std::string_view text) {
  parts_.push_back({text, static_cast<std::uint32_t>(text.size()), -1});
}

void ReplySheet::made(std::string text) {
  const std::string_view kept = keep(std::move(text));
  parts_.push_back({kept, static_cast<std::uint32_t>(utf8_length(kept)), -1});
}

void ReplySheet::name(std::string_view name) {
  std::string shown;
  const bool is_json = form_ == ReplyForm::Json;
  if (is_json) shown += '"';
  const ShownPart part = append_shown(shown, name, Spelling::Plain, form_, kNameCharsMax);
  // Names that begin alike stay different.
  if (part.bytes < name.size()) {
    shown += fmt::format("…{:08x}", std::hash<std::string_view>()(name) & 0xFFFFFFFFU);
  }
  if (is_json) shown += "\":";
  made(std::move(shown));
}

void ReplySheet::add_cell(ReplyCell cell) {
  if (in_columns_ && cell.spelling == Spelling::Plain) cell.spelling = Spelling::PlainColumn;
  if (in_columns_ && cell.spelling == Spelling::Literal) cell.spelling = Spelling::LiteralColumn;
  cell.chars = shown_chars(cell.head, Spelling::Plain, form_, budget_) +
               shown_chars(cell.body, cell.spelling, form_, budget_) +
               shown_chars(cell.tail, Spelling::Plain, form_, budget_);
  if (form_ == ReplyForm::Json) fixed("\"");
  parts_.push_back({{}, 0, static_cast<std::int32_t>(cells_.size())});
  cells_.push_back(cell);
  if (form_ == ReplyForm::Json) fixed("\"");
}

void ReplySheet::word(std::string_view text) {
  std::string shown;
  if (form_ == ReplyForm::Json) shown += '"';
  append_shown(shown, text, Spelling::Plain, form_, kWhole);
  if (form_ == ReplyForm::Json) shown += '"';
  made(std::move(shown));
}

void ReplySheet::cell(std::string_view text) {
  ReplyCell cell;
  cell.body = text;
  add_cell(cell);
}

std::string_view ReplySheet::shorten(std::string_view iri, const Prefix*& prefix) {
  const auto short_name = prefixes_.shorten(iri);
  if (!short_name) return {};
  prefix = short_name->prefix;
  std::string text = prefix->name;
  text += ':';
  text += short_name->local;
  return keep(std::move(text));
}

void ReplySheet::cell(const rdf::TermView& term, const CellPlace& place) {
  if (term.is_literal()) return literal(term, place);
  ReplyCell cell;
  cell.place = place;
  if (term.is_blank()) {
    std::string label = "_:";
    rdf::append_blank_label(label, term.value);
    cell.body = keep(std::move(label));
    return add_cell(cell);
  }
  cell.is_iri = true;
  cell.body = shorten(term.value, cell.prefix);
  if (cell.body.empty()) {
    cell.head = "<";
    cell.body = term.value;
    cell.tail = ">";
    cell.spelling = Spelling::Iri;
  }
  add_cell(cell);
}

void ReplySheet::literal(const rdf::TermView& term, const CellPlace& place) {
  ReplyCell cell;
  cell.place = place;
  cell.body = term.value;
  if (!rdf::is_bare_literal(term)) {
    cell.head = "\"";
    cell.spelling = Spelling::Literal;
    std::string tail = "\"";
    if (!term.language.empty()) {
      tail += '@';
      tail += term.language;
    } else if (!term.datatype.empty()) {
      tail += "^^";
      const std::string_view name = shorten(term.datatype, cell.prefix);
      if (name.empty()) {
        tail += '<';
        append_shown(tail, term.datatype, Spelling::Iri, ReplyForm::Text, budget_);
        tail += '>';
      } else {
        tail += name;
      }
    }
    cell.tail = tail == "\"" ? std::string_view("\"") : keep(std::move(tail));
  }
  add_cell(cell);
}

void ReplySheet::value(const ReplyValue& value, const Nesting& nesting, const CellPlace& place) {
  const bool is_json = form_ == ReplyForm::Json;
  if (const auto* truth = value.if_is<bool>()) return fixed(*truth ? "true" : "false");
  if (const auto* number = value.if_is<std::int64_t>()) return made(std::to_string(*number));
  if (const auto* number = value.if_is<std::uint64_t>()) return made(std::to_string(*number));
  if (const auto* text = value.if_is<std::string>()) return cell(*text);
  if (const auto* term = value.if_is<rdf::Term>()) return cell(term->view(), place);
  if (const auto* items = value.if_is<ReplyValue::List>()) return list(*items, nesting);
  if (const auto* pairs = value.if_is<ReplyValue::Members>()) return members(*pairs, nesting);
  if (const auto* number = value.if_is<double>()) {
    if (std::string text = number_text(*number); !text.empty()) return made(std::move(text));
  }
  fixed(is_json ? "null" : "-");
}

void ReplySheet::more(std::size_t left_out) {
  made(fmt::format("… {} more", format_count(left_out)));
}

void ReplySheet::list(const ReplyValue::List& list, const Nesting& nesting) {
  const bool is_json = form_ == ReplyForm::Json;
  const std::size_t shown = nesting.depth_max == 0 ? 0 : std::min(list.size(), nesting.items_max);
  if (is_json) fixed("[");
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) fixed(is_json ? "," : ", ");
    value(list[i], {nesting.items_max, nesting.depth_max - 1});
  }
  if (shown < list.size()) {
    if (shown > 0) fixed(is_json ? "," : ", ");
    if (is_json) fixed("\"");
    more(list.size() - shown);
    if (is_json) fixed("\"");
  }
  if (is_json) fixed("]");
}

void ReplySheet::members(const ReplyValue::Members& members, const Nesting& nesting,
                         const CellPlace& row) {
  const bool is_json = form_ == ReplyForm::Json;
  const std::size_t shown =
      nesting.depth_max == 0 ? 0 : std::min(members.size(), nesting.items_max);
  fixed(is_json ? "{" : "(");
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) fixed(is_json ? "," : ", ");
    name(members[i].first);
    if (!is_json) fixed(" ");
    CellPlace place = row;
    place.column = members[i].first;
    if (!is_plain_word(place.column)) place.list = nullptr;
    value(members[i].second, {nesting.items_max, nesting.depth_max - 1}, place);
  }
  if (shown < members.size()) {
    if (shown > 0) fixed(is_json ? "," : ", ");
    if (is_json) made("\"…\":\"");
    more(members.size() - shown);
    if (is_json) fixed("\"");
  }
  fixed(is_json ? "}" : ")");
}

std::size_t ReplySheet::share_of(const ReplyCell& cell, std::size_t share) const {
  if (cell.is_iri && share >= kFairShare) share = std::max(share, kIriShare);
  return std::min(share, budget_);
}

std::size_t ReplySheet::chars(const ReplyLine& line, std::size_t share) const {
  std::size_t total = 0;
  for (std::uint32_t i = line.begin; i < line.end; ++i) {
    const Part& part = parts_[i];
    if (part.cell < 0) {
      total += part.chars;
    } else {
      const ReplyCell& cell = cells_[static_cast<std::size_t>(part.cell)];
      total += share == kWhole ? cell.chars : std::min(cell.chars, share_of(cell, share));
    }
  }
  return total;
}

void ReplySheet::write(std::string& out, const ReplyLine& line, std::size_t share) const {
  for (std::uint32_t i = line.begin; i < line.end; ++i) {
    const Part& part = parts_[i];
    if (part.cell < 0) {
      out += part.text;
      continue;
    }
    const ReplyCell& cell = cells_[static_cast<std::size_t>(part.cell)];
    if (cell.chars > share_of(cell, share)) {
      write_cut(out, cell, share_of(cell, share));
    } else {
      append_shown(out, cell.head, Spelling::Plain, form_, kWhole);
      append_shown(out, cell.body, cell.spelling, form_, budget_);
      append_shown(out, cell.tail, Spelling::Plain, form_, kWhole);
    }
  }
}

void ReplySheet::write_cut(std::string& out, const ReplyCell& cell, std::size_t share) const {
  const std::size_t all = utf8_length(cell.body);
  const std::size_t head = shown_chars(cell.head, Spelling::Plain, form_, share);
  std::size_t tail = shown_chars(cell.tail, Spelling::Plain, form_, share);
  // As long as the notes can be: what is left out is known when the body stands there.
  bool has_address = cell.place.list != nullptr;
  std::size_t note = has_address ? note_of(cell, all, true).size() : 0;
  if (note == 0 || note > kAddressCharsMax || note + 20 > share) {
    has_address = false;
    note = note_of(cell, all, false).size();
  }
  if (note + 8 > share) note = 0;
  std::string_view tail_text = cell.tail;
  if (tail > share / 3) {  // a datatype as long as a text says little
    tail_text = {};
    tail = 0;
  }
  const std::size_t around = head + tail + note + 1;
  if (around >= share) {
    if (share > 0) out += kEllipsis;
    return;
  }
  append_shown(out, cell.head, Spelling::Plain, form_, head);
  const ShownPart part = append_shown(out, cell.body, cell.spelling, form_, share - around);
  out += kEllipsis;
  append_shown(out, tail_text, Spelling::Plain, form_, tail);
  if (note > 0) out += note_of(cell, all - std::min(all, part.characters), has_address);
}

std::span<const Prefix* const> ReplySheet::prefixes_of(const ReplyLine& line,
                                                       std::vector<const Prefix*>& buffer) const {
  buffer.clear();
  for (std::uint32_t i = line.begin; i < line.end; ++i) {
    if (parts_[i].cell < 0) continue;
    const Prefix* prefix = cells_[static_cast<std::size_t>(parts_[i].cell)].prefix;
    if (prefix != nullptr) buffer.push_back(prefix);
  }
  return buffer;
}

}  // namespace helve::toolkit
