#!/usr/bin/env python3
"""Compiles a precompiled header and writes its checksum: compile_pch.py ROOT OUTPUT DEPENDENCIES COMMAND...

ccache takes OUTPUT.sum for the content of OUTPUT, whose bytes contain the path of the clone. The checksum is of the
command and of all headers that the compiler read, with paths relative to ROOT. Without OUTPUT.sum ccache reads OUTPUT
itself. OUTPUT.sum is therefore deleted first, and written only if no header changed during the compilation. Neighbour: cached_compile.sh.
"""

import hashlib
import os
import re
import subprocess
import sys
import time
from pathlib import Path


def headers_of(dependencies):
    """The files of a rule "target: file file \\ file"; a blank in a name has a backslash before it."""
    text = dependencies.read_text(encoding="utf-8").replace("\\\n", " ")
    words = re.split(r"(?<!\\)\s+", text.partition(":")[2].strip())
    return [Path(word.replace("\\ ", " ").replace("$$", "$")) for word in words]


def checksum(root, command, headers, started):
    """None if a header changed since the compiler began to read."""
    sums = []
    for header in headers:
        if header.stat().st_mtime >= started:
            return None
        content = header.read_bytes().replace(os.fsencode(root), b"")
        sums.append(f"{hashlib.sha256(content).hexdigest()} {str(header).removeprefix(root)}")
    everything = "\n".join([*(word.replace(root, "") for word in command), *sums])
    return hashlib.sha256(everything.encode()).hexdigest()


def main():
    root, output, dependencies, *command = sys.argv[1:]
    target = Path(f"{output}.sum")
    target.unlink(missing_ok=True)
    started = time.time()
    status = subprocess.run(command, check=False).returncode
    if status != 0:
        sys.exit(status)
    found = checksum(root, command, headers_of(Path(dependencies)), started)
    if found is not None:
        unfinished = Path(f"{target}.{os.getpid()}")
        unfinished.write_text(found + "\n", encoding="utf-8")
        unfinished.rename(target)


if __name__ == "__main__":
    main()
