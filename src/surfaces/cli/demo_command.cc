// helve demo: a short tour on the bundled sample: load, count, look at one thing, see an error.
#include <fmt/core.h>

#include <array>

#include "base/text.h"
#include "sources/rdf/document.h"
#include "sources/rdf/writer.h"
#include "sources/store/loader.h"
#include "surfaces/cli/command.h"
#include "surfaces/cli/error_report.h"
#include "surfaces/cli/info_report.h"
#include "surfaces/cli/sample.h"

namespace helve::cli {

namespace {

constexpr std::string_view kShown = "https://helve.example/solar/body/Europa";
constexpr std::string_view kBroken =
    "@prefix sol: <https://helve.example/solar/> .\n"
    "sol:Europa sol:orbits sol:Jupiter\n"
    "sol:Titan sol:orbits sol:Saturn .\n";

class Demo {
 public:
  explicit Demo(CommandContext& context) : context_(context) {}

  Result<void> run() {
    HELVE_TRY(load());
    HELVE_TRY(show_numbers());
    HELVE_TRY(show_resource());
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
    HELVE_ASSIGN(const store::Summary summary, store::summarize(*loaded_.snapshot, context_.op));
    constexpr std::size_t kTop = 5;
    return say(render_info_text({{}, loaded_, summary, {}, kTop}, context_.out_terminal));
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

  Result<void> show_error() {
    HELVE_TRY(step(4, "Mistakes explain themselves"));
    HELVE_TRY(say(indented(kBroken)));
    rdf::ReadOptions options;
    options.document_name = "typo.ttl";
    StringSink ignored;
    const auto writer = rdf::make_writer(rdf::Format::NTriples, ignored, {}, context_.op);
    const auto report =
        rdf::read_document(rdf::Format::Turtle, kBroken, options, context_.op, *writer);
    if (report) return Error{ErrorCode::Internal, "the broken sample was accepted"};
    return say("\n  " + report.error().to_string() + "\n");
  }

  Result<void> show_next() {
    HELVE_TRY(step(5, "Your turn"));
    HELVE_TRY(
        say("  helve info FILE...               any Turtle, TriG, N-Triples, N-Quads or RDF/XML, "
            "packed or not\n"
            "  helve convert IN -o OUT.ttl      the same statements in another format\n"
            "  helve --help                     everything else\n"));
    return context_.out.flush();
  }

  static std::string indented(std::string_view text) {
    std::string out;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      if (end > 0) out += "  " + std::string(text.substr(0, end));
      out += '\n';
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
  }

  CommandContext& context_;
  store::Loaded loaded_;
};

}  // namespace

Result<void> run_demo(CommandContext& context) { return Demo(context).run(); }

}  // namespace helve::cli
