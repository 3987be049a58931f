#include "agent/experiment/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "agent/experiment/chart.h"
#include "agent/experiment/experiment_testing.h"
#include "agent/experiment/report_style.h"
#include "agent/experiment/stored_item.h"

namespace helve::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

CellResult cell_of(const CellPlan& plan, const TaskSet& tasks, std::size_t repeats,
                   const std::function<bool(std::size_t task, std::size_t pass)>& is_right) {
  CellResult cell;
  cell.plan = plan;
  for (std::size_t repeat = 1; repeat <= repeats; ++repeat) {
    for (std::size_t pass = 1; pass <= plan.passes; ++pass) {
      for (std::size_t i = 0; i < tasks.cases.size(); ++i) {
        cell.runs.push_back(run_of(tasks.cases[i].id, is_right(i, pass), repeat, pass));
      }
      BankFigures bank{repeat, pass, 10 * pass, 8 * pass, 0};
      if (plan.learns) cell.banks.push_back(bank);
    }
  }
  cell.items_added = plan.learns ? 5 : 0;
  return cell;
}

ExperimentResult result_of(const char* words, std::size_t tasks = 10) {
  const TaskSet set = tasks_of(tasks);
  ExperimentResult result;
  SetResult one;
  one.name = set.name;
  one.source = set.source;
  one.digest = set.digest;
  one.tasks = set.cases;
  const auto cells = *plan_cells(words);
  for (const CellPlan& plan : cells) {
    one.cells.push_back(cell_of(
        plan, set, 2, [](std::size_t task, std::size_t pass) { return task < 4 + 2 * pass; }));
  }
  result.sets.push_back(std::move(one));
  return result;
}

const Criterion& criterion(const std::vector<Criterion>& all, std::string_view cells) {
  static const Criterion none;
  for (const Criterion& one : all) {
    if (one.cells == cells) return one;
  }
  return none;
}

TEST(Criteria, NamesFiguresOfWhatWasRun) {
  ExperimentResult result = result_of("all");
  SetResult& set = result.sets[0];
  for (CellResult& cell : set.cells) {
    for (RunFigures& run : cell.runs) {
      if (cell.plan.id == "E7a") run.leakage.large_replies = 4;
      if (cell.plan.id == "E7b") run.leakage.large_replies = 1;
    }
  }
  auto all = criteria_of(set, 1);
  EXPECT_EQ(criterion(all, "E7").outcome, Outcome::Yes);
  EXPECT_THAT(criterion(all, "E7").figures, HasSubstr("1.00 [1.00, 1.00]"));
  EXPECT_THAT(criterion(all, "E7").figures, HasSubstr("25 %"));
  EXPECT_EQ(criterion(all, "E6").outcome, Outcome::Yes);
  EXPECT_EQ(criterion(all, "E8").outcome, Outcome::Yes);
  EXPECT_THAT(criterion(all, "E8").figures, HasSubstr("what E9 learnt"));
  EXPECT_THAT(criterion(all, "E8").figures, HasSubstr("100 % [100, 100] of the success"));
  EXPECT_THAT(criterion(all, "E8").figures, HasSubstr("every run of either converged"));
  EXPECT_EQ(criterion(all, "E9").outcome, Outcome::Yes);
  EXPECT_THAT(criterion(all, "E9").figures, HasSubstr("success 0.80 [0.50, 1.00]"));
  EXPECT_THAT(criterion(all, "E9").figures,
              HasSubstr("better in success, f1, not in steps, tool_calls, tokens"));
  EXPECT_EQ(criterion(all, "E10").outcome, Outcome::No);   // as large as E9's
  EXPECT_EQ(criterion(all, "E11").outcome, Outcome::Yes);  // 20 of 20
  EXPECT_EQ(criterion(all, "E12").outcome, Outcome::No);   // as E9
  EXPECT_THAT(criterion(all, "E12").figures, HasSubstr("difference 0.00 [0.00, 0.00]"));
  EXPECT_EQ(criterion(all, "E9 to E12").outcome, Outcome::Yes);
  set.cells[7].runs[0].leakage.large_replies = 100;
  set.cells[13].banks[0].invalid = 1;
  set.cells[12].banks[0].items = 21;
  all = criteria_of(set, 1);
  EXPECT_EQ(criterion(all, "E7").outcome, Outcome::No);
  EXPECT_EQ(criterion(all, "E9 to E12").outcome, Outcome::No);
  EXPECT_EQ(criterion(all, "E11").outcome, Outcome::No);
}

TEST(Criteria, WhatWasNotMeasuredIsSaidSo) {
  EXPECT_TRUE(criteria_of(result_of("E1,E2").sets[0], 1).empty());
  auto all = criteria_of(result_of("E2,E6,E7").sets[0], 1);
  EXPECT_EQ(criterion(all, "E6").outcome, Outcome::NotMeasured);
  EXPECT_EQ(criterion(all, "E7").outcome, Outcome::NotMeasured);  // no large reply at all
  ExperimentResult failed = result_of("E9");
  failed.sets[0].cells[0].runs.clear();
  all = criteria_of(failed.sets[0], 1);
  EXPECT_EQ(criterion(all, "E9").outcome, Outcome::NotMeasured);
}

TEST(Criteria, WhatNothingCouldRefuteIsNotMeasured) {
  ExperimentResult result = result_of("E9,E11,E12");
  SetResult& set = result.sets[0];
  for (BankFigures& bank : set.cells[1].banks) bank.items = 18;
  auto all = criteria_of(set, 1);
  EXPECT_EQ(criterion(all, "E11").outcome, Outcome::NotMeasured);
  EXPECT_THAT(criterion(all, "E11").figures, HasSubstr("never reached its bound; at most 18"));
  for (CellResult& cell : set.cells) {
    for (RunFigures& run : cell.runs) run.is_success = true;
  }
  all = criteria_of(set, 1);
  EXPECT_EQ(criterion(all, "E9").outcome, Outcome::NotMeasured);
  EXPECT_EQ(criterion(all, "E12").outcome, Outcome::NotMeasured);
  // Best of several is at least one of them, whatever was learnt: it is no evidence.
  const auto alone = criteria_of(result_of("E12").sets[0], 1);
  EXPECT_EQ(criterion(alone, "E12").outcome, Outcome::NotMeasured);
  EXPECT_THAT(criterion(alone, "E12").figures, HasSubstr("E9 has to be run too; best of 3"));
}

TEST(Criteria, CompareOnTasksThatBothHave) {
  ExperimentResult result = result_of("E1,E2,E3,E4,E5,E6");
  SetResult& set = result.sets[0];
  // Tasks 6 to 9 fail everywhere. Where E2 could not be judged on them, it is no better than E6.
  for (RunFigures& run : set.cells[1].runs) {
    if (!run.is_success) run.error = "the server was away";
  }
  const auto all = criteria_of(set, 1);
  EXPECT_EQ(criterion(all, "E6").outcome, Outcome::Yes);
  ASSERT_EQ(criterion(all, "E6").comparisons.size(), 4U);
  const auto layers = compare_layers(set, 1);
  ASSERT_EQ(layers.size(), 20U);
  EXPECT_EQ(layers[0].left, "E2");
  EXPECT_EQ(layers[0].right, "E1");
  EXPECT_DOUBLE_EQ(layers[0].right_mean.mean, 1);
  EXPECT_DOUBLE_EQ(layers[0].difference.mean, 0);
  const std::string json = to_json(to_json(result));
  EXPECT_THAT(json, HasSubstr(R"("left":"E6","right":"E1","measure":"success")"));
  EXPECT_THAT(report_html(result, {}), HasSubstr("Layers against none"));
  EXPECT_THAT(summary_text(result, 100), HasSubstr("E6 against E1: success 0.60"));
}

TEST(Criteria, NegativeNumbersReadAsOthersDo) {
  EXPECT_EQ(number_words(-1'234.4), "-1,234");
  EXPECT_EQ(number_words(-0.25), "-0.25");
  EXPECT_EQ(number_words(-1e-17), "0.00");
}

TEST(StoredItem, IsLookedAtAgain) {
  TaskSet tasks = tasks_of(1);
  tasks.cases[0].question = "Which moon is the largest?";
  memory::Item item;
  item.title = "Largest of a kind";
  item.desc = "When the largest is asked for.";
  item.content = "Order by size.\n```sparql\nSELECT ?s WHERE { ?s ?p ?o } LIMIT 1\n```";
  item.src = memory::ItemSource::Success;
  item.id = id_of(item);
  EXPECT_TRUE(check_stored_item(item, tasks, {}).has_value());
  memory::Item broken = item;
  broken.content = "```sparql\nSELECT ?s WHERE { ?s ?p \n```";
  EXPECT_FALSE(check_stored_item(broken, tasks, {}).has_value());
  item.desc = "For: which Moon is  the largest?";
  EXPECT_FALSE(check_stored_item(item, tasks, {}).has_value());
}

TEST(Figures, RunsThatCouldNotBeJudgedDoNotCount) {
  ExperimentResult result = result_of("E1");
  CellResult& cell = result.sets[0].cells[0];
  const Estimate before = estimate_of(result.sets[0], cell, 1, Measure::Success, 1);
  EXPECT_EQ(before.values, 20U);
  EXPECT_DOUBLE_EQ(before.mean, 0.6);
  cell.runs[0].error = "the reference does not run";
  EXPECT_EQ(estimate_of(result.sets[0], cell, 1, Measure::Success, 1).values, 19U);
  EXPECT_THAT(summary_text(result, 100), HasSubstr("E1: 1 tasks could not be judged"));
  EXPECT_THAT(report_html(result, {}), HasSubstr("E1: 1 run could not be judged"));
}

TEST(Figures, ReadBackAsTheyWere) {
  PassRecord record;
  record.runs.push_back(run_of("t1", true));
  record.runs[0].cost = 0.25;
  record.runs[0].f1 = 1.0 / 3;
  record.runs[0].leakage.stored_chars = 7;
  record.bank = BankFigures{2, 1, 5, 4, 0};
  record.usage.cost = 0.5;
  const JsonValue json = to_json(record);
  const auto read = read_pass_record(*parse_json(to_json(json)));
  ASSERT_TRUE(read.has_value()) << read.error().to_string();
  EXPECT_EQ(to_json(to_json(*read)), to_json(json));
  EXPECT_EQ(read->runs[0], record.runs[0]);
  JsonValue changed = json;
  changed.if_object()->front().value = JsonValue(2);
  EXPECT_EQ(read_pass_record(changed).error().code, ErrorCode::InvalidInput);
  EXPECT_FALSE(read_pass_record(JsonValue("x")).has_value());
}

TEST(Summary, FitsItsWidth) {
  const ExperimentResult result = result_of("all");
  for (const std::size_t width : {40U, 80U, 160U}) {
    std::string table = summary_text(result, width);
    table.resize(table.find("\nE2 against "));
    std::size_t longest = 0;
    for (std::size_t at = 0; at < table.size();) {
      const std::size_t end = std::min(table.find('\n', at), table.size());
      longest = std::max(longest, end - at);
      at = end + 1;
    }
    // A name and a column are always there.
    EXPECT_LE(longest, std::max<std::size_t>(width, 46)) << width;
    EXPECT_THAT(table, HasSubstr("ctx/step"));
  }
  const std::string text = summary_text(result, 200);
  EXPECT_THAT(text, HasSubstr("ctx/step"));
  EXPECT_THAT(text, Not(HasSubstr("cost")));  // no prices
  EXPECT_THAT(
      text,
      HasSubstr("E9: a second pass over the same tasks succeeds more often than the first: yes"));
}

// Every element is closed, in order; of what closes itself there is the slash.
void expect_well_formed(const std::string& html) {
  static const std::regex tag(R"(<(/?)([a-zA-Z0-9]+)([^<>]*?)(/?)>)");
  std::vector<std::string> open;
  for (std::sregex_iterator at(html.begin(), html.end(), tag), end; at != end; ++at) {
    const std::string name = (*at)[2];
    if (name == "meta" || (*at)[4].length() > 0) continue;
    if ((*at)[1].length() == 0) {
      open.push_back(name);
      continue;
    }
    ASSERT_FALSE(open.empty()) << name;
    ASSERT_EQ(open.back(), name);
    open.pop_back();
  }
  EXPECT_TRUE(open.empty());
}

TEST(Report, NeedsNothingElse) {
  const std::string html = report_html(result_of("all"), {"2026-01-31", "helve experiment all"});
  expect_well_formed(html);
  for (const char* const word : {"<script", "http:", "https:", "@import", "url(", "style=\"", " on",
                                 "<img", "<link", "<iframe"}) {
    // As markup: texts may have these words.
    const std::string markup = std::regex_replace(html, std::regex(R"(>[^<]*<)"), "><");
    EXPECT_THAT(markup, Not(HasSubstr(word))) << word;
  }
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  EXPECT_THAT(html, HasSubstr("Made 2026-01-31."));
  EXPECT_THAT(html, HasSubstr("helve experiment all"));
  EXPECT_THAT(html, HasSubstr("href=\"made/E1/1/pass-1/t1.jsonl\""));
  EXPECT_THAT(report_html(result_of("E1"), {"", "", false}), Not(HasSubstr("href=")));
}

TEST(Report, ManyRepeatsDoNotMakeItLarge) {
  ExperimentResult result = result_of("E1", 1);
  CellResult& cell = result.sets[0].cells[0];
  cell.runs.assign(100, cell.runs[0]);
  for (std::size_t i = 0; i < 70; ++i) cell.runs[i].is_success = false;
  const std::string html = report_html(result, {});
  const std::regex link("href=");
  EXPECT_EQ(std::distance(std::sregex_iterator(html.begin(), html.end(), link), {}), 12);
  EXPECT_THAT(html, HasSubstr("30 of 100 right"));
}

TEST(Report, HostileTextsAreTexts) {
  const std::string evil = "</td><script>alert(1)</script>\"' onload=x \xE2\x80\xAE\x1B[2J\xFF&";
  ExperimentResult result = result_of("E1,E9", 3);
  SetResult& set = result.sets[0];
  set.name = set.source = set.digest = result.stopped = evil;
  for (TaskCase& task : set.tasks) {
    for (CellResult& cell : set.cells) {
      for (RunFigures& run : cell.runs) {
        if (run.task == task.id) run.task += evil;
      }
    }
    task.id += evil;
    task.question = evil;
  }
  set.cells[0].plan.title = evil;
  set.cells[0].failures.push_back({1, evil});
  set.cells[0].runs[0].trajectory = "javascript:alert(1)/" + evil;
  set.cells[0].runs[0].error = evil;
  JsonValue::Object config;
  config.push_back({"model", JsonValue(evil)});
  result.config = JsonValue(config);
  const std::string html = report_html(result, {evil, evil});
  expect_well_formed(html);
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("\x1B")));
  EXPECT_THAT(html, Not(HasSubstr("\xE2\x80\xAE")));
  EXPECT_THAT(html, Not(HasSubstr("\xFF")));
  EXPECT_THAT(html, Not(HasSubstr("href=\"javascript:")));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
  const std::string summary = summary_text(result, 100);
  EXPECT_THAT(summary, Not(HasSubstr("\x1B")));
}

double number(const std::string& text) { return std::stod(text); }

// All that is drawn lies inside of its picture, and no text over another of its line.
TEST(Charts, LieInsideOfTheirPictures) {
  std::vector<ChartRow> rows = {{"a", {0.5, 0.2, 0.9, 10, 5}},
                                {"beyond", {7, -3, 1e9, 10, 5}},
                                {std::string(300, 'w'), {0, 0, 0, 1, 1}},
                                {"none", {}}};
  const std::vector<ChartSeries> series = {{"E9 closed loop", {{0.5, 0.4, 0.6, 3, 3}, {}}},
                                           {"E10", {{0.5, 0.4, 0.6, 3, 3}, {0.5, 0.4, 2, 3, 3}}},
                                           {"E11", {{}, {}}}};
  for (const std::string& svg :
       {interval_chart("t", rows, true), interval_chart("t", rows, false),
        interval_chart("t", {}, false), line_chart("t", {"pass 1", "pass 2"}, series, true),
        line_chart("t", {"pass 1", "pass 2"}, series, false), line_chart("t", {}, {}, false)}) {
    expect_well_formed(svg);
    std::smatch box;
    ASSERT_TRUE(std::regex_search(svg, box, std::regex(R"(viewBox="0 0 (\d+) (\d+)\")")));
    const double width = number(box[1]);
    const double height = number(box[2]);
    static const std::regex place(R"re((x|x1|x2|cx|y|y1|y2|cy)="(-?[0-9.]+)")re");
    for (std::sregex_iterator at(svg.begin(), svg.end(), place), end; at != end; ++at) {
      const bool is_across = (*at)[1].str().find('x') != std::string::npos;
      EXPECT_GE(number((*at)[2]), 0) << svg;
      EXPECT_LE(number((*at)[2]), is_across ? width : height) << svg;
    }
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
    EXPECT_THAT(svg, Not(HasSubstr("inf")));
  }
}

TEST(Charts, PlacesFollowTheValues) {
  const std::string svg = interval_chart("t", {{"half", {0.5, 0.25, 0.75, 4, 4}}}, true);
  // From 244 to 480: 362 is the middle.
  EXPECT_THAT(svg, HasSubstr(R"(<circle class="d" cx="362.0")"));
  EXPECT_THAT(svg, HasSubstr(R"(x1="303.0" y1="19.0" x2="421.0" y2="19.0")"));
}

}  // namespace
}  // namespace helve::agent
