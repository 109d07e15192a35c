/*
 * events/pairs: positions, keys, roles, cycle, replacement, middle events, untraced ones, gaps,
 * thresholds and bounds: what comes out of recorded streams (recorded.h).
 */
#include "events/pairs/pairs.h"

#include "tests/unit/check.h"
#include "tests/unit/events/recorded.h"

static void check_all(const struct recorded *cases, size_t count)
{
	for (size_t i = 0; i < count; i++)
		recorded_check(&cases[i]);
}

#define CHECK_ALL(cases) check_all((cases), sizeof(cases) / sizeof((cases)[0]))

static const struct recorded positions_cases[] = {
	{.name = "two positions",
		.events = {"sched:off", "sched:on"},
		.stream = "10@1:off 15@1:on",
		.expected = "off=>on 5 k1"},
	{.name = "the first may only open, the last only close",
		.events = {"sched:off", "sched:on"},
		.stream = "10@1:on 15@1:off",
		.expected = "on~second k1 off~open k1"},
	{.name = "a comma means one of",
		.events = {"sched:off,signal:deliver", "sched:on,proc:exit"},
		.stream = "1@1:off 2@1:on 3@1:sig 5@1:end 6@1:off 9@1:end",
		.expected = "off=>on 1 k1 deliver=>exit 2 k1 off=>exit 3 k1"},
	{.name = "a middle event closes, then opens",
		.events = {"sched:off", "signal:deliver", "sched:on"},
		.stream = "1@1:off 3@1:sig 7@1:on",
		.expected = "off=>deliver 2 k1 deliver=>on 4 k1"},
	{.name = "a position is not skipped",
		.events = {"sched:off", "signal:deliver", "sched:on"},
		.stream = "1@1:off 7@1:on",
		.expected = "on~second k1 off~open k1"},
	{.name = "event1 of the first position stays for a later middle event",
		.events = {"sched:off", "signal:deliver", "sched:on"},
		.stream = "1@1:off 4@1:on 6@1:sig 9@1:on",
		.expected = "on~second k1 off=>deliver 5 k1 deliver=>on 3 k1"},
	{.name = "every pair of neighbours",
		.events = {"sched:off", "signal:deliver,proc:fork", "sched:on"},
		.stream = "1@1:off 2@1:fork 4@1:on 5@1:off 6@1:sig 8@1:on",
		.expected = "off=>fork 1 k1 fork=>on 2 k1 off=>deliver 1 k1 deliver=>on 2 k1"},
	{.name = "four positions",
		.events = {"sched:off", "signal:deliver", "sched:on", "proc:exit"},
		.stream = "1@1:off 2@1:sig 4@1:on 8@1:end",
		.expected = "off=>deliver 1 k1 deliver=>on 2 k1 on=>exit 4 k1"},
	{.name = "event2 is used once",
		.events = {"sched:off", "sched:on"},
		.stream = "1@1:off 2@1:on 3@1:on",
		.expected = "off=>on 1 k1 on~second k1"},
	{.name = "the same event in both positions",
		.events = {"signal:deliver", "signal:deliver"},
		.stream = "1@1:sig 4@1:sig 9@1:sig",
		.expected = "deliver~second k1 deliver=>deliver 3 k1 deliver=>deliver 5 k1 "
			    "deliver~open k1"},
	{.name = "event2 is later than event1",
		.events = {"sched:off", "sched:on"},
		.stream = "5@1:off 5@1:on 6@1:on",
		.expected = "off=>on 1 k1"},
	{.name = "nothing that is asked for",
		.events = {"sched:off", "sched:on"},
		.stream = "5@1:sig 6@1:end",
		.expected = ""},
	{.name = "no event", .events = {"sched:off", "sched:on"}, .stream = "", .expected = ""},
};

static void positions(void **state)
{
	CHECK_ALL(positions_cases);
}

static const struct recorded keys_cases[] = {
	{.name = "the thread, if nothing is said",
		.events = {"sched:off", "sched:on"},
		.stream = "1@1:off 2@2:off 5@2:on 7@1:on",
		.expected = "off=>on 3 k2 off=>on 6 k1"},
	{.name = "a field, across threads",
		.events = {"syscalls:sys_exit_openat//key=ret/",
			"syscalls:sys_enter_close//key=fd/"},
		.stream = "1@1:exit(257,5) 2@1:exit(257,6) 4@2:enter(3,6) 9@2:enter(3,5)",
		.expected = "sys_exit_openat=>sys_enter_close 2 k6 "
			    "sys_exit_openat=>sys_enter_close 8 k5"},
	{.name = "-k for all",
		.events = {"raw_syscalls:sys_enter", "raw_syscalls:sys_exit"},
		.key = "id",
		.stream = "1@1:enter(0) 2@1:enter(1) 5@2:exit(0,1) 7@3:exit(1,1)",
		.expected = "sys_enter=>sys_exit 4 k0 sys_enter=>sys_exit 5 k1"},
	{.name = "the event's key is before -k",
		.events = {"raw_syscalls:sys_enter//key=args[0]/", "raw_syscalls:sys_exit"},
		.key = "id",
		.stream = "1@1:enter(0,7) 2@1:exit(0,1) 3@1:exit(7,1)",
		.expected = "sys_exit~second k0 sys_enter=>sys_exit 2 k7"},
	{.name = "common_pid is the thread's id",
		.events = {"sched:off", "sched:on"},
		.key = "common_pid",
		.stream = "1@1:off 2@2:off 4@1:on",
		.expected = "off=>on 3 k101 off~open k102"},
	{.name = "the process",
		.events = {"sched:off", "sched:on"},
		.key = "_pid",
		.stream = "1@1:off 4@2:on",
		.expected = "off=>on 3 k100"},
	{.name = "the CPU",
		.events = {"sched:off//key=_cpu/", "sched:on//key=_cpu/"},
		.stream = "1@1:off/0 2@2:off/1 5@3:on/0 7@4:on/1",
		.expected = "off=>on 4 k0 off=>on 5 k1"},
	{.name = "computed, negative",
		.events = {"signal:deliver//key=-sig*2/", "sched:on"},
		.key = "-20",
		.stream = "1@1:sig(10) 5@2:on",
		.expected = "deliver=>on 4 k-20"},
	{.name = "of 64 bits",
		.events = {"signal:deliver//key=(sig<<60)+1/", "proc:exit//key=code/"},
		.stream = "1@1:sig(3) 2@1:sig(1) 3@1:end(3458764513820540929) "
			  "4@1:end(1152921504606846977)",
		.expected = "deliver=>exit 2 k3458764513820540929 deliver=>exit 2 "
			    "k1152921504606846977"},
	{.name = "the same key in two positions is not the same instance",
		.events = {"sched:off", "signal:deliver", "sched:on"},
		.stream = "1@1:off 2@1:sig 3@1:off 5@1:on 7@1:sig",
		.expected = "off=>deliver 1 k1 deliver=>on 3 k1 off=>deliver 4 k1 "
			    "deliver~open k1"},
};

static void keys(void **state)
{
	CHECK_ALL(keys_cases);
}

static const struct recorded replacement_cases[] = {
	{.name = "a newer event1 takes the place",
		.events = {"sched:off", "sched:on"},
		.stream = "1@1:off 4@1:off 5@1:on 6@1:on",
		.expected = "off~replaced k1 off=>on 1 k1 on~second k1"},
	{.name = "each time",
		.events = {"sched:off", "sched:on"},
		.stream = "1@1:off 2@1:off 3@1:off 5@1:on",
		.expected = "off~replaced k1 off~replaced k1 off=>on 2 k1"},
	{.name = "only with the same key",
		.events = {"sched:off", "sched:on"},
		.stream = "1@1:off 2@2:off 3@1:on 4@2:on",
		.expected = "off=>on 2 k1 off=>on 2 k2"},
	{.name = "by another event of the position",
		.events = {"sched:off,signal:deliver", "sched:on"},
		.stream = "1@1:off 2@1:sig 3@1:on",
		.expected = "off~replaced k1 deliver=>on 1 k1"},
	{.name = "in the middle",
		.events = {"sched:off", "signal:deliver", "sched:on"},
		.stream = "1@1:off 2@1:sig 3@1:sig 4@1:on",
		.expected = "off=>deliver 1 k1 deliver~second k1 deliver~replaced k1 "
			    "deliver=>on 1 k1"},
	{.name = "not in another position",
		.events = {"sched:off", "signal:deliver", "sched:on"},
		.stream = "1@1:off 2@1:sig 3@1:off 4@1:on",
		.expected = "off=>deliver 1 k1 deliver=>on 2 k1 off~open k1"},
};

static void replacement(void **state)
{
	CHECK_ALL(replacement_cases);
}

static const struct recorded cycles_cases[] = {
	{.name = "one position",
		.events = {"signal:deliver"},
		.cycle = true,
		.stream = "1@1:sig 4@1:sig 9@1:sig",
		.expected = "deliver~second k1 deliver=>deliver 3 k1 deliver=>deliver 5 k1 "
			    "deliver~open k1"},
	{.name = "one position with two events",
		.events = {"sched:off,sched:on"},
		.cycle = true,
		.stream = "1@1:off 4@1:on 9@1:off",
		.expected = "off~second k1 off=>on 3 k1 on=>off 5 k1 off~open k1"},
	{.name = "from the last to the first",
		.events = {"sched:on", "sched:off"},
		.cycle = true,
		.stream = "1@1:on 4@1:off 9@1:on 10@1:off",
		.expected = "on~second k1 on=>off 3 k1 off=>on 5 k1 on=>off 1 k1 off~open k1"},
	{.name = "three positions",
		.events = {"sched:on", "signal:deliver", "sched:off"},
		.cycle = true,
		.stream = "1@1:on 2@1:sig 4@1:off 8@1:on",
		.expected = "on~second k1 on=>deliver 1 k1 deliver=>off 2 k1 off=>on 4 k1 "
			    "on~open k1"},
	{.name = "by thread",
		.events = {"sched:on", "sched:off"},
		.cycle = true,
		.stream = "1@1:on 2@2:on 5@1:off 9@2:off",
		.expected = "on~second k1 on~second k2 on=>off 4 k1 on=>off 7 k2 off~open k1 "
			    "off~open k2"},
	{.name = "at the same time",
		.events = {"signal:deliver"},
		.cycle = true,
		.stream = "1@1:sig 1@1:sig 2@1:sig",
		.expected = "deliver~second k1 deliver~replaced k1 deliver=>deliver 1 k1 "
			    "deliver~open k1"},
};

static void cycles(void **state)
{
	CHECK_ALL(cycles_cases);
}

static const struct recorded roles_cases[] = {
	{.name = "by the field, in a cycle",
		.events = {"signal:deliver//role=(sig==10?1:0)|(sig==12?2:0)/"},
		.cycle = true,
		.stream = "1@1:sig(10) 3@1:sig(12) 5@1:sig(12) 6@1:sig(9) 7@1:sig(10)",
		.expected = "deliver=>deliver 2 k1 deliver~second k1 deliver~open k1"},
	{.name = "0: neither",
		.events = {"sched:off//role=0/", "sched:on"},
		.stream = "1@1:off 3@1:on",
		.expected = "on~second k1"},
	{.name = "2 in the first position: neither",
		.events = {"sched:off//role=2/", "sched:on"},
		.stream = "1@1:off 3@1:on",
		.expected = "on~second k1"},
	{.name = "1 in the last position: neither",
		.events = {"sched:off", "sched:on//role=1/"},
		.stream = "1@1:off 3@1:on",
		.expected = "off~open k1"},
	{.name = "1 in the middle: only event1",
		.events = {"sched:off", "signal:deliver//role=1/", "sched:on"},
		.stream = "1@1:off 2@1:sig 4@1:on",
		.expected = "deliver=>on 2 k1 off~open k1"},
	{.name = "2 in the middle: only event2",
		.events = {"sched:off", "signal:deliver//role=2/", "sched:on"},
		.stream = "1@1:off 2@1:sig 4@1:on",
		.expected = "off=>deliver 1 k1 on~second k1"},
	{.name = "other bits mean nothing",
		.events = {"sched:off//role=0xfd/", "sched:on//role=-1/"},
		.stream = "1@1:off 3@1:on",
		.expected = "off=>on 2 k1"},
	{.name = "a switch is both, by its fields",
		.events = {"sched:off//role=preempt?1:0/", "sched:on"},
		.stream = "1@1:off(0) 3@1:on 4@1:off(1) 9@1:on",
		.expected = "on~second k1 off=>on 5 k1"},
	{.name = "an event without a role replaces nothing",
		.events = {"signal:deliver//role=sig==10/", "sched:on"},
		.stream = "1@1:sig(10) 3@1:sig(11) 4@1:on",
		.expected = "deliver=>on 3 k1"},
};

static void roles(void **state)
{
	CHECK_ALL(roles_cases);
}

static const struct recorded filters_cases[] = {
	{.name = "lets through what isn't 0",
		.events = {"sched:off/preempt/", "sched:on"},
		.stream = "1@1:off(0) 2@1:on 3@1:off(1) 7@1:on",
		.expected = "on~second k1 off=>on 4 k1"},
	{.name = "the call of the name",
		.events = {"syscalls:sys_enter_read", "syscalls:sys_exit_read"},
		.stream = "1@1:enter(1) 2@1:exit(1,0) 3@1:enter(0) 9@1:exit(0,0)",
		.expected = "sys_enter_read=>sys_exit_read 6 k1"},
	{.name = "the first item that matches stands for its position",
		.events = {"sched:off/preempt/alias=preempted/,sched:off//alias=left/", "sched:on"},
		.stream = "1@1:off(1) 2@1:on 3@1:off(0) 5@1:on",
		.expected = "preempted=>on 1 k1 left=>on 2 k1"},
	{.name = "the same event filtered in each position",
		.events = {"signal:deliver/sig==1/", "signal:deliver/sig==2/"},
		.stream = "1@1:sig(1) 2@1:sig(3) 4@1:sig(2)",
		.expected = "deliver=>deliver 3 k1"},
	{.name = "on a text",
		.events = {"sched:sched_wakeup/comm~\"work*\"/", "sched:on"},
		.stream = "1@1:wakeup(5) 4@1:on",
		.expected = "sched_wakeup=>on 3 k1"},
	{.name = "on another text",
		.events = {"sched:sched_wakeup/comm==\"work\"/", "sched:on"},
		.stream = "1@1:wakeup(5) 4@1:on",
		.expected = "on~second k1"},
};

static void filters(void **state)
{
	CHECK_ALL(filters_cases);
}

static const struct recorded untraced_and_trigger_cases[] = {
	{.name = "an untraced event makes no pair",
		.events = {"sched:off,signal:deliver//untraced/", "sched:on"},
		.stream = "1@1:sig 2@1:off 3@1:sig 4@1:on",
		.expected = "off=>on 2 k1"},
	{.name = "not even with a role",
		.events = {"sched:off,signal:deliver//untraced/role=3/", "sched:on"},
		.stream = "1@1:sig 4@1:on",
		.expected = "on~second k1"},
	{.name = "a traced one after an untraced one",
		.events = {"signal:deliver//untraced/,signal:deliver/sig==3/alias=third/",
			"sched:on"},
		.stream = "1@1:sig(3) 4@1:on",
		.expected = "third=>on 3 k1"},
	{.name = "a trigger",
		.events = {"sched:off", "sched:on//trigger/"},
		.stream = "1@1:off 4@1:on",
		.expected = "off=>on 3 k1 trigger"},
	{.name = "an untraced trigger",
		.events = {"sched:off,signal:deliver/sig==3/untraced/trigger/", "sched:on"},
		.stream = "1@1:off 2@1:sig(4) 3@1:sig(3) 4@1:on",
		.expected = "trigger off=>on 3 k1"},
	{.name = "a trigger behind an item that matches already",
		.events = {"sched:off,sched:off/preempt/untraced/trigger/", "sched:on"},
		.stream = "1@1:off(1) 4@1:on",
		.expected = "trigger off=>on 3 k1"},
};

static void untraced_and_trigger(void **state)
{
	CHECK_ALL(untraced_and_trigger_cases);
}

static const struct recorded gaps_cases[] = {
	{.name = "what spans a gap is dropped",
		.events = {"sched:off", "sched:on"},
		.stream = "1@1:off !5 8@1:on",
		.expected = "off~gap k1 on~second k1"},
	{.name = "of all keys and positions, the oldest first",
		.events = {"sched:off", "signal:deliver", "sched:on"},
		.stream = "1@1:off 2@2:off 3@1:sig !4",
		.expected = "off=>deliver 2 k1 off~gap k2 deliver~gap k1"},
	{.name = "what begins after it stays",
		.events = {"sched:off", "sched:on"},
		.stream = "1@1:off 6@2:off !5 8@1:on 9@2:on",
		.expected = "off~gap k1 on~second k1 off=>on 3 k2"},
	{.name = "and what begins at its end",
		.events = {"sched:off", "sched:on"},
		.stream = "5@1:off !5 8@1:on",
		.expected = "off=>on 3 k1"},
	{.name = "nothing is open",
		.events = {"sched:off", "sched:on"},
		.stream = "1@1:off 2@1:on !5",
		.expected = "off=>on 1 k1"},
};

static void gaps(void **state)
{
	CHECK_ALL(gaps_cases);
}

static const struct recorded thresholds_cases[] = {
	{.name = "an equal latency is not above",
		.events = {"sched:off", "sched:on"},
		.than = "5ns",
		.stream = "1@1:off 6@1:on 10@1:off 16@1:on",
		.expected = "off=>on 5 k1 off=>on 6! k1"},
	{.name = "an equal latency is not below",
		.events = {"sched:off", "sched:on"},
		.lower = "5ns",
		.stream = "1@1:off 6@1:on 10@1:off 14@1:on",
		.expected = "off=>on 5 k1 off=>on 4_ k1"},
	{.name = "a threshold of 0",
		.events = {"sched:off", "sched:on"},
		.than = "0ns",
		.stream = "1@1:off 2@1:on",
		.expected = "off=>on 1! k1"},
	{.name = "both",
		.events = {"sched:off", "sched:on"},
		.than = "2ns",
		.lower = "1us",
		.stream = "1@1:off 3@1:on 4@1:off 9@1:on 10@1:off 1010@1:on 2000@1:off 3001@1:on",
		.expected = "off=>on 2_ k1 off=>on 5!_ k1 off=>on 1000! k1 off=>on 1001! k1"},
	{.name = "none",
		.events = {"sched:off", "sched:on"},
		.stream = "1@1:off 1000000001@1:on",
		.expected = "off=>on 1000000000 k1"},
};

static void thresholds(void **state)
{
	CHECK_ALL(thresholds_cases);
}

static const struct recorded bounds_cases[] = {
	{.name = "what has no place is not opened",
		.events = {"sched:off", "sched:on"},
		.max_open = 2,
		.stream = "1@1:off 2@2:off 3@3:off 4@1:on 5@2:on 6@3:on",
		.expected = "off=>on 3 k1 off=>on 3 k2 on~second k3"},
	{.name = "a place that becomes free is used",
		.events = {"sched:off", "sched:on"},
		.max_open = 1,
		.stream = "1@1:off 2@2:off 4@1:on 5@2:off 7@2:on",
		.expected = "off=>on 3 k1 off=>on 2 k2"},
	{.name = "a replacement needs no place",
		.events = {"sched:off", "sched:on"},
		.max_open = 1,
		.stream = "1@1:off 2@1:off 4@1:on",
		.expected = "off~replaced k1 off=>on 2 k1"},
};

static void bounds(void **state)
{
	CHECK_ALL(bounds_cases);
}

TEST_MAIN("pairs")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(positions),
		cmocka_unit_test(keys),
		cmocka_unit_test(replacement),
		cmocka_unit_test(cycles),
		cmocka_unit_test(roles),
		cmocka_unit_test(filters),
		cmocka_unit_test(untraced_and_trigger),
		cmocka_unit_test(gaps),
		cmocka_unit_test(thresholds),
		cmocka_unit_test(bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
