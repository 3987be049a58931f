#!/usr/bin/env python3
"""Runs a program as on a machine that lacks something: without_layers.py [--without WHAT]... [--user UID] [--drop CAPABILITY]... COMMAND...

WHAT is landlock (ENOSYS), landlock-disabled (EOPNOTSUPP), seccomp (EINVAL), userns (EPERM), pidfd (ENOSYS) or no-new-privs (EINVAL): a
filter of system calls answers so to the program and all that it starts. Neighbour: missing_layers_test.py.
"""

import argparse
import ctypes
import errno
import os
import struct
import sys

LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, PR_CAPBSET_DROP = 38, 22, 24
ALLOW, ANSWER = 0x7FFF0000, 0x00050000
NUMBERS = {
    "x86_64": {"arch": 0xC000003E, "clone": 56, "clone3": 435, "prctl": 157, "unshare": 272, "seccomp": 317, "pidfd_open": 434,
               "pidfd_send_signal": 424, "landlock_create_ruleset": 444, "landlock_add_rule": 445, "landlock_restrict_self": 446},
    "aarch64": {"arch": 0xC00000B7, "clone": 220, "clone3": 435, "prctl": 167, "unshare": 97, "seccomp": 277, "pidfd_open": 434,
                "pidfd_send_signal": 424, "landlock_create_ruleset": 444, "landlock_add_rule": 445, "landlock_restrict_self": 446},
}
CLONE_NEWUSER = 0x10000000
CLONE_PIDFD = 0x1000
CAPABILITIES = {"CAP_SETUID": 7, "CAP_SETGID": 6, "CAP_SETPCAP": 8, "CAP_KILL": 5, "CAP_CHOWN": 0, "CAP_DAC_OVERRIDE": 1}
LANDLOCK = ("landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self")


def statement(code, jump_true, jump_false, value):
    return struct.pack("=HBBI", code, jump_true, jump_false, value)


def load(offset):
    return statement(0x20, 0, 0, offset)  # a word of seccomp_data


def refuse_call(number, error):
    """With the number loaded."""
    return [statement(0x15, 0, 1, number), statement(0x06, 0, 0, ANSWER | error)]


def refuse_argument(number, argument, error, value=None, mask=None):
    """Refuses where an argument is `value`, or has a bit of `mask`."""
    test = statement(0x15, 0, 1, value) if mask is None else statement(0x45, 0, 1, mask)
    return [statement(0x15, 0, 4, number), load(16 + 8 * argument), test, statement(0x06, 0, 0, ANSWER | error), load(0)]


def refusals(what, numbers):
    match what:
        case "landlock" | "landlock-disabled":
            error = errno.ENOSYS if what == "landlock" else errno.EOPNOTSUPP
            return [line for name in LANDLOCK for line in refuse_call(numbers[name], error)]
        case "seccomp":
            return refuse_call(numbers["seccomp"], errno.ENOSYS) + \
                refuse_argument(numbers["prctl"], 0, errno.EINVAL, value=PR_SET_SECCOMP)
        case "no-new-privs":
            return refuse_argument(numbers["prctl"], 0, errno.EINVAL, value=PR_SET_NO_NEW_PRIVS)
        case "userns":
            return refuse_argument(numbers["unshare"], 0, errno.EPERM, mask=CLONE_NEWUSER) + \
                refuse_argument(numbers["clone"], 0, errno.EPERM, mask=CLONE_NEWUSER) + refuse_call(numbers["clone3"], errno.ENOSYS)
        case "pidfd":
            return refuse_call(numbers["pidfd_open"], errno.ENOSYS) + refuse_call(numbers["pidfd_send_signal"], errno.ENOSYS) + \
                refuse_argument(numbers["clone"], 0, errno.EINVAL, mask=CLONE_PIDFD) + refuse_call(numbers["clone3"], errno.ENOSYS)
    raise AssertionError(what)


def check(status, what):
    if status != 0:
        sys.exit(f"without_layers.py: {what}: {os.strerror(ctypes.get_errno())}")


def install(whats):
    numbers = NUMBERS.get(os.uname().machine)
    if numbers is None:
        sys.exit(f"without_layers.py: unknown machine {os.uname().machine}")
    lines = [load(4), statement(0x15, 1, 0, numbers["arch"]), statement(0x06, 0, 0, ALLOW), load(0)]
    for what in whats:
        lines += refusals(what, numbers)
    lines.append(statement(0x06, 0, 0, ALLOW))
    code = ctypes.create_string_buffer(b"".join(lines), 8 * len(lines))
    program = ctypes.create_string_buffer(struct.pack("=HxxxxxxQ", len(lines), ctypes.addressof(code)))
    if os.geteuid() != 0:  # root may filter without; and a program must be able to ask for it itself
        check(LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    check(LIBC.prctl(PR_SET_SECCOMP, 2, program, 0, 0), "filter")


def drop_capability(name):
    """Out of the bounding set: gone for good with the next program."""
    check(LIBC.prctl(PR_CAPBSET_DROP, CAPABILITIES[name], 0, 0, 0), f"drop {name}")


def main():
    parser = argparse.ArgumentParser(description="as on a machine that lacks something")
    parser.add_argument("--without", action="append", default=[],
                        choices=("landlock", "landlock-disabled", "seccomp", "userns", "pidfd", "no-new-privs"))
    parser.add_argument("--user", type=int)
    parser.add_argument("--drop", action="append", default=[], choices=sorted(CAPABILITIES))
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    for name in options.drop:
        drop_capability(name)
    if options.user is not None:
        os.setgroups([])
        os.setresgid(options.user, options.user, options.user)
        os.setresuid(options.user, options.user, options.user)
    if options.without:
        install(options.without)
    os.execv(options.command[0], options.command)


if __name__ == "__main__":
    main()
