#!/usr/bin/env python3
"""Builds the desktop-extension bundle of `helve mcp` and checks it: mcpb.py build PROGRAM OUT_DIR | mcpb.py check [BUNDLE].

The bundle is a zip of packaging/mcpb/manifest.json, the program and the shared libraries that it
needs and a desktop may not have. Beside it goes server.json for the MCP registry (packaging/server.json
with the digest of the bundle). `check` without a bundle looks at the two files in packaging/ alone; it
runs as the test `packaging`. Neighbour: the target mcpb of the Makefile.
"""

import hashlib
import json
import os
import platform
import re
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MANIFEST = ROOT / "packaging" / "mcpb" / "manifest.json"
SERVER = ROOT / "packaging" / "server.json"

# What every desktop has, and what must be of the same kind as its kernel and its loader.
SYSTEM_LIBRARIES = re.compile(r"^(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|anl|nsl)\.so\..*|linux-vdso.*)$")
MACHINES = {"x86_64": "x64", "aarch64": "arm64"}
CONFIG_TYPES = {"string", "number", "boolean", "directory", "file"}
SERVER_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
BUNDLE_BYTES_MAX = 512 << 20


def project_version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(helve VERSION ([0-9.]+)", text)[1]


def expect(problems, is_good, what):
    if not is_good:
        problems.append(what)
    return is_good


def is_text(value):
    return isinstance(value, str) and bool(value)


def check_manifest(manifest, version):
    """What the manifest specification 0.3 demands of a binary server, and that our texts agree."""
    problems = []
    expect(problems, manifest.get("manifest_version") == "0.3", "manifest_version is not 0.3")
    for key in ("name", "version", "description"):
        expect(problems, is_text(manifest.get(key)), f"{key} is missing")
    expect(problems, is_text(manifest.get("author", {}).get("name")), "author.name is missing")
    expect(problems, manifest.get("version") == version, f"version is not {version}")
    server = manifest.get("server", {})
    expect(problems, server.get("type") == "binary", "server.type is not binary")
    expect(problems, is_text(server.get("entry_point")), "server.entry_point is missing")
    config = server.get("mcp_config", {})
    expect(problems, is_text(config.get("command")), "server.mcp_config.command is missing")
    expect(problems, config.get("command") == "${__dirname}/" + str(server.get("entry_point")),
           "server.mcp_config.command is not the entry point")
    arguments = config.get("args", [])
    expect(problems, arguments[:1] == ["mcp"], "the arguments do not begin with mcp")
    user = manifest.get("user_config", {})
    used = set(re.findall(r"\$\{user_config\.([^}]+)\}", json.dumps(config)))
    expect(problems, used == set(user), f"user_config has {sorted(user)}, the arguments use {sorted(used)}")
    for key, option in user.items():
        expect(problems, option.get("type") in CONFIG_TYPES, f"user_config.{key}.type is unknown")
        for word in ("title", "description"):
            expect(problems, is_text(option.get(word)), f"user_config.{key}.{word} is missing")
        expect(problems, option.get("required") or "default" in option,
               f"user_config.{key} is neither required nor has a default")
    for tool in manifest.get("tools", []):
        expect(problems, is_text(tool.get("name")), "a tool has no name")
    expect(problems, set(manifest.get("compatibility", {}).get("platforms", [])) <= {"darwin", "win32", "linux"},
           "compatibility.platforms has an unknown one")
    known = {"manifest_version", "name", "display_name", "version", "description", "long_description", "author",
             "repository", "homepage", "documentation", "support", "icon", "icons", "screenshots", "server", "tools",
             "tools_generated", "prompts", "prompts_generated", "keywords", "license", "privacy_policies",
             "compatibility", "user_config", "localization", "_meta", "$schema"}
    expect(problems, set(manifest) <= known, f"unknown keys {sorted(set(manifest) - known)}")
    return problems


def check_argument(problems, argument, at):
    kind = argument.get("type")
    if kind == "named":
        expect(problems, is_text(argument.get("name")), f"{at}: a named argument has no name")
    elif kind == "positional":
        expect(problems, is_text(argument.get("value")) or is_text(argument.get("valueHint")),
               f"{at}: a positional argument has neither value nor valueHint")
    else:
        problems.append(f"{at}: type is {kind}")
    expect(problems, argument.get("format", "string") in {"string", "number", "boolean", "filepath"},
           f"{at}: format is unknown")
    choices = argument.get("choices")
    expect(problems, choices is None or argument.get("default") in choices, f"{at}: the default is no choice")


def check_server(server, version, wants_digest):
    """What the registry's schema of 2025-12-11 demands, and the rules of the official registry for mcpb."""
    problems = []
    expect(problems, server.get("$schema") == SERVER_SCHEMA, "$schema is another")
    name = server.get("name", "")
    expect(problems, re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", name) and 3 <= len(name) <= 200,
           "name is not NAMESPACE/NAME")
    expect(problems, 1 <= len(server.get("description", "")) <= 100, "description has not 1 to 100 characters")
    expect(problems, 1 <= len(server.get("title", "x")) <= 100, "title has not 1 to 100 characters")
    expect(problems, server.get("version") == version, f"version is not {version}")
    packages = server.get("packages", [])
    expect(problems, packages, "there is no package")
    allowed = {"registryType", "registryBaseUrl", "identifier", "version", "fileSha256", "runtimeHint", "transport",
               "runtimeArguments", "packageArguments", "environmentVariables"}
    for place, package in enumerate(packages):
        at = f"packages[{place}]"
        expect(problems, set(package) <= allowed, f"{at}: unknown keys {sorted(set(package) - allowed)}")
        expect(problems, package.get("registryType") == "mcpb", f"{at}: registryType is not mcpb")
        url = package.get("identifier", "")
        expect(problems, url.startswith("https://") and "mcp" in url and url.endswith(".mcpb"),
               f"{at}: identifier is no https address of a bundle")
        expect(problems, version in url, f"{at}: identifier is of another version")
        expect(problems, package.get("version") == version, f"{at}: version is not {version}")
        expect(problems, package.get("transport") == {"type": "stdio"}, f"{at}: transport is not stdio")
        if wants_digest:
            expect(problems, re.fullmatch(r"[a-f0-9]{64}", package.get("fileSha256", "")), f"{at}: fileSha256 is missing")
        for number, argument in enumerate(package.get("packageArguments", [])):
            check_argument(problems, argument, f"{at}.packageArguments[{number}]")
    return problems


def check_bundle(path, version):
    problems = []
    with zipfile.ZipFile(path) as bundle:
        names = set(bundle.namelist())
        if not expect(problems, "manifest.json" in names, "the bundle has no manifest.json"):
            return problems
        manifest = json.loads(bundle.read("manifest.json"))
        problems += check_manifest(manifest, version)
        entry = manifest["server"]["entry_point"]
        if expect(problems, entry in names, f"the bundle has no {entry}"):
            mode = bundle.getinfo(entry).external_attr >> 16
            expect(problems, mode & 0o111 == 0o111, f"{entry} cannot be executed")
        expect(problems, bundle.testzip() is None, "the bundle is damaged")
        expect(problems, all(not name.startswith("/") and ".." not in name for name in names), "a name leads out")
    expect(problems, path.stat().st_size <= BUNDLE_BYTES_MAX, "the bundle is too large")
    return problems


def needed_libraries(program):
    """Paths of the shared libraries of a program that are not the system's, by name."""
    found = {}
    text = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    for name, path in re.findall(r"^\s*(\S+) => (\S+)", text, re.M):
        if path == "not":
            raise SystemExit(f"mcpb: {name} is not installed")
        if not SYSTEM_LIBRARIES.match(name):
            found[name] = Path(path).resolve()
    return found


def add_file(bundle, path, name, is_program=False):
    # The same bytes give the same bundle: no times, no owners.
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.external_attr = (0o100755 if is_program else 0o100644) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    bundle.writestr(entry, path.read_bytes(), compresslevel=9)


def build(program, out_dir):
    version = project_version()
    machine = MACHINES.get(platform.machine(), platform.machine())
    out_dir.mkdir(parents=True, exist_ok=True)
    path = out_dir / f"helve-{version}-linux-{machine}.mcpb"
    path.unlink(missing_ok=True)
    with zipfile.ZipFile(path, "w") as bundle:
        add_file(bundle, MANIFEST, "manifest.json")
        add_file(bundle, ROOT / "LICENSE", "LICENSE")
        add_file(bundle, program, "server/helve", is_program=True)
        for name, library in sorted(needed_libraries(program).items()):
            add_file(bundle, library, f"server/lib/{name}")
    server = json.loads(SERVER.read_text())
    for package in server["packages"]:
        package["identifier"] = f"{package['identifier'].rsplit('/', 1)[0]}/{path.name}"
        package["fileSha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    listing = out_dir / "server.json"
    listing.write_text(json.dumps(server, indent=2) + "\n")
    problems = check_bundle(path, version) + check_server(server, version, wants_digest=True)
    return path, listing, problems


def check_unpacked(path):
    """The program of the bundle runs with the libraries of the bundle alone: it answers initialize."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(path) as bundle:
            bundle.extractall(folder)
            for entry in bundle.infolist():
                os.chmod(Path(folder) / entry.filename, entry.external_attr >> 16)
        request = {"jsonrpc": "2.0", "id": 1, "method": "initialize",
                   "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                              "clientInfo": {"name": "mcpb.py", "version": "1"}}}
        done = subprocess.run([f"{folder}/server/helve", "mcp", "sample:"], input=json.dumps(request) + "\n",
                              env={"LD_LIBRARY_PATH": f"{folder}/server/lib", "HELVE_CACHE": "0"},
                              capture_output=True, text=True, timeout=30)
        try:
            return "" if "serverInfo" in json.loads(done.stdout.splitlines()[0])["result"] else done.stdout
        except (IndexError, KeyError, ValueError):
            return f"no answer: {done.stdout}{done.stderr}"


def main():
    words = sys.argv[1:]
    if len(words) == 3 and words[0] == "build":
        path, listing, problems = build(Path(words[1]), Path(words[2]))
        failure = check_unpacked(path)
        problems += [f"the program of the bundle gives {failure}"] if failure else []
        if not problems:
            print(f"{path} ({path.stat().st_size / 2**20:.1f} MiB), {listing}")
    elif words == ["check"]:
        version = project_version()
        problems = check_manifest(json.loads(MANIFEST.read_text()), version)
        problems += check_server(json.loads(SERVER.read_text()), version, wants_digest=False)
    elif len(words) == 2 and words[0] == "check":
        problems = check_bundle(Path(words[1]), project_version())
    else:
        raise SystemExit(__doc__.splitlines()[0])
    for problem in problems:
        print(f"mcpb: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
