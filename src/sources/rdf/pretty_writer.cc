// The collecting half of the pretty writer; pretty_printer.cc is the printing half.
#include "sources/rdf/pretty_writer.h"

#include <utility>

#include "sources/rdf/prefix_map.h"
#include "sources/rdf/pretty_layout.h"
#include "sources/rdf/pretty_printer.h"
#include "sources/rdf/statement_check.h"
#include "sources/rdf/vocabulary.h"

namespace helve::rdf {

namespace {

class PrettyWriter final : public Writer {
 public:
  PrettyWriter(bool has_graphs, ByteSink& out, const WriteOptions& options,
               const OpContext& context)
      : has_graphs_(has_graphs),
        out_(&out),
        context_(context),
        prefixes_(context.limits.prefixes_max),
        set_(context) {
    for (const auto& [name, iri] : options.prefixes) prefixes_.add(name, iri);
  }

  Result<void> statement(const StatementView& statement) override {
    HELVE_TRY(check_writable(statement));
    if (!has_graphs_) HELVE_TRY(check_in_default_graph(statement, "Turtle"));
    return set_.statement(statement);
  }

  void prefix(std::string_view name, std::string_view iri) override { prefixes_.add(name, iri); }

  Result<void> finish() override {
    prefixes_.add_default("rdf", kRdf);
    prefixes_.add_default("rdfs", kRdfs);
    prefixes_.add_default("owl", kOwl);
    prefixes_.add_default("xsd", kXsd);
    HELVE_ASSIGN(const PrettyLayout layout, PrettyLayout::create(set_, context_));
    return print_pretty(set_, layout, prefixes_, *out_, context_);
  }

 private:
  bool has_graphs_;
  ByteSink* out_;
  OpContext context_;
  PrefixMap prefixes_;
  QuadSet set_;
};

}  // namespace

std::unique_ptr<Writer> make_pretty_writer(Format format, ByteSink& out,
                                           const WriteOptions& options, const OpContext& context) {
  return std::make_unique<PrettyWriter>(format == Format::TriG, out, options, context);
}

}  // namespace helve::rdf
