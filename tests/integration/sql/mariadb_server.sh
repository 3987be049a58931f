#!/bin/sh
# A private MariaDB server for tests, on a unix socket and on a free port of 127.0.0.1, never as
# root.
#
#   mariadb_server.sh start DIR   makes DIR (which must not be there), starts the server in it and
#                                 prints three lines: socket=PATH, port=N, pid=N
#   mariadb_server.sh stop DIR    stops it and removes DIR
#
# root@localhost has no password, on the socket alone. Exit status 77: there is no MariaDB here.
set -eu

fail() {
  echo "mariadb_server.sh: $*" >&2
  exit 1
}

as_server() {
  if [ "$(id -u)" -eq 0 ]; then
    setpriv --reuid="$(id -u "$owner")" --regid="$(id -g "$owner")" --clear-groups -- "$@"
  else
    "$@"
  fi
}

find_program() {
  for folder in "" /usr/sbin/ /usr/bin/; do
    if command -v "$folder$1" >/dev/null 2>&1; then
      command -v "$folder$1"
      return
    fi
  done
  echo "mariadb_server.sh: there is no $1 on this machine" >&2
  exit 77
}

free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

is_ready() {
  mariadb-admin --no-defaults --socket="$1/s" --user=root ping >/dev/null 2>&1
}

start() {
  dir=$1
  server=$(find_program mariadbd)
  install=$(find_program mariadb-install-db)
  [ ! -e "$dir" ] || fail "$dir is there already"
  mkdir -p "$dir/data" "$dir/tmp"
  dir=$(cd "$dir" && pwd)
  [ "${#dir}" -lt 100 ] || fail "the path of $dir is too long for a socket"
  owner=nobody
  if id mysql >/dev/null 2>&1; then owner=mysql; fi
  if [ "$(id -u)" -eq 0 ]; then
    chmod 755 "$dir"
    chown -R "$owner" "$dir"
  fi
  as_server "$install" --no-defaults --datadir="$dir/data" --auth-root-authentication-method=normal \
    --skip-test-db --skip-name-resolve >"$dir/install.log" 2>&1 ||
    fail "mariadb-install-db failed: $(tail -3 "$dir/install.log")"
  for _ in 1 2 3 4 5; do
    port=$(free_port)
    # In parentheses, so that nothing that stays holds the caller's pipe.
    (as_server "$server" --no-defaults --datadir="$dir/data" --tmpdir="$dir/tmp" \
      --socket="$dir/s" --pid-file="$dir/pid" --bind-address=127.0.0.1 --port="$port" \
      --skip-name-resolve --skip-log-bin --secure-file-priv= --innodb-buffer-pool-size=32M \
      --innodb-log-file-size=8M --innodb-flush-log-at-trx-commit=2 --max-connections=60 \
      --performance-schema=OFF) >"$dir/server.log" 2>&1 </dev/null &
    server_pid=$!
    tries=0
    while ! is_ready "$dir"; do
      tries=$((tries + 1))
      kill -0 "$server_pid" 2>/dev/null || break
      [ "$tries" -lt 300 ] || break
      sleep 0.1
    done
    if is_ready "$dir"; then
      printf "DELETE FROM mysql.global_priv WHERE user = 'root' AND host <> 'localhost'; \
        FLUSH PRIVILEGES;" | mariadb --no-defaults --socket="$dir/s" --user=root
      printf 'socket=%s\nport=%s\npid=%s\n' "$dir/s" "$port" "$(cat "$dir/pid")"
      return
    fi
    kill -9 "$server_pid" 2>/dev/null || true
  done
  fail "the server did not start: $(tail -3 "$dir/server.log")"
}

stop() {
  dir=$1
  if [ -f "$dir/pid" ]; then
    pid=$(cat "$dir/pid")
    kill -CONT "$pid" 2>/dev/null || true
    kill "$pid" 2>/dev/null || true
    tries=0
    while kill -0 "$pid" 2>/dev/null && [ "$tries" -lt 100 ]; do
      tries=$((tries + 1))
      sleep 0.1
    done
    kill -9 "$pid" 2>/dev/null || true
  fi
  rm -rf "$dir"
}

case "${1:-}" in
  start | stop)
    [ "$#" -eq 2 ] || fail "usage: mariadb_server.sh start|stop DIR"
    "$1" "$2"
    ;;
  *) fail "usage: mariadb_server.sh start|stop DIR" ;;
esac
