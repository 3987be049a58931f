// WatchedModel: a model whose calls somebody waits for.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "agent/llm/provider.h"

namespace helve::cli {

class WatchedModel final : public llm::Provider {
 public:
  // `on_wait` may be empty: called with true before every call and with false behind it, on the
  // threads that call. The model outlives it.
  WatchedModel(llm::Provider& model, std::function<void(bool)> on_wait)
      : model_(model), on_wait_(std::move(on_wait)) {}

  Result<llm::Answer> complete(const llm::Request& request, const OpContext& context,
                               const llm::StreamSink* sink) override {
    if (on_wait_) on_wait_(true);
    auto answer = model_.complete(request, context, sink);
    if (on_wait_) on_wait_(false);
    return answer;
  }
  bool tells_cost() const override { return model_.tells_cost(); }
  std::optional<double> cost_of(const llm::Usage& usage) const override {
    return model_.cost_of(usage);
  }
  std::string name() const override { return model_.name(); }
  std::string model() const override { return model_.model(); }

 private:
  llm::Provider& model_;
  const std::function<void(bool)> on_wait_;
};

}  // namespace helve::cli
