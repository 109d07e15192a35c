#!/usr/bin/env python3
"""Whether the scenarios of the sampler notice a wrong transition: each mutation of the table below must turn them red.

    mutate.py [--check] [NAME...]     of all, or of those that are named

Works on a copy of the tree, in a temporary folder. --check only looks whether each mutation still fits the source. Ends
with 1 if a mutation was not noticed, or doesn't fit.
"""

import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
FOLDERS = ["base", "attach", "blocked", "memory", "elfsym", "unwind", "events", "interp", "sampler", "profile", "output", "cmd", "bench",
           "demo",
           "completions", "man", "docs", "scripts", "tests"]
PROGRAM = "tests/unit/sampler/test-sampler"
TESTS = ["queue", "scenarios", "schedules", "switch"]
SECONDS = 600

# Name, file, what is there once, and what takes its place.
MUTATIONS = [
    ("never-alive", "sampler/sampled.c", "sampled->life = SAMPLED_ALIVE;", ";"),
    ("never-dead", "sampler/sampled.c", "sampled->life = SAMPLED_DEAD;", ";"),
    ("forgets-place-but-sleeps", "sampler/sampled.c", "sprof_sampled_woke(sampled);\n\tsprof_sampled_runs",
     "sprof_sampled_runs"),
    ("forgets-place-but-waits", "sampler/sampled.c", "sprof_sampled_runs(sampled, SPROF_WAIT_NONE);", ";"),
    ("executes-where-it-was", "sampler/sampled.c", "forget_place(sampled);\n\tsprof_copy_plan",
     "sprof_copy_plan"),
    ("restarts-where-it-was", "sampler/sampled.c", "forget_place(sampled);\n\tsprof_sampled_met",
     "sprof_sampled_met"),
    ("queue-is-all-of-it", "sampler/sampled.c", "(runq_ns - sleep->figures.runq_ns) / turns);", "runq_ns - sleep->figures.runq_ns);"),
    ("queue-has-no-ticks", "sampler/sampled.c", "*ret_ticks = (uint32_t)(sampled->queued_ns / look->period_ns);", ";"),
    ("seen-is-lost", "sampler/sampled.c", "sampled->last = *seen;", ";"),
    ("ticks-are-not-counted", "sampler/sampled.c", "sprof_account_see(&sampled->account, state, ticks);", ";"),
    ("every-sleep-is-the-same", "sampler/sampled.c", ".active = is_same,", ".active = true,"),
    ("no-sleep-lasts", "sampler/sampled.c", ".active = is_same,", ".active = false,"),
    ("sleeps-without-timeslices", "sampler/sampled.c", ".timeslices = timeslices,", ".timeslices = 0,"),
    ("wakes-and-sleeps", "sampler/sampled.c", "sampled->sleep.active = false;", ";"),
    ("skips-nothing", "sampler/sampled.c", "sampled->sleep.skipped += ticks;", ";"),
    ("skips-two", "sampler/sampled.c", "sampled->sleep.skipped += ticks;", "sampled->sleep.skipped += 2 * ticks;"),
    ("credited-again", "sampler/sampled.c", "sampled->sleep.skipped = 0;\n\treturn", "return"),
    ("credited-nothing", "sampler/sampled.c", "return skipped;", "return 0 * skipped;"),
    ("waits-for-nothing", "sampler/sampled.c", "sampled->wait = *wait;", ";"),
    ("runs-and-waits", "sampler/sampled.c", "sampled->wait = (struct known_wait){.id = id};", ";"),
    ("call-is-forgotten", "sampler/sampled.c", "sampled->last_call = *call;", ";"),
    ("holder-is-forgotten", "sampler/sampled.c", "sampled->wait.lock.holder_id = holder_id;", ";"),
    ("owes-nothing", "sampler/sampled.c", "sampled->owed = coming ? sampled->owed + coming : 0;",
     "sampled->owed = 0;"),
    ("owes-one-tick", "sampler/sampled.c", "sampled->owed + coming : 0;", "coming : 0;"),
    ("owes-for-ever", "sampler/sampled.c", "sampled->owed = 0;", ";"),
    ("window-stays", "sampler/sampled.c", "sampled->window_ns = now->time_ns;", ";"),
    ("never-stood", "sampler/sampled.c", "sampled->stood_ns += ns;", ";"),
    ("cpu-is-forgotten", "sampler/sampled.c", "sampled->cpu = *cpu;", ";"),
    ("cpu-is-believed", "sampler/sampled.c", "sampled->cpu.seen_ns = 0;", ";"),
    ("no-turn", "sampler/sampled.c", "sampled->turn_ns = tick_ns;", ";"),
    ("no-fault", "sampler/sampled.c", "sampled->faults = faults;", ";"),
    ("faults-of-all-times", "sampler/sampled.c", "sampled->faults_ns = now_ns;", ";"),
    ("never-enters", "sampler/sampled.c", "process->enters_until_ns = now_ns + ENTERS_NS;", ";"),
    ("first-is-forgotten", "sampler/sampled.c", "sampled->own_tid = own_tid;", ";"),
    ("name-stays", "sampler/sampled.c", "return true;\n}\n\nvoid sprof_sampled_ran", "return false;\n}\n\nvoid sprof_sampled_ran"),
    ("spared-is-nowhere", "sampler/book.c", "sprof_samples_stays(&book->samples, thread, tick_ns);", ";"),
    ("woken-are-not-credited", "sampler/tick.c", "if (sprof_quiet_look(ticking->run, &quiet))\n\t\tcredit_woken(ticking);",
     "sprof_quiet_look(ticking->run, &quiet);\n\t(void)credit_woken;"),
    ("never-moved", "sampler/reuse.c", "return sampled->sleep.timeslices != ret->timeslices;", "return false && sampled->sleep.timeslices;"),
    ("reused-without-this-tick", "sampler/reuse.c", "sprof_sampled_credited(sampled) + tick->weight", "sprof_sampled_credited(sampled)"),
    ("always-spared", "sampler/reuse.c", "return quiet_of(thread)->is_quiet && !has", "return !has"),
    ("sleepers-are-stopped", "sampler/stops.c", "if (sleeps_by_now(run->world, slot->ask.thread)) {",
     "(void)sleeps_by_now;\n\tif (false) {"),
    ("late-is-not-late", "sampler/stops.c", "now_of(stops->run), owed);", "now_of(stops->run), 0);"),
    ("late-is-no-sample", "sampler/stops.c", "if (slot->phase == SLOT_COPIED)\n\t\tobserve(stops, slot, time_ns", "if (false)\n\t\tobserve(stops, slot, time_ns"),
    ("nothing-is-drained", "sampler/stops.c", "while (is_stop_outstanding(world)) {", "while (false && is_stop_outstanding(world)) {"),
    ("missed-is-nothing", "sampler/stops.c", "stops->listener->missed(stops->listener->data, slot->ask.thread);", ";"),
    ("settled-without-credit", "sampler/book.c", "hand_over_samples(book, thread, time_ns);\n\tsprof_charge_last",
     "sprof_samples_flush(&book->samples, thread);\n\tsprof_charge_last"),
    ("executed-without-credit", "sampler/book.c", "hand_over_samples(book, thread, time_ns);\n\tsprof_sampled_executed",
     "sprof_samples_flush(&book->samples, thread);\n\tsprof_sampled_executed"),
    ("lost-stays-lost", "sampler/book.c", "find_lost(book->run->quality, found_by(observation));", ";"),
    ("always-due", "sampler/charge.c", "return charging->closing || now_ns", "return true || now_ns"),
    ("ends-without-its-time", "sampler/charge.c", "if (with_figures && sampled->life", "if (false && sampled->life"),
    ("no-figures-are-wanted", "sampler/book.c", "return book->charging.few || book->charging.closing ? ASK_ALL_FIGURES : ASK_TIMES;",
     "return ASK_NO_FIGURES;"),
    ("late-looks-are-missed", "sampler/tick.c", "ticking->is_weighed = ticking->is_spare;", "ticking->is_weighed = false;"),
    ("woken-holders-sleep", "sampler/samples.c", "*last = (struct last_sample){tick_ns, thread->id, sampled->last.stack};",
     "last->tick_ns = tick_ns, (void)sampled;"),
    ("holders-stay", "sampler/timed.c", "timed->record_ns != timed->looked_ns", "false"),
    ("last-ticks-are-forgotten", "sampler/quality.c", "ticking->ns >= schedule->deadline &&", "false &&"),
    ("once-takes-two", "sampler/quality.c", "if (!loop->sampling.is_on)\n\t\treturn;", "(void)loop->sampling;\n\treturn;"),
    ("off-has-ticks", "sampler/quality.c", "if (!loop->sampling.is_on)\n\t\treturn;", ";"),
    ("off-counts", "sampler/sampled.c", "begin_account(sampled, now);\n\tsampled->first", "sampled->first"),
    ("born-while-off-is-ours", "sampler/book.c", "thread->born && thread->seen_ns >= book->begin_ns", "thread->born"),
    ("off-without-pause", "sampler/switch.c", "sprof_book_pause(&loop->book, loop->ticking.ns);", ";"),
    ("on-without-resume", "sampler/charge.c", "sprof_sampled_resumed(sampled, &now.figures, &now.facts);", ";"),
    ("no-memory-is-nothing", "sampler/sampler.c", "if (world->lacks_memory(world->data))\n\t\tloop->run.out_of_memory = true;", ";"),
    ("always-quiet", "sampler/quiet.c", "quiet->rest_ns == quiet->known_rest_ns &&", ""),
    ("bursts-are-forgotten", "sampler/quiet.c", "quiet->moved_ns = tick_ns;", ";"),
    ("old-mappings", "sampler/mappings.c", "*mappings = (struct known_mappings){", "(void)(struct known_mappings){"),
    ("stopped-twice", "sampler/sampler.c", "sprof_book_close(&loop->book, thread);", ";"),
]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def misfits():
    """The mutations whose text is not in its file exactly once."""
    for name, path, old, _ in MUTATIONS:
        count = read(os.path.join(ROOT, path)).count(old)
        if count != 1:
            yield f"{name}: {path} has its text {count} times"


def copy_tree(folder):
    for name in FOLDERS:
        shutil.copytree(os.path.join(ROOT, name), os.path.join(folder, name), symlinks=True)
    for name in os.listdir(ROOT):
        if os.path.isfile(os.path.join(ROOT, name)):
            shutil.copy(os.path.join(ROOT, name), folder)
    subprocess.run(["meson", "setup", "build", "-Dtests=enabled", "-Dbuildtype=debug", "-Dwerror=false"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)


def outcome(folder):
    """What the scenarios say of the tree in the folder: "green", "red", "hangs", "does not build"."""
    build = os.path.join(folder, "build")
    if subprocess.run(["ninja", "-C", build, PROGRAM], stdout=subprocess.DEVNULL, check=False).returncode:
        return "does not build"
    for test in TESTS:
        try:
            result = subprocess.run([os.path.join(build, PROGRAM), test], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                    timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return "hangs"
        if result.returncode:
            return "red"
    return "green"


def mutate(folder, path, old, new):
    target = os.path.join(folder, path)
    text = read(target)
    with open(target, "w", encoding="utf-8") as file:
        file.write(text.replace(old, new))
    said = outcome(folder)
    with open(target, "w", encoding="utf-8") as file:
        file.write(text)
    return said


def main():
    arguments = sys.argv[1:]
    bad = list(misfits())
    print("\n".join(bad) if bad else f"{len(MUTATIONS)} mutations fit")
    if bad or "--check" in arguments:
        return 1 if bad else 0
    with tempfile.TemporaryDirectory(prefix="sprof-mutations.") as folder:
        copy_tree(folder)
        if outcome(folder) != "green":
            print("the scenarios fail as they are")
            return 1
        for name, path, old, new in MUTATIONS:
            if arguments and name not in arguments:
                continue
            said = mutate(folder, path, old, new)
            print(f"{name:28} {said}", flush=True)
            if said not in ("red", "hangs"):
                bad.append(name)
    print(f"not noticed: {', '.join(bad)}" if bad else "all were noticed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
