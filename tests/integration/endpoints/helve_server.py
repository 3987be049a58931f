#!/usr/bin/env python3
"""`helve serve` with one graph: helve_server.py HELVE starts two by hand. Neighbour: engine_server.py."""

from engine_server import EngineServer, OnePerGraph, free_port, graph_file, serve_by_hand


class HelveServer(EngineServer):
    def __init__(self, place, helve, graph, options=()):
        self.name = "-".join(["helve", graph, *(word.strip("-") for word in options)])
        super().__init__(place)
        self.options = options
        self.helve = helve
        self.graph = graph

    def start(self):
        port = free_port()
        self.run([self.helve, "serve", graph_file(self.graph), "--no-cache", *self.options, "--http", f"127.0.0.1:{port}"])
        url = f"http://127.0.0.1:{port}/sparql"
        self.wait_for(url)
        self.urls[self.graph] = url


def serve_both(place, helve):
    return OnePerGraph(lambda graph: HelveServer(place, helve, graph))


if __name__ == "__main__":
    serve_by_hand(serve_both)
