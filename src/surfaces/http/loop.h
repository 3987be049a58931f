// Loop: the thread on which all state of an HTTP server lives. Others only post to it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
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

  // The same, but not before `wait` is over.
  template <typename Task>
  void post_after(std::chrono::milliseconds wait, Task task) {
    auto timer = std::make_unique<boost::asio::steady_timer>(io, wait);
    auto& waiting = *timer;
    waiting.async_wait([timer = std::move(timer),
                        task = std::move(task)](const boost::system::error_code& error) mutable {
      if (!error) task();
    });
  }
};

}  // namespace helve::http
