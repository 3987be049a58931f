#!/usr/bin/env python3
"""Walks over all that a client can ask, in every revision, over stdio and HTTP, and validates every
message that comes: schema_walk.py HELVE

Neighbours: mcp_schema.py checks messages, tool_arguments.py has the calls of tools.
"""

import json
import re
import unittest
from pathlib import Path

import mcp_schema
import mcp_server
from mcp_client import LEGACY, META, MODERN, REVISIONS, HttpPeer, StdioPeer, Trouble, notification
from mcp_schema import Observer, check_tool, require
from mcp_server import HttpProgram, Program
from tool_arguments import LESSON, QUERY, TURTLE, hostile_arguments, right_arguments, wrong_arguments

DEFAULT_TOOLS_MAX = 10
DEFAULT_CHARS_MAX = 8_000
REPLY_CHARS_MAX = 21_000  # the ceiling of policies, and the marks around data
PROBLEMS_SHOWN = 20
SLOW = (
    "SELECT (COUNT(*) AS ?n) WHERE { ?a ?p ?x . ?b ?q ?y . ?c ?r ?z "
    "FILTER(STR(?x) < STR(?y) && STR(?y) < STR(?z)) }"
)


class Walk:
    """One revision over one transport."""

    def __init__(self, peer, path, every):
        self.peer = peer
        self.path = path
        self.every = every  # of the senseless calls, one in so many
        self.observer = peer.observer
        self.is_modern = peer.revision == MODERN
        self.calls = 0
        self.problems = []

    def attempt(self, check, *arguments):
        """Goes on after what is wrong, for there may be more."""
        try:
            return check(*arguments)
        except AssertionError as failure:
            if not any(known[:100] == str(failure)[:100] for known in self.problems):
                self.problems.append(str(failure))
            return None

    def refused(self, code, method, params=None, meta=None):
        exchange = self.peer.request(method, params, meta)
        codes = code if isinstance(code, tuple) else (code,)
        named = ("tools/call", "resources/read", "prompts/get")
        if self.is_modern and self.peer.transport == "http" and method in named:
            codes += (-32020,)  # where the body has no name, there is none for the header
        require(exchange.code in codes, f"{method} {params}: {str(exchange.answer)[:300]}, not {code}")
        return exchange

    def list_all(self, method, key):
        """All pages."""
        items, params = [], {}
        for _ in range(100):
            result = self.peer.request(method, params).result
            items += result[key]
            if "nextCursor" not in result:
                return items
            params = {"cursor": result["nextCursor"]}
        raise Trouble(f"{method} has no end")

    def opening(self):
        if self.is_modern:
            result = self.peer.request("server/discover").result
            require(MODERN in result["supportedVersions"], "the modern revision is not supported?")
        else:
            result = self.peer.opening.result
            require(result["protocolVersion"] == self.peer.revision, "another revision than asked for")
            require(result["serverInfo"]["name"] and result["serverInfo"]["version"], "who is it?")
        for capability in ("tools", "resources", "prompts", "completions"):
            require(capability in result["capabilities"], f"no capability {capability}")
        require(len(result["instructions"].encode()) <= 2048, "instructions are cut at 2 KB")

    def lists(self):
        self.tools = self.list_all("tools/list", "tools")
        self.resources = self.list_all("resources/list", "resources")
        self.templates = self.list_all("resources/templates/list", "resourceTemplates")
        self.prompts = self.list_all("prompts/list", "prompts")
        for items in (self.tools, self.prompts):
            names = [item["name"] for item in items]
            require(names and len(set(names)) == len(names), f"names are not unique: {names}")
        for tool in self.tools:
            check_tool(tool, self.peer.revision)
        self.observer.learn_tools(self.tools)
        for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list"):
            self.refused(-32602, method, {"cursor": "no such place"})
            self.refused(-32602, method, {"cursor": 7})

    def call(self, tool, arguments):
        """A call whose arguments are an object is always a result, good or bad."""
        exchange = self.peer.call(tool, arguments)
        self.calls += 1
        require(
            exchange.answer is not None and "result" in exchange.answer,
            f"{tool} {json.dumps(arguments)[:300]} was answered with {str(exchange.answer)[:300]}",
        )
        result = exchange.result
        self.observer.check_structured(tool, result)
        for part in result["content"]:
            self.check_text(tool, part.get("text", ""))
        structured = json.dumps(result.get("structuredContent", {}), ensure_ascii=False)
        require(len(structured) <= 2 * REPLY_CHARS_MAX, f"{tool}: {len(structured)} characters of JSON")
        return result

    def call_well(self, tool, arguments):
        result = self.call(tool, arguments)
        text = result["content"][0]["text"]
        require(not result.get("isError"), f"{tool} {arguments}: {text[:400]}")

    @staticmethod
    def check_text(tool, text):
        require(len(text) <= REPLY_CHARS_MAX, f"{tool}: a text of {len(text)} characters")
        bad = re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", text)
        require(bad is None, f"{tool}: a raw control or bidi character in the text: {bad and bad.group()!r}")

    def handle(self, kind):
        if kind not in self.handles:
            tool, arguments = {
                "results": ("sparql_query", {"query": QUERY}),
                "graph": ("call_tool", {"name": "g_load", "arguments": {"path": self.path}}),
                "ontology": ("call_tool", {"name": "ont_load", "arguments": {"path": self.path}}),
                "registry": ("call_tool", {"name": "federated_endpoints", "arguments": {"path": self.path}}),
                "tasks": ("call_tool", {"name": "load_shacl_tasks", "arguments": {"path": self.path}}),
                "service_desc": ("call_tool", {"name": "service_desc", "arguments": {"url": self.path}}),
            }[kind]
            result = self.call(tool, arguments)
            require(not result.get("isError"), f"no {kind}: {result['content'][0]['text'][:400]}")
            text = json.dumps(result.get("structuredContent", result["content"]))
            found = re.search(kind + r"_[0-9A-Za-z]+", text)
            require(found is not None, f"no key of {kind}: {text[:400]}")
            self.handles[kind] = found.group()
        return self.handles[kind]

    def tool_calls(self):
        self.handles = {}
        self.attempt(self.call_well, "mem_add", {"item": LESSON})
        right = right_arguments(self.handle, self.path)
        for tool in self.tools:
            name = tool["name"]
            require(name in right, f"{name} is listed, and tool_arguments.py does not know it")
            for arguments in right[name]:
                self.attempt(self.call_well, name, arguments)
            senseless = [*wrong_arguments(tool, right[name]), *hostile_arguments(tool, right[name])]
            for arguments in senseless[:: self.every]:
                self.attempt(self.call, name, arguments)
        for name in ("nobody", "", "../sparql_query", "sparql_query\n", "q" * 500):
            self.refused(-32602, "tools/call", {"name": name, "arguments": {}})
        self.refused(-32602, "tools/call", {"arguments": {}})
        self.refused(-32602, "tools/call", {"name": 7, "arguments": {}})
        self.refused(-32602, "tools/call", {"name": "sparql_query", "arguments": [QUERY]})
        require(self.peer.request("tools/call", {"name": "sparql_schema"}).result, "no arguments")

    def resource_reads(self):
        uris = {resource["uri"] for resource in self.resources}
        for uri in ("helve://sources", "helve://tools"):
            require(uri in uris, f"{uri} is not listed: {sorted(uris)}")
        uris |= {"helve://schema/solar", f"helve://results/{self.handle('results')}"}
        for uri in sorted(uris):
            contents = self.peer.request("resources/read", {"uri": uri}).result["contents"]
            require(contents, f"{uri} is empty")
            for content in contents:
                require(content["uri"], "contents without a uri")
                if content.get("mimeType") == "application/json":
                    json.loads(content["text"])
        missing = -32602 if self.is_modern else -32002
        for uri in ("helve://nothing", "helve://schema/nobody", "helve://results/results_999", "file:///etc/passwd", "x"):
            exchange = self.refused(missing, "resources/read", {"uri": uri})
            require(exchange.error.get("data", {}).get("uri") == uri, f"data.uri of {uri}: {exchange.error}")
        self.refused(-32602, "resources/read", {})
        self.refused(-32602, "resources/read", {"uri": ["helve://sources"]})

    def prompt_gets(self):
        for name in ("explore-this-graph", "answer-with-evidence", "debug-my-query"):
            require(name in {prompt["name"] for prompt in self.prompts}, f"no prompt {name}")
        for prompt in self.prompts:
            arguments = {one["name"]: "the moons of Mars" for one in prompt.get("arguments", [])}
            if "source" in arguments:
                arguments["source"] = "solar"
            if "skill" in arguments:
                arguments["skill"] = "write-sparql"
            result = self.peer.request("prompts/get", {"name": prompt["name"], "arguments": arguments}).result
            require(result["messages"], f"{prompt['name']} says nothing")
            if any(one.get("required") for one in prompt.get("arguments", [])):
                self.refused(-32602, "prompts/get", {"name": prompt["name"]})
        self.refused(-32602, "prompts/get", {"name": "nobody"})
        self.refused(-32602, "prompts/get", {})
        self.refused(-32602, "prompts/get", {"name": self.prompts[0]["name"], "arguments": []} )

    def complete(self, ref, name, value=""):
        params = {"ref": ref, "argument": {"name": name, "value": value}}
        return self.peer.request("completion/complete", params).result["completion"]["values"]

    def completions(self):
        for template in self.templates:
            for name in re.findall(r"\{\+?(\w+)\}", template["uriTemplate"]):
                ref = {"type": "ref/resource", "uri": template["uriTemplate"]}
                values = self.complete(ref, name)
                require(self.complete(ref, name, "zzz no such") == [], "completes what does not exist")
                if name == "source":
                    require(values == ["solar"], f"sources: {values}")
        for prompt in self.prompts:
            for argument in prompt.get("arguments", []):
                self.complete({"type": "ref/prompt", "name": prompt["name"]}, argument["name"])
        argument = {"name": "x", "value": ""}
        for ref in ({"type": "ref/prompt", "name": "nobody"}, {"type": "ref/else"}, {}, 7):
            self.refused(-32602, "completion/complete", {"ref": ref, "argument": argument})
        self.refused(-32602, "completion/complete", {"ref": {"type": "ref/prompt", "name": "nobody"}})

    def errors(self):
        exchange = self.refused(-32601, "nothing/here")
        if self.is_modern:
            require(exchange.status in (None, 404), f"status {exchange.status} of an unknown method")
            for method in ("ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"):
                self.refused(-32601, method, {"level": "info", "uri": "helve://sources"})
        else:
            self.refused((-32601, -32602), "server/discover")
            self.refused((-32601, -32602), "subscriptions/listen", {"notifications": {}})
            self.refused(-32602, "logging/setLevel", {"level": "loud"})
            self.refused(-32602, "logging/setLevel", {})

    def progress(self):
        for token in ("a token", 7):
            exchange = self.peer.call("sparql_query", {"query": SLOW, "timeout": 2, "validate": False}, {"progressToken": token})
            last = None
            for message in exchange.notifications:
                require(message["method"] in ("notifications/progress", "notifications/message"), str(message))
                if message["method"] == "notifications/progress":
                    params = message["params"]
                    require(params["progressToken"] == token, "another token")
                    require(last is None or params["progress"] > last, "progress that does not increase")
                    last = params["progress"]
            require(last is not None, "two seconds of work without progress")
        exchange = self.peer.call("sparql_query", {"query": SLOW, "timeout": 1, "validate": False})
        require(
            not any(one["method"] == "notifications/progress" for one in exchange.notifications),
            "progress that nobody asked for",
        )

    def logs(self):
        meta = None
        if self.is_modern:
            meta = {META + "logLevel": "debug"}
            self.refused(-32602, "tools/list", None, {META + "logLevel": "loud"})
        else:
            self.peer.request("logging/setLevel", {"level": "debug"}).result
        self.peer.call("sparql_query", {"query": "SELECT nonsense"}, meta).result
        if not self.is_modern:
            self.peer.request("logging/setLevel", {"level": "emergency"}).result
        exchange = self.peer.call("sparql_query", {"query": "SELECT nonsense"})
        require(exchange.notifications == [], f"a message that nobody wants: {exchange.notifications}")

    def run(self):
        for step in (
            self.opening,
            self.lists,
            self.tool_calls,
            self.resource_reads,
            self.prompt_gets,
            self.completions,
            self.errors,
            self.progress,
            self.logs,
        ):
            known = len(self.problems)
            self.attempt(step)
            self.problems[known:] = [f"{step.__name__}: {one}" for one in self.problems[known:]]
        require(not self.problems, "\n  ".join(["", *self.problems[:PROBLEMS_SHOWN]]))


@unittest.skipIf(mcp_schema.why_not(), mcp_schema.why_not())
class SchemaWalk(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """A file that tools may read, and a policy that lets them: over HTTP no folder is open."""
        cls.folder = mcp_server.tempfile.TemporaryDirectory()
        cls.path = str(Path(cls.folder.name, "given.ttl"))
        Path(cls.path).write_text(TURTLE)
        cls.policy = Path(cls.folder.name, "policy.json")
        cls.policy.write_text(json.dumps({"allowed_paths": [cls.folder.name]}))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def stdio(self, revision, *arguments):
        program = Program(mcp_server.program(), "--allow-path", self.folder.name, *arguments)
        return program, StdioPeer(program.process, revision, Observer())

    def walk(self, peer):
        is_whole = peer.revision == MODERN and peer.transport == "stdio"
        walk = Walk(peer, self.path, 1 if is_whole else 7)
        walk.run()
        print(f"{peer.revision} {peer.transport}: {walk.calls} calls, {sum(peer.observer.counts.values())} validations")

    def test_default_surface(self):
        program, peer = self.stdio(MODERN)
        with program:
            tools = peer.request("tools/list").result["tools"]
            self.assertLessEqual(len(tools), DEFAULT_TOOLS_MAX)
            chars = sum(
                len(tool["name"]) + len(tool["description"]) + len(json.dumps(tool["inputSchema"], separators=(",", ":"), ensure_ascii=False))
                for tool in tools
            )
            self.assertLessEqual(chars, DEFAULT_CHARS_MAX)
            self.assertIn("call_tool", {tool["name"] for tool in tools})
            self.assertEqual(tools, peer.request("tools/list").result["tools"])  # the order is stable

    def test_initialize_with_other_versions(self):
        for version in ("1999-01-01", "2024-11-05", MODERN, "2099-01-01"):
            with Program(mcp_server.program()) as program:
                peer = StdioPeer(program.process, MODERN, None)
                params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
                answer = peer.client.exchange({"jsonrpc": "2.0", "id": "i", "method": "initialize", "params": params})
                self.assertEqual(answer.result["protocolVersion"], LEGACY[0])

    def test_modern_versions(self):
        with Program(mcp_server.program()) as program:
            peer = StdioPeer(program.process, MODERN, Observer())
            for version in ("1900-01-01", "2027-01-01", "", "2025-11-25"):
                exchange = peer.request("tools/list", None, {META + "protocolVersion": version})
                self.assertEqual(exchange.code, -32022, version)
                self.assertEqual(exchange.error["data"]["requested"], version)
                self.assertIn(MODERN, exchange.error["data"]["supported"])
            for wrong in (7, None, ["2026-07-28"]):
                exchange = peer.request("tools/list", None, {META + "protocolVersion": wrong})
                self.assertEqual(exchange.code, -32602, wrong)
            message = peer.message("tools/list")
            del message["params"]["_meta"][META + "clientCapabilities"]
            self.assertEqual(peer.client.exchange(message).code, -32602)
            message = peer.message("tools/list")
            del message["params"]["_meta"][META + "clientInfo"]  # which is not required
            self.assertIn("tools", peer.client.exchange(message).result)

    def test_both_eras_on_one_process(self):
        program, legacy = self.stdio("2025-11-25")
        with program:
            modern = dict(legacy.message("tools/list", id="modern"))
            from mcp_client import modern_meta

            modern["params"] = {"_meta": modern_meta()}
            self.assertEqual(legacy.client.exchange(modern).result["resultType"], "complete")
            self.assertNotIn("resultType", legacy.request("tools/list").result)


def add_walks():
    for revision in REVISIONS:

        def over_stdio(self, revision=revision):
            program, peer = self.stdio(revision, "--toolset", "all", "--bank", "bank.db")
            with program:
                self.walk(peer)

        def over_http(self, revision=revision):
            with HttpProgram(mcp_server.program(), "--toolset", "all", "--policy", self.policy, "--bank", "bank.db") as program:
                self.walk(HttpPeer(program.address, revision, Observer()))

        name = revision.replace("-", "_")
        setattr(SchemaWalk, f"test_walk_stdio_{name}", over_stdio)
        setattr(SchemaWalk, f"test_walk_http_{name}", over_http)


add_walks()

if __name__ == "__main__":
    mcp_server.run_tests()
