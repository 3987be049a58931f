"""What a model says, in the wire formats of three services, whole and as events: for fake_model_server.py.

A dialect is "chat", "responses" or "anthropic". Events are pairs of a name, which may be None, and data: JSON, or a text.
"""

import json
from dataclasses import dataclass, field

PATHS = {"/chat/completions": "chat", "/responses": "responses", "/messages": "anthropic"}
CHAT_STOPS = {"end": "stop", "calls": "tool_calls", "cap": "length", "refusal": "content_filter"}
ANTHROPIC_STOPS = {"end": "end_turn", "calls": "tool_use", "cap": "max_tokens", "refusal": "refusal"}


@dataclass
class Said:
    pieces: list = field(default_factory=lambda: ["Grü", "ße an die ", "Welt 🌍"])
    reasoning: str = ""
    calls: list = field(default_factory=list)  # (id or None, name, arguments: text or object)
    stop: str = "end"
    usage: bool = True  # 1000 tokens read, 600 of them cached; 50 written

    @property
    def text(self):
        return "".join(self.pieces)


def arguments_object(arguments):
    if not isinstance(arguments, str):
        return arguments
    return json.loads(arguments) if arguments else {}


# Chat Completions.

def chat_usage():
    return {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050, "prompt_tokens_details": {"cached_tokens": 600}}


def chat_call(index, call):
    name, arguments = call[1:]
    made = {"index": index, "type": "function", "function": {"name": name, "arguments": arguments}}
    if call[0] is not None:
        made["id"] = call[0]
    return made


def chat_whole(said):
    message = {"role": "assistant", "content": said.text or None}
    if said.reasoning:
        message["reasoning_content"] = said.reasoning
    if said.calls:
        message["tool_calls"] = [chat_call(i, call) for i, call in enumerate(said.calls)]
    if said.stop == "refusal":
        message.update(content=None, refusal=said.text)
    body = {"id": "c", "object": "chat.completion", "model": "fake-1",
            "choices": [{"index": 0, "message": message, "finish_reason": CHAT_STOPS[said.stop]}]}
    if said.usage:
        body["usage"] = chat_usage()
    return body


def chat_events(said):
    def chunk(delta, reason=None):
        return None, {"id": "c", "object": "chat.completion.chunk", "model": "fake-1",
                      "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

    made = [chunk({"role": "assistant", "content": None})]
    if said.reasoning:
        made += [chunk({"reasoning_content": letter}) for letter in said.reasoning]
    made += [chunk({"refusal" if said.stop == "refusal" else "content": piece}) for piece in said.pieces]
    for i, call in enumerate(said.calls):
        whole = chat_call(i, call)
        arguments = whole["function"]["arguments"]
        if isinstance(arguments, str):
            whole["function"]["arguments"] = ""
            made.append(chunk({"tool_calls": [whole]}))
            halves = arguments[:3], arguments[3:]
            made += [chunk({"tool_calls": [{"index": i, "function": {"arguments": half}}]}) for half in halves if half]
        else:
            made.append(chunk({"tool_calls": [whole]}))
    made.append(chunk({}, CHAT_STOPS[said.stop]))
    if said.usage:
        made.append((None, {"model": "fake-1", "choices": [], "usage": chat_usage()}))
    return made + [(None, "[DONE]")]


# Responses.

def responses_output(said):
    output = []
    if said.reasoning:
        output.append({"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": said.reasoning}],
                       "encrypted_content": "ENCRYPTED"})
    for i, (name_id, name, arguments) in enumerate(said.calls):
        item = {"type": "function_call", "id": f"fc_{i}", "name": name, "arguments": arguments, "status": "completed"}
        if name_id is not None:
            item["call_id"] = name_id
        output.append(item)
    if said.text:
        kind = "refusal" if said.stop == "refusal" else "output_text"
        part = {"type": kind, "refusal" if kind == "refusal" else "text": said.text}
        output.append({"type": "message", "id": "msg_1", "role": "assistant", "content": [part], "status": "completed"})
    return output


def responses_whole(said):
    body = {"id": "resp_1", "object": "response", "model": "fake-1", "error": None, "incomplete_details": None,
            "status": "completed", "output": responses_output(said)}
    if said.stop == "cap":
        body.update(status="incomplete", incomplete_details={"reason": "max_output_tokens"})
    if said.usage:
        body["usage"] = {"input_tokens": 1000, "input_tokens_details": {"cached_tokens": 600}, "output_tokens": 50}
    return body


def responses_events(said):
    whole = responses_whole(said)
    made = [("response.created", {"response": {**whole, "status": "in_progress", "output": [], "usage": None}})]
    for index, item in enumerate(whole["output"]):
        began = {**item, "status": "in_progress"}
        if item["type"] == "function_call":
            began["arguments"] = ""
        if item["type"] == "message":
            began["content"] = []
        made.append(("response.output_item.added", {"output_index": index, "item": began}))
        at = {"output_index": index, "item_id": item["id"]}
        if item["type"] == "reasoning":
            made += [("response.reasoning_summary_text.delta", {**at, "delta": letter}) for letter in said.reasoning]
        if item["type"] == "message":
            name = "response.refusal.delta" if said.stop == "refusal" else "response.output_text.delta"
            made += [(name, {**at, "delta": piece}) for piece in said.pieces]
        if item["type"] == "function_call" and isinstance(item["arguments"], str):
            made += [("response.function_call_arguments.delta", {**at, "delta": half})
                     for half in (item["arguments"][:3], item["arguments"][3:]) if half]
            made.append(("response.function_call_arguments.done", {**at, "arguments": item["arguments"]}))
        made.append(("response.output_item.done", {"output_index": index, "item": item}))
    end = "response.incomplete" if said.stop == "cap" else "response.completed"
    made.append((end, {"response": whole}))
    return [(name, {"type": name, "sequence_number": i, **data}) for i, (name, data) in enumerate(made)]


# Anthropic Messages.

def anthropic_usage():
    return {"input_tokens": 300, "cache_read_input_tokens": 600, "cache_creation_input_tokens": 100, "output_tokens": 50}


def anthropic_blocks(said):
    blocks = []
    if said.reasoning:
        blocks.append({"type": "thinking", "thinking": said.reasoning, "signature": "SIGNED"})
    if said.text:
        blocks.append({"type": "text", "text": said.text})
    for name_id, name, arguments in said.calls:
        block = {"type": "tool_use", "name": name, "input": arguments}
        if name_id is not None:
            block["id"] = name_id
        blocks.append(block)
    return blocks


def anthropic_whole(said):
    body = {"id": "msg_1", "type": "message", "role": "assistant", "model": "fake-1", "content": anthropic_blocks(said),
            "stop_reason": ANTHROPIC_STOPS[said.stop], "stop_sequence": None}
    if said.usage:
        body["usage"] = anthropic_usage()
    return body


def anthropic_events(said):
    start = {"id": "msg_1", "type": "message", "role": "assistant", "model": "fake-1", "content": [], "stop_reason": None}
    if said.usage:
        start["usage"] = {**anthropic_usage(), "output_tokens": 1}
    made = [("message_start", {"message": start}), ("ping", {})]
    for index, block in enumerate(anthropic_blocks(said)):
        kind = block["type"]
        began = dict(block)
        deltas = []
        if kind == "thinking":
            began.update(thinking="", signature="")
            deltas = [{"type": "thinking_delta", "thinking": letter} for letter in block["thinking"]]
            deltas.append({"type": "signature_delta", "signature": block["signature"]})
        elif kind == "text":
            began["text"] = ""
            deltas = [{"type": "text_delta", "text": piece} for piece in said.pieces]
        elif isinstance(block["input"], str):
            began["input"] = {}
            halves = block["input"][:3], block["input"][3:]
            deltas = [{"type": "input_json_delta", "partial_json": half} for half in halves if half]
        made.append(("content_block_start", {"index": index, "content_block": began}))
        made += [("content_block_delta", {"index": index, "delta": delta}) for delta in deltas]
        made.append(("content_block_stop", {"index": index}))
    end = {"delta": {"stop_reason": ANTHROPIC_STOPS[said.stop], "stop_sequence": None}}
    if said.usage:
        end["usage"] = {"output_tokens": 50}
    made += [("message_delta", end), ("message_stop", {})]
    return [(name, {"type": name, **data}) for name, data in made]


def whole(dialect, said):
    if dialect == "anthropic":  # arguments are never a text here, unless the case is that they are
        said = Said(**{**said.__dict__, "calls": [(i, n, arguments_object(a) if is_json(a) else a) for i, n, a in said.calls]})
    return {"chat": chat_whole, "responses": responses_whole, "anthropic": anthropic_whole}[dialect](said)


def events(dialect, said):
    return {"chat": chat_events, "responses": responses_events, "anthropic": anthropic_events}[dialect](said)


def is_json(arguments):
    try:
        arguments_object(arguments)
        return True
    except ValueError:
        return False


def stray_results(dialect, body):
    """Ids of results of tools that no call of the conversation has: services refuse them."""
    calls, results = [], []
    for turn in body.get("input" if dialect == "responses" else "messages", []):
        if dialect == "chat":
            calls += [call["id"] for call in turn.get("tool_calls", [])]
            results += [turn["tool_call_id"]] if turn["role"] == "tool" else []
        elif dialect == "responses":
            calls += [turn["call_id"]] if turn["type"] == "function_call" else []
            results += [turn["call_id"]] if turn["type"] == "function_call_output" else []
        else:
            calls += [block["id"] for block in turn["content"] if block["type"] == "tool_use"]
            results += [block["tool_use_id"] for block in turn["content"] if block["type"] == "tool_result"]
    return [result for result in results if result not in calls]


def error(dialect, kind, message):
    """The body of an error."""
    made = {"error": {"type": kind, "code": kind, "message": message}}
    return {"type": "error", **made} if dialect == "anthropic" else made


def error_event(dialect, kind, message):
    if dialect == "responses":
        return "error", {"type": "error", "code": kind, "message": message, "param": None}
    return ("error" if dialect == "anthropic" else None), error(dialect, kind, message)
