#include "surfaces/cli/audit_arguments.h"

namespace helve::cli {

namespace {

constexpr std::size_t kLinesMax = 10'000;

void add_verify(CLI::App& audit, AuditVerifyOptions& options, Command& chosen) {
  CLI::App* const command =
      audit.add_subcommand("verify", "Check that no record was changed, removed, added or moved");
  command->footer(
      "\nFiles that were moved away come first, the oldest at the start; .gz, .zst and .bz2 are\n"
      "unpacked. FILE.head beside the last one tells where the records end. Who can write to both\n"
      "can cut both: keep what 'helve audit head FILE' prints elsewhere, and give it as --head.\n\n"
      "  helve audit verify audit.jsonl\n"
      "  helve audit verify audit.1.jsonl audit.jsonl --key env:AUDIT_KEY");
  command->add_option("FILE", options.files, "Audit files, the oldest first")->required();
  command->add_option("--key", options.key, "Key of the files: env:NAME or file:PATH");
  command->add_option("--head", options.head, "SEQ:HASH of a record that must be there");
  command->add_flag("--no-head", options.is_open, "Do without a head file where there is none");
  command->add_flag("--json", options.is_json, "Print JSON");
  choose(*command, chosen, run_audit_verify, options);
}

void add_list_options(CLI::App& command, AuditListOptions& options) {
  command.add_option("-n,--lines", options.count, "Only the last so many records")
      ->check(CLI::Range(std::size_t{1}, kLinesMax));
  command.add_flag("--json", options.is_json, "Print the records as lines of JSON");
}

void add_tail(CLI::App& audit, AuditListOptions& options, Command& chosen) {
  CLI::App* const command = audit.add_subcommand("tail", "Show the last records");
  command
      ->add_option_function<std::string>(
          "FILE", [&options](const std::string& path) { options.files = {path}; }, "Audit file")
      ->required();
  options.count = 10;
  add_list_options(*command, options);
  command->add_flag("-f,--follow", options.is_following, "Go on with those that come; Ctrl-C ends");
  choose(*command, chosen, run_audit_tail, options);
}

void add_search(CLI::App& audit, AuditListOptions& options, Command& chosen) {
  CLI::App* const command = audit.add_subcommand("search", "Show the records that are asked for");
  command->footer(
      "\nTimes are in UTC: 2026-01-31, 2026-01-31T12:30, or 30min and 2h before now.\n\n"
      "  helve audit search audit.jsonl --verdict denied --since 2h\n"
      "  helve audit search audit.1.jsonl.gz audit.jsonl --caller anna --text customer -n 20");
  command->add_option("FILE", options.files, "Audit files; '-' for standard input")->required();
  toolkit::AuditFilter& filter = options.filter;
  command->add_option("--caller", filter.caller, "Of this caller");
  command->add_option("--session", filter.session, "Of this session");
  command->add_option("--tool", filter.tool, "Of this tool");
  command->add_option("--source", filter.source, "Of this source");
  command->add_option("--verdict", filter.verdict,
                      "ok, asked, denied, unanswered, rolled_back, ...");
  command->add_option("--kind", filter.kind,
                      "call, intent, event, header, recovered, cut, failure");
  command->add_option("--since", filter.since, "Not before this time");
  command->add_option("--until", filter.until, "Not after this time");
  command->add_option("--text", filter.text, "With this text in any place");
  add_list_options(*command, options);
  choose(*command, chosen, run_audit_search, options);
}

}  // namespace

void add_audit_command(CLI::App& app, AuditArguments& arguments, Command& chosen) {
  CLI::App* const audit =
      app.add_subcommand("audit", "Verify audit files, and look at what is in them");
  audit->require_subcommand(1);
  add_verify(*audit, arguments.verify, chosen);
  CLI::App* const head = audit->add_subcommand(
      "head", "Print number and hash of the last record, to be kept elsewhere");
  head->add_option("FILE", arguments.head.file, "Audit file")->required();
  choose(*head, chosen, run_audit_head, arguments.head);
  add_tail(*audit, arguments.tail, chosen);
  add_search(*audit, arguments.search, chosen);
}

}  // namespace helve::cli
