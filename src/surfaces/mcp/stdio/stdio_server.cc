#include "surfaces/mcp/stdio/stdio_server.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "surfaces/mcp/server/connection.h"
#include "surfaces/mcp/stdio/line_reader.h"

namespace helve::mcp {

namespace {

// Lines of standard output. Once one cannot be written, none is. Never sits in write(): who ends
// the server must be able to give up a client that does not read.
class LineChannel final : public Channel {
 public:
  LineChannel(int descriptor, CancelToken broken)
      : descriptor_(descriptor), broken_(std::move(broken)) {}

  void send(std::string message) override {
    message += '\n';
    const std::lock_guard lock(mutex_);
    for (std::string_view rest = message; !rest.empty() && !broken_.is_cancelled();) {
      if (!can_write()) continue;
      // A pipe that takes anything takes this much without waiting.
      const ssize_t count =
          ::write(descriptor_, rest.data(), std::min<std::size_t>(rest.size(), PIPE_BUF));
      if (count >= 0) {
        rest.remove_prefix(static_cast<std::size_t>(count));
      } else if (errno != EINTR && errno != EAGAIN) {
        broken_.cancel();
      }
    }
  }

  // How long it has waited for the client by now.
  Duration waiting() const {
    const auto since = waiting_since_.load();
    if (since == 0) return {};
    return std::chrono::steady_clock::now().time_since_epoch() -
           std::chrono::steady_clock::duration(since);
  }

 private:
  bool can_write() {
    constexpr int kLookMs = 100;
    pollfd wait{descriptor_, POLLOUT, 0};
    if (::poll(&wait, 1, kLookMs) > 0) {
      waiting_since_ = 0;
      return true;
    }
    if (waiting_since_ == 0) {
      waiting_since_ = std::chrono::steady_clock::now().time_since_epoch().count();
    }
    return false;
  }

  std::mutex mutex_;
  int descriptor_;
  CancelToken broken_;
  std::atomic<std::chrono::steady_clock::rep> waiting_since_{0};  // 0: it does not
};

// What one line asks for: mostly one job, several for a batch.
struct Work {
  std::vector<std::shared_ptr<Job>> jobs;
  std::vector<std::string> replies;  // of a batch, so far
  bool is_batch = false;
  WorkerLoad::TimePoint queued{};
};

// The process is one session, whichever era its messages are of.
toolkit::Caller in_session(toolkit::Caller caller, Server& server) {
  constexpr std::size_t kNameBytes = 6;
  caller.session = "stdio-" + server.random().hex(kNameBytes);
  caller.shares_handles = true;
  return caller;
}

// Threads take turns at reading: who has read a request answers it itself, so that an answer waits
// for no other thread. Most are answered at once; where one is not, an idle thread that watches
// takes the reading over. While requests come, watching costs a look now and then and the calls
// nothing. Where there is no idle thread, what is read is queued, because somebody must hear of
// cancellations.
class StdioServer {
 public:
  StdioServer(Server& server, toolkit::Caller caller, const StdioOptions& options,
              const CancelToken& stop)
      : server_(server),
        options_(options),
        stop_(stop),
        out_(std::make_shared<LineChannel>(options.out, broken_)),
        connection_(Connection::make(server, in_session(std::move(caller), server),
                                     TransportKind::Stdio, out_)),
        lines_(options.in, options.line_bytes_max),
        load_(options.threads) {}

  Result<void> serve() {
    // This thread stays free to end the others.
    {
      const std::lock_guard lock(mutex_);
      add_thread();
      add_thread();
    }
    wait_for_end();
    end();
    // No thread is added once reading has ended.
    for (std::thread& thread : threads_) thread.join();
    if (failure_) return *failure_;
    return {};
  }

 private:
  // Until the input ends. A client that has closed it and does not read either, and one that is to
  // be stopped, cannot hold this up: the thread that reads may be waiting to write.
  void wait_for_end() {
    constexpr auto kLookEvery = std::chrono::milliseconds(250);
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, kLookEvery, [this] { return is_ended_; })) {
      pollfd input{options_.in, 0, 0};
      const bool has_gone = ::poll(&input, 1, 0) > 0 && (input.revents & (POLLHUP | POLLERR)) != 0;
      const bool is_ending = has_gone || stop_.is_cancelled();
      if (is_ending && out_->waiting() > options_.grace) broken_.cancel();
    }
  }

  // Under the lock.
  void add_thread() {
    threads_.emplace_back([this] { take_turns(); });
  }

  void take_turns() {
    std::unique_lock lock(mutex_);
    ++running_;
    while (true) {
      if (!queue_.empty()) {
        Work work = std::move(queue_.front());
        queue_.pop_front();
        lock.unlock();
        answer(std::move(work));
        lock.lock();
      } else if (is_ended_) {
        --running_;
        return;
      } else if (is_reading_) {
        ++idle_;
        wait_for_work(lock);
        --idle_;
      } else {
        is_reading_ = true;
        lock.unlock();
        read_on();
        lock.lock();
      }
    }
  }

  // Until there is something to do, or the reading can be taken over from a thread whose call takes
  // long.
  void wait_for_work(std::unique_lock<std::mutex>& lock) {
    constexpr auto kLookEvery = std::chrono::microseconds(500);
    constexpr int kQuietLooksMax = 40;
    const auto has_work = [this] { return !is_reading_ || !queue_.empty() || is_ended_; };
    changed_.wait(lock, [&] { return has_work() || (answering_ != 0 && !is_watched_); });
    if (has_work()) return;
    is_watched_ = true;
    for (int quiet_looks = 0; quiet_looks < kQuietLooksMax;) {
      const std::uint64_t seen = answering_;
      if (changed_.wait_for(lock, kLookEvery, has_work)) break;
      if (seen != 0 && seen == answering_) {
        answering_ = 0;
        is_reading_ = false;
        break;
      }
      quiet_looks = seen == 0 ? quiet_looks + 1 : 0;
    }
    is_watched_ = false;
  }

  // Reads and answers, until there is nothing more to read or another thread has taken over.
  void read_on() {
    while (true) {
      auto line = lines_.next([this] {
        refuse_late();
        return stop_.is_cancelled() || broken_.is_cancelled();
      });
      if (!line || line->kind == LineReader::Kind::End) {
        const std::lock_guard lock(mutex_);
        if (!line) failure_ = std::move(line).error();
        is_ended_ = true;
        is_reading_ = false;
        changed_.notify_all();
        ended_.notify_all();
        return;
      }
      Work work = take(*line);
      if (work.jobs.empty()) continue;
      if (!work.is_batch && !work.jobs.front()->is_long()) {
        answer(std::move(work));
        continue;
      }
      std::unique_lock lock(mutex_);
      const bool can_grow = threads_.size() <= options_.threads;
      if (idle_ > 0 || can_grow) {
        if (idle_ == 0) add_thread();
        if (!is_watched_) changed_.notify_one();
        const std::uint64_t turn = ++turns_;
        answering_ = turn;
        lock.unlock();
        answer(std::move(work));
        lock.lock();
        if (answering_ != turn) return;  // another thread reads now
        answering_ = 0;
        continue;
      }
      if (queue_.size() < options_.queue_max && !load_.is_stuck()) {
        work.queued = std::chrono::steady_clock::now();
        queue_.push_back(std::move(work));
        continue;
      }
      lock.unlock();
      refuse(work);
    }
  }

  // Sends what can be answered at once.
  Work take(const LineReader::Line& line) {
    Work work;
    if (line.kind == LineReader::Kind::TooLong) {
      out_->send(error_message(
          {}, {code::kInvalidRequest,
               fmt::format("the line has more than {} bytes", options_.line_bytes_max),
               {}}));
      return work;
    }
    if (line.text.find_first_not_of(" \t") == std::string_view::npos) return work;
    Incoming incoming = read_incoming(line.text, server_.limits());
    work.is_batch = incoming.is_batch;
    if (work.is_batch && connection_->revision() != Revision::R20250326) {
      out_->send(error_message({}, {code::kInvalidRequest,
                                    "batches exist in 2025-03-26 only: send each message on a "
                                    "line of its own",
                                    {}}));
      return {};
    }
    for (Message& message : incoming.messages) {
      Admission admission = connection_->admit(std::move(message), out_);
      switch (admission.next) {
        case Admission::Next::Nothing:
          break;
        case Admission::Next::Reply:
          work.replies.push_back(std::move(admission.reply.message));
          break;
        case Admission::Next::Run:
          work.jobs.push_back(std::move(admission.job));
          break;
        case Admission::Next::Stream:
          keep(std::move(admission.job));
          break;
      }
    }
    if (work.jobs.empty()) send_replies(work);
    return work;
  }

  void keep(std::shared_ptr<Job> job) {
    const std::lock_guard lock(mutex_);
    std::erase_if(streams_, [](const auto& stream) { return stream->is_cancelled(); });
    streams_.push_back(std::move(job));
  }

  void send_replies(Work& work) {
    if (work.replies.empty()) return;
    if (!work.is_batch) {
      out_->send(std::move(work.replies.front()));
      return;
    }
    out_->send(fmt::format("[{}]", fmt::join(work.replies, ",")));
  }

  void answer(Work work) {
    const bool is_long = work.is_batch || work.jobs.front()->is_long();
    if (is_long) load_.begin();
    for (std::shared_ptr<Job>& job : work.jobs) {
      if (auto reply = job->run()) work.replies.push_back(std::move(reply->message));
      job.reset();
    }
    if (is_long) load_.end();
    send_replies(work);
  }

  void refuse(Work& work) {
    server_.metrics().count_busy();
    for (std::shared_ptr<Job>& job : work.jobs) {
      work.replies.push_back(error_message(
          job->id(), {code::kBusy, "too many requests are waiting: try again later", {}}));
      job.reset();
    }
    send_replies(work);
  }

  // By who reads: the others are at work.
  void refuse_late() {
    std::vector<Work> late;
    {
      const std::lock_guard lock(mutex_);
      while (!queue_.empty() && load_.is_late(queue_.front().queued)) {
        late.push_back(std::move(queue_.front()));
        queue_.pop_front();
      }
    }
    for (Work& work : late) refuse(work);
  }

  // The grace for what is under way; then it is cancelled.
  void end() {
    constexpr auto kLookEvery = std::chrono::milliseconds(5);
    const auto until = std::chrono::steady_clock::now() + options_.grace;
    // Not on this thread, which must not wait for the client.
    std::thread farewell([this] {
      server_.end_subscriptions();
      const std::lock_guard lock(mutex_);
      streams_.clear();
    });
    while (connection_->in_flight() > 0 && !broken_.is_cancelled() &&
           std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(kLookEvery);
    }
    connection_->close();
    // A client that reads slowly gets all of it; one that does not read, nothing more.
    while (count_running() > 0 && out_->waiting() <= options_.grace) {
      std::this_thread::sleep_for(kLookEvery);
    }
    broken_.cancel();
    farewell.join();
  }

  std::size_t count_running() {
    const std::lock_guard lock(mutex_);
    return running_;
  }

  Server& server_;
  StdioOptions options_;
  CancelToken stop_;
  CancelToken broken_;
  std::shared_ptr<LineChannel> out_;
  std::shared_ptr<Connection> connection_;
  LineReader lines_;
  WorkerLoad load_;
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::condition_variable ended_;
  std::vector<std::thread> threads_;
  std::deque<Work> queue_;
  std::vector<std::shared_ptr<Job>> streams_;
  std::size_t idle_ = 0;
  std::size_t running_ = 0;  // threads that have not ended
  bool is_reading_ = false;
  std::uint64_t turns_ = 0;      // requests that threads answered themselves
  std::uint64_t answering_ = 0;  // the turn of the thread that should be reading; 0: it reads
  bool is_watched_ = false;      // an idle thread looks after that
  bool is_ended_ = false;
  std::optional<Error> failure_;
};

}  // namespace

Result<void> serve_stdio(Server& server, toolkit::Caller caller, const StdioOptions& options,
                         const CancelToken& stop) {
  return StdioServer(server, std::move(caller), options, stop).serve();
}

}  // namespace helve::mcp
