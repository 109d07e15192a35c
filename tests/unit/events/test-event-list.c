/*
 * events/event-list: names, filters, attributes, keys, what is refused, and errors with their
 * columns.
 */
#include "events/language/event-list.h"

#include <string.h>

#include "events/language/refusals.h"
#include "tests/unit/check.h"
#include "tests/unit/events/recorded.h"
#include "tests/unit/short-memory.h"

static struct sprof_event_list list_of(const char *first, const char *second)
{
	const char *events[] = {first, second, NULL};
	struct sprof_event_list list;

	recorded_list(events, &list);
	return list;
}

static void names(void **state)
{
	struct sprof_event_list list = list_of(
		"sched:off,raw_syscalls:sys_enter", "syscalls:sys_exit_read,profile,sample");

	assert_int_equal(list.count, 5);
	assert_int_equal(list.position_count, 2);
	assert_string_equal(list.items[0].name, "off");
	assert_int_equal(list.items[0].number, -1);
	assert_int_equal(list.items[1].position, 0);
	assert_string_equal(list.items[1].name, "sys_enter");
	assert_null(list.items[1].call);
	assert_string_equal(list.items[2].name, "sys_exit_read");
	assert_string_equal(list.items[2].call, "read");
	assert_int_equal(list.items[2].number, 0);
	assert_int_equal(list.items[2].position, 1);
	assert_int_equal(list.items[2].row->type, SPROF_TRACE_SYS_EXIT);
	assert_string_equal(list.items[3].name, "profile");
	assert_string_equal(list.items[4].name, "sample");
	for (size_t i = 0; i < list.count; i++)
		assert_int_equal(list.items[i].index, i);
	sprof_event_list_finish(&list);
	assert_int_equal(list.count, 0);
}

static void attributes(void **state)
{
	struct sprof_event_list list =
		list_of("syscalls:sys_exit_openat/ret>=0/key=ret/role=1/size=ret*2/alias=opened/"
			"printkey=printf(\"fd %d\",key)/stack/max-stack=16/trigger/",
			"signal:deliver//untraced/,sched:on");
	const struct sprof_event_item *item = &list.items[0];

	assert_non_null(item->filter);
	assert_non_null(item->key);
	assert_non_null(item->role);
	assert_non_null(item->size);
	assert_non_null(item->printkey);
	assert_string_equal(item->name, "opened");
	assert_int_equal(item->max_stack, 16);
	assert_true(item->stack && item->trigger && !item->untraced);
	assert_string_equal(list.key_name, "ret");
	item = &list.items[1];
	assert_null(item->filter);
	assert_true(item->untraced && !item->stack && !item->trigger);
	sprof_event_list_finish(&list);
}

static void the_last_of_an_attribute_counts(void **state)
{
	struct sprof_event_list list = list_of(
		"signal:deliver//key=sig/key=code/alias=a/alias=\"b c\"/printkey=1/printkey=key/",
		"sched:on//max-stack=5/");

	assert_string_equal(list.items[0].name, "b c");
	assert_true(list.items[1].stack);
	sprof_event_list_finish(&list);
}

static void slashes_in_quotes_and_parentheses_stay(void **state)
{
	struct sprof_event_list list =
		list_of("proc:exec/filename~\"/usr/*,/bin\"/key=(_tid/2)/,signal:deliver/sig=='/'/",
			"raw_syscalls:sys_enter/args[4/2]==1&&(id/2,1)/alias=a,b/");

	assert_int_equal(list.count, 3);
	assert_non_null(list.items[0].filter);
	assert_non_null(list.items[0].key);
	assert_non_null(list.items[1].filter);
	assert_string_equal(list.items[2].name, "a,b");
	assert_string_equal(list.key_name, "(_tid/2)");
	sprof_event_list_finish(&list);
}

static void a_glob_takes_all_that_match(void **state)
{
	struct sprof_event_list list = list_of("sched:sched_wakeup*//key=pid/", "proc:[ef]*");

	assert_int_equal(list.count, 5);
	assert_string_equal(list.items[0].name, "sched_wakeup");
	assert_string_equal(list.items[1].name, "sched_wakeup_new");
	assert_non_null(list.items[0].key);
	assert_non_null(list.items[1].key);
	assert_int_equal(list.items[1].position, 0);
	assert_string_equal(list.items[2].name, "fork");
	assert_string_equal(list.items[4].name, "exit");
	sprof_event_list_finish(&list);
}

static void the_rate_of_profile(void **state)
{
	struct sprof_event_list list =
		list_of("profile/-F 99/untraced/,profile/-F999/,profile/ip>4096/", "profile//");

	assert_int_equal(list.items[0].rate, 99);
	assert_true(list.items[0].untraced);
	assert_int_equal(list.items[1].rate, 999);
	assert_int_equal(list.items[2].rate, 0);
	assert_non_null(list.items[2].filter);
	assert_int_equal(list.items[3].rate, 0);
	sprof_event_list_finish(&list);
}

static void a_common_key(void **state)
{
	struct sprof_event_list list =
		list_of("syscalls:sys_enter_read//key=count/,signal:deliver//untraced/",
			"syscalls:sys_enter_close");
	struct sprof_error err;

	assert_true(sprof_event_list_set_key(&list, "fd", &err));
	assert_non_null(list.items[0].key);
	/* A signal has no fd, and needs none. */
	assert_null(list.items[1].key);
	assert_non_null(list.items[2].key);
	assert_string_equal(list.key_name, "count");
	sprof_event_list_finish(&list);

	list = list_of("syscalls:sys_enter_read", "signal:deliver");
	assert_false(sprof_event_list_set_key(&list, "1+fd", &err));
	assert_string_equal(err.message, "column 3: signal:deliver has no field 'fd'");
	sprof_event_list_finish(&list);

	list = list_of("sched:off", "sched:on");
	assert_null(list.key_name);
	assert_true(sprof_event_list_set_key(&list, "_tid", &err));
	assert_string_equal(list.key_name, "_tid");
	sprof_event_list_finish(&list);
}

static void check_error(const char *text, const char *message)
{
	struct sprof_event_list list = {.number_of = recorded_number_of};
	struct sprof_error err = {0};

	if (sprof_event_list_add(&list, text, &err))
		fail_msg("%s is accepted", text);
	assert_int_equal(err.kind, SPROF_ERROR_USAGE);
	if (strcmp(err.message, message))
		fail_msg("%s:\n  is       %s\n  expected %s", text, err.message, message);
	sprof_event_list_finish(&list);
}

static void errors_of_names_have_columns(void **state)
{
	check_error("", "column 1: the name of an event is missing");
	check_error("sched:off,", "column 11: the name of an event is missing");
	check_error(",sched:off", "column 1: the name of an event is missing");
	check_error("/x/", "column 1: the name of an event is missing");
	check_error("sched:of", "column 1: there is no event 'sched:of'");
	check_error("off", "column 1: there is no event 'off'");
	check_error("sched:off, sched:on", "column 11: there is no event ' sched:on'");
	check_error("sched:off,foo:bar/x/", "column 11: there is no event 'foo:bar'");
	check_error("foo:*", "column 1: there is no event 'foo:*'");
	check_error("syscalls:sys_enter_redd", "column 1: there is no system call 'redd'");
	check_error("syscalls:sys_enter_", "column 1: there is no event 'syscalls:sys_enter_'");
	check_error("syscalls:sys_enter_*", "column 1: there is no event 'syscalls:sys_enter_*'");
	check_error("sched:off//untraced/sched:on", "column 21: the '/' that ends this is missing");
}

static void errors_of_attributes_have_columns(void **state)
{
	check_error("sched:off/", "column 11: the '/' that ends this is missing");
	check_error("sched:off/preempt", "column 11: the '/' that ends this is missing");
	check_error("sched:off/(preempt/", "column 11: the '/' that ends this is missing");
	check_error("sched:off//key=cpu", "column 12: the '/' that ends this is missing");
	check_error("sched:off/premept/", "column 11: sched:off has no field 'premept'");
	check_error("sched:off/preempt==/", "column 20: a value is missing at the end");
	check_error("sched:off//key=/", "column 16: there is no expression");
	check_error("sched:off//key/", "column 12: key needs a value: '=' is missing");
	check_error("sched:off//kee=cpu/", "column 12: there is no attribute 'kee'");
	check_error("sched:off//stack=1/", "column 12: stack takes no value");
	check_error("sched:off//stack//", "column 18: an attribute is missing between two slashes");
	check_error(
		"sched:off//stack/,sched:on//key=_cpu+x/", "column 38: sched:on has no field 'x'");
	check_error("sched:off//max-stack=0/", "column 22: max-stack is a number from 1 to 1024");
	check_error(
		"sched:off//max-stack=1025/", "column 22: max-stack is a number from 1 to 1024");
	check_error("sched:off//max-stack=99999999999/",
		"column 22: max-stack is a number from 1 to 1024");
	check_error("sched:off//max-stack=x/", "column 22: max-stack is a number from 1 to 1024");
	check_error("sched:off//alias=/", "column 18: an alias is missing");
	check_error("sched:off//alias=\"\"/", "column 18: an alias is missing");
	check_error(
		"sched:off//alias=a\tb/", "column 19: an alias is made of printable characters");
	check_error("sched:sched_switch//key=prev_comm/",
		"column 25: a key is a number, and this is a text");
	check_error("sched:sched_switch/prev_comm/",
		"column 20: a filter is a number, and this is a text");
	check_error("sched:off//printkey=cpu/",
		"column 21: 'cpu': how a key is printed can depend on 'key' only");
	check_error("profile/-F 0/", "column 12: the rate is a number of Hz, from 1 to 10000");
	check_error("profile/-C 0/", "column 9: the only option here is -F and a rate in Hz");
	check_error("sched:off/-F 99/", "column 12: sched:off has no field 'F'");
}

static void what_one_process_does_not_have(void **state)
{
	static const char *const events[] = {"irq:softirq_entry",
		"workqueue:workqueue_execute_start", "timer:timer_start", "kvm:kvm_exit",
		"kmem:kmalloc", "sched:sched_process_fork", "signal:signal_deliver"};

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		struct sprof_event_list list = {0};
		struct sprof_error err = {0};

		assert_false(sprof_event_list_add(&list, events[i], &err));
		assert_int_equal(err.kind, SPROF_ERROR_USAGE);
		assert_memory_equal(err.message, "column 1: no event '", 20);
		assert_true(strstr(err.hint, "use") || strstr(err.hint, "trace"));
		sprof_event_list_finish(&list);
	}
	assert_null(sprof_refusal_of_event("sched:off", 9));
	assert_null(sprof_refusal_of_event("irq", 3));
}

static void what_makes_no_pairs(void **state)
{
	struct sprof_event_list list = {0};
	struct sprof_error err;

	assert_false(sprof_event_list_check(&list, true, &err));
	assert_string_equal(err.message, "no event is given: use -e");
	list = list_of("sched:off", NULL);
	assert_false(sprof_event_list_check(&list, false, &err));
	assert_string_equal(err.message, "one -e makes no pairs");
	assert_true(sprof_event_list_check(&list, true, &err));
	sprof_event_list_finish(&list);
	list = list_of("sched:off", "sched:on//untraced/");
	assert_false(sprof_event_list_check(&list, false, &err));
	assert_string_equal(err.message, "-e number 2 has only untraced events");
	sprof_event_list_finish(&list);
	list = list_of("sched:off", "sched:on");
	assert_true(sprof_event_list_check(&list, false, &err));
	sprof_event_list_finish(&list);
}

static void positions_and_events_are_bounded(void **state)
{
	struct sprof_event_list list = {0};
	struct sprof_error err;

	for (size_t i = 0; i < SPROF_EVENT_POSITIONS; i++)
		assert_true(sprof_event_list_add(&list, "sched:*", &err));
	assert_false(sprof_event_list_add(&list, "sched:off", &err));
	assert_string_equal(err.message, "there are more than 16 -e");
	sprof_event_list_finish(&list);
	for (size_t i = 0; i < 15; i++)
		assert_true(sprof_event_list_add(&list, "*", &err));
	assert_false(sprof_event_list_add(&list, "*,*", &err));
	assert_string_equal(err.message, "there are more than 256 events");
	sprof_event_list_finish(&list);
}

/* Which of the calls 0 to 7 the first item can match, as bits. */
static unsigned calls_of(const char *event)
{
	struct sprof_event_list list = list_of(event, NULL);
	unsigned calls = 0;

	for (unsigned i = 0; i < 8; i++) {
		if (sprof_event_item_may_match_call(&list.items[0], i, NULL))
			calls |= 1u << i;
	}
	sprof_event_list_finish(&list);
	return calls;
}

static void calls_that_can_match(void **state)
{
	assert_int_equal(calls_of("sched:off"), 0);
	assert_int_equal(calls_of("raw_syscalls:sys_enter"), 0xff);
	assert_int_equal(calls_of("syscalls:sys_exit_close"), 1 << 3);
	assert_int_equal(calls_of("syscalls:sys_exit_close/id==4/"), 0);
	assert_int_equal(calls_of("raw_syscalls:sys_exit/id==2/"), 1 << 2);
	assert_int_equal(calls_of("raw_syscalls:sys_enter/id>=0&&id<=3/"), 0xf);
	assert_int_equal(calls_of("raw_syscalls:sys_enter/id==1||id==2&&args[0]>5/"), 0x6);
	assert_int_equal(calls_of("raw_syscalls:sys_enter/args[0]>5/"), 0xff);
	assert_int_equal(calls_of("raw_syscalls:sys_enter/args[0]>5||id==1/"), 0xff);
	assert_int_equal(calls_of("raw_syscalls:sys_enter/!(id==1||_tid==2)/"), 0xfd);
	assert_int_equal(calls_of("raw_syscalls:sys_enter/!(id<4&&_cpu)/"), 0xff);
	assert_int_equal(calls_of("raw_syscalls:sys_enter/!(id<4||!_cpu)/"), 0xf0);
	assert_int_equal(calls_of("raw_syscalls:sys_enter/_cpu?id==1:id==2/"), 0x6);
	assert_int_equal(calls_of("raw_syscalls:sys_enter/id<2?_cpu:id==5/"), 0x23);
	assert_int_equal(calls_of("raw_syscalls:sys_enter/(_cpu,(id&1)==0)/"), 0x55);
	assert_int_equal(calls_of("raw_syscalls:sys_enter/-id+_cpu/"), 0xff);
	assert_int_equal(calls_of("raw_syscalls:sys_enter/(char)(id<<8|2)==3/"), 0);
	assert_int_equal(calls_of("raw_syscalls:sys_enter/syscall_name(id)==\"\"&&id==6/"), 0x40);
	assert_int_equal(calls_of("raw_syscalls:sys_enter/comm_get(_tid)~\"a\"&&id==6/"), 0x40);
}

static void without_memory_the_list_can_be_finished(void **state)
{
	unsigned long number = 0;
	bool ok;

	do {
		struct sprof_event_list list = {.number_of = recorded_number_of};
		struct sprof_error err;

		short_memory_begin(++number);
		ok = sprof_event_list_add(&list,
			     "syscalls:sys_enter_read/fd/key=fd/alias=a/printkey=key/", &err) &&
			sprof_event_list_set_key(&list, "count", &err);
		short_memory_end();
		if (!ok)
			assert_int_equal(err.kind, SPROF_ERROR_NO_MEMORY);
		sprof_event_list_finish(&list);
	} while (!ok);
	assert_true(number > 8);
}

TEST_MAIN("event-list")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(attributes),
		cmocka_unit_test(the_last_of_an_attribute_counts),
		cmocka_unit_test(slashes_in_quotes_and_parentheses_stay),
		cmocka_unit_test(a_glob_takes_all_that_match),
		cmocka_unit_test(the_rate_of_profile),
		cmocka_unit_test(a_common_key),
		cmocka_unit_test(errors_of_names_have_columns),
		cmocka_unit_test(errors_of_attributes_have_columns),
		cmocka_unit_test(what_one_process_does_not_have),
		cmocka_unit_test(what_makes_no_pairs),
		cmocka_unit_test(positions_and_events_are_bounded),
		cmocka_unit_test(calls_that_can_match),
		cmocka_unit_test(without_memory_the_list_can_be_finished),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
