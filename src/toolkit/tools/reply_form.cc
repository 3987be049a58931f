#include "toolkit/tools/reply_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "base/utf8.h"
#include "toolkit/tools/reply_blocks.h"
#include "toolkit/tools/reply_fit.h"
#include "toolkit/tools/reply_section.h"
#include "toolkit/tools/reply_sheet.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kLineChars = 100;  // facts share lines up to here
constexpr std::size_t kBlocksMax = 32;   // lists, and texts; those behind are left out
constexpr std::array<Nesting, 6> kFactNestings = {
    {{40, 4}, {12, 3}, {4, 2}, {2, 1}, {1, 1}, {0, 0}}};

constexpr std::size_t kMarksChars = std::string_view("<data >\n</data >\n").size();
constexpr std::string_view kLeftOutJson = "\"left_out\":{";
constexpr std::string_view kLeftOutText = "left out (ended by characters): ";

class Composer {
 public:
  Composer(const FormRequest& request, ReplyForm form)
      : request_(request),
        reply_(request.reply),
        frame_(request.frame),
        kind_(request.kind),
        sheet_(form, request.budget, request.prefixes) {
    if (reply_.handle) ref_ = to_string(*reply_.handle);
  }

  void prepare();
  void fit() {
    if (!fit(0)) fit(left_out_chars());
  }
  std::string write() const { return is_json() ? write_json() : write_text(); }
  std::uint64_t rows_shown() const;
  std::uint64_t page_shown() const;

 private:
  bool is_json() const { return sheet_.form() == ReplyForm::Json; }
  bool is_marked() const { return !is_json() && !frame_.boundary.empty() && !reply_.is_own; }
  // Null: the line is ours, or nothing is marked.
  const DataLine* marked_line(const std::string& line) const {
    if (!is_marked()) return nullptr;
    const auto found = std::find_if(reply_.data_lines.begin(), reply_.data_lines.end(),
                                    [&](const DataLine& one) { return one.line == line; });
    return found == reply_.data_lines.end() ? nullptr : &*found;
  }
  std::string source() const;
  std::size_t frame_chars() const;
  std::size_t left_out_chars() const;
  // False: parts were left out, and there is no room to tell.
  bool fit(std::size_t reserve);
  void prepare_headline();
  void prepare_facts();
  void prepare_fact(const Reply::Fact& fact);
  void prepare_line(Section& section, std::string_view start, const std::string& line,
                    std::string_view before_field);
  void prepare_usage();
  void prepare_warnings();
  void prepare_blocks();
  std::size_t wanted(const Section& section) const;
  std::vector<std::size_t> shares(std::size_t room, std::span<const std::size_t> wanted);
  void fit_section(Section& section, std::size_t share, std::size_t& room, FitMode mode,
                   std::size_t share_min, PrefixUse& prefixes);
  void fit_blocks(std::size_t room, PrefixUse& prefixes);
  std::string write_json() const;
  std::string write_text() const;
  bool write_section(std::string& out, const Section& section, std::string_view between,
                     Words words = Words::All) const;
  void write_facts(std::string& out, Words words) const;
  void write_top(std::string& out, Words words) const;
  void write_blocks(std::string& out) const;
  void write_bottom(std::string& out, Words words) const;
  void write_marked(std::string& out) const;
  void write_notes(std::string& out) const;
  void write_prefixes(std::string& out) const;

  const FormRequest& request_;
  const Reply& reply_;
  const ReplyFrame& frame_;
  ReplyKind kind_;
  std::string ref_;
  std::string headline_text_;
  ReplySheet sheet_;
  Section headline_, facts_, usage_, warnings_;
  std::size_t facts_least_ = 0;  // characters of those prepared, cut as short as can be
  std::vector<ListBlock> lists_;
  std::vector<TextBlock> texts_;
  std::vector<bool> is_shown_;  // of the blocks, lists first
  LeftOut left_out_;
  std::vector<const Prefix*> used_;
};

std::string ms_text(double ms, ReplyForm form) {
  ms = std::isfinite(ms) ? std::clamp(ms, 0.0, 1e9) : 0.0;
  if (form == ReplyForm::Json) return fmt::format("{}", std::round(ms * 1'000) / 1'000);
  return ms < 10 ? fmt::format("{:.2f} ms", ms) : fmt::format("{:.0f} ms", ms);
}

std::string Composer::source() const {
  std::string shown;
  const std::size_t room = sheet_.budget() < 500 ? 40 : 100;
  const ShownPart part = append_shown(shown, frame_.source, Spelling::Plain, sheet_.form(), room);
  if (part.bytes < frame_.source.size()) shown += "…";
  return shown;
}

std::size_t Composer::frame_chars() const {
  std::size_t time = ms_text(frame_.execution_time_ms, sheet_.form()).size();
  // What models read must not depend on how many digits a time has: it is cut at the same place.
  constexpr std::size_t kTimeRoom = std::string_view("300000 ms").size();
  if (is_marked()) time = std::max(time, kTimeRoom);
  std::size_t chars = utf8_length(source()) + time;
  if (is_marked()) chars += 2 * utf8_length(frame_.boundary) + kMarksChars;
  if (!is_json()) return chars + 3;
  chars += std::string_view(R"({"source":"","execution_time_ms":,"warnings":[]})").size();
  return kind_ == ReplyKind::Error ? chars + std::string_view(R"("error":{},)").size() : chars;
}

// Of telling that everything was left out.
std::size_t Composer::left_out_chars() const {
  const LeftOut all{facts_.count, reply_.lists.size(), reply_.texts.size(), usage_.count,
                    warnings_.count};
  return all.to_string(sheet_.form()).size() +
         (is_json() ? kLeftOutJson.size() + 2 : kLeftOutText.size() + 1);
}

void Composer::prepare() {
  if (!is_json() && !reply_.headline.empty()) prepare_headline();
  prepare_facts();
  prepare_usage();
  prepare_warnings();
  prepare_blocks();
}

void Composer::prepare_headline() {
  headline_text_ = reply_.headline;
  const bool has_data = !reply_.headline_data.empty();
  if (!is_marked()) {
    if (has_data) headline_text_ += ": " + reply_.headline_data;
  } else if (has_data) {
    headline_text_ += fmt::format("; see {} in the data", reply_.headline_field);
  }
  sheet_.begin();
  sheet_.cell(headline_text_);
  headline_.add(sheet_.end(), false);
  if (is_marked() && has_data) {
    sheet_.begin();
    sheet_.name(reply_.headline_field);
    sheet_.fixed(": ");
    sheet_.cell(reply_.headline_data);
    headline_.add(sheet_.end(), true);
  }
  headline_.count = headline_.lines.size();
}

void Composer::prepare_facts() {
  facts_.separator = is_json() ? 1 : 3;
  for (const Reply::Fact& fact : reply_.facts) prepare_fact(fact);
  for (const Reply::Fact& fact : request_.page_facts) prepare_fact(fact);
  if (!is_json() || ref_.empty()) return;
  sheet_.begin();
  sheet_.name("ref");
  sheet_.cell(ref_);
  facts_.add(sheet_.end(), false);
  ++facts_.count;
}

void Composer::prepare_fact(const Reply::Fact& fact) {
  if (fact.is_quiet && !is_json()) return;
  ++facts_.count;
  if (facts_least_ > sheet_.budget()) return;  // no more could fit
  ReplyLine line;
  for (const Nesting& nesting : kFactNestings) {
    sheet_.begin();
    sheet_.name(fact.key);
    if (!is_json()) sheet_.fixed(": ");
    if (fact.is_whole) {
      sheet_.word(*fact.value.if_is<std::string>());
    } else {
      sheet_.value(fact.value, nesting);
    }
    line = sheet_.end();
    if (sheet_.chars(line, kLeastShare) <= sheet_.budget() / 4) break;
    if (nesting.items_max > 0) sheet_.drop();
  }
  facts_least_ += sheet_.chars(line, kLeastShare) + facts_.separator;
  facts_.add(line, !fact.is_own);
}

void Composer::prepare_line(Section& section, std::string_view start, const std::string& line,
                            std::string_view before_field) {
  ++section.count;
  if (section.lines.size() > sheet_.budget() / 4) return;
  const DataLine* marked = marked_line(line);
  if (marked != nullptr && !marked->data.empty()) {
    sheet_.begin();
    sheet_.name(marked->field);
    sheet_.fixed(": ");
    sheet_.cell(marked->data);
    section.add(sheet_.end(), true, true);
  }
  sheet_.begin();
  if (!is_json()) sheet_.fixed(start);
  sheet_.cell(marked != nullptr ? marked->own : line);
  if (marked != nullptr) {
    sheet_.fixed(before_field);
    sheet_.fixed(marked->field);
    sheet_.fixed(" in the data");
  }
  section.add(sheet_.end(), false);
}

void Composer::prepare_usage() {
  usage_.around = is_json() ? std::string_view(R"("usage":[],)").size() : 0;
  if (!is_json() && reply_.handle) {
    sheet_.begin();
    sheet_.cell(ref_);
    usage_.add(sheet_.end(), false);
    ++usage_.count;
  }
  for (const std::string& usage : reply_.usage) {
    prepare_line(usage_, "next: ", usage, " with the value of ");
  }
}

void Composer::prepare_warnings() {
  for (const std::string& warning : reply_.warnings) {
    prepare_line(warnings_, "warning: ", warning, "; see ");
  }
}

void Composer::prepare_blocks() {
  bool has_columns = std::any_of(reply_.facts.begin(), reply_.facts.end(),
                                 [](const Reply::Fact& fact) { return fact.key == "columns"; });
  for (const ReplyList& list : reply_.lists) {
    if (lists_.size() == kBlocksMax) break;
    lists_.emplace_back(sheet_, list, has_columns, request_.page_items_max);
    has_columns = has_columns || !list.columns.empty();
  }
  for (const Reply::LongText& text : reply_.texts) {
    if (texts_.size() == kBlocksMax) break;
    texts_.emplace_back(sheet_, text);
  }
}

std::size_t Composer::wanted(const Section& section) const {
  std::size_t total = section.lines.empty() ? 0 : section.around;
  PrefixUse prefixes(sheet_.form());
  std::vector<const Prefix*> buffer;
  for (const ReplyLine& line : section.lines) {
    total += sheet_.chars(line, kWhole) + section.separator +
             prefixes.add(sheet_.prefixes_of(line, buffer));
    if (total > sheet_.budget()) break;
  }
  return total;
}

// Of headline, warnings, usage, facts and the blocks. A block that would not get what it needs at
// least is not shown.
std::vector<std::size_t> Composer::shares(std::size_t room, std::span<const std::size_t> wanted) {
  constexpr std::size_t kSections = 4;
  std::vector<std::size_t> wants(wanted.begin(), wanted.end());
  is_shown_.assign(lists_.size() + texts_.size(), true);
  while (true) {
    std::vector<std::size_t> given = divide_room(room, wants);
    // The last that does not get enough goes first.
    std::size_t too_little = is_shown_.size();
    for (std::size_t i = is_shown_.size(); i-- > 0;) {
      const std::size_t least =
          i < lists_.size() ? lists_[i].least() : texts_[i - lists_.size()].least();
      if (!is_shown_[i] || given[kSections + i] >= std::min(wants[kSections + i], least + 24)) {
        continue;
      }
      too_little = i;
      break;
    }
    if (too_little == is_shown_.size()) return given;
    is_shown_[too_little] = false;
    wants[kSections + too_little] = 0;
  }
}

void Composer::fit_section(Section& section, std::size_t share, std::size_t& room, FitMode mode,
                           std::size_t share_min, PrefixUse& prefixes) {
  share = std::min(share, room);
  section.fit = {};
  if (section.lines.empty() || share <= section.around) return;
  section.fit = fit_lines(sheet_, section.lines, section.separator, share - section.around, mode,
                          share_min, prefixes);
  section.drop_without_detail();
  if (!section.fit.chosen.empty()) room -= section.fit.chars + section.around;
}

bool Composer::fit(std::size_t reserve) {
  PrefixUse prefixes(sheet_.form());
  std::vector<std::size_t> wants = {wanted(headline_), wanted(warnings_), wanted(usage_),
                                    wanted(facts_)};
  for (const ListBlock& list : lists_) wants.push_back(list.wanted(prefixes));
  for (const TextBlock& text : texts_) wants.push_back(text.wanted());
  std::size_t room = sheet_.budget() - std::min(sheet_.budget(), frame_chars() + reserve);
  if (kind_ == ReplyKind::Error) {
    // What went wrong and what to do goes before how the call was read.
    wants[1] = std::min(wants[1], room - std::min(room, wants[0] + wants[3]));
  }
  const std::vector<std::size_t> given = shares(room, wants);
  fit_section(headline_, given[0], room, FitMode::Any, kLeastShare, prefixes);
  fit_section(warnings_, given[1], room, FitMode::Leading, 60, prefixes);
  fit_section(usage_, given[2], room, FitMode::Any, 60, prefixes);
  fit_section(facts_, given[3], room, FitMode::Any, kLeastShare, prefixes);
  fit_blocks(room, prefixes);
  const auto hidden = [&](std::size_t from, std::size_t count) {
    const auto begin = is_shown_.begin() + static_cast<std::ptrdiff_t>(from);
    return static_cast<std::size_t>(
        std::count(begin, begin + static_cast<std::ptrdiff_t>(count), false));
  };
  left_out_.facts = facts_.left_out();
  left_out_.usage = usage_.left_out();
  left_out_.warnings = warnings_.left_out();
  left_out_.lists = reply_.lists.size() - lists_.size() + hidden(0, lists_.size());
  left_out_.texts = reply_.texts.size() - texts_.size() + hidden(lists_.size(), texts_.size());
  used_.assign(prefixes.used().begin(), prefixes.used().end());
  return !left_out_.is_any() || reserve > 0;
}

void Composer::fit_blocks(std::size_t room, PrefixUse& prefixes) {
  std::vector<std::size_t> wants;
  for (const ListBlock& list : lists_) wants.push_back(list.wanted(prefixes));
  for (const TextBlock& text : texts_) wants.push_back(text.wanted());
  for (std::size_t i = 0; i < wants.size(); ++i) {
    if (!is_shown_[i]) wants[i] = 0;
  }
  for (std::size_t i = 0; i < wants.size(); ++i) {
    if (!is_shown_[i]) continue;
    // What the former did not use is there for the later ones.
    const std::size_t share = divide_room(room, std::span(wants).subspan(i))[0];
    const bool is_list = i < lists_.size();
    const std::size_t least = is_list ? lists_[i].least() : texts_[i - lists_.size()].least();
    if (share < std::min(least, wants[i])) {
      is_shown_[i] = false;
      continue;
    }
    room -= is_list ? lists_[i].fit(share, prefixes) : texts_[i - lists_.size()].fit(share);
  }
}

std::uint64_t Composer::rows_shown() const {
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < lists_.size(); ++i) {
    if (is_shown_[i]) most = std::max(most, lists_[i].shown());
  }
  return most;
}

std::uint64_t Composer::page_shown() const {
  for (std::size_t i = 0; i < lists_.size(); ++i) {
    if (reply_.lists[i].is_page) return is_shown_[i] ? lists_[i].shown() : 0;
  }
  return 0;
}

// False: there was nothing to write.
bool Composer::write_section(std::string& out, const Section& section, std::string_view between,
                             Words words) const {
  bool is_first = true;
  for (const std::size_t line : section.fit.chosen) {
    if (!section.has(line, words)) continue;
    if (!is_first) out += between;
    is_first = false;
    sheet_.write(out, section.lines[line], section.fit.share);
  }
  return !is_first;
}

// "shown" tells of parts that are cut, "left_out" of parts that are not there.
void Composer::write_notes(std::string& out) const {
  std::string notes;
  for (std::size_t i = 0; i < is_shown_.size(); ++i) {
    if (!is_shown_[i]) continue;
    const bool is_list = i < lists_.size();
    if (is_list ? !lists_[i].is_cut() : !texts_[i - lists_.size()].is_cut()) continue;
    notes += notes.empty() ? "\"shown\":{" : ",";
    if (is_list) {
      lists_[i].write_json_note(notes);
    } else {
      texts_[i - lists_.size()].write_json_note(notes);
    }
  }
  if (!notes.empty()) out += notes + "},";
  if (left_out_.is_any()) {
    out += kLeftOutJson;
    out += left_out_.to_string(ReplyForm::Json) + "},";
  }
}

std::string Composer::write_json() const {
  std::string out = kind_ == ReplyKind::Error ? "{\"error\":{" : "{";
  const auto separate = [&out] {
    if (!out.ends_with('{')) out += ',';
  };
  write_section(out, facts_, ",");
  separate();
  write_blocks(out);
  if (kind_ == ReplyKind::Error) {
    if (out.ends_with(',')) out.pop_back();
    out += "},";
  }
  if (!usage_.fit.chosen.empty()) {
    out += "\"usage\":[";
    write_section(out, usage_, ",");
    out += "],";
  }
  write_notes(out);
  write_prefixes(out);
  out += "\"source\":\"" + source() +
         "\",\"execution_time_ms\":" + ms_text(frame_.execution_time_ms, ReplyForm::Json) +
         ",\"warnings\":[";
  write_section(out, warnings_, ",");
  out += "]}";
  return out;
}

void Composer::write_prefixes(std::string& out) const {
  if (used_.empty()) return;
  out += is_json() ? "\"prefixes\":{" : "prefixes:";
  for (std::size_t i = 0; i < used_.size(); ++i) {
    if (is_json() && i > 0) out += ',';
    out += is_json() ? "\"" : " ";
    append_shown(out, used_[i]->name, Spelling::Plain, sheet_.form(), kWhole);
    out += is_json() ? "\":\"" : ": <";
    append_shown(out, used_[i]->iri, Spelling::Plain, sheet_.form(), kWhole);
    out += is_json() ? "\"" : ">";
  }
  out += is_json() ? "}," : "\n";
}

// Short ones share a line.
void Composer::write_facts(std::string& out, Words words) const {
  std::size_t column = 0;
  for (const std::size_t index : facts_.fit.chosen) {
    if (!facts_.has(index, words)) continue;
    const std::size_t chars = sheet_.chars(facts_.lines[index], facts_.fit.share);
    const bool is_wide = kind_ == ReplyKind::Error || column + chars + 3 > kLineChars;
    if (column > 0) out += is_wide ? "\n" : " · ";
    column = is_wide ? chars : column + chars + 3;
    sheet_.write(out, facts_.lines[index], facts_.fit.share);
  }
  if (column > 0) out += '\n';
}

void Composer::write_top(std::string& out, Words words) const {
  if (write_section(out, headline_, "\n", words)) out += '\n';
  write_facts(out, words);
}

void Composer::write_blocks(std::string& out) const {
  for (std::size_t i = 0; i < lists_.size(); ++i) {
    if (is_shown_[i]) lists_[i].write(out);
  }
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    if (is_shown_[lists_.size() + i]) texts_[i].write(out);
  }
}

void Composer::write_bottom(std::string& out, Words words) const {
  for (const Section* section : {&usage_, &warnings_}) {
    if (write_section(out, *section, "\n", words)) out += '\n';
  }
}

// Our own words first and last, those of sources between the marks.
void Composer::write_marked(std::string& out) const {
  write_top(out, Words::Own);
  std::string data;
  write_top(data, Words::FromData);
  write_blocks(data);
  write_bottom(data, Words::FromData);
  write_prefixes(data);
  if (!data.empty()) {
    out += fmt::format("<data {0}>\n{1}</data {0}>\n", frame_.boundary, data);
  }
  write_bottom(out, Words::Own);
}

std::string Composer::write_text() const {
  std::string out;
  if (is_marked()) {
    write_marked(out);
  } else {
    write_top(out, Words::All);
    write_blocks(out);
    write_bottom(out, Words::All);
  }
  if (left_out_.is_any()) {
    out += kLeftOutText;
    out += left_out_.to_string(ReplyForm::Text) + "\n";
  }
  if (!is_marked()) write_prefixes(out);
  out += source() + " · " + ms_text(frame_.execution_time_ms, ReplyForm::Text);
  return out;
}

}  // namespace

FormedReply form_reply(const FormRequest& request, ReplyForm form) {
  Composer composer(request, form);
  composer.prepare();
  composer.fit();
  return {composer.write(), composer.rows_shown(), composer.page_shown()};
}

}  // namespace helve::toolkit
