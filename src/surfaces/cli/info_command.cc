// helve info: what is in these files?
#include <fmt/core.h>

#include "base/text.h"
#include "surfaces/cli/command.h"
#include "surfaces/cli/info_report.h"
#include "surfaces/cli/json_output.h"
#include "surfaces/cli/load_input.h"
#include "surfaces/cli/open_graph.h"

namespace helve::cli {

Result<void> run_info(const InfoOptions& options, CommandContext& context) {
  const MonotonicTime start = context.env.clock().now();
  HELVE_ASSIGN(OpenedGraph graph,
               open_graph(options.input, context, {.graphs = {}, .wants_files = true}));
  const store::LoadReport& load = graph.loaded.report;
  HELVE_ASSIGN(const store::Summary summary, store::summarize(*graph.data, context.op));
  if (auto failure = graph.data->failure()) {
    graph.finish(true, context.op);
    return *std::move(failure);
  }
  const InfoReport report{
      graph.files, *graph.data, load, summary, context.env.clock().now() - start, options.top};
  HELVE_TRY(context.show(options.is_json ? render_info_json(report)
                                         : render_info_text(report, context.out_terminal)));
  report_skipped(load.skipped, load.problems, context);
  if (!options.is_json) {
    const double elapsed = seconds(report.elapsed);
    context.note(fmt::format("{} in {} ({}/s)", count_of(load.statements_read, "statement"),
                             format_duration(report.elapsed),
                             format_count(static_cast<std::uint64_t>(
                                 static_cast<double>(load.statements_read) / elapsed))));
  }
  graph.finish(false, context.op);
  return {};
}

}  // namespace helve::cli
