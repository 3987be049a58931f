// Loop: the thread on which all state of an HTTP server lives. Others only post to it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <utility>

namespace helve::http {

// Kept by all who may post, for they may outlive the server. What is posted must not keep it in
// turn.
struct Loop {
  boost::asio::io_context io{1};

  template <typename Task>
  void post(Task&& task) {
    boost::asio::post(io, std::forward<Task>(task));
  }
};

}  // namespace helve::http
