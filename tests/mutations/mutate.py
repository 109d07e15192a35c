#!/usr/bin/env python3
"""Whether the tests notice a fault: each mutation of the tables below must turn those red that are named for it.

    mutate.py [--check] [NAME...]     of all, or of those that are named

Works on a copy of the tree, in a temporary folder. --check only looks whether each mutation still fits the source. Says
which test noticed the mutation. Ends with 1 if a mutation was not noticed, or doesn't fit.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
FOLDERS = ["base", "attach", "blocked", "memory", "elfsym", "unwind", "events", "interp", "sampler", "profile", "output", "cmd", "bench",
           "demo",
           "completions", "man", "docs", "scripts", "tests"]
DOES_NOT_BUILD = 125  # what meson test ends with
CPU_SECONDS = 60  # of a test: a loop without end fails on any machine, and a slow machine fails nothing
SCENARIOS = ("sampler-kernel sampler-ledger sampler-locks sampler-once sampler-queue sampler-rounds sampler-scenarios "
             "sampler-schedules sampler-slots sampler-spared sampler-switch sampler-workers")

# Of the sampler's transitions: name, file, what is there once, and what takes its place.
TRANSITIONS = [
    ("never-runs", "sampler/tick/tick.c", "&& schedstat.timeslices);", "&& false);"),
    ("never-dead", "sampler/account/book.c", "thread->sampling->has_ended = true;", ";"),
    ("forgets-place-but-sleeps", "sampler/sampled.c", "sampled->sleep.active = false;\n\tsampled->wait",
     "sampled->wait"),
    ("forgets-place-but-waits", "sampler/sampled.c", "sampled->wait = (struct known_wait){.id = SPROF_WAIT_NONE};", ";"),
    ("executes-where-it-was", "sampler/sampled.c", "forget_place(sampled);\n\t/* Its stack",
     "/* Its stack"),
    ("restarts-where-it-was", "sampler/sampled.c", "forget_place(sampled);\n\tsampled->is_late", "sampled->is_late"),
    ("seen-is-lost", "sampler/account/book.c", "sampled->last = see(book, observation, walked);", "(void)see(book, observation, walked);"),
    ("every-sleep-is-the-same", "sampler/account/book.c", "sprof_state_is_blocked(observation->state) &&\n\t\t\t\t!book->run->quality->schedstat_missing &&"
     "\n\t\t\t\tsampled->last.end != SPROF_END_STACK_COPY,", "true,"),
    ("no-sleep-lasts", "sampler/account/book.c", "sprof_state_is_blocked(observation->state) &&", "false &&"),
    ("sleeps-without-timeslices", "sampler/account/book.c", ".timeslices = observation->look.figures.timeslices,", ".timeslices = 0,"),
    ("wakes-and-sleeps", "sampler/account/samples.c", "\tthread->sampling->sleep.active = false;", ";"),
    ("waits-for-nothing", "sampler/account/waits.c", "sampled->wait = looking.found;", ";"),
    ("runs-and-waits", "sampler/account/book.c", "sampled->wait = (struct known_wait){.id = running_call(book, observation)};",
     "running_call(book, observation);"),
    ("call-is-forgotten", "sampler/account/waits.c", "sampled->last_call = (struct last_call){", "(void)(struct last_call){"),
    ("holder-is-forgotten", "sampler/account/book.c", "if (sampled->wait.id && watch->futex.address)", "if (false && watch)"),
    ("window-stays", "sampler/account/account.c", "account->last.time_ns = now->time_ns;", ";"),
    ("never-stood", "sampler/stop/standstill.c", "thread->sampling->stood_ns += end - begin;", ";"),
    ("cpu-is-forgotten", "sampler/tick/running.c", "sampled->cpu = (struct known_cpu){", "(void)(struct known_cpu){"),
    ("next-group-is-this-one", "sampler/stop/slots.c", "slot >= group->first && slot < group->last;", "slot >= group->first && slot <= group->last;"),
    ("cpu-is-believed", "sampler/stop/stops.c", "first->ask.thread->sampling->cpu.seen_ns = 0;", ";"),
    ("no-turn", "sampler/tick/tick.c", "thread->sampling->turn_ns = run->tick.ns;", ";"),
    ("no-fault", "sampler/tick/running.c", "sampled->faults = faults;", ";"),
    ("faults-of-all-times", "sampler/tick/running.c", "sampled->faults_ns = now_ns;", ";"),
    ("never-enters", "sampler/tick/running.c", "thread->process->sampling->entered_ns = now_ns;", "(void)now_ns;"),
    ("first-is-forgotten", "sampler/account/book.c", "facts->own_tid ? facts->own_tid : thread->tid;", "thread->tid;"),
    ("name-stays", "sampler/account/names.c", "if (!strcmp(name, sampled->name) && !new_program)", "if (!new_program)"),
    ("spared-is-nowhere", "sampler/timer/kernel.c", "sampled->place_ns = tick->ns;", ";"),
    ("sleepers-are-stopped", "sampler/stop/stops.c", "} else if (sleeps_by_now(run->world, thread)) {",
     "} else if (false && sleeps_by_now(run->world, thread)) {"),
    ("late-is-no-sample", "sampler/stop/stops.c", "if (slot->phase == SLOT_COPIED)\n\t\tobserve(stops, slot, time_ns", "if (false)\n\t\tobserve(stops, slot, time_ns"),
    ("nothing-is-drained", "sampler/stop/stops.c", "while (is_stop_outstanding(stops->run)) {", "while (false && is_stop_outstanding(stops->run)) {"),
    ("missed-is-nothing", "sampler/tick/tick.c", "look_at_missed(ticking, slot->ask.thread);", ";"),
    ("always-due", "sampler/account/charge.c", "return book->run->tick.closing || now_ns", "return true || now_ns"),
    ("ends-without-its-time", "sampler/account/charge.c", "if (has_reading && !sampled", "if (false && !sampled"),
    ("no-figures-are-wanted", "sampler/tick/tick.c", "sprof_charge_is_due(ticking", "false && sprof_charge_is_due(ticking"),
    ("holders-of-any-moment", "sampler/account/samples.c", "sampled->place_ns == sample.time_ns ?", "true ?"),
    ("last-ticks-are-forgotten", "sampler/loop/periods.c", "run->tick.ns >= schedule->deadline &&", "false &&"),
    ("once-takes-two", "sampler/loop/periods.c", "if (!loop->sampling.is_on)\n\t\treturn;", "(void)loop->sampling;\n\treturn;"),
    ("off-has-ticks", "sampler/loop/periods.c", "if (!loop->sampling.is_on)\n\t\treturn;", ";"),
    ("off-counts", "sampler/account/charge.c", "sprof_sampled_begin(sampled, &now.figures, now.schedstat.timeslices);\n\tswap", "swap"),
    ("born-while-off-is-ours", "sampler/account/book.c", "thread->born && thread->seen_ns >= book->begin_ns", "thread->born"),
    ("off-without-pause", "sampler/loop/pause.c", "sprof_book_pause(&loop->book, loop->run.tick.ns);", ";"),
    ("on-without-resume", "sampler/account/charge.c", "add_off(thread, &now.figures);\n\tsprof_sampled_begin", "return;\n\tsprof_sampled_begin"),
    ("no-memory-is-nothing", "sampler/sampler.c", "if (world->lacks_memory(world->target))\n\t\t\tloop.run.out_of_memory = true;", ";"),
    ("late-is-forgotten", "sampler/tick/tick.c", "thread->sampling->is_late = thread->phase == SPROF_THREAD_INTERRUPTED;", "(void)thread;"),
    ("late-for-ever", "sampler/stop/standstill.c", "thread->sampling->is_late = false;", ";"),
    ("sleeps-leave-no-trace", "sampler/account/samples.c", "sample.ns = sprof_ledger_take_asleep(", "(void)sprof_ledger_take_asleep("),
    ("cpu-time-is-nobodys", "sampler/account/ledger.c", "ledger->running_ns += cpu_ns;", ";"),
    ("runs-and-sleeps", "sampler/account/ledger.c", "if (slept || sleeps || turns)", ""),
    ("naps-are-nothing", "sampler/account/ledger.c", "if (slept || sleeps || turns)", "if (slept || sleeps)"),
    ("sleep-is-wall-time", "sampler/account/ledger.c", "ledger->last.time_ns - cpu_ns - queue_ns);", "ledger->last.time_ns);"),
    ("queue-is-all-of-it", "sampler/account/ledger.c", "ledger->queue_ns += queue_ns / turns;", "ledger->queue_ns += queue_ns;"),
    ("every-queue-is-a-sleeps", "sampler/account/ledger.c", "if (slept && turns)", "if (turns)"),
    ("never-ran", "sampler/account/ledger.c", "ledger->ran_ns = look->time_ns;\n\tledger->last", "ledger->last"),
    ("taken-twice", "sampler/account/ledger.c", "*ns -= taken;", ";"),
    ("asleep-twice", "sampler/account/ledger.c", "ledger->asleep_ns -= ns;", ";"),
    ("sleeps-end-untold", "sampler/account/samples.c", "sleep_on(book, thread, look, ALL);\n\tthread", "(void)look;\n\tthread"),
    ("records-have-no-time", "sampler/account/samples.c", "deferred->sample.ns = ns * (i + 1) / count - ns * i / count;", ";"),
    ("records-stay", "sampler/account/samples.c", "book->deferred_count = first;", ";"),
    ("further-is-a-sample", "sampler/account/samples.c", "sample.is_further = true;", ";"),
    ("sleepers-wait-for-the-next", "sampler/tick/tick.c", "settle_sleepers(ticking);", "(void)settle_sleepers;"),
    ("never-moved", "sampler/tick/reuse.c", "if (ret->look.time_ns && sampled->sleep.timeslices == ret->look.figures.timeslices)",
     "if (ret->look.time_ns || !sampled->sleep.timeslices)"),
    ("always-spared", "sampler/tick/reuse.c", "return quiet->is_quiet && run->tick.ns", "return run->tick.ns"),
    ("spared-beside-sleepers", "sampler/timer/kernel.c", "(sampled->timed.is_open && !sampled->sleep.active)", "true"),
    ("settled-without-its-sleep", "sampler/account/book.c", "hand_over_samples(book, thread);\n\tif",
     "sprof_samples_flush(book, thread);\n\tif"),
    ("executed-without-its-sleep", "sampler/account/book.c", "hand_over_samples(book, thread);\n\tsprof_sampled_executed",
     "sprof_samples_flush(book, thread);\n\tsprof_sampled_executed"),
    ("last-records-have-no-time", "sampler/timer/kernel.c", "sprof_interval_read(kernel->book, thread, now_of(kernel->run));", ";"),
    ("always-quiet", "sampler/tick/reuse.c", "quiet->rest_ns == quiet->known_rest_ns &&", ""),
    ("bursts-are-forgotten", "sampler/tick/reuse.c", "quiet->moved_ns = run->tick.ns;", ";"),
    ("old-mappings", "sampler/stack/mappings.c", "*mappings = (struct known_mappings){", "(void)(struct known_mappings){"),
    ("workers-are-not-booked", "sampler/account/book.c", "if (thread->is_worker)", "if (false)"),
    ("workers-end-again", "sampler/account/book.c", "thread->is_worker && !thread->sampling->has_ended", "thread->is_worker"),
    ("workers-end-unseen", "sampler/account/book.c", "if (thread->is_worker && !thread", "if (false && !thread"),
    ("stopped-twice", "sampler/sampler.c", "sprof_book_close(&loop->book, thread);", ";"),
]

# Of names, profiles, outputs and commands: with the tests that are to notice it, as meson calls them.
OTHERS = [
    ("d-names-of-any-length", "elfsym-demangle", "elfsym/elf/demangle.c", "references > MAX_D_REFERENCES", "references < 0"),
    ("names-of-any-length", "elfsym-demangle", "elfsym/elf/demangle.c", "length > MAX_MANGLED || !sprof", "!sprof"),
    ("link-without-padding", "elfsym-debuglink", "elfsym/debug-files/debuglink.c", "(length + 4) &", "(length + 3) &"),
    ("any-debug-file", "elfsym-debuglink", "elfsym/debug-files/debuglink.c", "count == 0 && sum == crc", "count == 0"),
    ("local-is-global", "elfsym-symlist", "elfsym/symlist/forms.c", "return flags[0] == 'l' ? SPROF_SYMLIST_LOCAL : SPROF_SYMLIST_GLOBAL;",
     "return SPROF_SYMLIST_GLOBAL;"),
    ("ranges-of-any-priority", "elfsym-ranges", "elfsym/elf/ranges.c", "a->priority > b->priority", "a->priority < b->priority"),
    ("ranges-are-not-joined", "elfsym-ranges", "elfsym/elf/ranges.c", "last->high == low && last->value == value", "false && last->value == value"),
    ("recursion-is-shorter", "profile-recursion", "profile/model/recursion.c", "length <= SPROF_RECURSION_LONGEST", "length < SPROF_RECURSION_LONGEST"),
    ("each-call-has-a-caller", "profile-neighbours", "profile/views/neighbours.c", "!tally->is_wanted || tally->outermost != i", "!tally->is_wanted"),
    ("recursion-has-no-depth", "profile-neighbours", "profile/views/neighbours.c", "\t\t\ttally->calls++;", "\t\t\t;"),
    ("limits-of-verdicts-count", "profile-view", "profile/views/verdict.c", "<= limits[i].above_percent", "< limits[i].above_percent"),
    ("any-wait-is-io", "profile-view", "profile/views/verdict.c", "waiting->io_ns > half", "waiting->io_ns > 0"),
    ("basic-patterns", "profile-match", "profile/model/match.c", "regcomp(ret, pattern, REG_EXTENDED | REG_NOSUB)", "regcomp(ret, pattern, REG_NOSUB)"),
    ("samples-weigh-the-same", "profile-window", "profile/model/window.c", "run->ns + run->count : 0", "run->count : 0"),
    ("queued-has-worked", "sampler-queue", "sampler/account/samples.c", "observation->was_queued ? observation->ran_ns : UINT64_MAX", "UINT64_MAX"),
    ("a-long-call-counts-once", "profile-window", "profile/model/window.c", "(double)weight_of(run, takes[SPROF_TIME_RUNQ]);", "run->count;"),
    ("queued-behind-no-sleep", "profile-window", "profile/model/window.c", "hand_out_carried(window, SPROF_TIME_RUNQ, NULL, queue_of(window), rows);", "(void)queue_of;"),
    ("carried-twice", "profile-window", "profile/model/window.c", "*carried -= ns;", ";"),
    ("faults-are-forgotten", "profile-window", "profile/model/window.c", "window->faults += faults;", "(void)faults, (void)window;"),
    ("times-are-cut-off", "output-folded", "output/formats/folded.c", ".scale = 1, .unit = unit, .sum = unit / 2", ".scale = 1, .unit = unit"),
    ("numbers-end-names", "output-folded", "output/formats/folded.c", "join_last_number(clean);", "(void)join_last_number;"),
    ("equal-lines-stay", "output-folded", "output/formats/folded.c", "compare(line, line + 1, folded) == 0", "false"),
    ("marks-reorder-text", "output-clean", "output/clean.c", "(point >= 0x2028 && point <= 0x202e) ||", ""),
    ("overlong-is-text", "output-clean", "output/clean.c", "point < least[length] ||", ""),
    ("operators-are-brackets", "output-short-name", "output/short-name.c", 'length + symbol_length(at + length)', "0"),
    ("unfinished-stays", "output-out", "output/out.c", "if (out->temporary_path && out->failure)", "if (false)"),
    ("mode-of-anybody", "output-out", "output/out.c", "place->is_own && fchmod", "fchmod"),
    ("errors-are-silent", "output-out", "output/out.c", "} else if (errno != EINTR) {\n\t\t\tout->failure = errno;", "} else if (errno != EINTR) {\n\t\t\treturn;"),
    ("fitted-at-its-end", "output-text output-summary", "output/fit.c", "head = (room - GAP) / 2", "head = room - GAP"),
    ("process-is-no-own-name", "cmd-placeholders", "cmd/cli/placeholders.c", "add_number(expansion, getpid());\n\t\texpansion->is_own = true;",
     "add_number(expansion, getpid());"),
    ("slashes-in-values", "cmd-placeholders", "cmd/cli/placeholders.c", "if (strchr(value, '/'))", "if (false)"),
    ("the-same-id-twice", "cmd-pids", "cmd/cli/pids.c", "if (pids->items[i] == pid)", "if (false)"),
    ("swapped-is-two-slips", "base-nearest", "base/nearest.c", "cost[i - 2][k - 2] + 1", "cost[i - 2][k - 2] + 2"),
    ("the-last-slip-wins", "base-nearest", "base/nearest.c", "near >= nearest->distance", "near > nearest->distance"),
    ("percent-is-a-factor", "cmd-gate-condition", "cmd/saved/gate-condition.c", "value / 100", "value"),
    ("signs-in-names", "cmd-gate-condition", "cmd/saved/gate-condition.c", "strrchr(text, '>')", "strchr(text, '>')"),
    ("siblings-are-parents", "output-top-table", "output/top/table.c", "(wanted && depth < wanted)", "(wanted && depth <= wanted)"),
    ("the-last-column-goes-first", "output-top-table", "output/top/table.c", "importance < table->columns[least].importance",
     "importance > table->columns[least].importance"),
    ("sleep-is-no-time", "cmd-window-times", "cmd/functions/window-times.c", "load->slices > 1 ? fmax(rest, 0) : 0", "0 * rest"),
]

MUTATIONS = [(name, SCENARIOS, *rest) for name, *rest in TRANSITIONS] + OTHERS


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def misfits():
    """The mutations whose text is not in its file exactly once."""
    for name, _, path, old, _ in MUTATIONS:
        count = read(os.path.join(ROOT, path)).count(old)
        if count != 1:
            yield f"{name}: {path} has its text {count} times"


def copy_tree(folder):
    for name in FOLDERS:
        shutil.copytree(os.path.join(ROOT, name), os.path.join(folder, name), symlinks=True)
    for name in os.listdir(ROOT):
        if os.path.isfile(os.path.join(ROOT, name)):
            shutil.copy(os.path.join(ROOT, name), folder)
    subprocess.run(["meson", "setup", "build", "-Dtests=enabled", "-Ddebug=false", "-Dwerror=false"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)


def limit_cpu():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))


def outcome(folder, tests):
    """
    What the tests say of the tree in the folder, and which of them says so. A test that fails makes it "red". One that only takes
    too long makes it "late": the machine may be slow.
    """
    log = os.path.join(folder, "build/meson-logs/testlog.json")
    if os.path.exists(log):
        os.remove(log)
    words = ["meson", "test", "-C", os.path.join(folder, "build"), "--timeout-multiplier", "20", "--maxfail", "1", *tests.split()]
    result = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=limit_cpu, check=False)
    if result.returncode == DOES_NOT_BUILD or not os.path.exists(log):
        return "does not build", ""
    results = {}
    for line in read(log).splitlines():
        test = json.loads(line)
        results.setdefault(test["result"], test["name"])
    for result, said in (("FAIL", "red"), ("ERROR", "red"), ("TIMEOUT", "late")):
        if result in results:
            return said, results[result]
    return ("green", "") if set(results) == {"OK"} else ("not run", "")


def mutate(folder, tests, path, old, new):
    target = os.path.join(folder, path)
    text = read(target)
    with open(target, "w", encoding="utf-8") as file:
        file.write(text.replace(old, new))
    said = outcome(folder, tests)
    with open(target, "w", encoding="utf-8") as file:
        file.write(text)
    return said


def main():
    names = [word for word in sys.argv[1:] if word != "--check"]
    chosen = [mutation for mutation in MUTATIONS if not names or mutation[0] in names]
    bad = list(misfits())
    print("\n".join(bad) if bad else f"{len(MUTATIONS)} mutations fit")
    if bad or "--check" in sys.argv:
        return 1 if bad else 0
    with tempfile.TemporaryDirectory(prefix="sprof-mutations.") as folder:
        copy_tree(folder)
        said, test = outcome(folder, " ".join({tests for _, tests, *_ in chosen}))
        if said != "green":
            print(f"the tests fail as they are: {said} {test}")
            return 1
        for name, *mutation in chosen:
            said, test = mutate(folder, *mutation)
            print(f"{name:28} {said:5} {test}", flush=True)
            if said != "red":
                bad.append(name)
    print(f"not noticed: {', '.join(bad)}" if bad else "all were noticed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
