// Parts of a reply that are written line by line, and what is told of those left out. Neighbour of
// reply_form.cc, which puts the whole together.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "toolkit/tools/reply_fit.h"
#include "toolkit/tools/reply_sheet.h"

namespace helve::toolkit {

// Whole parts for which there was no room at all.
struct LeftOut {
  std::size_t facts = 0, lists = 0, texts = 0, usage = 0, warnings = 0;

  bool is_any() const { return facts + lists + texts + usage + warnings > 0; }
  std::string to_string(ReplyForm form) const {
    std::string out;
    const auto add = [&](std::string_view name, std::size_t count) {
      if (count == 0) return;
      if (!out.empty()) out += form == ReplyForm::Json ? "," : ", ";
      out += form == ReplyForm::Json ? fmt::format("\"{}\":{}", name, count)
                                     : fmt::format("{} {}", count, name);
    };
    add("facts", facts);
    add("lists", lists);
    add("texts", texts);
    add("usage", usage);
    add("warnings", warnings);
    return out;
  }
};

// Whose words are written: of those that come from a source, or of ours.
enum class Words : std::uint8_t { All, Own, FromData };

// A run of lines that are chosen from together.
struct Section {
  std::vector<ReplyLine> lines;
  std::vector<bool> is_data;  // of each line
  std::size_t count = 0;      // of all there are; lines has no more than could fit
  std::size_t separator = 1;
  std::size_t around = 0;  // characters, once there is a line
  Fit fit;

  std::size_t left_out() const { return count - fit.chosen.size(); }
  void add(const ReplyLine& line, bool is_from_data) {
    lines.push_back(line);
    is_data.push_back(is_from_data);
  }
  bool has(std::size_t line, Words words) const {
    return words == Words::All || is_data[line] == (words == Words::FromData);
  }
};

}  // namespace helve::toolkit
