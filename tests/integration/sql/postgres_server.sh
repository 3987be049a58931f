#!/bin/sh
# A private PostgreSQL cluster for tests, on a unix socket alone, run by a user without rights.
#   postgres_server.sh start DIR   makes and starts it; prints the folder of its socket
#   postgres_server.sh restart DIR restarts it
#   postgres_server.sh stop DIR    stops it and removes its files
# The superuser is "postgres", trusted on the socket; the port is 5432. HELVE_POSTGRES_BIN names the
# folder of the programs where they are not found. Exit status 77: there is no PostgreSQL here.
set -eu

fail() {
  echo "postgres_server.sh: $1" >&2
  exit "${2:-1}"
}

[ $# -eq 2 ] || fail "usage: postgres_server.sh start|restart|stop DIR" 2
command=$1
mkdir -p "$2"
dir=$(cd "$2" && pwd)

find_programs() {
  for bin in "${HELVE_POSTGRES_BIN:-}" $(find /usr/lib/postgresql -mindepth 2 -maxdepth 2 -name bin 2>/dev/null | sort -rV) \
    "$(dirname "$(command -v initdb 2>/dev/null || echo /nowhere/initdb)")"; do
    if [ -n "$bin" ] && [ -x "$bin/initdb" ] && [ -x "$bin/pg_ctl" ]; then
      echo "$bin"
      return
    fi
  done
  fail "no PostgreSQL server is installed: apt-get install postgresql" 77
}

# The server refuses to run as root.
as_user() {
  if [ "$(id -u)" -ne 0 ]; then
    "$@"
  else
    (cd / && setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups "$@")
  fi
}

bin=$(find_programs)
user=$(id -un)
if [ "$(id -u)" -eq 0 ]; then
  user=postgres
  id "$user" >/dev/null 2>&1 || user=nobody
fi
data=$dir/data
socket=$dir/socket

start() {
  [ ! -e "$data/PG_VERSION" ] || fail "$dir has a cluster already" 2
  mkdir -p "$socket"
  chmod 755 "$dir" "$socket"
  [ "$(id -u)" -ne 0 ] || chown "$user" "$dir" "$socket"
  as_user "$bin/initdb" -D "$data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync \
    >"$dir/initdb.log" 2>&1 || { cat "$dir/initdb.log" >&2; fail "initdb failed"; }
  cat >>"$data/postgresql.conf" <<CONF
listen_addresses = ''
unix_socket_directories = '$socket'
port = 5432
fsync = off
synchronous_commit = off
full_page_writes = off
max_connections = 40
shared_buffers = 64MB
logging_collector = off
CONF
  pg_ctl_start
}

pg_ctl_start() {
  as_user "$bin/pg_ctl" -D "$data" -l "$dir/server.log" -w -t 60 start >"$dir/start.log" 2>&1 </dev/null ||
    { cat "$dir/start.log" "$dir/server.log" >&2; fail "the server did not start"; }
  echo "$socket"
}

case $command in
  start) start ;;
  restart)
    as_user "$bin/pg_ctl" -D "$data" -m fast -w -t 60 stop >/dev/null 2>&1
    pg_ctl_start
    ;;
  stop)
    if [ -e "$data/PG_VERSION" ]; then
      as_user "$bin/pg_ctl" -D "$data" -m immediate -w -t 60 stop >/dev/null 2>&1 || true
    fi
    rm -rf "$data" "$socket" "$dir"/*.log
    rmdir "$dir" 2>/dev/null || true
    ;;
  *) fail "usage: postgres_server.sh start|restart|stop DIR" 2 ;;
esac
