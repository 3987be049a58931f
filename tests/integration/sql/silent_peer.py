"""Peers that are no databases: they accept connections and answer nothing, or nonsense. For tests of deadlines."""

import os
import socket
import threading


class SilentPeer:
    """Listens on loopback. `noise` is sent to everybody who connects, over and over; without it nothing ever is."""

    def __init__(self, noise=b""):
        self.noise = noise
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.accepted = []
        self.thread = threading.Thread(target=self._accept, daemon=True)
        self.thread.start()

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.accepted.append(connection)
            if self.noise:
                threading.Thread(target=self._chatter, args=(connection,), daemon=True).start()

    def _chatter(self, connection):
        try:
            for _ in range(10_000):
                connection.sendall(self.noise)
        except OSError:
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()
        for connection in self.accepted:
            connection.close()


# What no protocol of a database begins with, and what looks like a length without an end.
NOISES = {
    "text": b"HTTP/1.1 400 Bad Request\r\n\r\n",
    "zeros": bytes(4096),
    "random": os.urandom(4096),
    "length": b"R\x7f\xff\xff\xff" + b"x" * 1000,
    "greeting": b"\xff\xff\xff\x00\x0a" + b"5.5.5" * 200,
}
