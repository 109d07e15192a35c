"""
gdb's stacks of all threads, at $PLACES places by chance: a line for each thread, its id, and "pc name" of each frame that is
neither inlined nor made up of tail calls; a line for each place before them. With $CORE, each place is also written to a core
file of that name and number. corpus.py runs it.
"""

import os
import random
import signal
import threading

import gdb

PLACES, CORE = int(os.environ["PLACES"]), os.environ.get("CORE")


def show_stacks():
    for thread in gdb.selected_inferior().threads():
        thread.switch()
        frames = []
        try:
            frame = gdb.newest_frame()
            while frame and len(frames) < 300:
                if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
                    frames.append(f"{frame.pc():x} {frame.name() or '?'}")
                frame = frame.older()
        except gdb.error:
            pass
        print("STACK", thread.ptid[1], *frames, sep="\t")


def run_on():
    """Until a signal, which the program doesn't get."""
    pid = gdb.selected_inferior().pid
    threading.Timer(random.uniform(0.001, 0.05), os.kill, [pid, signal.SIGUSR2]).start()
    gdb.execute("continue", to_string=True)


gdb.execute("set backtrace past-main on")
gdb.execute("set backtrace past-entry on")
gdb.execute("handle SIGUSR2 stop nopass", to_string=True)
gdb.execute("handle SIGUSR1 nostop noprint pass", to_string=True)
for place in range(PLACES):
    if place:
        run_on()
    print("PLACE", place, sep="\t")
    show_stacks()
    if CORE:
        gdb.execute(f"gcore {CORE}.{place}", to_string=True)
