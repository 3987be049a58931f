"""A language model that follows a script: what it says next may depend on what it was just shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from dspy.utils import DummyLM

Fields = dict[str, Any]
Step = Fields | Callable[[str], Fields]


class ScriptedLM(DummyLM):
    """Answers each call with the next step: fields, or a function of the text of all messages."""

    def __init__(self, *steps: Step) -> None:
        super().__init__([])
        self.prompts: list[str] = []
        self._steps = iter(steps)
        self.answers = self._play()

    def _play(self) -> Iterator[Fields]:
        for step in self._steps:
            yield step(self.prompts[-1]) if callable(step) else step
        raise AssertionError("the script is over, and the model is asked again")

    def _see(self, prompt: Any, messages: Any) -> None:
        shown = messages if messages is not None else prompt
        if isinstance(shown, (list, tuple)):
            shown = "\n".join(str(message.get("content")) for message in shown)
        self.prompts.append(str(shown))

    def __call__(self, prompt: Any = None, messages: Any = None, **kwargs: Any) -> Any:
        self._see(prompt, messages)
        return super().__call__(prompt=prompt, messages=messages, **kwargs)

    async def acall(self, prompt: Any = None, messages: Any = None, **kwargs: Any) -> Any:
        self._see(prompt, messages)
        return await super().acall(prompt=prompt, messages=messages, **kwargs)


def code(text: str, reasoning: str = "next") -> Fields:
    """A step of dspy.RLM: a block of Python."""
    return {"reasoning": reasoning, "code": f"```python\n{text}\n```"}
