/*
 * events/activations: what becomes of streams of begins and returns, with recursion, tail calls, jumps,
 * exceptions, other stacks, forks, execs, ends of threads and lost events.
 *
 * A stream: "10@1:a+900" is the begin of the function a at the stack pointer 900, on thread 1;
 * "15@1:a-900" is its return; "@1:end", "@1:exec"; "@1:fork(102)" is the birth of process 102;
 * "@1:jump(850)" is a jump there; "!20": events before 20 were lost. Threads 1 to 9 are of process 100, 20 to 29 of 102. The rows, in the
 * order of their begins: "a 2 10/5" are two calls, total 10, self 5; "a<b" those from b, "a<." from none.
 */
#include "events/functions/activations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/check.h"

enum { TEXT = 2048 };

/* The size of what a return takes off the stack. */
#ifdef __x86_64__
enum { RETURN_ADDRESS = 8 };
#else
enum { RETURN_ADDRESS = 0 };
#endif

struct stream {
	const char *name, *stream, *expected;
	bool by_thread;
};

static const char *const end_names[] = {
	[SPROF_ACTIVATION_RETURNED] = NULL,
	[SPROF_ACTIVATION_CUT] = "cut",
	[SPROF_ACTIVATION_OPEN] = "open",
	[SPROF_ACTIVATION_EDGE] = "edge",
	[SPROF_ACTIVATION_LEFT] = "left",
	[SPROF_ACTIVATION_LOST] = "lost",
};

static enum sprof_trace_type type_of(const char *at)
{
	if (at[1] == '+')
		return SPROF_TRACE_PROBE;
	if (at[1] == '-')
		return SPROF_TRACE_RETURN;
	if (!strncmp(at, "end", 3))
		return SPROF_TRACE_EXIT;
	return !strncmp(at, "exec", 4) ? SPROF_TRACE_EXEC : SPROF_TRACE_FORK;
}

/* One event, behind its time. */
static const char *take(struct sprof_activations *activations, uint64_t time_ns, const char *text)
{
	struct sprof_trace_value values[SPROF_TRACE_MAX_VALUES] = {0};
	struct sprof_trace_event event = {.time_ns = time_ns, .cpu = -1, .fields = values};
	const char *brace;
	char *at;

	event.thread = (uint32_t)strtoul(text + 1, &at, 10);
	event.pid = 100 + (pid_t)event.thread / 10;
	event.tid = event.thread % 10 ? 1000 + (pid_t)event.thread : event.pid;
	at++;
	if (!strncmp(at, "jump(", 5)) {
		const uint64_t sp = strtoull(at + 5, &at, 10);

		assert_true(sprof_activations_leave(activations, event.thread, sp, time_ns));
		return at + 1;
	}
	event.type = type_of(at);
	brace = event.type == SPROF_TRACE_FORK ? strchr(at, '(') : NULL;
	values[0].integer = brace ? atoi(brace + 1) : *at - 'a';
	if (event.type == SPROF_TRACE_PROBE)
		values[2].integer = atol(at + 2);
	if (event.type == SPROF_TRACE_RETURN)
		values[2].integer = atol(at + 2) + RETURN_ADDRESS;
	assert_true(sprof_activations_take(activations, &event));
	return at + strcspn(at, " ");
}

static uint64_t play(struct sprof_activations *activations, const char *at)
{
	uint64_t time_ns = 0;

	for (at += strspn(at, " "); *at; at += strspn(at, " ")) {
		const bool is_gap = *at == '!';
		char *next;

		time_ns = strtoull(at + is_gap, &next, 10);
		at = is_gap ? next : take(activations, time_ns, next);
		if (is_gap)
			assert_true(sprof_activations_gap(activations, time_ns));
	}
	return time_ns;
}

static char name_of(uint32_t function)
{
	return function == SPROF_ACTIVATION_ROOT ? '.' : (char)('a' + function);
}

static size_t write_row(const struct sprof_activation_row *row, char *text)
{
	size_t used = 0;

	if (row->thread != SPROF_ACTIVATION_ANY)
		used += (size_t)sprintf(text, "%u:", row->thread);
	used += (size_t)sprintf(text + used, "%c", name_of(row->function));
	if (row->caller != SPROF_ACTIVATION_ANY)
		used += (size_t)sprintf(text + used, "<%c", name_of(row->caller));
	used += (size_t)sprintf(text + used, " %d %d/%d", (int)sprof_activation_row_calls(row),
		(int)row->total_ns, (int)row->self_ns);
	if (row->deepest > 1 && row->caller == SPROF_ACTIVATION_ANY)
		used += (size_t)sprintf(text + used, " depth %u", row->deepest);
	for (int i = 0; i < SPROF_ACTIVATION_ENDS; i++) {
		if (row->ends[i] && end_names[i])
			used += (size_t)sprintf(
				text + used, " %s %d", end_names[i], (int)row->ends[i]);
	}
	if (row->unpaired)
		used += (size_t)sprintf(text + used, " unpaired %d", (int)row->unpaired);
	assert_int_equal(row->whole.count, row->ends[SPROF_ACTIVATION_RETURNED]);
	return used;
}

/* A call is in one row of its function and in one of a caller. */
static void check_sums(const struct sprof_activation_books *books)
{
	int64_t calls = 0, self_ns = 0;

	for (size_t i = 0; i < books->row_count; i++) {
		const struct sprof_activation_row *row = &books->rows[i];
		const int sign = row->caller == SPROF_ACTIVATION_ANY ? 1 : -1;

		calls += sign * (int64_t)sprof_activation_row_calls(row);
		self_ns += sign * (int64_t)row->self_ns;
		assert_true(row->self_ns <= row->total_ns || row->ends[SPROF_ACTIVATION_LOST] ||
			row->caller != SPROF_ACTIVATION_ANY);
	}
	assert_int_equal(calls, 0);
	assert_int_equal(self_ns, 0);
}

static void check_stream(const struct stream *stream)
{
	const struct sprof_activations_options options = {
		.by_thread = stream->by_thread,
	};
	struct sprof_activations *activations = sprof_activations_create(&options);
	const struct sprof_activation_books *books = sprof_activations_books(activations);
	char text[TEXT] = "";
	size_t used = 0;

	assert_true(sprof_activations_close(activations, play(activations, stream->stream)));
	for (size_t i = 0; i < books->row_count; i++) {
		used += (size_t)sprintf(text + used, "%s", i ? "; " : "");
		used += write_row(&books->rows[i], text + used);
	}
	if (strcmp(text, stream->expected) != 0)
		fail_msg("%s:\n%s\ninstead of\n%s", stream->name, text, stream->expected);
	check_sums(books);
	sprof_activations_destroy(activations);
}

static void check_all(const struct stream *streams, size_t count)
{
	for (size_t i = 0; i < count; i++)
		check_stream(&streams[i]);
}

#define CHECK_ALL(streams) check_all((streams), sizeof(streams) / sizeof((streams)[0]))

static const struct stream plain_streams[] = {
	{"nothing", "", ""},
	{"one call", "10@1:a+900 15@1:a-900", "a 1 5/5; a<. 1 5/5"},
	{"no time", "10@1:a+900 10@1:a-900", "a 1 0/0; a<. 1 0/0"},
	{"one after the other", "10@1:a+900 15@1:a-900 20@1:a+900 27@1:a-900",
		"a 2 12/12; a<. 2 12/12"},
	{"a callee", "10@1:a+900 12@1:b+800 15@1:b-800 20@1:a-900",
		"a 1 10/7; a<. 1 10/7; b 1 3/3; b<a 1 3/3"},
	{"two callees, and one of both callers",
		"10@1:a+900 11@1:b+800 12@1:c+700 14@1:c-700 15@1:b-800 16@1:c+800 19@1:c-800 20@1:a-900",
		"a 1 10/3; a<. 1 10/3; b 1 4/2; b<a 1 4/2; c 2 5/5; c<b 1 2/2; c<a 1 3/3"},
	{"an event that means nothing here", "10@1:a+900 15@1:a-900 16@1:fork(7)",
		"a 1 5/5; a<. 1 5/5"},
};

static void plain(void **state)
{
	CHECK_ALL(plain_streams);
}

static const struct stream recursion_streams[] = {
	{"the outermost call has the time",
		"10@1:a+900 11@1:a+800 12@1:a+700 15@1:a-700 18@1:a-800 20@1:a-900",
		"a 3 10/10 depth 3; a<. 1 10/3; a<a 2 7/7"},
	{"fib(3)",
		"0@1:a+900 1@1:a+800 2@1:a+700 4@1:a-700 5@1:a+700 8@1:a-700 10@1:a-800 11@1:a+800 15@1:a-800 18@1:a-900",
		"a 5 18/18 depth 3; a<. 1 18/5; a<a 4 13/13"},
	{"mutual",
		"10@1:a+900 11@1:b+800 12@1:a+700 13@1:b+600 14@1:b-600 16@1:a-700 18@1:b-800 20@1:a-900",
		"a 2 10/6 depth 2; a<. 1 10/3; b 2 7/4 depth 2; b<a 2 7/4; a<b 1 4/3"},
	{"twice, one after the other",
		"10@1:a+900 11@1:a+800 12@1:a-800 13@1:a-900 20@1:a+900 21@1:a+800 25@1:a-800 26@1:a-900",
		"a 4 9/9 depth 2; a<. 2 9/4; a<a 2 5/5"},
};

static void recursion(void **state)
{
	CHECK_ALL(recursion_streams);
}

static const struct stream tail_streams[] = {
	{"at the same place, the innermost returns first",
		"10@1:a+900 12@1:b+900 17@1:b-900 17@1:a-900",
		"a 1 7/2; a<. 1 7/2; b 1 5/5; b<a 1 5/5"},
	{"three",
		"10@1:a+900 12@1:b+900 13@1:c+900 17@1:c-900 18@1:b-900 19@1:a-900 20@1:a+900 21@1:a-900",
		"a 2 10/4; a<. 2 10/4; b 1 6/2; b<a 1 6/2; c 1 4/4; c<b 1 4/4"},
	{"inside a call", "10@1:a+900 12@1:b+800 13@1:c+800 15@1:c-800 15@1:b-800 20@1:a-900",
		"a 1 10/7; a<. 1 10/7; b 1 3/1; b<a 1 3/1; c 1 2/2; c<b 1 2/2"},
	{"into each other",
		"10@1:a+900 11@1:b+900 12@1:a+900 13@1:b+900 15@1:b-900 15@1:a-900 15@1:b-900 15@1:a-900",
		"a 2 5/2 depth 2; a<. 1 5/1; b 2 4/3 depth 2; b<a 2 4/3; a<b 1 3/1"},
	{"the end comes before it is clear who called", "10@1:a+900 12@1:b+900 17@1:b-900",
		"a 1 0/0 left 1; a<. 1 0/0 left 1; b 1 5/5; b<a 0 0/0; b<. 1 5/5"},
};

static void tail_calls(void **state)
{
	CHECK_ALL(tail_streams);
}

static const struct stream jump_streams[] = {
	{"a later call is above",
		"10@1:a+900 12@1:b+800 14@1:c+700 20@1:d+850 25@1:d-850 30@1:a-900",
		"a 1 20/15; a<. 1 20/15; b 1 0/0 left 1; b<a 1 0/0 left 1; c 1 0/0 left 1; "
		"c<b 1 0/0 left 1; d 1 5/5; d<a 1 5/5"},
	{"a return above", "10@1:a+900 12@1:b+800 14@1:c+700 30@1:a-900",
		"a 1 20/20; a<. 1 20/20; b 1 0/0 left 1; b<a 1 0/0 left 1; c 1 0/0 left 1; "
		"c<b 1 0/0 left 1"},
	{"what it called counts, and is not its caller's",
		"10@1:a+900 12@1:b+800 14@1:c+700 18@1:c-700 30@1:a-900",
		"a 1 20/16; a<. 1 20/16; b 1 0/0 left 1; b<a 1 0/0 left 1; c 1 4/4; c<b 1 4/4"},
	{"the next call is at the same place: no tail call",
		"10@1:a+900 12@1:b+800 20@1:c+800 24@1:c-800 30@1:a-900",
		"a 1 20/16; a<. 1 20/16; b 1 0/0 left 1; b<a 1 0/0 left 1; c 1 4/4; c<b 0 0/0; "
		"c<a 1 4/4"},
	{"and another one after that",
		"10@1:a+900 12@1:b+800 20@1:c+800 24@1:c-800 25@1:c+800 27@1:c-800 30@1:a-900",
		"a 1 20/14; a<. 1 20/14; b 1 0/0 left 1; b<a 1 0/0 left 1; c 2 6/6; c<b 0 0/0; "
		"c<a 2 6/6"},
	{"in a loop",
		"10@1:a+900 12@1:b+800 13@1:b+800 14@1:b+800 15@1:b+800 17@1:b-800 20@1:a-900",
		"a 1 10/8; a<. 1 10/8; b 4 2/2 left 3; b<a 4 2/2 left 3"},
	{"out of a recursion, what returned counts once",
		"10@1:a+900 11@1:b+800 12@1:b+700 13@1:b+600 15@1:b-600 16@1:b-700 20@1:a-900",
		"a 1 10/6; a<. 1 10/6; b 3 4/4 depth 3 left 1; b<a 1 0/0 left 1; b<b 2 4/4"},
	{"a later call is below, and the jump is known",
		"10@1:a+900 12@1:b+800 14@1:c+700 20@1:jump(850) 22@1:d+600 25@1:d-600 30@1:a-900",
		"a 1 20/17; a<. 1 20/17; b 1 0/0 left 1; b<a 1 0/0 left 1; c 1 0/0 left 1; "
		"c<b 1 0/0 left 1; d 1 3/3; d<a 1 3/3"},
	{"a jump of a thread without calls", "5@1:jump(850) 10@1:a+900 15@1:a-900",
		"a 1 5/5; a<. 1 5/5"},
	{"to the root", "10@1:a+800 12@1:b+700 20@1:c+900 24@1:c-900",
		"a 1 0/0 left 1; a<. 1 0/0 left 1; b 1 0/0 left 1; b<a 1 0/0 left 1; c 1 4/4; "
		"c<. 1 4/4"},
};

static void jumps(void **state)
{
	CHECK_ALL(jump_streams);
}

static const struct stream thread_streams[] = {
	{"interleaved", "10@1:a+900 11@2:a+90900 14@2:b+90800 15@1:a-900 17@2:b-90800 20@2:a-90900",
		"a 2 14/11; a<. 2 14/11; b 1 3/3; b<a 1 3/3"},
	{"with rows of their own",
		"10@1:a+900 11@2:a+90900 14@2:b+90800 15@1:a-900 17@2:b-90800 20@2:a-90900",
		"1:a 1 5/5; 1:a<. 1 5/5; 2:a 1 9/6; 2:a<. 1 9/6; 2:b 1 3/3; 2:b<a 1 3/3",
		.by_thread = true},
	{"the same recursion on both is none", "10@1:a+900 11@2:a+90900 12@1:a-900 13@2:a-90900",
		"a 2 4/4; a<. 2 4/4"},
	{"an end inside a call", "10@1:a+900 12@1:b+800 15@1:end 16@2:a+900 18@2:a-900",
		"a 2 7/4 cut 1; a<. 2 7/4 cut 1; b 1 3/3 cut 1; b<a 1 3/3 cut 1"},
	{"the end of another thread",
		"10@1:a+900 11@2:a+90900 12@3:a+190900 13@1:end 15@3:a-190900 16@2:a-90900",
		"a 3 11/11 cut 1; a<. 3 11/11 cut 1"},
	{"an exec ends all of the process",
		"10@1:a+900 11@2:a+90900 12@20:a+900 15@2:exec 16@2:a+900 17@2:a-900 18@20:a-900",
		"a 4 16/16 cut 2; a<. 4 16/16 cut 2"},
	{"under way at the end", "10@1:a+900 12@1:b+800 13@1:b-800 15@1:b+800 18@1:c+700",
		"a 1 8/4 open 1; a<. 1 8/4 open 1; b 2 4/4 open 1; b<a 2 4/4 open 1; "
		"c 1 0/0 open 1; c<b 1 0/0 open 1"},
	{"under way at the beginning", "10@1:b-800 12@1:c+800 13@1:c-800 20@1:a-900",
		"b 0 0/0 unpaired 1; c 1 1/1; c<. 1 1/1; a 0 0/0 unpaired 1"},
};

static void threads(void **state)
{
	CHECK_ALL(thread_streams);
}

static const struct stream fork_streams[] = {
	{"the child is inside its parent's calls, which count once",
		"10@1:a+900 12@1:fork(102) 13@20:b+800 15@20:b-800 17@20:a-900 18@20:end 20@1:a-900",
		"a 1 10/10; a<. 1 10/10; b 1 2/2; b<a 1 2/2"},
	{"with rows of threads",
		"10@1:a+900 12@1:fork(102) 13@20:b+800 15@20:b-800 17@20:a-900 20@1:a-900",
		"1:a 1 10/10; 1:a<. 1 10/10; 20:a 0 0/0; 20:a<. 0 0/0; 20:b 1 2/2; 20:b<a 1 2/2",
		.by_thread = true},
	{"a recursion goes on in the child",
		"10@1:a+900 12@1:fork(102) 13@20:a+800 15@20:a-800 17@20:end 20@1:a-900",
		"a 2 12/12 depth 2; a<. 1 10/10; a<a 1 2/2"},
	{"a child that runs another program",
		"10@1:a+900 12@1:fork(102) 13@20:exec 15@20:b+800 16@20:b-800 20@1:a-900",
		"a 1 10/10; a<. 1 10/10; b 1 1/1; b<. 1 1/1"},
	{"a child whose birth is told late",
		"10@1:a+900 12@20:b+800 13@1:fork(102) 15@20:b-800 20@1:a-900",
		"a 1 10/10; a<. 1 10/10; b 1 3/3; b<. 1 3/3"},
	{"a child that calls nothing", "10@1:a+900 12@1:fork(102) 13@20:end 20@1:a-900",
		"a 1 10/10; a<. 1 10/10"},
};

static void forks(void **state)
{
	CHECK_ALL(fork_streams);
}

static const struct stream lost_streams[] = {
	{"what was under way has no time",
		"10@1:a+900 12@1:b+800 !13 15@1:b-800 20@1:a-900 21@1:a+900 23@1:a-900",
		"a 2 2/2 lost 1; a<. 2 2/2 lost 1; b 1 0/0 lost 1; b<a 1 0/0 lost 1"},
	{"it is still a caller", "10@1:a+900 !13 14@1:b+800 15@1:b-800 20@1:a-900",
		"a 1 0/0 lost 1; a<. 1 0/0 lost 1; b 1 1/1; b<a 1 1/1"},
	{"later calls have", "10@1:a+900 !10 20@1:a-900", "a 1 10/10; a<. 1 10/10"},
	{"a lost return", "10@1:a+900 !13 20@1:b+900 25@1:b-900 26@1:b+900 27@1:b-900",
		"a 1 0/0 lost 1; a<. 1 0/0 lost 1; b 2 6/6; b<. 2 6/6"},
	{"a lost begin", "10@1:a+900 !13 15@1:b-800 20@1:a-900",
		"a 1 0/0 lost 1; a<. 1 0/0 lost 1; b 0 0/0 unpaired 1"},
	{"on each thread", "10@1:a+900 11@2:a+90900 !13 15@1:a-900 16@2:end",
		"a 2 0/0 lost 2; a<. 2 0/0 lost 2"},
	{"between two returns of tail calls",
		"10@1:a+900 12@1:b+900 14@1:b-900 !15 16@1:c+900 17@1:c-900",
		"a 1 0/0 lost 1; a<. 1 0/0 lost 1; b 1 2/2; b<a 0 0/0; b<. 1 2/2; c 1 1/1; c<. 1 1/1"},
};

static void lost_events(void **state)
{
	CHECK_ALL(lost_streams);
}

static const struct stream stack_streams[] = {
	{"a signal on a stack below",
		"10@1:a+900000 12@1:b+5000 13@1:c+4900 14@1:c-4900 15@1:b-5000 20@1:a-900000",
		"a 1 10/7; a<. 1 10/7; b 1 3/2; b<a 1 3/2; c 1 1/1; c<b 1 1/1"},
	{"a signal on a stack above: when the interrupted call goes on is not seen",
		"10@1:a+5000 12@1:b+900000 15@1:b-900000 20@1:a-5000",
		"a 1 10/2; a<. 1 10/2; b 1 3/3; b<. 1 3/3"},
	{"a coroutine yields and is resumed",
		"10@1:a+900000 11@1:b+5000 13@1:c+899000 15@1:c-899000 17@1:b-5000 20@1:a-900000",
		"a 1 10/6; a<. 1 10/6; b 1 6/2; b<a 1 6/2; c 1 2/2; c<a 1 2/2"},
	{"it calls something when it is back",
		"10@1:a+900000 11@1:b+5000 13@1:c+899000 15@1:c-899000 16@1:d+4900 17@1:d-4900 18@1:b-5000 20@1:a-900000",
		"a 1 10/4; a<. 1 10/4; b 1 7/3; b<a 1 7/3; c 1 2/2; c<a 1 2/2; d 1 1/1; d<b 1 1/1"},
	{"it never comes back", "10@1:a+900000 11@1:b+5000 13@1:c+899000 15@1:c-899000 17@1:end",
		"a 1 7/3 cut 1; a<. 1 7/3 cut 1; b 1 0/0 left 1; b<a 1 0/0 left 1; c 1 2/2; c<a 1 2/2"},
	{"two in turns: of the time of both, at least that of one",
		"10@1:a+900000 11@1:b+5000 12@1:c+899000 13@1:c-899000 14@1:b+105000 15@1:c+899000 "
		"16@1:c-899000 17@1:b-5000 18@1:c+899000 19@1:c-899000 20@1:b-105000 21@1:a-900000",
		"a 1 11/6; a<. 1 11/6; b 2 6/2; b<a 2 6/2; c 3 3/3; c<a 3 3/3"},
};

static void other_stacks(void **state)
{
	CHECK_ALL(stack_streams);
}

static void calls_are_kept(void **state)
{
	const struct sprof_activations_options options = {.keep_limit = 4};
	struct sprof_activations *activations = sprof_activations_create(&options);
	const struct sprof_activation_books *books = sprof_activations_books(activations);
	static const struct sprof_activation expected[] = {
		{1, 0, SPROF_ACTIVATION_NONE, SPROF_ACTIVATION_RETURNED, 10, 30},
		{1, 1, 0, SPROF_ACTIVATION_LEFT, 12, 15},
		{1, 2, 1, SPROF_ACTIVATION_RETURNED, 13, 15},
		{1, 3, 0, SPROF_ACTIVATION_RETURNED, 20, 24},
	};

	play(activations,
		"10@1:a+900 12@1:b+800 13@1:c+700 15@1:c-700 20@1:d+800 24@1:d-800 25@1:d+800 "
		"26@1:d-800 30@1:a-900");
	assert_true(sprof_activations_close(activations, 40));
	assert_int_equal(books->call_count, 4);
	assert_int_equal(books->dropped, 1);
	for (int i = 0; i < 4; i++)
		assert_memory_equal(&books->calls[i], &expected[i], sizeof(expected[i]));
	sprof_activations_destroy(activations);
}

static void jumps_without_end_are_bounded(void **state)
{
	enum { ROUNDS = 100000 };

	struct sprof_activations *activations =
		sprof_activations_create(&(struct sprof_activations_options){0});
	const struct sprof_activation_books *books = sprof_activations_books(activations);

	for (int i = 0; i < ROUNDS; i++)
		play(activations, i % 2 ? "10@1:a+900" : "10@1:b+900");
	assert_true(sprof_activations_close(activations, 20));
	assert_int_equal(books->rows[0].ends[SPROF_ACTIVATION_LEFT] +
			books->rows[0].ends[SPROF_ACTIVATION_OPEN],
		ROUNDS / 2);
	assert_true(books->rows[0].ends[SPROF_ACTIVATION_OPEN] < 1024);
	sprof_activations_destroy(activations);
}

/* The next one of a sequence that is the same each time (xorshift64). */
static uint64_t next_random(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random;
}

/* An event of any kind, on one of three threads and three stacks. Whether it is a begin. */
static bool write_random(uint64_t time, uint64_t random, char *text, size_t size)
{
	const bool is_begin = random >> 16 & 1;

	if ((random >> 40) % 1000 == 0) {
		snprintf(text, size, "!%llu", (unsigned long long)time);
		return false;
	}
	if ((random >> 40) % 1000 == 1) {
		snprintf(text, size, "%llu@2:end", (unsigned long long)time);
		return false;
	}
	snprintf(text, size, "%llu@%d:%c%c%d", (unsigned long long)time, (int)(1 + random % 3),
		(char)('a' + (random >> 8) % 4), is_begin ? '+' : '-',
		(int)(1000 + 100 * ((random >> 24) % 8) + 1000000 * ((random >> 32) % 3)));
	return is_begin;
}

/* Whatever comes: calls are the begins, and there is no more time than has passed. */
static void any_order(void **state)
{
	enum { EVENTS = 200000, THREADS = 3 };

	struct sprof_activations *activations =
		sprof_activations_create(&(struct sprof_activations_options){.keep_limit = 1000});
	const struct sprof_activation_books *books = sprof_activations_books(activations);
	uint64_t begins = 0, calls = 0, random = 88172645463325252u;
	char text[64];

	for (uint64_t i = 1; i <= EVENTS; i++) {
		begins += write_random(i, next_random(&random), text, sizeof(text));
		play(activations, text);
	}
	assert_true(sprof_activations_close(activations, EVENTS));
	for (size_t i = 0; i < books->row_count; i++) {
		const struct sprof_activation_row *row = &books->rows[i];

		assert_true(row->total_ns <= THREADS * EVENTS);
		if (row->caller == SPROF_ACTIVATION_ANY)
			calls += sprof_activation_row_calls(row);
	}
	assert_int_equal(calls, begins);
	sprof_activations_destroy(activations);
}

TEST_MAIN("activations")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain),
		cmocka_unit_test(recursion),
		cmocka_unit_test(tail_calls),
		cmocka_unit_test(jumps),
		cmocka_unit_test(threads),
		cmocka_unit_test(forks),
		cmocka_unit_test(lost_events),
		cmocka_unit_test(other_stacks),
		cmocka_unit_test(calls_are_kept),
		cmocka_unit_test(jumps_without_end_are_bounded),
		cmocka_unit_test(any_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
