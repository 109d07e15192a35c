"""Ten kinds of program whose truth is known, and what a profile must say of each.

The target `blocked` plays them; how long each of its functions took it measures itself. Who waits for
what, and what the verdict is, is known beforehand and written here.
"""

import re
from collections import namedtuple

# A role waits in a function for an object, which a role has that is in another function.
Wait = namedtuple("Wait", "role function object holder where", defaults=(None, None))

# verdicts: of roles and of their functions, where the truth allows one only.
Kind = namedtuple("Kind", "verdicts waits")

TURNS = r"mutex cache_lock\+0"
SYNCED = r"/.*/synced\.db"

KINDS = {
    "user": Kind({"spinner": "cpu", "spin": "cpu", "spin_longer": "cpu"}, []),
    "calls": Kind({"caller": "syscall", "call": "syscall", "call_longer": "syscall"}, []),
    "sleep": Kind(
        {"sleeper": "wait", "sleep_well": "wait", "writer_rests": "wait"},
        [Wait("sleeper", "sleep_well", r"8\.7 ms"), Wait("sleeper", "writer_rests", "5 ms")]),
    "pipe": Kind(
        {"reader": "io", "read_pipe": "io", "dripper": "wait"},
        [Wait("reader", "read_pipe", r"pipe:\[\d+\] from itself"),
         Wait("dripper", "drip", "25 ms")]),
    "fsync": Kind({}, [Wait("syncer", "sync_file", SYNCED)]),
    "mutex": Kind(
        {"short": "lock", "short_waits": "lock", "long_waits": "lock", "long": "wait"},
        [Wait("short", "short_waits", TURNS, "long", "long_work"),
         Wait("long", "long_waits", TURNS, "short", "short_work")]),
    "condition": Kind(
        {"consumer": "idle", "take_item": "idle", "eat_item": "wait", "producer": "wait"},
        [Wait("consumer", "take_item", r"condition variable item_ready\+0"),
         Wait("producer", "produce_item", "8 ms")]),
    "rwlock": Kind(
        {"reader-1": "lock", "reader-2": "lock", "read_table": "lock", "writer": "wait"},
        [Wait("reader-1", "read_table", r"rwlock table_lock\+0", "writer", "rewrite_table"),
         Wait("reader-2", "read_table", r"rwlock table_lock\+0", "writer", "rewrite_table")]),
    "crowd": Kind({name: "cpu" for name in
                   ("crowd-1", "crowd-2", "crowd-3", "crowd-4", "spin")}, []),
    "mix": Kind({"reader_rests": "wait", "eat_item": "wait"},
                [Wait("worker", "reader_rests", "2 ms"), Wait("worker", "eat_item", r"2\.6 ms"),
                 Wait("syncer", "writer_rests", "5 ms")]),
}


def is_right(profile, wait):
    """Whether a row of the profile says what a wait is for, and whose fault it is."""
    holder = wait.holder and f"{wait.holder} ({profile.truth[wait.holder]['tid']})"
    # A static function of the program may be inlined.
    where = (wait.where, "nap_ns" if profile.folded.has(str(wait.where), "nap_ns") else wait.where)

    def check(row):
        return (re.fullmatch(wait.object, row.get("wait_object") or "") and
                (not holder or row.get("lock_holder") == holder) and
                (not holder or row.get("lock_holder_function") in where))
    return check
