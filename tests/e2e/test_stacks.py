"""What the stacks of known programs look like: complete, and with the right shares."""

from harness import (PROFILE, Attached, Target, attach_for, attach_while, check_quality, check_share, main, missed_share, most_of,
                     read_profile, sprof)
from subjects import build

# Threads that end at once, one after the other.
NEWBORN = """
#include <pthread.h>
#include <stddef.h>

static void *end(void *data)
{
	return data;
}

int main(void)
{
	pthread_t thread;

	for (int i = 0; i < 2000; i++) {
		pthread_create(&thread, NULL, end, NULL);
		pthread_join(thread, NULL);
	}
}
"""


def check_path(folded, *path):
    assert folded.has(*path), f"no stack with {path}, only {folded.stacks[:5]}"


def test_shares_of_two_functions():
    program = Target("spin-two")
    # User time: it may have to wait for a CPU in one of them.
    folded, stats = attach_while(program.pid, 2, "-r", "499", "--weight", "user")
    samples = stats["rate_hz"] * folded.total / 1e6
    check_share(folded.weight("spin_three") / folded.weight("spin_one|spin_three"), 0.75, samples, "spin_three", missed_share(stats))
    check_path(folded, "main", "spin_round", "spin_three")
    check_quality(stats)
    program.finish().check(0)


def test_frame_pointers_where_there_is_no_cfi():
    program = Target("spin-two-fp")
    folded, stats = attach_for("1s", program.pid)
    check_path(folded, "main", "spin_round", "spin_three")
    # In a system call, which this program hardly makes, only a stop knows the frame pointer.
    check_quality(stats, complete=0.95)
    program.finish().check(0)


def check_depth(depth):
    """Every level of a recursion is there once, however deep."""
    program = Target("deep", depth)
    folded, stats = attach_for("1s", program.pid)
    levels = {frames.count("descend") for frames, _ in folded.stacks if "bottom_spin" in frames}
    # Until its copies have grown, the kernel may cut some.
    assert depth in levels and len(levels) - 1 <= stats["stacks_truncated"], f"{levels} levels, not {depth}: {stats}"
    check_quality(stats)
    program.finish().check(0)


def test_deep_stacks():
    for depth in (100, 1000):
        check_depth(depth)


def test_through_signal_frames():
    paths = {"raise": ("main", "outer", "handler_spin"), "async": ("main", "handler_spin"),
             "alt": ("main", "interrupted", "handler_spin")}
    for mode, path in paths.items():
        program = Target("signal-frame", mode)
        folded, stats = attach_while(program.pid, 0.5)
        check_path(folded, *path)
        check_quality(stats)
        program.finish().check(0)


def test_a_stack_pointer_that_leads_nowhere():
    """There is a name at least: what a thread was seen in is never time without a sample."""
    program = Target("no-stack")
    folded, stats = attach_for("1s", program.pid)
    folded.check("spin_without_stack")  # (others may have the CPUs meanwhile)
    assert stats["truncated_reasons"].get("bad-memory", 0) > 0.5 * stats["stacks_truncated"] > 0, stats
    program.finish().check(0)


def test_a_sleeper_without_a_stack_is_left_alone():
    """A stop would begin its wait again each time, and find no more."""
    program = Target("no-stack", "asleep")
    attached = Attached(program.pid, *PROFILE)
    result = program.finish().check(0)
    attached.finish().check(0)
    assert int(result.text()) >= 500, result.text()
    assert read_profile()[1]["stops"] <= 10


def test_asleep_threads_are_not_stopped():
    """A thread that sleeps all the time is looked at, not woken; one stop each may be needed."""
    program = Target("threads", 0, 20)
    folded, stats = attach_for("1s", program.pid)
    check_quality(stats, threads=21)
    assert stats["stops"] <= 2 * 21, f"{stats['stops']} stops of 21 sleeping threads"
    assert folded.share("asleep_worker") > 0.5
    program.finish().check(0)


def test_a_thread_that_has_just_begun_has_a_whole_stack():
    """It has no caller where clone(2) returns, whatever the code says of the thread that called that."""
    build("newborn", "-O1", "-pthread", source=NEWBORN)
    sprof("run", "--source", "stop", "-r", 999, *PROFILE, "--", "./newborn").check(0)
    folded, stats = read_profile()
    # (On a busy machine, samples may find main() only where it waits for them.)
    check_path(folded, "main")
    assert stats["stacks_truncated"] <= most_of(stats["samples"], 0.02), (stats["truncated_reasons"], stats["samples"])


if __name__ == "__main__":
    main()
