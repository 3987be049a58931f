#include "toolkit/tools/reply.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/utf8.h"
#include "sources/rdf/turtle_spelling.h"
#include "toolkit/tools/reply_form.h"
#include "toolkit/tools/shown_text.h"

namespace helve::toolkit {

namespace {

struct ShortName {
  std::string_view prefix;
  std::string_view local;
};

std::optional<ShortName> shorten(std::string_view iri, const PrefixList& prefixes) {
  std::optional<ShortName> best;
  for (const auto& [name, start] : prefixes) {
    if (start.empty() || !iri.starts_with(start)) continue;
    const std::string_view local = iri.substr(start.size());
    if (best && best->local.size() <= local.size()) continue;
    if (rdf::is_plain_local_name(local) && rdf::is_pn_prefix(name)) best = ShortName{name, local};
  }
  return best;
}

void append_iri(std::string& out, std::string_view iri, const PrefixList& prefixes) {
  if (const auto name = shorten(iri, prefixes)) {
    append_shown(out, name->prefix, Spelling::Plain, ReplyForm::Text, SIZE_MAX);
    out += ':';
    append_shown(out, name->local, Spelling::Plain, ReplyForm::Text, SIZE_MAX);
    return;
  }
  out += '<';
  append_shown(out, iri, Spelling::Iri, ReplyForm::Text, SIZE_MAX);
  out += '>';
}

// What an error says in words of ours.
bool is_own_key(std::string_view key) {
  constexpr std::array<std::string_view, 5> kOwn = {"hint", "position", "example", "finding",
                                                    "override"};
  return std::find(kOwn.begin(), kOwn.end(), key) != kOwn.end();
}

// The facts and lists of an error, in the order a reader needs them.
Reply reply_of(const ToolError& failure) {
  const Error& error = failure.error;
  const std::string code(error_code_name(error.code));
  Reply reply;
  reply.say(fmt::format("error ({}): {}", code, error.message), error.detail, "detail");
  reply.set_word("code", code).set_quietly("message", error.message);
  if (!error.detail.empty()) reply.set_quietly("detail", error.detail);
  if (!error.hint.empty()) reply.set("hint", error.hint);
  if (error.position) {
    ReplyValue::Members place;
    if (!error.document.empty()) place.emplace_back("document", error.document);
    place.emplace_back("line", error.position->line);
    place.emplace_back("column", error.position->column);
    reply.set("position", std::move(place));
  }
  if (!error.suggestions.empty()) {
    reply.set("did_you_mean", ReplyValue::List(error.suggestions.begin(), error.suggestions.end()));
  }
  for (const auto& [key, value] : failure.details) reply.set(key, value);
  if (!failure.example.empty()) reply.set("example", failure.example);
  if (failure.schema_fragment) {
    reply.list(*failure.schema_fragment);
    if (reply.lists.back().key.empty()) reply.lists.back().key = "schema_fragment";
  }
  reply.warnings = failure.warnings;
  for (Reply::Fact& fact : reply.facts) {
    fact.is_own = is_own_key(fact.key);
  }
  return reply;
}

const ReplyList* page_of(const Reply& reply) {
  const auto page = std::find_if(reply.lists.begin(), reply.lists.end(),
                                 [](const ReplyList& list) { return list.is_page; });
  return page == reply.lists.end() ? nullptr : &*page;
}

std::vector<Reply::Fact> page_facts(const ReplyList& page, std::uint64_t returned) {
  const std::uint64_t next = page.first_row + returned;
  const bool has_more = next < page.total;
  return {{"returned", returned, true},
          {"has_more", has_more, true},
          {"next_offset", has_more ? ReplyValue(next) : ReplyValue(), true}};
}

struct BothForms {
  FormedReply text;
  FormedReply json;
};

// Both forms of a page show the same number of items, and tell where the next one begins.
BothForms form_page(FormRequest request, const ReplyList& page) {
  constexpr int kAttempts = 8;
  BothForms forms;
  std::uint64_t items = page.items.size();
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::vector<Reply::Fact> facts = page_facts(page, items);
    request.page_facts = facts;
    request.page_items_max = items;
    forms.text = form_reply(request, ReplyForm::Text);
    forms.json = form_reply(request, ReplyForm::Json);
    const std::uint64_t shown = std::min(forms.text.page_shown, forms.json.page_shown);
    if (shown == items) return forms;
    // Few more than fit are seldom off by much; at last, none is right whatever happens.
    items = attempt + 2 < kAttempts ? shown : 0;
  }
  return forms;
}

// Should our own counting ever be wrong, the budget still holds.
void hold_budget(RenderedReply& rendered, std::size_t budget) {
  if (utf8_length(rendered.text) > budget) {
    rendered.text = "the reply did not fit its characters";
    rendered.has_overflowed = true;
  }
  if (utf8_length(rendered.json) > budget) {
    rendered.json = R"({"left_out":{"everything":1},"source":"","execution_time_ms":0,)"
                    R"("warnings":["the reply did not fit its characters"]})";
    rendered.has_overflowed = true;
  }
}

RenderedReply render_as(const Reply& reply, const ReplyFrame& frame, ReplyKind kind) {
  const std::size_t budget = std::max(frame.max_chars, kCharsMin);
  const FormRequest request{reply, frame, kind, budget, frame.prefixes.map(), {}, UINT64_MAX};
  const ReplyList* page = page_of(reply);
  BothForms forms = page != nullptr ? form_page(request, *page)
                                    : BothForms{form_reply(request, ReplyForm::Text),
                                                form_reply(request, ReplyForm::Json)};
  RenderedReply rendered;
  rendered.text = std::move(forms.text.text);
  rendered.json = std::move(forms.json.text);
  rendered.rows_shown = std::max(forms.text.rows_shown, forms.json.rows_shown);
  hold_budget(rendered, budget);
  return rendered;
}

}  // namespace

Reply& Reply::say(std::string text, std::string from_data, std::string field) {
  headline = std::move(text);
  headline_data = std::move(from_data);
  headline_field = std::move(field);
  return *this;
}

Reply& Reply::set(std::string key, ReplyValue value) {
  const auto found =
      std::find_if(facts.begin(), facts.end(), [&](const Fact& fact) { return fact.key == key; });
  if (found == facts.end()) {
    facts.push_back({std::move(key), std::move(value)});
  } else {
    found->value = std::move(value);
    found->is_quiet = false;
  }
  return *this;
}

Reply& Reply::set_quietly(std::string key, ReplyValue value) {
  set(key, std::move(value));
  std::find_if(facts.begin(), facts.end(), [&](const Fact& fact) {
    return fact.key == key;
  })->is_quiet = true;
  return *this;
}

Reply& Reply::set_word(std::string key, std::string word) {
  set_quietly(key, std::move(word));
  std::find_if(facts.begin(), facts.end(), [&](const Fact& fact) {
    return fact.key == key;
  })->is_whole = true;
  return *this;
}

Reply& Reply::list(ReplyList list) {
  lists.push_back(std::move(list));
  return *this;
}

Reply& Reply::text(std::string key, std::string text, std::string rest_at,
                   std::uint64_t first_char) {
  texts.push_back({std::move(key), std::move(text), std::move(rest_at), first_char});
  return *this;
}

Reply& Reply::ref(const Ref& ref) {
  handle = ref;
  return set_word("key", ref.key);
}

Reply& Reply::next(std::string usage_line) {
  usage.push_back(std::move(usage_line));
  return *this;
}

Reply& Reply::warn(std::string warning) {
  warnings.push_back(std::move(warning));
  return *this;
}

Reply& Reply::next_from_data(DataLine usage_line) {
  data_lines.push_back(std::move(usage_line));
  return next(data_lines.back().line);
}

Reply& Reply::warn_from_data(DataLine warning) {
  data_lines.push_back(std::move(warning));
  return warn(data_lines.back().line);
}

Reply& Reply::about(std::string source_name, ShownPrefixes source_prefixes) {
  source = std::move(source_name);
  prefixes = std::move(source_prefixes);
  return *this;
}

RenderedReply render(const Reply& reply, const ReplyFrame& frame) {
  return render_as(reply, frame, ReplyKind::Answer);
}

RenderedReply render(const ToolError& error, const ReplyFrame& frame) {
  RenderedReply rendered = render_as(reply_of(error), frame, ReplyKind::Error);
  rendered.is_error = true;
  rendered.code = error.error.code;
  return rendered;
}

std::string show_term(const rdf::TermView& term, const PrefixList& prefixes) {
  std::string out;
  if (term.is_iri()) {
    append_iri(out, term.value, prefixes);
    return out;
  }
  if (term.is_blank()) {
    std::string label;
    rdf::append_blank_label(label, term.value);
    out += "_:";
    append_shown(out, label, Spelling::Plain, ReplyForm::Text, SIZE_MAX);
    return out;
  }
  if (rdf::is_bare_literal(term)) return std::string(term.value);
  out += '"';
  append_shown(out, term.value, Spelling::Literal, ReplyForm::Text, SIZE_MAX);
  out += '"';
  if (!term.language.empty()) {
    out += '@';
    append_shown(out, term.language, Spelling::Plain, ReplyForm::Text, SIZE_MAX);
  } else if (!term.datatype.empty()) {
    out += "^^";
    append_iri(out, term.datatype, prefixes);
  }
  return out;
}

}  // namespace helve::toolkit
