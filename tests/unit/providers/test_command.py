from __future__ import annotations

import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from probatum.errors import ProviderFault
from probatum.plugins.protocols import Answer, Failed, Missing
from probatum.providers.command import CommandProvider, CommandSystem
from probatum.records.base import UNSET
from probatum.records.inputs import Input, Message, Tool, ToolCall

ECHO = """\
import json, os, sys
for line in sys.stdin:
    asked = json.loads(line)
    text = asked["text"] + " " + str(os.getpid())
    print(json.dumps({"id": asked["id"], "text": text}), flush=True)
"""


@pytest.fixture
def system(tmp_path: Path, configure: Any) -> Any:
    """Return an opener of a Python program with the given source."""
    opened: list[CommandSystem] = []

    def make(source: str, mode: str = "call", **given: Any) -> CommandSystem:
        (tmp_path / "bot.py").write_text(source)
        options = {"command": [sys.executable, "bot.py"], "mode": mode}
        opened.append(CommandProvider().open(configure("bot", options=options, **given)))
        return opened[-1]

    yield make
    for one in opened:
        one.close()
        assert not one._busy
        assert not one._idle


def gone(pid: int) -> bool:
    """Tell whether a process has ended and was reaped."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def wait_for(condition: Any, seconds: float = 10.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False


def test_one_process_a_call_gets_the_prompt_and_gives_its_output(system: Any, ask: Any) -> None:
    bot = system("import sys\nprint(sys.stdin.read()[::-1])\n")
    assert bot.call(ask("abc é")) == Answer("é cba")
    assert bot.target.provider == "command"
    assert json.loads(bot.target.params) == {
        "command": [sys.executable, "bot.py"],
        "mode": "call",
    }


def test_only_the_last_line_end_is_taken_off(system: Any, ask: Any) -> None:
    bot = system("import sys\nsys.stdout.buffer.write(b' a\\n\\r\\n')\n")
    assert bot.call(ask()) == Answer(" a\n")


def test_bytes_that_are_no_text_stay_bytes(system: Any, ask: Any) -> None:
    bot = system("import sys\nsys.stdout.buffer.write(b'\\xff\\xfe\\n')\n")
    assert bot.call(ask()) == Answer(b"\xff\xfe")


def test_a_large_prompt_and_a_large_answer_pass_through(system: Any, ask: Any) -> None:
    bot = system("import sys\nsys.stdout.write(sys.stdin.read() * 2)\n")
    assert bot.call(ask("x" * 1_000_000)).text == "x" * 2_000_000


def test_a_program_that_reads_nothing_is_no_error(system: Any, ask: Any) -> None:
    bot = system("import os, sys\nos.close(0)\nprint('ok')\n")
    assert bot.call(ask("x" * 1_000_000)) == Answer("ok")


def test_a_status_other_than_zero_is_a_failure_with_its_last_words(system: Any, ask: Any) -> None:
    bot = system("import sys\nsys.stderr.write('x' * 20000 + '\\nbad key\\n\\n')\nsys.exit(3)\n")
    assert bot.call(ask()) == Failed("exited", "exit status 3: bad key")


def test_a_status_without_words(system: Any, ask: Any) -> None:
    assert system("raise SystemExit(1)").call(ask()) == Failed("exited", "exit status 1")


def test_a_program_that_kills_itself(system: Any, ask: Any) -> None:
    bot = system("import os\nos.kill(os.getpid(), 9)\n")
    assert bot.call(ask()) == Failed("exited", "killed by signal 9")


def test_too_much_output_is_cut_short_and_the_program_ended(system: Any, ask: Any) -> None:
    bot = system(
        "import os, sys\nopen('pid', 'w').write(str(os.getpid()))\n"
        "while True: sys.stdout.write('x' * 65536)\n"
    )
    assert bot.call(ask()) == Failed("too-large", "the answer is over 16 MiB")
    assert gone(int((bot._folder / "pid").read_text()))


def test_a_program_that_hangs_is_killed_with_its_children(system: Any, ask: Any) -> None:
    bot = system(
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "open('pids', 'w').write(f'{os.getpid()} {child.pid}')\n"
        "time.sleep(60)\n",
        timeout=1.5,
    )
    assert bot.call(ask()) == Failed("timeout", "no answer in 1.5 s")
    own, child = map(int, (bot._folder / "pids").read_text().split())
    assert gone(own)
    assert wait_for(lambda: gone(child) or _zombie(child))


def _zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_a_program_that_closes_its_output_and_stays_is_killed(system: Any, ask: Any) -> None:
    bot = system("import os, time\nos.close(1)\ntime.sleep(60)\n", timeout=0.5)
    assert bot.call(ask()) == Failed("timeout", "no answer in 0.5 s")


def test_a_grandchild_that_keeps_the_pipe_does_not_keep_the_answer(system: Any, ask: Any) -> None:
    bot = system(
        "import subprocess, sys\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(30)'])\n"
        "print('done')\n"
    )
    start = time.monotonic()
    assert bot.call(ask()) == Answer("done")
    assert time.monotonic() - start < 9


def test_lines_are_answered_by_one_process(system: Any, ask: Any) -> None:
    bot = system(ECHO, "lines")
    first, second = (bot.call(ask(text)).text.split() for text in ("a", "b"))
    assert (first[0], second[0]) == ("a", "b")
    assert first[1] == second[1]
    bot.close()
    assert gone(int(first[1]))


def test_each_call_at_a_time_has_a_process_of_its_own(system: Any, ask: Any) -> None:
    bot = system(
        ECHO.replace("    asked =", "    import time; time.sleep(0.3)\n    asked ="), "lines"
    )
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda: found.append(bot.call(ask()).text)) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(set(found)) == 2
    assert len(bot._idle) == 2


def test_a_line_carries_the_whole_question_and_its_place(system: Any, ask: Any) -> None:
    bot = system(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    print(json.dumps({'id': asked['id'], 'text': line}), flush=True)\n",
        "lines",
    )
    value = Input(
        messages=(Message(role="user", content="é"),),
        tools=(Tool(name="t", description="d", parameters="{}"),),
    )
    asked = json.loads(
        bot.call(ask(value, case="k", arm="control", declaration="d", index=2, repeat=1)).text
    )
    assert asked == {
        "id": 1,
        "text": "é",
        "messages": [{"role": "user", "content": "é"}],
        "tools": [{"name": "t", "description": "d", "parameters": {}}],
        "case": "k",
        "arm": "control",
        "declaration": "d",
        "index": 2,
        "repeat": 1,
    }
    assert "tools" not in json.loads(bot.call(ask("x")).text)


def reply(expression: str) -> str:
    return (
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    n = json.loads(line)['id']\n"
        f"    sys.stdout.write({expression} + '\\n')\n"
        "    sys.stdout.flush()\n"
    )


def test_a_line_may_say_more_than_text(system: Any, ask: Any) -> None:
    bot = system(
        reply(
            "json.dumps({'id': n, 'text': 't', 'finish': 'length', 'model': 'm',"
            " 'response_id': 'r', 'usage': {'input_tokens': 3, 'output_tokens': 4},"
            " 'tool_calls': [{'name': 'f', 'arguments': {'b': 1, 'a': 2.5}},"
            " {'name': 'g', 'arguments': '{ }', 'id': 'x'}]})"
        ),
        "lines",
    )
    assert bot.call(ask()) == Answer(
        "t",
        finish="length",
        tool_calls=(
            ToolCall(name="f", arguments='{"a":2.5,"b":1}'),
            ToolCall(name="g", arguments="{ }", id="x"),
        ),
        input_tokens=3,
        output_tokens=4,
        model="m",
        response_id="r",
    )


@pytest.mark.parametrize(
    ("expression", "failure", "words"),
    [
        ("json.dumps({'id': n, 'error': 'overloaded'})", "raised", "overloaded"),
        ("json.dumps({'id': n})", "malformed", "neither text nor error"),
        ("json.dumps({'id': n + 1, 'text': ''})", "malformed", "has id 2, not 1"),
        ("json.dumps({'text': ''})", "malformed", "has id None, not 1"),
        ("json.dumps({'id': n, 'txt': ''})", "malformed", "txt"),
        ("'hello'", "malformed", "not JSON"),
        ("'[' * 100000", "malformed", "nests deeper"),
        ('\'{"id": 1, "text": "a", "text": "b"}\'', "malformed", "duplicate"),
        ("'x' * (25 * 1024 * 1024)", "too-large", "16 MiB"),
    ],
)
def test_a_line_that_is_no_answer(
    system: Any, ask: Any, expression: str, failure: str, words: str
) -> None:
    bot = system(reply(expression), "lines")
    found = bot.call(ask())
    assert found.failure == failure
    assert words in found.error
    assert len(bot._idle) == (1 if failure == "raised" or "neither" in words else 0)


def test_tool_calls_alone_are_an_answer(system: Any, ask: Any) -> None:
    bot = system(
        reply("json.dumps({'id': n, 'tool_calls': [{'name': 'f', 'arguments': '{}'}]})"), "lines"
    )
    assert bot.call(ask()) == Answer("", tool_calls=(ToolCall(name="f", arguments="{}"),))


def test_a_line_that_is_no_utf8_is_malformed(system: Any, ask: Any) -> None:
    bot = system(
        "import sys\nfor line in sys.stdin:\n"
        '    sys.stdout.buffer.write(b\'{"id": 1, "text": "\\xff"}\\n\')\n'
        "    sys.stdout.flush()\n",
        "lines",
    )
    assert bot.call(ask()).failure == "malformed"


def test_a_process_that_ends_is_replaced(system: Any, ask: Any) -> None:
    bot = system(
        "import sys\nsys.stdin.readline()\nsys.stderr.write('out of memory\\n')\nsys.exit(7)\n",
        "lines",
    )
    expected = Failed("exited", "ended without an answer, exit status 7: out of memory")
    assert [bot.call(ask()) for _ in range(2)] == [expected, expected]


def test_a_process_that_hangs_is_replaced(system: Any, ask: Any) -> None:
    bot = system("import sys, time\nsys.stdin.readline()\ntime.sleep(60)\n", "lines", timeout=0.5)
    assert bot.call(ask()) == Failed("timeout", "no answer in 0.5 s")
    assert not bot._idle


def test_closing_ends_a_process_that_is_being_asked(system: Any, ask: Any) -> None:
    bot = system("import sys, time\nsys.stdin.readline()\ntime.sleep(60)\n", "lines")
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(bot.call(ask())))
    thread.start()
    assert wait_for(lambda: bot._busy)
    bot.close()
    thread.join(10)
    assert found[0].failure == "exited"


def test_a_program_that_cannot_be_started_is_a_missing_run(
    system: Any, ask: Any, tmp_path: Path
) -> None:
    bot = system("")
    bot._argv = [str(tmp_path / "not-there")]
    found = bot.call(ask())
    assert isinstance(found, Missing)
    assert "cannot start" in found.error


def test_the_code_digest_follows_the_files_that_are_named(system: Any) -> None:
    first, second = system("print(1)"), system("print(2)")
    assert isinstance(first.target.code, str)
    assert first.target.code != second.target.code
    assert second.target.code == system("print(2)").target.code


def test_a_program_beside_the_spec_counts_as_code(tmp_path: Path, configure: Any, ask: Any) -> None:
    script = tmp_path / "bot.sh"
    script.write_text("#!/bin/sh\ncat\n")
    script.chmod(0o755)
    options = {"command": ["./bot.sh"], "mode": "call"}
    bot = CommandProvider().open(configure("bot", options=options))
    assert isinstance(bot.target.code, str)
    assert bot.call(ask("hi")) == Answer("hi")


def test_a_program_without_files_has_no_code_digest(configure: Any) -> None:
    bot = CommandProvider().open(configure("cat", options={"command": ["cat", "-", "x\ny"]}))
    assert bot.target.code is UNSET


def test_a_variable_of_the_environment_is_used_and_not_stored(configure: Any, ask: Any) -> None:
    options = {"command": ["echo", "--key=${BOT_KEY}"], "mode": "call"}
    bot = CommandProvider().open(
        configure("bot", options=options, environ={"BOT_KEY": "s3cret-value"})
    )
    assert bot.call(ask()) == Answer("--key=s3cret-value")
    assert "s3cret" not in bot.target.params
    assert "${BOT_KEY}" in bot.target.params
    with pytest.raises(ProviderFault) as caught:
        CommandProvider().open(configure("bot", options=options))
    assert caught.value.code == "missing-credential"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({}, "bad-option"),
        ({"command": "cat"}, "bad-option"),
        ({"command": []}, "bad-option"),
        ({"command": ["cat", 3]}, "bad-option"),
        ({"command": ["cat", ""]}, "bad-option"),
        ({"command": ["c\0t"]}, "bad-option"),
        ({"command": ["cat"], "mode": "shell"}, "bad-option"),
        ({"command": ["cat"], "shell": True}, "unknown-option"),
        ({"command": ["no-such-program-anywhere"]}, "no-such-program"),
        ({"command": ["./missing"]}, "no-such-program"),
        ({"command": ["./plain"]}, "no-such-program"),
    ],
)
def test_what_cannot_be_set_up(tmp_path: Path, configure: Any, options: Any, code: str) -> None:
    (tmp_path / "plain").write_text("")
    with pytest.raises(ProviderFault) as caught:
        CommandProvider().open(configure("bot", options=options))
    assert caught.value.code == code
    assert caught.value.hint


def test_an_argument_without_an_end_is_not_read(configure: Any) -> None:
    options = {"command": ["head", "-c", "1", "/dev/zero"], "mode": "call"}
    found = CommandProvider().open(configure("head", options=options))
    assert found.target.code is UNSET
    found.close()
