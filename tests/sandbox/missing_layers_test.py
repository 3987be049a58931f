#!/usr/bin/env python3
"""What Helve does on machines that lack a layer of the sandbox: missing_layers_test.py HELVE SANDBOX_TEST [unittest options]

The machines are made up by without_layers.py, each for one program. `helve sandbox check` must tell which layer is missing, `helve sandbox run`
must refuse and name it, and run only with --unsafe-sandbox; our own tests must skip loudly, or fail where they must run.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
WITHOUT = [sys.executable, str(HERE / "without_layers.py")]
TIME_LIMIT_S = 30
OTHER_USER = 65534
HELVE, SANDBOX_TEST = "", ""


class Ran:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err


class MissingLayersTest(unittest.TestCase):
    def setUp(self):
        # Other users must be able to make folders in it.
        folder = tempfile.TemporaryDirectory(prefix="helve-layers-")
        self.addCleanup(folder.cleanup)
        self.temp = Path(folder.name) / "tmp"
        self.temp.mkdir()
        os.chmod(folder.name, 0o755)
        os.chmod(self.temp, 0o1777)
        self.script = Path(folder.name) / "script.py"
        self.script.write_text("open('made', 'w').write('x')\nprint('ran')\n")
        os.chmod(self.script, 0o644)

    def run_program(self, machine, *command, **variables):
        environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "TMPDIR": str(self.temp), "HOME": str(self.temp), **variables}
        process = subprocess.Popen([*WITHOUT, *machine, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=environment, start_new_session=True, text=True)
        try:
            out, err = process.communicate(timeout=TIME_LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            self.fail(f"{machine} {command}: not done after {TIME_LIMIT_S} s: {err}")
        return Ran(process.returncode, out, err)

    def needs_root(self):
        if os.geteuid() != 0:
            self.skipTest("only root can be another user or drop a capability")

    def check_machine(self, machine, missing):
        """`missing`: the layers that cannot hold there."""
        checked = self.run_program(machine, HELVE, "sandbox", "check", "--json")
        self.assertEqual(checked.status, 4 if missing else 0, checked.err)
        told = json.loads(checked.out)
        self.assertEqual({layer["name"] for layer in told["layers"] if not layer["holds"]}, set(missing))
        self.assertEqual(len(told["layers"]), 8)
        self.assertIs(told["holds"], not missing)
        for layer in told["layers"]:
            self.assertTrue(layer["holds"] or layer["detail"], layer)

        ran = self.run_program(machine, HELVE, "sandbox", "run", str(self.script))
        self.assertEqual(ran.status, 4 if missing else 0, ran.err)
        self.assertEqual(ran.out, "" if missing else "ran\n")
        for name in missing:
            self.assertIn(name, ran.err)

        unsafe = self.run_program(machine, HELVE, "sandbox", "run", "--unsafe-sandbox", str(self.script))
        self.assertEqual(unsafe.status, 0, unsafe.err)
        self.assertEqual(unsafe.out, "ran\n")
        for name in missing:
            self.assertIn(name, unsafe.err)
        self.assertEqual(os.listdir(self.temp), [], "something is left")
        return told

    def test_a_machine_with_all(self):
        self.check_machine([], [])

    def test_a_kernel_without_landlock(self):
        self.check_machine(["--without", "landlock"], ["landlock"])

    def test_a_kernel_with_landlock_turned_off(self):
        self.check_machine(["--without", "landlock-disabled"], ["landlock"])

    def test_a_kernel_without_filters(self):
        self.check_machine(["--without", "seccomp"], ["seccomp"])

    def test_neither_landlock_nor_filters(self):
        self.check_machine(["--without", "landlock", "--without", "seccomp"], ["landlock", "seccomp"])

    def test_user_namespaces_are_not_needed(self):
        told = self.check_machine(["--without", "userns"], [])
        self.assertIs(told["user_namespaces"], False)

    def test_no_new_privs_refused(self):
        self.needs_root()
        checked = self.run_program(["--without", "no-new-privs"], HELVE, "sandbox", "check", "--json")
        self.assertEqual(checked.status, 4)
        self.assertIn("no_new_privs", {layer["name"] for layer in json.loads(checked.out)["layers"] if not layer["holds"]})

    def test_no_descriptors_of_processes(self):
        ran = self.run_program(["--without", "pidfd"], HELVE, "sandbox", "run", str(self.script))
        self.assertEqual(ran.status, 4, ran.err)
        self.assertIn("watchdog", ran.err)
        self.assertEqual(ran.out, "")

    def test_another_user_than_root(self):
        self.needs_root()
        user = ["--user", str(OTHER_USER)]
        if self.run_program(user, HELVE, "--version").status != 0:
            self.skipTest(f"user {OTHER_USER} cannot run {HELVE}")
        self.check_machine(user, [])
        self.check_machine([*user, "--without", "landlock"], ["landlock"])
        self.check_machine([*user, "--without", "seccomp"], ["seccomp"])

    def test_root_that_cannot_change_its_user(self):
        self.needs_root()
        self.check_machine(["--drop", "CAP_SETUID"], ["user"])
        self.check_machine(["--drop", "CAP_SETGID"], ["user"])

    def test_root_that_cannot_kill_others(self):
        """It could not end a guest of another user: it must not start one."""
        self.needs_root()
        self.check_machine(["--drop", "CAP_KILL"], ["user"])

    def test_root_without_rights_on_files(self):
        self.needs_root()
        for dropped in ("CAP_CHOWN", "CAP_DAC_OVERRIDE"):
            ran = self.run_program(["--drop", dropped], HELVE, "sandbox", "run", str(self.script))
            self.assertIn(ran.status, (0, 4), ran.err)
            self.assertEqual(os.listdir(self.temp), [], f"something is left without {dropped}")

    def test_our_own_tests_are_skipped_loudly(self):
        chosen = [SANDBOX_TEST, "--gtest_filter=SandboxSessionTest.KeepsItsNamespace"]
        skipped = self.run_program(["--without", "landlock"], *chosen)
        self.assertEqual(skipped.status, 0, skipped.out)
        self.assertIn("SKIPPED", skipped.out)
        self.assertIn("NOT RUN", skipped.err)
        self.assertIn("landlock", skipped.err)
        failed = self.run_program(["--without", "landlock"], *chosen, HELVE_SANDBOX_MUST_RUN="1")
        self.assertEqual(failed.status, 1, failed.out)
        self.assertIn("landlock", failed.out)
        ran = self.run_program([], *chosen, HELVE_SANDBOX_MUST_RUN="1")
        self.assertEqual(ran.status, 0, ran.out)


if __name__ == "__main__":
    HELVE, SANDBOX_TEST = map(os.path.abspath, sys.argv[1:3])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
