#include "surfaces/cli/load_input.h"

#include <fmt/core.h>

#include <cstdlib>
#include <utility>

#include "base/text.h"
#include "surfaces/cli/open_graph.h"
#include "surfaces/cli/progress_bar.h"
#include "surfaces/cli/version.h"

namespace helve::cli {

namespace {

std::string stage_name(store::LoadStage stage) {
  switch (stage) {
    case store::LoadStage::Reading:
      return "reading";
    case store::LoadStage::Terms:
      return "sorting terms";
    case store::LoadStage::Sorting:
      return "indexing";
    case store::LoadStage::Counting:
      return "counting";
  }
  return "";
}

Result<store::Loaded> load_with_bar(std::vector<rdf::Document> documents,
                                    const store::LoadOptions& options, CommandContext& context) {
  store::LoadProgress progress;
  const ProgressBar bar(context.progress_terminal(), [&progress] {
    return ProgressState{progress.bytes_total.load(), progress.bytes_read.load(),
                         progress.statements.load(), stage_name(progress.stage.load())};
  });
  return store::load_documents(std::move(documents), options, context.op, &progress);
}

}  // namespace

Result<std::vector<rdf::Document>> open_inputs(const InputOptions& options,
                                               CommandContext& context) {
  return opening::open_documents(options, context.env, context.op);
}

Result<store::Loaded> load_inputs(std::vector<rdf::Document> documents, const InputOptions& options,
                                  CommandContext& context, std::vector<std::string> graphs) {
  return load_with_bar(
      std::move(documents),
      {.base_iri = options.base_iri, .lenient = options.is_lenient, .graphs = std::move(graphs)},
      context);
}

opening::OpenTools open_tools(CommandContext& context) {
  return {context.env,
          context.op,
          context.cache,
          [&context](std::vector<rdf::Document> documents, const store::LoadOptions& options) {
            return load_with_bar(std::move(documents), options, context);
          },
          fmt::format("helve {}", kVersion),
          [](const char* name) { return std::getenv(name); }};
}

void report_skipped(std::uint64_t skipped, const std::vector<Error>& problems,
                    const CommandContext& context) {
  if (skipped == 0) return;
  context.warn(count_of(skipped, "bad statement") + " skipped");
  for (const Error& problem : problems) context.warn("  " + problem.to_string());
  if (skipped > problems.size()) {
    context.warn(fmt::format("  … and {} more", format_count(skipped - problems.size())));
  }
}

}  // namespace helve::cli
