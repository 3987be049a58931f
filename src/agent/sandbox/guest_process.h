// GuestProcess: an interpreter that runs with the layers on, the two descriptors to it, and its
// work folder. Knows nothing of what is said on them. Neighbours: launch.h starts it, sandbox.cc
// talks to it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "agent/sandbox/interpreter.h"
#include "agent/sandbox/launch.h"
#include "agent/sandbox/layers.h"
#include "agent/sandbox/sandbox.h"
#include "agent/sandbox/work_folder.h"
#include "base/fd.h"
#include "base/result.h"

namespace helve::sandbox {

// Killed and reaped on destruction, its folder removed; in the process that started it.
class GuestProcess {
 public:
  // Runs `program` of Python. Denied where a layer is missing and must not be.
  static Result<std::unique_ptr<GuestProcess>> start(const SandboxOptions& options,
                                                     const Interpreter& interpreter,
                                                     std::string_view program);
  GuestProcess(const GuestProcess&) = delete;
  GuestProcess& operator=(const GuestProcess&) = delete;
  ~GuestProcess();

  int channel() const { return channel_.get(); }  // non-blocking, both directions
  int output() const { return output_.get(); }    // non-blocking; what it prints
  const LayerStates& layers() const { return layers_; }
  // What is in its folder, and in files that it holds and that are in no folder any more: of those
  // that it has mapped alone, as much as may be in one. Where that cannot be seen: all there may
  // be.
  FolderUse measure(const SandboxLimits& limits) const;
  std::uint64_t threads() const;                  // 0 where that cannot be told
  int process() const { return process_.get(); }  // can be read once it has ended
  bool has_ended() const;

  void interrupt() const;  // a KeyboardInterrupt there
  // Between blocks nothing of it runs: threads that a block left behind neither.
  void pause() const;
  void resume() const;
  // Ends it, if it has not ended, and tells how: "was ended by signal 11 (segmentation fault)".
  // `is_ending`: it has closed its descriptors, and is given a moment to end by itself.
  std::string finish(bool is_ending = false);

 private:
  GuestProcess(WorkFolder folder, Launched launched, std::int64_t user, UniqueFd channel,
               UniqueFd output, LayerStates layers);

  WorkFolder folder_;
  const pid_t host_;  // a process that was forked from it owns nothing here
  const pid_t pid_;
  const std::int64_t user_;  // of its own; -1: the host's
  UniqueFd process_;
  UniqueFd channel_;
  UniqueFd output_;
  LayerStates layers_;
};

}  // namespace helve::sandbox
