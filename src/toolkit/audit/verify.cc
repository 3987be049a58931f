#include "toolkit/audit/verify.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "base/paced_check.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kRecentMax = 65'536;
constexpr std::size_t kOpenIntentsMax = 10'000;

std::string text_of(const JsonValue& json, std::string_view name) {
  const JsonValue* const value = json.find(name);
  const std::string* const text = value != nullptr ? value->if_string() : nullptr;
  return text != nullptr ? *text : std::string();
}

std::string number_of(const JsonValue& json, std::string_view name) {
  const JsonValue* const value = json.find(name);
  return value != nullptr && value->is_number() ? to_json(*value) : "?";
}

std::string range(std::uint64_t first, std::uint64_t last) {
  return first == last ? fmt::format("record {}", first)
                       : fmt::format("records {} to {}", first, last);
}

std::string_view is_or_are(std::uint64_t first, std::uint64_t last) {
  return first == last ? "is" : "are";
}

}  // namespace

AuditVerifier::AuditVerifier(ChainHash hash, AuditEnd end)
    : hash_(std::move(hash)), end_(std::move(end)) {
  if (!end_.head_text) return;
  const HeadReading reading = read_head(*end_.head_text, hash_);
  if (reading.is_ours) head_ = reading.head;
}

void AuditVerifier::fail(std::string kind, std::string text, std::optional<std::uint64_t> seq) {
  if (report_.fault) return;
  report_.fault = AuditFault{file_, line_, seq, std::move(kind), std::move(text)};
}

void AuditVerifier::note(std::string text) {
  if (report_.notes.size() < kNotesMax) {
    report_.notes.push_back(fmt::format("{}:{}: {}", file_, line_, text));
  } else {
    ++notes_left_out_;
  }
}

Result<void> AuditVerifier::add(const std::string& name, ByteSource& source, const OpContext& op) {
  if (report_.fault) return {};
  ++report_.files;
  file_ = name;
  line_ = 0;
  AuditLineReader lines(source);
  PacedCheck pace(op);
  while (!report_.fault) {
    HELVE_ASSIGN(const auto line, lines.next());
    if (!line) break;
    HELVE_TRY(pace.add(line->end - line->begin));
    ++line_;
    take_line(*line);
  }
  if (line_ == 0) fail("empty", "the file is empty: it has no header");
  line_ = 0;
  return {};
}

void AuditVerifier::miss(const std::string& name) {
  file_ = name;
  line_ = 0;
  fail("truncated", head_ ? fmt::format("the file is not there, and its head says that it goes up "
                                        "to record {}",
                                        head_->place.seq)
                          : std::string("the file is not there"));
}

void AuditVerifier::take_line(const AuditLine& line) {
  if (!line.is_complete && line_ > 1) {
    note(fmt::format("the last {} bytes are a torn record; the next writer sets them aside",
                     line.end - line.begin));
    return;
  }
  const auto parsed = line.is_too_long ? std::nullopt : parse_chain_line(line.text);
  const auto json = parsed ? parse_json(line.text) : Error{ErrorCode::InvalidInput, ""};
  if (!json) {
    fail("damaged", line.is_too_long ? "the line is longer than a record can be"
                                     : "the line is not a record of an audit file");
    return;
  }
  const std::string kind = text_of(*json, "kind");
  if ((line_ == 1) != (kind == "header")) {
    fail("damaged", line_ == 1 ? "the file does not begin with a header" : "a header within",
         parsed->seq);
    return;
  }
  if (line_ == 1 && !take_header(*parsed, *json)) return;
  if (!has_true_hash(line.text, *parsed, hash_)) {
    fail("edited", "its hash is not that of what it says", parsed->seq);
    return;
  }
  check_place(*parsed, kind);
  if (report_.fault) return;
  ++report_.records;
  report_.last = ChainPlace{parsed->seq, std::string(parsed->hash)};
  report_.last_at = text_of(*json, "at");
  if (report_.records == 1) report_.first_at = report_.last_at;
  check_known_places(*report_.last);
  take_content(*parsed, kind, *json);
}

// Whether the key is the right one.
bool AuditVerifier::take_header(const ChainLine& parsed, const JsonValue& json) {
  const std::string key_id = text_of(json, "key_id");
  report_.key_id = key_id;
  if (key_id == hash_.key_id()) return true;
  if (key_id.empty()) {
    fail("not keyed", "the file is not keyed, and a key is given", parsed.seq);
  } else if (hash_.key_id().empty()) {
    fail("key needed", fmt::format("the file is keyed with {}: give the key", key_id), parsed.seq);
  } else {
    fail("wrong key",
         fmt::format("the file is keyed with {}, and the key that is given is {}", key_id,
                     hash_.key_id()),
         parsed.seq);
  }
  return false;
}

// The hash is true: what is wrong is where it stands.
void AuditVerifier::check_place(const ChainLine& parsed, const std::string& kind) {
  if (!report_.last) {
    first_seq_ = parsed.seq;
    if (parsed.seq > 0) report_.before = ChainPlace{parsed.seq - 1, std::string(parsed.prev)};
    if ((parsed.seq == 0) != (parsed.prev == chain_start())) {
      fail("edited", "a header that goes on from nothing", parsed.seq);
    }
    return;
  }
  const ChainPlace& last = *report_.last;
  const bool follows = parsed.prev == last.hash;
  if (kind == "cut") {
    const std::uint64_t to = parsed.seq > 0 ? parsed.seq - 1 : 0;
    fail("cut",
         to > last.seq
             ? fmt::format("{} had been removed when this was written", range(last.seq + 1, to))
             : std::string("records had been replaced when this was written"),
         parsed.seq);
  } else if (follows && parsed.seq == last.seq + 1) {
    return;
  } else if (line_ == 1) {
    if (goes_on_from_recent(parsed)) return;
    fail("order",
         fmt::format("the file does not go on from record {} of the one before: another "
                     "is missing between them, or they are in the wrong order",
                     last.seq),
         parsed.seq);
  } else if (parsed.seq <= last.seq) {
    fail("repeated", fmt::format("it stands behind record {}: it is a copy or was moved", last.seq),
         parsed.seq);
  } else if (parsed.seq > last.seq + 1) {
    fail("missing", fmt::format("{} should stand before it", range(last.seq + 1, parsed.seq - 1)),
         parsed.seq);
  } else {
    fail("replaced", fmt::format("it was not written behind this record {}", last.seq), parsed.seq);
  }
}

// A writer was stopped before it could tell the head of its last records, and the file was moved
// away then: the next file goes on from the record that the head named. Nothing is missing.
bool AuditVerifier::goes_on_from_recent(const ChainLine& parsed) {
  const auto is_named = [&parsed](const ChainPlace& place) {
    return place.seq + 1 == parsed.seq && place.hash == parsed.prev;
  };
  if (std::none_of(recent_.begin(), recent_.end(), is_named)) return false;
  note(
      fmt::format("the header goes on from record {}, and the file before it ends with {}: its "
                  "last writer was stopped",
                  parsed.seq - 1, report_.last->seq));
  return true;
}

// Numbers may come twice, in two files: that no record is the one that is named shows at the end.
void AuditVerifier::check_known_places(const ChainPlace& place) {
  const auto compare = [&](const ChainPlace& known, bool& is_met, const char* who) {
    if (known.seq != place.seq || is_met) return;
    is_met = known.hash == place.hash;
    if (is_met) return;
    unmet_ = AuditFault{file_, line_, place.seq, "replaced",
                        fmt::format("{} names another record here", who)};
  };
  if (head_) compare(head_->place, is_head_met_, "the head file");
  if (end_.anchor) compare(*end_.anchor, is_anchor_met_, "the head that is given");
  recent_.push_back(place);
  if (recent_.size() > kRecentMax) recent_.pop_front();
}

void AuditVerifier::take_content(const ChainLine& parsed, const std::string& kind,
                                 const JsonValue& json) {
  if (kind == "intent") {
    take_intent(parsed, json);
  } else if (kind == "call") {
    const std::string call_id = text_of(json, "call_id");
    if (!call_id.empty()) open_intents_.erase(call_id);
  } else if (kind == "recovered") {
    const JsonValue* const bytes = json.find("bytes");
    // Whoever removes the head may have removed records before: nothing shows which. Behind the
    // header alone there is nothing yet, and a writer may have been stopped before the first head.
    const bool has_records = parsed.seq > first_seq_.value_or(0) + 1;
    if (bytes == nullptr && has_records && !end_.is_open && !end_.anchor) {
      fail("headless",
           "the head file was missing or not one when this was written: records before it may "
           "have been removed",
           parsed.seq);
      return;
    }
    note(bytes != nullptr ? fmt::format("record {}: {} ({} bytes)", parsed.seq,
                                        text_of(json, "reason"), number_of(json, "bytes"))
                          : fmt::format("record {}: {}", parsed.seq, text_of(json, "reason")));
  } else if (kind == "failure") {
    note(
        fmt::format("record {}: before it, {} calls were refused because they could not be "
                    "recorded: {}",
                    parsed.seq, number_of(json, "records"), text_of(json, "reason")));
  }
}

void AuditVerifier::take_intent(const ChainLine& parsed, const JsonValue& json) {
  if (open_intents_.size() >= kOpenIntentsMax) {
    ++intents_left_out_;
    return;
  }
  AuditInterrupted intent{parsed.seq,
                          text_of(json, "at"),
                          text_of(json, "identity"),
                          text_of(json, "tool"),
                          text_of(json, "source"),
                          text_of(json, "call_id"),
                          text_of(json, "transaction")};
  // One without an id has no outcome that could be found.
  const std::string key = intent.call_id.empty() ? fmt::format("\n{}", parsed.seq) : intent.call_id;
  open_intents_.insert_or_assign(key, std::move(intent));
}

std::string AuditVerifier::missing_text(std::uint64_t to, std::string_view how) const {
  const std::uint64_t from = report_.last->seq + 1;
  return fmt::format("{} {} {}", range(from, to), is_or_are(from, to), how);
}

void AuditVerifier::check_head() {
  const bool is_unmet = (end_.anchor && !is_anchor_met_) || (head_ && !is_head_met_);
  if (is_unmet && unmet_) {
    report_.fault = std::move(unmet_);
    return;
  }
  if (end_.anchor && !is_anchor_met_) {
    if (end_.anchor->seq > report_.last->seq) {
      fail("truncated",
           missing_text(end_.anchor->seq, "not there, and the head that is given goes up to it"));
    } else {
      fail("head", fmt::format("record {} of the head that is given is before the first one: give "
                               "the older files too",
                               end_.anchor->seq));
    }
    return;
  }
  if (!end_.head_text) {
    if (end_.anchor || end_.is_open) {
      if (!end_.anchor) report_.notes.emplace_back("without a head, a missing end does not show");
      return;
    }
    fail("no head", "there is no head file: whether the end is missing cannot be told");
    return;
  }
  if (!head_) {
    fail("head", "the head file is damaged, or was made with another key");
  } else if (head_->place.seq > report_.last->seq) {
    fail("truncated", missing_text(head_->place.seq, "missing at the end"));
  } else if (!is_head_met_ && report_.before != head_->place) {
    fail("head", fmt::format("the head file belongs to another file: it names record {}",
                             head_->place.seq));
  }
}

AuditReport AuditVerifier::finish() {
  if (!report_.fault && report_.last) check_head();
  if (notes_left_out_ > 0) {
    report_.notes.push_back(fmt::format("{} more notes are left out", notes_left_out_));
  }
  if (intents_left_out_ > 0) {
    report_.notes.push_back(fmt::format(
        "{} intents were too many at once to look for their outcome", intents_left_out_));
  }
  report_.interrupted_count = open_intents_.size();
  for (auto& [key, intent] : open_intents_) report_.interrupted.push_back(std::move(intent));
  std::sort(report_.interrupted.begin(), report_.interrupted.end(),
            [](const AuditInterrupted& a, const AuditInterrupted& b) { return a.seq < b.seq; });
  if (report_.interrupted.size() > kInterruptedMax) report_.interrupted.resize(kInterruptedMax);
  return std::move(report_);
}

}  // namespace helve::toolkit
