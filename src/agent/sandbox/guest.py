# The guest: what runs in the sandboxed interpreter. It reads messages of the host from one socket,
# runs blocks in one namespace and asks the host for tools. Nothing here protects anything: code in
# the namespace can reach and change all of it, and the host believes nothing that it is told. The
# modules of CPython that are built in suffice, for importing others would take longer than starting.
# Neighbour: sandbox.cc is the other end; messages.h has the form of messages.
import posix, sys, builtins, _thread, _signal, _ast, _codecs

CHANNEL = 3
PREVIEW_CHARS = 500
VALUE_CHARS = 10_000
TRACE_CHARS = 8_000
VARIABLES_MAX = 200
SOURCES_MAX = 50
FUTURE_ANNOTATIONS = 0x1000000
REPR_ITEMS_MAX = 20_000
REPR_DEPTH_MAX = 20
BRACKETS = {list: "[]", tuple: "()", dict: "{}", set: "{}", frozenset: ("frozenset({", "})")}


def make_codec():
    """(encode, decode) of JSON in C, without the json package."""
    try:
        import _json

        def refuse(constant):
            raise ValueError(f"{constant} is no JSON")

        class Context:
            strict = False
            object_hook = None
            object_pairs_hook = None
            parse_float = float
            parse_int = int
            parse_constant = refuse
            memo = {}

        scan = _json.make_scanner(Context)
        plain = _json.encode_basestring

        def encode(value):
            # A dict of its own for each call: it finds cycles.
            walk = _json.make_encoder({}, as_json, plain, None, ": ", ", ", False, False, False)
            return "".join(walk(value, 0))

        def decode(text):
            text = text.strip(" \t\r\n")
            try:
                value, end = scan(text, 0)
            except StopIteration as stop:
                raise ValueError(f"no JSON value at character {stop.value}") from None
            except SystemError:  # it would say where with the json package
                raise ValueError("malformed JSON") from None
            if end != len(text):
                raise ValueError(f"something follows the JSON value at character {end}")
            return value

        if encode({"a": [1, "b", None]}) == '{"a": [1, "b", null]}' and decode("[1]") == [1]:
            return encode, decode
    except (ImportError, AttributeError, TypeError, ValueError):
        pass
    import json

    def encode(value):
        return json.dumps(value, default=as_json, allow_nan=False, ensure_ascii=False)

    return encode, json.loads


def as_json(value):
    """The JSON form of what json does not know."""
    if isinstance(value, (set, frozenset)):
        try:
            return sorted(value)
        except TypeError:
            return list(value)
    if isinstance(value, bytes):
        raise TypeError("bytes have no JSON form: decode them first")
    isoformat = getattr(value, "isoformat", None)
    if isoformat is not None:
        return isoformat()
    if type(value).__name__ == "Decimal":
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


class ToolError(Exception):
    """What a tool of the host answered instead of a value."""

    __module__ = "builtins"  # tracebacks name it as it is used

    def __init__(self, message, code="internal", hint=""):
        super().__init__(f"{message} ({hint})" if hint else message)
        self.code = code
        self.message = message
        self.hint = hint


# Half characters, which Python has and nobody else, become U+FFFD.
_codecs.register_error("helve", lambda error: (b"\xef\xbf\xbd" * (error.end - error.start), error.end))


class Submitted(SystemExit):
    """Ends a block behind SUBMIT; threads that it ends say nothing."""


class Handle(dict):
    """Something large that stays with the host: facts about it, and its rows by pages."""

    def __init__(self, key, text, facts):
        super().__init__(facts)
        self.key = key
        self._text = text

    def rows(self, offset=0, limit=100):
        """Rows from `offset` on, at most `limit`, as a list of dicts."""
        if not isinstance(offset, int) or not isinstance(limit, int) or offset < 0 or limit < 0:
            raise ValueError("offset and limit are whole numbers from 0 on")
        return host.ask({"op": "rows", "key": self.key, "offset": offset, "limit": limit})

    def __repr__(self):
        return self._text

    __str__ = __repr__


def plain_argument(value):
    """Handles are named by their keys, at any depth that is worth looking at."""
    if isinstance(value, Handle):
        return value.key
    if type(value) in (list, tuple):
        return [plain_argument(item) for item in value]
    if type(value) is dict:
        return {key: plain_argument(item) for key, item in value.items()}
    return value


class Host:
    """Messages to and from the host. One thread at a time asks."""

    def __init__(self):
        self.lock = _thread.RLock()  # held by the main thread but while a block runs
        self.main = _thread.get_ident()
        self.is_running = False  # a block: an interrupt ends it
        self.is_reading = False  # a message: an interrupt waits for its end
        self.was_interrupted = False
        self.message_bytes_max = 1 << 20  # until the host says
        self.encode, self.decode = make_codec()
        _signal.signal(_signal.SIGINT, self.on_interrupt)

    def on_interrupt(self, number, frame):
        if not self.is_running:
            return
        if self.is_reading:
            self.was_interrupted = True
            return
        raise KeyboardInterrupt

    def read_exactly(self, size):
        buffer = bytearray(size)
        view = memoryview(buffer)
        at = 0
        while at < size:
            count = posix.readv(CHANNEL, [view[at:]])
            if count == 0:
                posix._exit(0)  # the host is gone
            at += count
        return buffer

    def read_bytes(self):
        return self.read_exactly(int.from_bytes(self.read_exactly(4), "big"))

    def read(self):
        return self.decode(self.read_bytes().decode("utf-8"))

    def write_bytes(self, body):
        head = len(body).to_bytes(4, "big")
        if len(body) < 65_536:
            body = head + body
        else:
            self.write_fully(head)
        self.write_fully(body)

    def write_fully(self, body):
        view = memoryview(body)
        while len(view) > 0:
            view = view[posix.write(CHANNEL, view):]

    def write_message(self, message, payload=None):
        body = self.encode(message).encode("utf-8", "helve")
        self.write_bytes(body)
        if payload is not None:
            self.write_bytes(payload)

    def ask(self, message):
        """Sends a request and gives the host's answer, or raises what it says."""
        body = self.encode(message).encode("utf-8")
        if len(body) > self.message_bytes_max:
            raise ToolError(f"this takes {len(body)} bytes, and {self.message_bytes_max} are allowed",
                            "limit_exceeded", "pass less at a time")
        is_main = _thread.get_ident() == self.main
        with self.lock:
            self.is_reading = self.is_reading or is_main
            try:
                self.write_bytes(body)
                answer = self.read()
            finally:
                self.is_reading = self.is_reading and not is_main
        if is_main and self.was_interrupted:
            self.was_interrupted = False
            raise KeyboardInterrupt
        return value_of(answer)


def value_of(answer):
    if "error" in answer:
        error = answer["error"]
        raise ToolError(error["message"], error["code"], error["hint"])
    if "handle" in answer:
        handle = answer["handle"]
        return Handle(handle["key"], handle["text"], handle["facts"])
    return answer["value"]


def make_function(declared):
    """A Python function whose body asks the host. The host has checked all names."""
    name = declared["name"]
    parameters = declared["parameters"]
    defaults = [parameter.get("default") for parameter in parameters]
    texts = []
    for index, parameter in enumerate(parameters):
        text = f"{parameter['name']}: {parameter['type']}"
        if not parameter["required"]:
            text += f" = _defaults[{index}]"
        texts.append(text)
    given = ", ".join(f"{parameter['name']!r}: {parameter['name']}" for parameter in parameters)
    source = (f"def {name}({', '.join(texts)}) -> {declared['returns']}:\n"
              f"    return _call({name!r}, {{{given}}})\n")

    required = {parameter["name"] for parameter in parameters if parameter["required"]}

    def call(tool, arguments):
        arguments = {key: plain_argument(value) for key, value in arguments.items()
                     if value is not None or key in required}
        return host.ask({"op": "call", "name": tool, "arguments": arguments})

    scope = {"_defaults": defaults, "_call": call, "__name__": "helve"}
    try:
        exec(compile(source, f"<tool {name}>", "exec"), scope)
    except (NameError, TypeError):  # a type that this Python does not have: its name is kept
        exec(compile(source, f"<tool {name}>", "exec", FUTURE_ANNOTATIONS), scope)
    function = scope[name]
    function.__doc__ = declared["doc"]
    return function


SUBMIT_TYPES = {"str": str, "int": int, "float": float, "bool": bool, "list": list, "dict": dict,
                "object": object}


def fits(value, kind):
    if kind in ("int", "float") and isinstance(value, bool):
        return False
    if kind == "float" and isinstance(value, int):
        return True
    if kind == "list" and isinstance(value, tuple):
        return True
    return isinstance(value, SUBMIT_TYPES[kind])


def SUBMIT(*values, **fields):
    """Hands in the answer and ends the block."""
    wanted = session.submit_fields
    names = [field["name"] for field in wanted if not field["optional"]] or ["answer"]
    if len(values) > len(names):
        raise TypeError(f"SUBMIT takes {len(names)} values ({', '.join(names)}), not {len(values)}")
    for name, value in zip(names, values):
        if name in fields:
            raise TypeError(f"SUBMIT got '{name}' twice")
        fields[name] = value
    if not fields:
        raise TypeError(f"SUBMIT takes {', '.join(names)}")
    for field in wanted:
        name, kind = field["name"], field["type"]
        if name not in fields and field["optional"]:
            continue
        if name not in fields:
            raise TypeError(f"SUBMIT lacks '{name}' ({kind}); it takes {', '.join(names)}")
        if not fits(fields[name], kind):
            raise TypeError(f"SUBMIT: '{name}' must be {kind}, not {type(fields[name]).__name__}")
    known = [field["name"] for field in wanted]
    for name in fields:
        if wanted and name not in known:
            raise TypeError(f"SUBMIT has no field '{name}'; it takes {', '.join(known)}")
    host.ask({"op": "submit", "value": {k: plain_argument(v) for k, v in fields.items()}})
    raise Submitted


def llm_query(prompt: str) -> str:
    """The answer of the model to a prompt."""
    return llm_query_batched([prompt])[0]


def llm_query_batched(prompts: list) -> list:
    """The answers of the model to several prompts at once, in their order."""
    prompts = list(prompts)
    for prompt in prompts:
        if not isinstance(prompt, str):
            raise TypeError(f"a prompt is a str, not {type(prompt).__name__}")
    if not prompts:
        return []
    return host.ask({"op": "model", "prompts": prompts})


def show_help(thing):
    """What the docstring of something says, with its signature."""
    import pydoc
    print(pydoc.render_doc(thing, title="%s", renderer=pydoc.plaintext))


def leave(code=None):
    raise SystemExit(code)


def safe_repr(value):
    try:
        text = repr(value)
        return text if type(text) is str else "<no repr>"
    except Exception as error:
        return f"<repr of {type(value).__name__} failed: {type(error).__name__}>"


def both_ends(text, limit):
    if len(text) <= 2 * limit:
        return text
    return f"{text[:limit]} ... {len(text) - 2 * limit} characters more ... {text[-limit:]}"


def bounded_repr(value, limit, budget=None):
    """repr, without making all of that of something large. `budget`: how many items may be shown."""
    if type(value) in (str, bytes) and len(value) > 4 * limit:
        return f"{value[:limit]!r} ... {len(value) - 2 * limit} more ... {value[-limit:]!r}"
    if type(value) in BRACKETS and value:
        return items_repr(value, limit, [REPR_ITEMS_MAX, REPR_DEPTH_MAX] if budget is None else budget)
    return both_ends(safe_repr(value), limit)


def items_repr(value, limit, budget):
    if budget[1] == 0:
        return "..."
    budget[1] -= 1
    parts, size = [], 0
    for item in (value.items() if type(value) is dict else value):
        if size > limit or budget[0] <= 0:
            break
        budget[0] -= 1
        if type(value) is dict:
            part = f"{bounded_repr(item[0], limit, budget)}: {bounded_repr(item[1], limit, budget)}"
        else:
            part = bounded_repr(item, limit, budget)
        parts.append(part)
        size += len(part) + 2
    budget[1] += 1
    text = ", ".join(parts)
    if len(parts) < len(value):
        text += f", ... {len(value) - len(parts)} items more"
        if type(value) in (list, tuple) and budget[0] > 0:
            budget[0] -= 1
            text += f" ..., {bounded_repr(value[-1], limit, budget)}"
    elif type(value) is tuple and len(parts) == 1:
        text += ","
    first, last = BRACKETS[type(value)]
    return first + text + last


def length_of(value):
    if type(value) in (str, bytes, bytearray, list, tuple, dict, set, frozenset):
        return len(value)
    try:
        return len(value)
    except Exception:
        return None


def view_of(name, value):
    try:
        return {"name": name[:200], "type": type(value).__name__[:200], "length": length_of(value),
                "preview": bounded_repr(value, PREVIEW_CHARS)}
    except Exception:  # objects may answer anything to anything
        return {"name": name[:200], "type": "object", "length": None, "preview": "<no preview>"}


class Running:
    """While code of blocks runs, which an interrupt may end."""

    def __enter__(self):
        host.is_running = True

    def __exit__(self, *failure):
        host.is_running = False


class Session:
    """The namespace of the blocks, and what runs them."""

    def __init__(self):
        self.submit_fields = []
        self.sources = {}  # of the last blocks, for tracebacks
        self.blocks = 0
        main = type(sys)("__main__")
        main.__builtins__ = builtins
        sys.modules["__main__"] = main
        self.scope = main.__dict__
        self.given = {"SUBMIT": SUBMIT, "llm_query": llm_query,
                      "llm_query_batched": llm_query_batched, "ToolError": ToolError}
        self.scope.update(self.given)

    def declare(self, message):
        made = {}
        for declared in message["functions"]:
            try:
                made[declared["name"]] = make_function(declared)
            except Exception as error:
                return {"op": "ready", "error": f"{declared['name']}: {type(error).__name__}: {error}"}
        self.given.update(made)
        self.scope.update(self.given)
        if "submit_fields" in message:
            self.submit_fields = message["submit_fields"]
        for folder in message.get("module_folders", ()):
            sys.path.append(folder)
        host.message_bytes_max = message.get("message_bytes_max", host.message_bytes_max)
        if message.get("preload"):
            preload()
        return {"op": "ready", "version": sys.version.split()[0],
                "implementation": sys.implementation.name.replace("cpython", "CPython")}

    def set_variable(self, message):
        if "handle" in message:
            self.scope[message["name"]] = value_of(message)
            return {"op": "set"}
        body = host.read_bytes()
        try:
            self.scope[message["name"]] = host.decode(body.decode("utf-8"))
        except Exception as error:
            return {"op": "set", "error": f"{type(error).__name__}: {error}"[:500]}
        return {"op": "set"}

    def execute(self, message):
        self.blocks += 1 if message["code"].strip() else 0
        name = f"<block {self.blocks}>"
        done = {"op": "done", "value": None, "value_type": None, "error": None}
        self.remember(name, message["code"])
        value = None
        try:
            with running:
                value = self.run(name, message["code"])
                if value is not None:
                    done["value_type"] = type(value).__name__[:200]
                    done["value"] = bounded_repr(value, VALUE_CHARS // 2)
        except Submitted:
            pass
        except SystemExit as leaving:
            if leaving.code is not None and not (type(leaving.code) is int and leaving.code == 0):
                done["error"] = self.error_of(name, leaving)
        except BaseException as error:
            done["error"] = self.error_of(name, error)
        for stream in ("stdout", "stderr"):
            try:
                getattr(sys, stream).flush()
            except BaseException:
                pass
        self.scope["_"] = value
        return done

    def run(self, name, code):
        """Runs all statements; the value of the last one where it is an expression."""
        tree = compile(code, name, "exec", 0x400)  # PyCF_ONLY_AST
        last = None
        if tree.body and isinstance(tree.body[-1], _ast.Expr):
            last = _ast.Expression(tree.body.pop().value)
        program = compile(tree, name, "exec")
        expression = compile(last, name, "eval") if last is not None else None
        exec(program, self.scope)
        return eval(expression, self.scope) if expression is not None else None

    def remember(self, name, code):
        self.sources[name] = code
        if len(self.sources) > SOURCES_MAX:
            del self.sources[next(iter(self.sources))]

    def error_of(self, name, error):
        found = {"type": "Exception", "message": "", "traceback": "", "line": None}
        try:
            with running:
                self.describe_error(name, error, found)
        except BaseException as second:
            found["traceback"] = f"no traceback: {type(second).__name__}"
        return found

    def describe_error(self, name, error, found):
        found["type"] = type(error).__name__[:200]
        found["message"] = both_ends(str(error), TRACE_CHARS // 2)
        found["line"] = self.line_of(name, error)
        found["traceback"] = both_ends(self.traceback_of(error), TRACE_CHARS // 2)

    def line_of(self, name, error):
        if isinstance(error, SyntaxError) and error.filename == name:
            return error.lineno
        line, trace = None, error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == name:
                line = trace.tb_lineno
            trace = trace.tb_next
        return line

    def traceback_of(self, error):
        import traceback, linecache
        for name, code in self.sources.items():
            linecache.cache[name] = (len(code), None, code.splitlines(True), name)
        shown = traceback.TracebackException.from_exception(error)
        hide_own(shown, set())
        return "".join(shown.format())

    def value_json(self, message):
        name = message["name"]
        if name not in self.scope:
            return {"op": "value", "missing": True}, None
        try:
            with running:
                value = self.scope[name]
                if type(value) is Handle:
                    value = dict(value)
                body = host.encode(value).encode("utf-8")
            if len(body) > host.message_bytes_max:
                return {"op": "value", "bytes": len(body)}, None
            return {"op": "value"}, body
        except MemoryError:
            return {"op": "value", "error": "its JSON form needs more memory than there is"}, None
        except BaseException as error:
            return {"op": "value", "error": f"{type(error).__name__}: {error}"[:500]}, None

    def views(self):
        found = []
        try:
            with running:
                for name, value in list(self.scope.items()):
                    if self.is_shown(name, value) and len(found) < VARIABLES_MAX:
                        found.append(view_of(name, value))
        except KeyboardInterrupt:  # a repr that does not end
            pass
        return {"op": "views", "views": found}

    def is_shown(self, name, value):
        if type(name) is not str or name.startswith("_") or type(value) is type(sys):
            return False
        return name not in self.given or self.given[name] is not value

    def answer(self, message):
        """The reply to a message of the host, and what follows it."""
        op = message["op"]
        try:
            if op == "execute":
                host.lock.release()  # threads of the block may ask
                try:
                    return self.execute(message), None
                finally:
                    host.lock.acquire()
            if op == "set":
                return self.set_variable(message), None
            if op == "get":
                return self.value_json(message)
            if op == "views":
                return self.views(), None
            return self.declare(message), None
        except BaseException as error:  # objects of blocks have their ways
            return failure_of(op, f"{type(error).__name__} where none was expected"), None

    def serve(self):
        host.lock.acquire()
        while True:
            message = host.read()
            reply, payload = self.answer(message)
            reply["id"] = message["id"]
            host.write_message(reply, payload)


def failure_of(op, text):
    if op == "execute":
        error = {"type": "SystemError", "message": text, "traceback": "", "line": None}
        return {"op": "done", "value": None, "value_type": None, "error": error}
    return {"op": {"set": "set", "get": "value", "views": "views"}.get(op, "ready"), "error": text}


def hide_own(shown, seen):
    """Takes our own frames out of a traceback, and SUBMIT as what came before an exception."""
    if shown is None or id(shown) in seen or len(seen) > 100:
        return
    seen.add(id(shown))
    shown.stack[:] = [frame for frame in shown.stack
                      if frame.filename != OWN_FILE and not frame.filename.startswith("<tool ")]
    if shown.__context__ is not None and shown.__context__.exc_type is Submitted:
        shown.__context__ = None
    hide_own(shown.__cause__, seen)
    hide_own(shown.__context__, seen)


def preload():
    """What blocks commonly import, before anybody waits for it."""
    for name in ("json", "re", "math", "collections", "itertools", "functools", "datetime",
                 "traceback", "linecache", "statistics", "random", "string", "inspect"):
        try:
            __import__(name)
        except ImportError:
            pass


OWN_FILE = make_codec.__code__.co_filename
# What the module site would have brought.
builtins.help, builtins.exit, builtins.quit = show_help, leave, leave
for stream in (sys.stdout, sys.stderr):
    stream.reconfigure(errors="backslashreplace")
host = Host()
running = Running()
session = Session()
session.serve()
