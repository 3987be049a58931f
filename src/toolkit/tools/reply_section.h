// Parts of a reply that are written line by line, and what is told of those left out. Neighbour of
// reply_form.cc, which puts the whole together.
#pragma once

#include <fmt/format.h>

#include <algorithm>
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
  std::vector<bool> is_data;    // of each line
  std::vector<bool> is_detail;  // what the line behind it speaks of
  std::size_t count = 0;        // of all there are but details; lines has no more than could fit
  std::size_t separator = 1;
  std::size_t around = 0;  // characters, once there is a line
  Fit fit;

  std::size_t left_out() const {
    std::size_t shown = 0;
    for (const std::size_t line : fit.chosen) shown += is_detail[line] ? 0U : 1U;
    return count - shown;
  }
  void add(const ReplyLine& line, bool is_from_data, bool is_detail_of_next = false) {
    lines.push_back(line);
    is_data.push_back(is_from_data);
    is_detail.push_back(is_detail_of_next);
  }
  // Lines whose detail did not fit speak of something that is not there.
  void drop_without_detail() {
    const std::vector<std::size_t> chosen = std::move(fit.chosen);
    fit.chosen.clear();
    for (const std::size_t line : chosen) {
      const bool needs_detail = line > 0 && is_detail[line - 1];
      if (!needs_detail || std::binary_search(chosen.begin(), chosen.end(), line - 1)) {
        fit.chosen.push_back(line);
      }
    }
  }
  bool has(std::size_t line, Words words) const {
    return words == Words::All || is_data[line] == (words == Words::FromData);
  }
};

}  // namespace helve::toolkit
