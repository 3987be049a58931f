// SandboxPool: interpreters that are started, held by all layers and know their functions, before
// anybody asks. Each is used for one session and never again.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "agent/sandbox/sandbox.h"

namespace helve::sandbox {

struct PoolOptions {
  SandboxOptions sandbox;  // of every session; on_event only of those that are taken
  // Declared beforehand. Those with handlers are there in every session; those without can be
  // called where take() brings one.
  std::vector<Function> functions;
  std::size_t ready = 2;  // how many are kept ready, at most 64
};

// Thread-safe.
class SandboxPool {
 public:
  // Returns at once, or Denied and NotFound as Sandbox::start(): the first is started here.
  static Result<std::unique_ptr<SandboxPool>> make(PoolOptions options);
  // Ends those that nobody took. May wait for one that is being started.
  virtual ~SandboxPool() = default;

  // One that is ready, or a new one where there is none. `functions` as for register_tools();
  // on_event instead of that of the options. Unavailable in a process that was forked.
  virtual Result<std::unique_ptr<Sandbox>> take(std::vector<Function> functions,
                                                std::function<void(const Event&)> on_event = {},
                                                const OpContext& context = {}) = 0;
  virtual std::size_t ready() const = 0;  // now
};

}  // namespace helve::sandbox
