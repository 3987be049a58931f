// WatchedModel: a model whose calls are seen: by a person who waits, and in the log.
#pragma once

#include <functional>
#include <string>

#include "agent/llm/provider.h"

namespace helve::cli {

class WatchedModel final : public llm::Provider {
 public:
  // `on_wait` may be empty: called with true before every call and with false behind it, on the
  // threads that call. `host` is for the log. The model outlives it.
  WatchedModel(llm::Provider& model, std::string host, std::function<void(bool)> on_wait)
      : model_(model), host_(std::move(host)), on_wait_(std::move(on_wait)) {}

  Result<llm::Answer> complete(const llm::Request& request, const OpContext& context,
                               const llm::StreamSink* sink) override;
  bool tells_cost() const override { return model_.tells_cost(); }
  std::optional<double> cost_of(const llm::Usage& usage) const override {
    return model_.cost_of(usage);
  }
  std::string name() const override { return model_.name(); }
  std::string model() const override { return model_.model(); }

 private:
  llm::Provider& model_;
  const std::string host_;
  const std::function<void(bool)> on_wait_;
};

}  // namespace helve::cli
