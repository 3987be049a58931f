#include "agent/experiment/cell_config.h"

#include <fmt/format.h>

#include "agent/experiment/cell_files.h"
#include "agent/learn/differences.h"
#include "agent/loops/json_object.h"
#include "base/digest.h"
#include "toolkit/memory/item_json.h"

namespace helve::agent {

namespace {

JsonValue config_of(const CellJob& job) {
  const bool has_seeds = job.plan.bank == BankStart::Seeds;
  return object_of({{"cell", to_json(job.plan)},
                    {"repeat", JsonValue(std::uint64_t{job.repeat})},
                    {"seed", JsonValue(seed_of(job.options.seed, job.repeat))},
                    {"set", JsonValue(job.set.tasks.name)},
                    {"set_digest", JsonValue(job.set.tasks.digest)},
                    {"source", JsonValue(job.set.tasks.source)},
                    {"source_schema", JsonValue(job.set.world.origin().schema_fingerprint)},
                    {"limits", limits_json(job.options.request.limits)},
                    {"loop", JsonValue(name_of(job.options.request.loop))},
                    {"seed_bank", JsonValue(has_seeds ? job.seed_bank_digest : std::string())},
                    {"config", job.options.config}});
}

std::filesystem::path file_of(const CellJob& job) {
  return cell_folder(job.options.folder, job.set.tasks.name, job.plan.id, job.repeat) / "cell.json";
}

// Whether it is there.
Result<bool> compare_config(const CellJob& job) {
  const auto file = file_of(job);
  HELVE_ASSIGN(const auto known, read_json_file(file, job.env));
  if (!known) return false;
  // Numbers may read back as another kind than they were written from.
  HELVE_ASSIGN(const JsonValue now, parse_json(helve::to_json(config_of(job))));
  if (helve::to_json(*known) == helve::to_json(now)) return true;
  const std::string differences = differences_of(*known, now, "its configuration");
  return Error{ErrorCode::InvalidInput,
               fmt::format("{} is of another experiment: {}", file.parent_path().string(),
                           differences.empty() ? "its configuration differs" : differences),
               "choose another folder, or run it with the tasks, source, model, seed, bank and "
               "limits of then"};
}

}  // namespace

std::uint64_t seed_of(std::uint64_t seed, std::size_t repeat) {
  constexpr std::uint64_t kApart = 1'000'003;
  return seed + kApart * (repeat - 1);
}

Result<std::string> bank_digest(const std::filesystem::path& file, Env& env,
                                const OpContext& context) {
  if (file.empty()) return std::string();
  HELVE_ASSIGN(const auto bank, memory::MemoryBank::open(file, false, env, context));
  std::string items;
  HELVE_TRY(bank->repository().visit(
      memory::whole_bank(),
      [&items](const memory::Item& item) -> Result<void> {
        items += memory::to_json(item, memory::ItemForm::Full) + "\n";
        return {};
      },
      context));
  return digest_hex(DigestKind::Sha256, items);
}

JsonValue limits_json(const RunLimits& limits) {
  const double time_ms = std::chrono::duration<double, std::milli>(limits.time_max).count();
  return object_of({{"steps_max", JsonValue(limits.iterations_max)},
                    {"tool_calls_max", JsonValue(limits.tool_calls_max)},
                    {"model_calls_max", JsonValue(limits.model_calls_max)},
                    {"tokens_max", JsonValue(limits.tokens_max)},
                    {"output_tokens_max", JsonValue(std::uint64_t{limits.output_tokens_max})},
                    {"cost_max", limits.cost_max ? JsonValue(*limits.cost_max) : JsonValue()},
                    {"time_max_ms", JsonValue(time_ms)}});
}

Result<void> check_config(const CellJob& job) {
  HELVE_TRY(compare_config(job));
  return {};
}

Result<void> settle_config(const CellJob& job) {
  HELVE_ASSIGN(const bool is_known, compare_config(job));
  if (is_known) return {};
  return write_json_file(file_of(job), config_of(job), job.env);
}

}  // namespace helve::agent
