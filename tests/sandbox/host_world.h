// HostWorld: what code in a sandbox would like to reach, planted around this test program: files
// and folders that everybody may read and write, services that count who comes, a signal that is
// counted, and another sandbox. Neighbour: escapes_test.cc.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/sandbox/sandbox.h"
#include "tests/support/temp_directory.h"

namespace helve::sandbox {

class HostWorld {
 public:
  HostWorld();
  HostWorld(const HostWorld&) = delete;
  HostWorld& operator=(const HostWorld&) = delete;
  ~HostWorld();

  // The code with the names of planted things in the place of @FOLDER@ and the like.
  std::string with_places(std::string code) const;
  // What was touched since the last call; empty where nothing was.
  std::string touched();

 private:
  int listen_tcp();
  int bind_udp();
  int bind_unix(int type, const std::string& name);
  void start_neighbour();
  std::string state_of_files() const;
  std::string state_of_neighbour();

  TempDirectory folder_;
  std::string abstract_name_;
  int tcp_port_ = 0;
  int udp_port_ = 0;
  std::vector<int> sockets_;  // readable: somebody came
  std::unique_ptr<Sandbox> neighbour_;
  std::string neighbour_folder_;
  std::string neighbour_pid_;
  std::string files_before_;
};

}  // namespace helve::sandbox
