// Wire: one TCP connection and the HTTP/1.1 on it: reads requests one after the other, writes
// answers and streams, and keeps time and sizes. What requests mean is its owner's.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "surfaces/http/wire_options.h"

namespace helve::http {

using WebRequest = boost::beast::http::request<boost::beast::http::string_body>;
using WebFields = boost::beast::http::fields;
using AnswerHeaders = std::vector<std::pair<std::string, std::string>>;

inline std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }
// The value of a header; nullopt: it is not there. Empty where it is there twice, which no header
// that is asked for may be.
std::optional<std::string_view> header(const WebFields& fields, std::string_view name);

// The value of a header that is a list, which may be spread over several lines.
std::string header_list(const WebFields& fields, std::string_view name);

struct Answer {
  int status = 200;
  std::string body = {};
  std::string_view content_type = "application/json";
  AnswerHeaders headers = {};
  bool closes = false;  // the connection
};

// What a stream begins with.
struct StreamHead {
  AnswerHeaders headers;
  std::string_view comment;  // sent now and then where there is nothing else; empty: nothing is
};

class Wire;

class WireOwner {
 public:
  virtual ~WireOwner() = default;
  // What a client is told whose request cannot be read.
  virtual Answer refusal(int status, std::string message) = 0;
  // Called before the body is read: an answer refuses the request, and closes.
  virtual std::optional<Answer> check(const WebRequest& head) = 0;
  // How long the body of this request may be, WireOptions::body_bytes_max at most.
  virtual std::size_t body_bytes_max(const WebRequest& /*head*/) { return SIZE_MAX; }
  // To be answered by respond(), or by begin_stream() and end_stream(); now or later.
  virtual void handle(const std::shared_ptr<Wire>& wire, WebRequest request) = 0;
  virtual void refused(std::string_view why) = 0;  // what was no request: for the counters
  virtual void closed(const std::shared_ptr<Wire>& wire) = 0;
};

// Lives on the loop, as do all calls of it.
class Wire : public std::enable_shared_from_this<Wire> {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // The owner and the options outlive it.
  Wire(boost::asio::ip::tcp::socket socket, const WireOptions& options, WireOwner& owner);
  void start();
  // Instead: answers before anything is asked, and closes.
  void turn_away(Answer answer);

  void respond(Answer answer);
  void begin_stream(const StreamHead& head);
  void send(std::string_view event);  // cuts who does not read
  // `trailers` come behind the body, where the client can be told any.
  void end_stream(const AnswerHeaders& trailers = {});
  // Ends the connection at once.
  void cut();
  // The same so that the client sees an error, whatever it has received before.
  void abort();

  // Called once when the client leaves, or is cut, before it has its answer. Forgotten with the end
  // of the answer. After a mere end of its sending an answer can still be tried.
  void on_gone(std::function<void()> gone) { gone_ = std::move(gone); }

  // Called whenever all bytes of a stream are out. Forgotten with the end of the answer.
  void on_sent(std::function<void()> sent) { sent_ = std::move(sent); }
  std::size_t unsent() const { return pending_.size() + flight_.size() - flown_; }

  bool is_idle() const { return phase_ < Phase::Busy; }  // waits for a request, or reads one
  bool is_busy() const { return phase_ == Phase::Busy || phase_ == Phase::Streaming; }
  bool is_closed() const { return phase_ == Phase::Closed; }
  // To be called now and then: time-outs, comments in quiet streams.
  void tick(Time now);
  // Closes when the answer under way is out; at once where there is none.
  void close_soon();

 private:
  enum class Phase : std::uint8_t { Idle, Header, Body, Busy, Streaming, Draining, Closed };
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  using ErrorCode = boost::system::error_code;

  void read();
  void has_read(const ErrorCode& error, std::size_t bytes);
  void has_ended(bool is_clean);
  void feed();
  bool feed_once();
  void begin_header();
  bool end_header();
  void end_message();
  void refuse(Answer answer, std::string_view why);
  void refuse(int status, std::string message, std::string_view why);
  void refuse_malformed(const ErrorCode& error);
  void refuse_length(std::size_t bytes_max);

  void write_out(std::string_view bytes);
  void write();
  void has_written(const ErrorCode& error, std::size_t bytes);
  void end_answer();
  void drain();
  std::string head_of(int status, const AnswerHeaders& headers) const;
  bool keeps_alive() const;
  void tell_gone();

  boost::asio::ip::tcp::socket socket_;
  const WireOptions& options_;
  WireOwner& owner_;

  Phase phase_ = Phase::Idle;
  std::vector<char> chunk_;  // where the read under way puts its bytes
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  std::size_t header_count_ = 0;
  std::size_t drained_ = 0;
  bool is_reading_ = false;
  bool has_eof_ = false;

  std::string pending_;  // to be written after `flight_`
  std::string flight_;
  std::size_t flown_ = 0;
  bool is_writing_ = false;
  bool is_ending_ = false;  // the answer is complete in `pending_`
  bool is_chunked_ = false;
  bool is_head_ = false;
  bool is_http_11_ = true;
  bool closes_ = false;
  std::string_view comment_;

  std::optional<Time> read_deadline_;
  std::optional<Time> write_deadline_;
  Time last_written_;
  std::function<void()> gone_;
  std::function<void()> sent_;
};

}  // namespace helve::http
