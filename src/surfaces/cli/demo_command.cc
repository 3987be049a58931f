// helve demo: a short tour on the bundled sample: load, count, look at one thing, ask, see an
// error.
#include <fmt/core.h>

#include <array>

#include "base/text.h"
#include "sources/rdf/document.h"
#include "sources/rdf/writer.h"
#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/engine/query_run.h"
#include "sources/sparql/results/result_format.h"
#include "sources/store/dataset.h"
#include "sources/store/loader.h"
#include "surfaces/cli/command.h"
#include "surfaces/cli/error_report.h"
#include "surfaces/cli/info_report.h"
#include "surfaces/sample/sample.h"

namespace helve::cli {

namespace {

constexpr std::string_view kDemoIndent = "  ";
constexpr std::string_view kShown = "https://helve.example/solar/body/Europa";

struct Question {
  std::string_view words;
  std::string_view query;
};

constexpr std::array kQuestions = {
    Question{"Which planets have the most moons?",
             R"(SELECT ?planet (COUNT(?moon) AS ?moons) WHERE {
  ?planet a/rdfs:subClassOf* sol:Planet .
  ?moon sol:orbits ?planet .
} GROUP BY ?planet ORDER BY DESC(?moons) LIMIT 4
)"},
    Question{"Which worlds with a hidden ocean has no spacecraft seen?",
             R"(SELECT ?world ?radius ?discovered WHERE {
  ?world sol:hasSubsurfaceOcean true ; sol:meanRadius ?radius .
  OPTIONAL { ?world sol:discoveryDate ?discovered }
  FILTER NOT EXISTS { ?mission sol:visited ?world }
} ORDER BY DESC(?radius)
)"},
    Question{"How many years did the journeys to the outermost worlds take?",
             R"(SELECT ?mission ?target (YEAR(?arrival) - YEAR(?launch) AS ?years) WHERE {
  VALUES ?target { body:Uranus body:Neptune body:Pluto }
  ?mission sol:launchDate ?launch ; sol:visit [ sol:target ?target ; sol:date ?arrival ] .
} ORDER BY ?arrival
)"},
    Question{
        "Which mission saw the most bodies, and which were they?",
        R"(SELECT ?mission (COUNT(?body) AS ?bodies) (GROUP_CONCAT(?name; SEPARATOR=", ") AS ?names)
WHERE {
  ?mission sol:visited ?body .
  ?body rdfs:label ?name FILTER(LANG(?name) = "en")
} GROUP BY ?mission ORDER BY DESC(?bodies) LIMIT 3
)"},
    Question{"Has anything landed on Titan?", "ASK { ?mission sol:landedOn body:Titan }\n"},
};

constexpr std::string_view kBroken =
    "SELECT ?moon ?planet WHERE {\n"
    "  ?moon sol:orbits ?planet\n"
    "  FILTER(?planet = body:Saturn AND ?moon != body:Titan)\n"
    "}\n";

class Demo {
 public:
  explicit Demo(CommandContext& context) : context_(context) {}

  Result<void> run() {
    HELVE_TRY(load());
    HELVE_TRY(show_numbers());
    HELVE_TRY(show_resource());
    HELVE_TRY(ask_questions());
    HELVE_TRY(show_error());
    return show_next();
  }

 private:
  Result<void> say(std::string_view text) { return context_.out.write(text); }

  Result<void> step(int number, std::string_view title) {
    const Terminal& terminal = context_.out_terminal;
    return say(fmt::format("\n{}\n\n",
                           terminal.styled(Style::Bold, fmt::format("{}. {}", number, title))));
  }

  Result<void> load() {
    HELVE_TRY(
        say("Helve on a bundled sample: the solar system and the missions that explored it.\n"));
    HELVE_TRY(step(1, "Load a TriG document into the embedded store"));
    std::vector<rdf::Document> documents;
    documents.push_back(
        rdf::Document::from_text("solar-system.trig", sample_trig(), rdf::Format::TriG));
    const MonotonicTime start = context_.env.clock().now();
    HELVE_ASSIGN(loaded_, store::load_documents(std::move(documents), {}, context_.op));
    const Duration elapsed = context_.env.clock().now() - start;
    return say(fmt::format("  {} statements, indexed and ready to be asked in {}; {} in memory\n",
                           format_count(loaded_.report.statements_read), format_duration(elapsed),
                           format_bytes(loaded_.snapshot->memory_bytes())));
  }

  Result<void> show_numbers() {
    HELVE_TRY(step(2, "Know it at a glance    (helve info FILE)"));
    const store::LiveSnapshot data(loaded_.snapshot);
    HELVE_ASSIGN(const store::Summary summary, store::summarize(data, context_.op));
    constexpr std::size_t kTop = 5;
    return say(
        render_info_text({{}, data, loaded_.report, summary, {}, kTop}, context_.out_terminal));
  }

  // What the store knows of one resource, found by its subject and written as Turtle.
  Result<void> show_resource() {
    HELVE_TRY(step(3, "Look at one thing      (helve convert writes whole files like this)"));
    const store::Snapshot& snapshot = *loaded_.snapshot;
    const auto subject = snapshot.dictionary().find(rdf::TermView::iri(kShown));
    if (!subject) return Error{ErrorCode::Internal, fmt::format("the sample lacks {}", kShown)};
    StringSink text;
    const auto writer =
        rdf::make_writer(rdf::Format::Turtle, text, {.prefixes = snapshot.prefixes()}, context_.op);
    auto scan =
        snapshot.scan({.subject = *subject, .graph = {store::GraphChoice::Kind::Union, {}}});
    store::QuadBatch batch;
    std::array<std::string, 3> scratch;
    while (scan.next(batch)) {
      for (std::size_t row = 0; row < batch.rows; ++row) {
        std::array<rdf::TermView, 3> terms;
        for (std::size_t part = 0; part < terms.size(); ++part) {
          terms[part] = snapshot.dictionary().term(batch.columns[part][row], scratch[part]);
        }
        HELVE_TRY(writer->statement({terms[0], terms[1], terms[2], {}}));
      }
    }
    HELVE_TRY(writer->finish());
    return say(indented(text.text()));
  }

  Result<void> ask_questions() {
    HELVE_TRY(step(4, "Ask                    (helve query FILE --union 'SELECT ...')"));
    parse_options_.known_prefixes = loaded_.snapshot->prefixes();
    const auto data = store::as_dataset(loaded_.snapshot);
    for (const Question& question : kQuestions) {
      if (&question != kQuestions.data()) HELVE_TRY(say("\n"));
      HELVE_TRY(say("  " + context_.out_terminal.styled(Style::Accent, question.words) + "\n\n"));
      HELVE_TRY(say(indented(question.query) + "\n"));
      HELVE_TRY(answer(question, data));
    }
    return {};
  }

  Result<void> answer(const Question& question,
                      const std::shared_ptr<const sparql::Snapshot>& data) {
    const MonotonicTime start = context_.env.clock().now();
    HELVE_ASSIGN(const auto parsed, sparql::parse_query(question.query, parse_options_));
    HELVE_ASSIGN(auto run, sparql::QueryRun::start(parsed.query, data, {.is_union_default = true},
                                                   context_.op));
    StringSink text;
    sparql::TableStyle style;
    style.prefixes = data->prefixes();
    style.width_max = context_.out_terminal.width() - kDemoIndent.size();
    const auto writer = sparql::make_solution_writer(sparql::ResultFormat::Table, text, style);
    HELVE_TRY(run.send(*writer));
    HELVE_TRY(writer->finish());
    const Duration elapsed = context_.env.clock().now() - start;
    return say(indented(text.text()) +
               context_.out_terminal.styled(Style::Dim, fmt::format("{}answered in {}", kDemoIndent,
                                                                    format_duration(elapsed))) +
               "\n");
  }

  Result<void> show_error() {
    HELVE_TRY(step(5, "Mistakes explain themselves"));
    HELVE_TRY(say(indented(kBroken)));
    const auto parsed = sparql::parse_query(kBroken, parse_options_);
    if (parsed) return Error{ErrorCode::Internal, "the broken query was accepted"};
    const Error& error = parsed.error();
    std::string text = "\n" + std::string(kDemoIndent) + error.message + "\n";
    if (error.position) {
      const auto lines =
          excerpt(kBroken, *error.position, context_.out_terminal.width() - kDemoIndent.size());
      if (lines) text += "\n" + indented(*lines);
    }
    return say(text + "\n" + std::string(kDemoIndent) + "hint: " + error.hint + "\n");
  }

  Result<void> show_next() {
    HELVE_TRY(step(6, "Your turn"));
    HELVE_TRY(
        say("  helve info FILE...               any Turtle, TriG, N-Triples, N-Quads or RDF/XML, "
            "packed or not\n"
            "  helve query FILE... 'SELECT ...' answers as a table, JSON, XML, CSV, TSV or Turtle\n"
            "  helve convert IN -o OUT.ttl      the same statements in another format\n"
            "  helve --help                     everything else\n"));
    return context_.out.flush();
  }

  static std::string indented(std::string_view text) {
    std::string out;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      if (end > 0) out.append(kDemoIndent).append(text.substr(0, end));
      out += '\n';
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
  }

  CommandContext& context_;
  store::Loaded loaded_;
  sparql::ParseOptions parse_options_;
};

}  // namespace

Result<void> run_demo(CommandContext& context) { return Demo(context).run(); }

}  // namespace helve::cli
