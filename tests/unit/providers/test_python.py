from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from probatum.errors import ProviderFault
from probatum.plugins.protocols import Answer, Failed
from probatum.providers.python import PythonProvider, PythonSystem, describe
from probatum.records.base import UNSET
from probatum.records.inputs import BlobPart, Input, Message, TextPart, Tool


@pytest.fixture
def system(tmp_path: Path, configure: Any, request: pytest.FixtureRequest) -> Any:
    """Return an opener of ``bot.py:<function>`` with the given source."""
    opened: list[PythonSystem] = []

    def make(source: str, function: str = "answer", **given: Any) -> PythonSystem:
        (tmp_path / "bot.py").write_text(source)
        opened.append(PythonProvider().open(configure(f"bot.py:{function}", **given)))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


def test_a_function_gets_the_last_user_text(system: Any, ask: Any) -> None:
    bot = system("def answer(prompt):\n    return prompt.upper()\n")
    assert bot.call(ask("hello")) == Answer("HELLO")
    value = Input(
        messages=(
            Message(role="user", content="first"),
            Message(
                role="user",
                content=(
                    TextPart(text="a"),
                    BlobPart(blob="0" * 64, media_type="x/y"),
                    TextPart(text="b"),
                ),
            ),
            Message(role="assistant", content="no"),
        )
    )
    assert bot.call(ask(value)) == Answer("AB")
    assert bot.call(ask(Input(messages=(Message(role="system", content="s"),)))) == Answer("")


def test_a_parameter_called_messages_gets_the_conversation(system: Any, ask: Any) -> None:
    bot = system(
        "import json\ndef answer(messages, tools):\n    return json.dumps([messages, tools])\n"
    )
    value = Input(
        messages=(Message(role="system", content="s"), Message(role="user", content="u")),
        tools=(Tool(name="t", description="d", parameters='{"type":"object"}'),),
    )
    messages, tools = json.loads(bot.call(ask(value)).text)
    assert messages == [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]
    assert tools == [{"name": "t", "description": "d", "parameters": {"type": "object"}}]
    only = system("def answer(*, messages):\n    return messages[-1]['content']\n")
    assert only.call(ask("hi")) == Answer("hi")


def test_the_code_digest_is_of_the_bytes_that_run(system: Any, ask: Any, tmp_path: Path) -> None:
    first = system("def answer(p):\n    return '1'\n")
    second = system("def answer(p):\n    return '2'\n")
    assert (first.call(ask()).text, second.call(ask()).text) == ("1", "2")
    source = (tmp_path / "bot.py").read_bytes()
    assert second.target.code == hashlib.sha256(source).hexdigest()
    assert first.target.code != second.target.code
    assert not (tmp_path / "__pycache__").exists()
    assert (second.target.provider, second.target.model) == ("python", "bot.py:answer")


def test_params_are_stored_as_shortest_decimals(system: Any) -> None:
    from decimal import Decimal

    bot = system(
        "def answer(p): return p\n",
        params={"temperature": Decimal("0.70"), "seed": 3, "top": 1e-7, "stop": ["a", {"b": 2.50}]},
    )
    assert json.loads(bot.target.params) == {
        "temperature": "0.7",
        "seed": 3,
        "top": "0.0000001",
        "stop": ["a", {"b": "2.5"}],
    }


@pytest.mark.parametrize("value", [float("nan"), object(), {"ä": 1}])
def test_params_without_a_canonical_form_are_refused(configure: Any, value: Any) -> None:
    with pytest.raises(ProviderFault) as caught:
        PythonProvider().open(configure("bot.py:answer", params={"x": value}))
    assert caught.value.code == "bad-option"


def test_what_is_raised_is_the_answer(system: Any, ask: Any) -> None:
    source = (
        "class Odd(Exception):\n"
        "    def __str__(self): raise RuntimeError('no words')\n"
        "def fails(p): raise ValueError('two\\nlines')\n"
        "def leaves(p): raise SystemExit(3)\n"
        "def stops(p): raise KeyboardInterrupt\n"
        "def odd(p): raise Odd()\n"
    )
    assert system(source, "fails").call(ask()) == Failed("raised", "ValueError: two\nlines")
    assert system(source, "leaves").call(ask()) == Failed("raised", "SystemExit: 3")
    assert system(source, "stops").call(ask()) == Failed("raised", "KeyboardInterrupt")
    assert system(source, "odd").call(ask()) == Failed(
        "raised", "Odd: (its message cannot be shown)"
    )


@pytest.mark.parametrize(
    ("value", "name"), [("None", "NoneType"), ("b'x'", "bytes"), ("{'text': 'x'}", "dict")]
)
def test_what_is_no_text_is_malformed(system: Any, ask: Any, value: str, name: str) -> None:
    bot = system(f"def answer(p):\n    return {value}\n")
    assert bot.call(ask()) == Failed("malformed", f"returned {name}, not str")


def test_a_subclass_of_str_is_taken_as_the_text_it_holds(system: Any, ask: Any) -> None:
    bot = system(
        "class Text(str):\n"
        "    def __str__(self): return 'other'\n"
        "def answer(p):\n    return Text('text')\n"
    )
    found = bot.call(ask())
    assert found == Answer("text")
    assert type(found.text) is str


def test_async_functions_are_awaited_one_loop_a_thread(system: Any, ask: Any) -> None:
    bot = system(
        "import asyncio\n"
        "loops = set()\n"
        "async def answer(p):\n"
        "    await asyncio.sleep(0)\n"
        "    loops.add(asyncio.get_running_loop())\n"
        "    return str(len(loops))\n"
    )
    assert [bot.call(ask()).text for _ in range(3)] == ["1", "1", "1"]


def test_an_async_function_that_hangs_is_cancelled(system: Any, ask: Any) -> None:
    source = (
        "import asyncio\n"
        "async def hangs(p):\n    await asyncio.sleep(60)\n"
        "async def own(p):\n    raise TimeoutError('mine')\n"
    )
    assert system(source, "hangs", timeout=0.05).call(ask()) == Failed(
        "timeout", "no answer in 0.05 s"
    )
    assert system(source, "own").call(ask()) == Failed("raised", "TimeoutError: mine")


def test_a_loop_that_still_runs_is_left_alone(system: Any, ask: Any) -> None:
    import threading

    source = (
        "import asyncio, threading\n"
        "started, go = threading.Event(), threading.Event()\n"
        "async def answer(p):\n"
        "    started.set()\n"
        "    while not go.is_set():\n"
        "        await asyncio.sleep(0.01)\n"
        "    return 'done'\n"
    )
    bot = system(source)
    names = sys.modules[bot._function.__closure__[0].cell_contents.__module__]
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(bot.call(ask())))
    thread.start()
    assert names.started.wait(10)
    bot.close()
    names.go.set()
    thread.join(10)
    assert found == [Answer("done")]
    bot.close()


def test_siblings_can_be_imported_early_and_late(tmp_path: Path, configure: Any, ask: Any) -> None:
    folder = tmp_path / "inner"
    folder.mkdir()
    (tmp_path / "probatum_test_top.py").write_text("TOP = 'top'\n")
    (folder / "probatum_test_side.py").write_text("SIDE = 'side'\n")
    (folder / "bot.py").write_text(
        "from probatum_test_side import SIDE\n"
        "def answer(p):\n    from probatum_test_top import TOP\n    return SIDE + TOP\n"
    )
    before = list(sys.path)
    bot = PythonProvider().open(configure("inner/bot.py:answer"))
    assert sys.path[0] == before[0]
    assert bot.call(ask()) == Answer("sidetop")
    bot.close()
    assert sys.path == before
    bot.close()


def test_a_module_is_found_beside_the_spec(tmp_path: Path, configure: Any, ask: Any) -> None:
    (tmp_path / "probatum_test_module.py").write_text(
        "class Bot:\n    @staticmethod\n    def answer(p):\n        return p\n"
    )
    bot = PythonProvider().open(configure("probatum_test_module:Bot.answer"))
    assert bot.call(ask("x")) == Answer("x")
    assert isinstance(bot.target.code, str)
    bot.close()


def test_a_builtin_has_no_code_digest(configure: Any, ask: Any) -> None:
    bot = PythonProvider().open(configure("builtins:str"))
    assert bot.call(ask("x")) == Answer("x")
    assert bot.target.code is UNSET
    bot.close()


def test_a_module_whose_source_is_gone_has_no_code_digest(tmp_path: Path, configure: Any) -> None:
    path = tmp_path / "probatum_test_gone.py"
    path.write_text("import os\nos.unlink(__file__)\ndef answer(p): return p\n")
    bot = PythonProvider().open(configure("probatum_test_gone:answer"))
    assert bot.target.code is UNSET
    bot.close()


@pytest.mark.parametrize(
    ("name", "code", "hint"),
    [
        ("bot.py", "bad-target", "file.py:function"),
        (":answer", "bad-target", "file.py:function"),
        ("bot.py:", "bad-target", "file.py:function"),
        ("bt.py:answer", "no-such-file", "did you mean 'bot.py'?"),
        ("bot.py:anser", "no-such-function", "did you mean 'answer'?"),
        ("bot.py:zzzzzz", "no-such-function", "there is: answer, late, odd, two"),
        ("bot.py:VALUE", "not-callable", ""),
        ("bot.py:two", "bad-signature", "messages"),
        ("bot.py:odd", "bad-signature", "messages"),
        ("probatum_test_no_such:answer", "no-such-module", "there is: bot, broken"),
        ("broken.py:answer", "import-error", "on its own"),
        ("leaves.py:answer", "import-error", "on its own"),
        ("syntax.py:answer", "import-error", "on its own"),
        ("needs:answer", "import-error", "on its own"),
        ("raises:answer", "import-error", "on its own"),
    ],
)
def test_what_cannot_be_set_up_is_said_with_a_hint(
    tmp_path: Path, configure: Any, name: str, code: str, hint: str
) -> None:
    (tmp_path / "bot.py").write_text(
        "VALUE = 3\n"
        "def answer(p): return p\n"
        "def two(a, b): return a\n"
        "def odd(messages, other): return ''\n"
        "def late(p): return p\n"
        "def _private(p): return p\n"
    )
    (tmp_path / "broken.py").write_text("1 / 0\n")
    (tmp_path / "leaves.py").write_text("raise SystemExit(2)\n")
    (tmp_path / "syntax.py").write_text("def answer(:\n")
    (tmp_path / "needs.py").write_text("import probatum_test_not_there\n")
    (tmp_path / "raises.py").write_text("raise OSError('disk\\ngone')\n")
    before = list(sys.path)
    with pytest.raises(ProviderFault) as caught:
        PythonProvider().open(configure(name))
    assert caught.value.code == code
    assert hint in caught.value.hint
    assert "\n" not in str(caught.value)
    assert sys.path == before


def test_an_empty_folder_has_no_names_to_offer(configure: Any) -> None:
    with pytest.raises(ProviderFault) as caught:
        PythonProvider().open(configure("bot.py:answer"))
    assert caught.value.hint == ""
    with pytest.raises(ProviderFault) as caught:
        PythonProvider().open(configure("probatum_test_none:answer"))
    assert "file.py:function" in caught.value.hint


def test_options_are_refused(configure: Any) -> None:
    with pytest.raises(ProviderFault) as caught:
        PythonProvider().open(configure("bot.py:answer", options={"mode": "x"}))
    assert (caught.value.code, caught.value.hint) == ("unknown-option", "it takes none")


def test_describe_names_the_type_alone_when_there_are_no_words() -> None:
    assert describe(ValueError()) == "ValueError"
