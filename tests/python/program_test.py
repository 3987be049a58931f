"""helve.program: the real program, and small ones of the test's own for what it would not do."""

import os
import signal
import stat
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest
from pathlib import Path
from unittest import mock

from helve import commands, errors, program
from helve.memory import Memory


class Token:
    """What `cancel` takes."""

    is_cancelled = False


class FakeProgram(unittest.TestCase):
    """HELVE_PROGRAM is a script in Python that the test writes."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def fake(self, body):
        path = self.folder / "fake"
        path.write_text(f"#!{sys.executable}\nimport os, signal, sys, time\n" + textwrap.dedent(body))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        patch = mock.patch.dict(os.environ, {"HELVE_PROGRAM": str(path)})
        patch.start()
        self.addCleanup(patch.stop)

    def assert_gone(self, file):
        """The process whose number is in the file has ended, and was waited for."""
        number = int((self.folder / file).read_text())
        with self.assertRaises(ProcessLookupError):
            os.kill(number, 0)


class Paths(unittest.TestCase):
    def test_the_variable_goes_first_and_must_name_a_program(self):
        with mock.patch.dict(os.environ, {"HELVE_PROGRAM": "/bin/sh"}):
            self.assertEqual(program.program_path(), "/bin/sh")
        with mock.patch.dict(os.environ, {"HELVE_PROGRAM": "/nowhere/helve"}):
            with self.assertRaisesRegex(errors.NotFound, "/nowhere/helve"):
                program.program_path()

    def test_a_script_in_path_is_not_taken_for_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / "helve"
            script.write_text("#!/bin/sh\n")
            script.chmod(0o755)
            elsewhere = mock.patch.object(program, "__file__", str(Path(folder) / "pack" / "program.py"))
            with elsewhere, mock.patch.dict(os.environ, {"PATH": folder, "HELVE_PROGRAM": ""}):
                with self.assertRaises(errors.NotFound) as caught:
                    program.program_path()
                self.assertIn("HELVE_PROGRAM", caught.exception.hint)
                script.write_bytes(b"\x7fELF")
                self.assertEqual(program.program_path(), str(script))

    def test_main_becomes_the_program(self):
        code = "import sys; sys.argv = ['helve', '--version']; from helve.program import main; main()"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"^helve \d")

    def test_main_without_a_program_says_so(self):
        code = "from helve.program import main; main()"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "HELVE_PROGRAM": "/nowhere"})
        self.assertEqual(done.returncode, 3)
        self.assertIn("helve: error:", done.stderr)


class RealProgram(unittest.TestCase):
    def test_what_it_writes_and_its_status(self):
        completed = program.run("--version")
        self.assertRegex(completed.stdout, r"^helve \d")
        self.assertEqual((completed.stderr, completed.status), ("", 0))

    def test_input(self):
        data = "<http://e/a> <http://e/b> \"é\" .\n"
        completed = program.run("convert", "-", "--from", "turtle", "--to", "ntriples", input=data)
        self.assertEqual(completed.stdout, data)

    def test_standard_input_is_empty_otherwise(self):
        completed = program.run("info", "-", "--from", "turtle", "--json")
        self.assertIn("triples", completed.stdout)

    def test_a_failure_has_message_and_hint(self):
        with self.assertRaises(errors.NotFound) as caught:
            program.run("info", "/nowhere/data.ttl")
        self.assertIn("/nowhere/data.ttl", caught.exception.message)
        self.assertEqual(caught.exception.code, "not_found")

    def test_usage_errors_are_invalid_input(self):
        with self.assertRaises(errors.InvalidInput) as caught:
            program.run("memory", "search", "--bogus", "x")
        self.assertIn("--bogus", caught.exception.message)
        self.assertIn("--help", caught.exception.hint)

    def test_without_check_a_failure_is_a_result(self):
        self.assertEqual(program.run("info", "/nowhere/data.ttl", check=False).status, 3)

    def test_arguments_are_texts_or_paths_without_nul(self):
        with self.assertRaises(TypeError):
            program.run("info", 3)
        with self.assertRaisesRegex(errors.InvalidInput, "argument 2 .*NUL"):
            program.run("info", "a\0b")
        with self.assertRaisesRegex(errors.InvalidInput, r"argument 2 .*U\+D800"):
            program.run("info", "a\ud800")
        with self.assertRaisesRegex(errors.InvalidInput, r"^input .*U\+D800"):
            program.run("info", "-", input="\ud800")
        for env in ({"A": "\0"}, {"A": "\ud800"}, {"\ud800": "a"}):
            with self.subTest(env), self.assertRaises(errors.InvalidInput):
                program.run("--version", env=env)
        with self.assertRaisesRegex(TypeError, "words of a command line"):
            program.run()

    def test_names_of_files_may_be_no_utf8(self):
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / os.fsdecode(b"\x80.nt")
            data.write_text("<http://e/a> <http://e/b> <http://e/c> .\n")
            self.assertIn("triples", program.run("info", data, "--json").stdout)
            bank = Path(folder) / os.fsdecode(b"\x81.db")
            self.assertEqual(Memory(bank).seed().added, 18)
            self.assertTrue(bank.exists())

    def test_times_are_above_0(self):
        for seconds in (0, -1, -0.5, float("nan"), float("inf")):
            with self.subTest(seconds), self.assertRaisesRegex(ValueError, "number of seconds above 0, or None"):
                program.run("--version", timeout=seconds)
        for seconds in ("5", True, b"1"):
            with self.subTest(seconds), self.assertRaisesRegex(TypeError, "number of seconds above 0, or None"):
                program.run("--version", timeout=seconds)
        self.assertEqual(program.run("--version", timeout=60).status, 0)

    def test_cancel_must_be_a_token(self):
        with self.assertRaisesRegex(TypeError, "is_cancelled"):
            program.run("--version", cancel=threading.Event())

    def test_a_cancelled_query_ends(self):
        token = Token()
        timer = threading.Timer(0.3, lambda: setattr(token, "is_cancelled", True))
        timer.start()
        self.addCleanup(timer.join)
        query = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }"
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "data.nt"
            data.write_text("".join(f"<http://e/{i}> <http://e/p> \"{i}\" .\n" for i in range(3000)))
            with self.assertRaises(errors.Cancelled):
                program.run("query", data, query, "--timeout", "0", cancel=token)


class Statuses(FakeProgram):
    def test_each_status_is_its_error(self):
        self.fake("""
            print("some progress", file=sys.stderr)
            print("helve: error: it is so", file=sys.stderr)
            print("  | a line", file=sys.stderr)
            print("  hint: do this", file=sys.stderr)
            sys.exit(int(sys.argv[1]))
        """)
        kinds = {1: errors.InternalError, 2: errors.InvalidInput, 3: errors.NotFound, 4: errors.Denied,
                 5: errors.LimitExceeded, 6: errors.Unavailable, 7: errors.Cancelled}
        for status, kind in kinds.items():
            with self.subTest(status), self.assertRaises(kind) as caught:
                program.run(str(status))
            self.assertEqual((caught.exception.message, caught.exception.hint), ("it is so", "do this"))

    def test_colours_are_taken_out(self):
        self.fake(r"""
            print("helve: \x1b[1;31merror: \x1b[0mred", file=sys.stderr)
            sys.exit(2)
        """)
        with self.assertRaises(errors.InvalidInput) as caught:
            program.run("x")
        self.assertEqual(caught.exception.message, "red")

    def test_a_status_without_words(self):
        self.fake("print('E1 failed', file=sys.stderr); sys.exit(6)")
        with self.assertRaisesRegex(errors.Unavailable, "status 6: E1 failed"):
            program.run("experiment")

    def test_another_status_is_internal(self):
        self.fake("sys.exit(42)")
        with self.assertRaisesRegex(errors.InternalError, "status 42"):
            program.run("x")

    def test_a_signal_is_named(self):
        self.fake("os.kill(os.getpid(), signal.SIGSEGV)")
        with self.assertRaisesRegex(errors.InternalError, "SIGSEGV"):
            program.run("x")

    def test_what_is_no_program(self):
        self.fake("")
        (self.folder / "fake").write_bytes(b"\x00\x01")
        with self.assertRaises(errors.InternalError):
            program.run("x")

    def test_json_that_is_none(self):
        self.fake("print('words')")
        with self.assertRaisesRegex(errors.InternalError, "no JSON"):
            commands.call("tasks list", {})

    def test_an_error_has_what_was_printed(self):
        self.fake("print('{\"done\": 2}'); sys.exit(5)")
        with self.assertRaises(errors.LimitExceeded) as caught:
            commands.call("tasks list", {})
        self.assertEqual(caught.exception.result.done, 2)

    def test_statuses_that_are_values_need_output(self):
        self.fake("print('{\"same\": false}'); sys.exit(2)")
        self.assertFalse(commands.call("tasks list", {}, values=(2,)).same)
        self.fake("sys.exit(2)")
        with self.assertRaises(errors.InvalidInput):
            commands.call("tasks list", {}, values=(2,))


class Streams(FakeProgram):
    def test_lines_come_as_they_are_written(self):
        # The second line comes only after the first was heard.
        self.fake("""
            sys.stderr.write("one\\n"); sys.stderr.flush()
            for _ in range(1000):
                if os.path.exists(sys.argv[1]): break
                time.sleep(0.02)
            sys.stderr.write("zw\\u00f6lf\\nunended"); sys.stderr.flush()
        """)
        heard = []
        go_on = self.folder / "go"

        def on_line(line):
            heard.append(line)
            go_on.touch()

        program.run(go_on, on_line=on_line)
        self.assertEqual(heard, ["one", "zwölf", "unended"])

    def test_much_in_both_directions(self):
        self.fake("""
            data = sys.stdin.buffer.read()
            sys.stderr.write("x" * 500000)
            sys.stdout.buffer.write(data)
        """)
        data = b"0123456789" * 300_000
        completed = program.run("x", input=data)
        self.assertEqual(completed.stdout.encode(), data)
        self.assertEqual(len(completed.stderr), 500_000)

    def test_input_that_nobody_reads(self):
        self.fake("print('done')")
        self.assertEqual(program.run("x", input=b"x" * 1_000_000).stdout, "done\n")

    def test_a_flood_ends_it(self):
        self.fake("""
            open(sys.argv[1], "w").write(str(os.getpid()))
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            while True: sys.stdout.write("y" * 65536)
        """)
        with self.assertRaisesRegex(errors.LimitExceeded, "1,000,000 bytes"):
            program.run(self.folder / "pid", output_bytes_max=1_000_000)
        self.assert_gone("pid")

    def test_a_flood_of_a_program_that_has_ended(self):
        self.fake("sys.stdout.write('y' * 50000)")
        with self.assertRaises(errors.LimitExceeded):
            program.run("x", output_bytes_max=10_000)

    def test_of_a_flood_of_errors_the_end_is_kept(self):
        self.fake("""
            for _ in range(100): sys.stderr.write("z" * 65536)
            sys.stderr.write("\\nhelve: error: at last\\n")
            sys.exit(4)
        """)
        completed = program.run("x", check=False)
        self.assertLessEqual(len(completed.stderr), 1024 * 1024)
        with self.assertRaisesRegex(errors.Denied, "at last"):
            program.run("x")

    def test_what_somebody_else_holds_open_is_not_waited_for(self):
        self.fake("""
            if os.fork() == 0:
                time.sleep(600)
                os._exit(0)
            print("parent", flush=True)
            open(sys.argv[1], "w").write(str(os.getpgid(0)))
        """)
        self.addCleanup(lambda: os.killpg(int((self.folder / "pid").read_text()), signal.SIGKILL))
        self.assertEqual(program.run(self.folder / "pid").stdout, "parent\n")

    def test_variables_are_for_the_child_alone(self):
        self.fake("print(os.environ['HELVE_TEST_X'])")
        self.assertEqual(program.run("x", env={"HELVE_TEST_X": "1"}).stdout, "1\n")
        self.assertNotIn("HELVE_TEST_X", os.environ)


class Endings(FakeProgram):
    WAITS = """
        def stopped(number, frame):
            print("finished", flush=True)
            open(sys.argv[2], "a").write("interrupted\\n")
            sys.exit(7)
        signal.signal(signal.SIGINT, stopped)
        open(sys.argv[1], "w").write(str(os.getpid()))
        sys.stderr.write("ready\\n"); sys.stderr.flush()
        time.sleep(600)
    """

    def paths(self):
        return self.folder / "pid", self.folder / "log"

    def test_a_timeout_interrupts_and_lets_it_finish(self):
        self.fake(self.WAITS)
        with self.assertRaisesRegex(errors.LimitExceeded, "within 3 s") as caught:
            program.run(*self.paths(), timeout=3)
        self.assertEqual(caught.exception.result.stdout, "finished\n")
        self.assertEqual((self.folder / "log").read_text(), "interrupted\n")
        self.assert_gone("pid")

    def test_a_token_interrupts_once(self):
        self.fake(self.WAITS)
        token = Token()
        with self.assertRaises(errors.Cancelled):
            program.run(*self.paths(), cancel=token, on_line=lambda _: setattr(token, "is_cancelled", True))
        self.assertEqual((self.folder / "log").read_text(), "interrupted\n")
        self.assert_gone("pid")

    def test_what_ends_well_after_all_is_a_result(self):
        self.fake("""
            signal.signal(signal.SIGINT, lambda *_: (print("done", flush=True), os._exit(0)))
            sys.stderr.write("ready\\n"); sys.stderr.flush()
            time.sleep(600)
        """)
        token = Token()
        completed = program.run("x", cancel=token, on_line=lambda _: setattr(token, "is_cancelled", True))
        self.assertEqual(completed.stdout, "done\n")

    def test_one_that_does_not_listen_is_killed(self):
        self.fake("""
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            open(sys.argv[1], "w").write(str(os.getpid()))
            sys.stderr.write("ready\\n"); sys.stderr.flush()
            time.sleep(600)
        """)
        token = Token()
        grace = mock.patch.multiple("helve.child", _GRACE=0.2, _TERM_WAIT=0.2)
        with grace, self.assertRaises(errors.Cancelled):
            program.run(self.folder / "pid", cancel=token,
                        on_line=lambda _: setattr(token, "is_cancelled", True))
        self.assert_gone("pid")

    def test_an_exception_of_on_line_ends_it(self):
        self.fake(self.WAITS)

        def on_line(line):
            raise ZeroDivisionError(line)

        with self.assertRaisesRegex(ZeroDivisionError, "ready"):
            program.run(*self.paths(), on_line=on_line)
        self.assert_gone("pid")

    def test_ctrl_c_reaches_it_once(self):
        self.fake(self.WAITS)
        code = textwrap.dedent("""
            import os, signal, sys
            from helve import program
            try:
                # As a terminal does: to all of the group of who runs it.
                program.run(*sys.argv[1:], on_line=lambda _: os.killpg(0, signal.SIGINT))
            except KeyboardInterrupt:
                print("interrupted here")
        """)
        done = subprocess.run([sys.executable, "-c", code, *map(str, self.paths())], capture_output=True,
                              text=True, timeout=60, start_new_session=True)
        self.assertEqual(done.stdout, "interrupted here\n", done.stderr)
        self.assertEqual((self.folder / "log").read_text(), "interrupted\n")
        self.assert_gone("pid")

    def test_other_threads_go_on_meanwhile(self):
        token = Token()
        beats = []
        stop = threading.Event()

        def beat():
            while not stop.wait(0.005) and len(beats) < 1000:
                beats.append(1)
            token.is_cancelled = True

        self.fake("""
            signal.signal(signal.SIGINT, signal.default_int_handler)
            time.sleep(600)
        """)
        thread = threading.Thread(target=beat)
        thread.start()
        with self.assertRaises(errors.Cancelled):
            timer = threading.Timer(0.5, stop.set)
            timer.start()
            program.run("x", cancel=token)
        thread.join()
        self.assertGreater(len(beats), 10)


class KilledParents(unittest.TestCase):
    def test_the_program_does_not_outlive_a_parent_that_was_killed(self):
        code = textwrap.dedent("""
            import os, subprocess
            from helve.program import program_path
            child = subprocess.Popen([program_path(), "serve", "sample:", "--http", "127.0.0.1:0"],
                                     env={**os.environ, "HELVE_ENDS_WITH_PARENT": "1"},
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            child.stdout.readline()
            print(child.pid, flush=True)
            os.kill(os.getpid(), 9)
        """)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=20)
        number = int(done.stdout)
        for _ in range(500):
            try:
                state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                return
            if state == "Z":
                return
            threading.Event().wait(0.02)
        os.kill(number, signal.SIGKILL)
        self.fail("the program was still running")


class Options(unittest.TestCase):
    def real_options(self, command):
        help_text = program.run(*command.split(), "--help").stdout
        found = {}
        for line in help_text.split("\nOptions:\n", 1)[1].splitlines():
            if not line.strip():
                break
            if not line.startswith("  -"):
                continue
            names = line.split()[0].split("{")[0]
            takes = line[2 + len(line.split()[0]) :].startswith(" ") and line.split()[1:2] or [""]
            is_flag = takes[0].replace("=", ":").split(":")[0] not in ("TEXT", "UINT", "INT", "FLOAT")
            for name in names.split(","):
                if name.startswith("--"):
                    found[name[2:].replace("-", "_")] = is_flag
        del found["help"]
        found.pop("json", None)
        return found

    def test_the_table_has_what_the_program_takes(self):
        for command, kinds in commands.COMMANDS.items():
            with self.subTest(command):
                real = self.real_options(command)
                self.assertEqual(sorted(kinds), sorted(real))
                self.assertEqual({name for name in kinds if kinds[name] == "!"},
                                 {name for name in real if real[name]})

    def test_a_misspelt_option_names_the_nearest(self):
        with self.assertRaisesRegex(TypeError, r"learn\(\) got .* 'max_task'; did you mean 'max_tasks'\?"):
            commands.command_line("learn", {"max_task": 3})
        with self.assertRaisesRegex(TypeError, "it takes .*bank"):
            commands.command_line("memory stats", {"zzzzzz": 3})

    def test_values_become_words(self):
        line, rest = commands.command_line("learn", {
            "only": ["a", "-b"], "source": "sample:", "max_tasks": 3, "max_cost": 0.5, "dry_run": True,
            "consolidate": False, "out": Path("x"), "hints": None, "layers": ["L0", "L1"],
            "budget": {"l0": 1, "l2": 0}, "timeout": 3}, ("-t",))
        self.assertEqual(line, ["learn", "--only=a", "--only=-b", "--source=sample:", "--max-tasks=3",
                                "--max-cost=0.5", "--dry-run", "--out=x", "--layers=L0,L1",
                                "--budget=l0=1,l2=0", "--json", "--", "-t"])
        self.assertEqual(rest, {"timeout": 3})

    def test_an_empty_value_stands_alone(self):
        line, _ = commands.command_line("memory edit", {"desc": "", "title": "t"}, ("1",), json=False)
        self.assertEqual(line, ["memory", "edit", "--desc", "", "--title=t", "--", "1"])

    def test_senseless_values(self):
        for options in ({"dry_run": "yes"}, {"max_tasks": True}, {"out": b"x"}, {"model": object()},
                        {"max_tasks": [1, 2]}):
            with self.subTest(options), self.assertRaises(TypeError):
                commands.command_line("learn", options)


    def test_texts_that_no_program_can_be_given(self):
        for command, options, words, name in (
            ("learn", {"only": ["a", "b\0"]}, (), "only"), ("learn", {"budget": {"\ud800": 1}}, (), "budget"),
            ("learn", {"out": Path("a\0")}, (), "out"), ("learn", {"out": Path("\ud800")}, (), "out"),
            ("memory add", {"title": "\udfff"}, (), "title"), ("memory search", {}, ("\0",), "question"),
            ("judge", {}, ("a", "\ud800"), "reference"), ("trajectory show", {}, ("\0",), "file"),
            ("tasks show", {}, ("a", "b", "c\0"), "words"), ("context", {}, ("\ud800",), "source"),
        ):
            with self.subTest(name), self.assertRaisesRegex(errors.InvalidInput, f"^{name} has "):
                commands.command_line(command, options, words)

    def test_words_never_are_options(self):
        for command in commands.COMMANDS:
            if command in ("memory undo", "memory history"):
                for word in ("--help", "-h", "--bank=/x", "search", ""):
                    with self.subTest(command), self.assertRaises(errors.InvalidInput):
                        commands.command_line(command, {}, (word,))
                continue
            line, _ = commands.command_line(command, {}, ("--help",))
            self.assertEqual(line[-2:], ["--", "--help"])


class Benchmarks(unittest.TestCase):
    def test_parts_that_are_not_there(self):
        script = Path(__file__).resolve().parents[2] / "bench" / "python.py"
        done = subprocess.run([sys.executable, script, "--only", "calls,load"], capture_output=True, text=True,
                              timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no part 'load'; there are queries, calls, sandbox", done.stderr)
        parts = script.read_text().split("[--only ")[1].split("]")[0]
        self.assertEqual(parts, "queries,calls,sandbox")


class Translations(FakeProgram):
    def test_options_and_commands_are_told_in_python(self):
        for command, text, wanted in (
            ("learn", "after 3 steps; raise --max-steps", "after 3 steps; raise max_steps"),
            ("learn", "raise --max-steps or --max-cost.", "raise max_steps or max_cost."),
            ("learn", "name one: --source NAME=sqlite:FILE, or none", "name one: source='NAME=sqlite:FILE', or none"),
            ("learn", "--rollouts: Value 0 not in range", "rollouts: Value 0 not in range"),
            ("learn", "--provider anthropic --model NAME", "provider='anthropic' model=NAME"),
            ("learn", "try --max-tasks 5.", "try max_tasks=5."),
            ("learn", "use --dry-run first", "use dry_run=True first"),
            ("learn", "no --quietly and no ---seed and no x--seed", "no --quietly and no ---seed and no x--seed"),
            ("learn", "as 'helve ask --model X' does, or --model Y", "as 'helve ask --model X' does, or model=Y"),
            ("memory search", "helve memory add makes one", "Memory.add() makes one"),
            ("memory add", "helve memory history 0123456789ab has it", "Memory.history('0123456789ab') has it"),
            ("memory add", "helve memory undo 12 takes it back", "Memory.undo(12) takes it back"),
            ("memory forget", "helve memory forget ID..., or helve memory forget --keep N",
             "Memory.forget(ID...), or Memory.forget(keep=N)"),
            ("memory stats", "raise --max-steps", "raise --max-steps"),
            ("tasks show", "helve tasks --help shows what it takes, helve --help the options of all commands",
             "help(helve.tasks.show) shows what it takes"),
        ):
            with self.subTest(text):
                self.assertEqual(commands.in_python(text, command), wanted)

    def test_errors_of_functions_are_translated_and_those_of_run_are_not(self):
        self.fake("""
            print("helve: error: raise --limit", file=sys.stderr)
            print("  hint: or helve memory export --plain", file=sys.stderr)
            sys.exit(5)
        """)
        for work in (lambda: Memory("x").search("a"), lambda: commands.call_text("memory history", {})):
            with self.assertRaises(errors.LimitExceeded) as caught:
                work()
            self.assertEqual(caught.exception.message, "raise limit")
            self.assertIn("Memory.export()", caught.exception.hint)
        with self.assertRaisesRegex(errors.LimitExceeded, "^raise --limit"):
            program.run("memory")

    def test_of_the_real_program(self):
        with self.assertRaises(errors.InvalidInput) as caught:
            Memory(self.folder / "b.db").search("x", limit=0)
        self.assertRegex(str(caught.exception), r"^limit: .*help\(Memory.search\)")
        with self.assertRaises(errors.NotFound) as missing:
            Memory(self.folder / "b.db").search("x")
        self.assertEqual(missing.exception.hint, "Memory.add() makes one")


class Errors(unittest.TestCase):
    def test_codes_have_classes(self):
        for code in ("invalid_input", "not_found", "denied", "limit_exceeded", "unavailable", "cancelled",
                     "internal"):
            error = errors.error_of(code, "m", "h")
            self.assertEqual((error.code, error.message, error.hint, str(error)), (code, "m", "h", "m (h)"))
            self.assertIsInstance(error, errors.HelveError)
        self.assertIsInstance(errors.error_of("odd", "m"), errors.InternalError)


if __name__ == "__main__":
    unittest.main()
