#include "surfaces/cli/load_input.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "surfaces/cli/progress_bar.h"

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

}  // namespace

Result<std::vector<rdf::Document>> open_inputs(const InputOptions& options,
                                               CommandContext& context) {
  if (std::count(options.paths.begin(), options.paths.end(), "-") > 1) {
    return Error{ErrorCode::InvalidInput, "standard input can be read only once",
                 "name '-' once among the files"};
  }
  std::vector<rdf::Document> documents;
  for (const std::string& path : options.paths) {
    HELVE_ASSIGN(auto document,
                 rdf::open_document(context.env, path, {.format = options.format}, context.op));
    documents.push_back(std::move(document));
  }
  return documents;
}

Result<store::Loaded> load_inputs(std::vector<rdf::Document> documents, const InputOptions& options,
                                  CommandContext& context, std::vector<std::string> graphs) {
  store::LoadProgress progress;
  const ProgressBar bar(context.progress_terminal(), [&progress] {
    return ProgressState{progress.bytes_total.load(), progress.bytes_read.load(),
                         progress.statements.load(), stage_name(progress.stage.load())};
  });
  const store::LoadOptions load_options{
      .base_iri = options.base_iri, .lenient = options.is_lenient, .graphs = std::move(graphs)};
  return store::load_documents(std::move(documents), load_options, context.op, &progress);
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
