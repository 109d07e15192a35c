/*
 * events/expression: values of expressions, what C leaves open, printing, and errors with their
 * columns.
 */
#include "events/expression/expression.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/check.h"
#include "tests/unit/short-memory.h"

/* read(7, 0x7f00, 4096) of thread 4711. */
static const struct sprof_trace_value values[] = {{.integer = 0}, {.integer = 7},
	{.integer = 0x7f00}, {.integer = 4096}, {.integer = -1}, {.integer = INT64_MIN},
	{.integer = 5}};
static const struct sprof_trace_event event = {.thread = 3,
	.pid = 4700,
	.tid = 4711,
	.cpu = 1,
	.type = SPROF_TRACE_SYS_ENTER,
	.fields = values};
static const struct sprof_trace_value switch_values[] = {{.text = "worker"}, {.integer = 12},
	{.integer = 120}, {.integer = 256}, {.text = "swapper/1"}, {.integer = 0},
	{.integer = 120}};
static const struct sprof_trace_event switch_event = {
	.type = SPROF_TRACE_SWITCH, .fields = switch_values};

static const char *comm(void *context, pid_t tid)
{
	return tid == 4711 ? "node" : NULL;
}

static const char *syscall_name(void *context, int64_t number)
{
	return number ? "write" : "read";
}

static const char *symbol(void *context, pid_t pid, uint64_t address)
{
	snprintf(context, 32, "f+%llx", (unsigned long long)address);
	return pid == 4700 ? context : NULL;
}

static struct sprof_trace_scope read_scope(void)
{
	struct sprof_trace_scope scope = {.call = "read"};
	size_t count;
	const struct sprof_trace_type_row *rows = sprof_trace_types(&count);

	for (size_t i = 0; i < count; i++) {
		if (rows[i].per_name && rows[i].type == SPROF_TRACE_SYS_ENTER)
			scope.row = &rows[i];
	}
	return scope;
}

static bool create(const char *text, const struct sprof_trace_scope *scope,
	struct sprof_expression **ret, struct sprof_error *err)
{
	struct sprof_expression_text whole = {text, strlen(text), 1};

	return sprof_expression_create(&whole, scope, ret, err);
}

static int64_t value_in(
	const char *text, const struct sprof_trace_scope *scope, const struct sprof_trace_event *of)
{
	char buffer[32];
	struct sprof_expression_lookup lookup = {comm, syscall_name, symbol, buffer};
	struct sprof_expression_frame frame = {.event = of, .lookup = &lookup};
	struct sprof_expression *expression;
	struct sprof_error err;
	int64_t value;

	if (!create(text, scope, &expression, &err))
		fail_msg("%s: %s", text, err.message);
	assert_int_equal(sprof_expression_kind(expression), SPROF_TRACE_INTEGER);
	value = sprof_expression_integer(expression, &frame);
	sprof_expression_destroy(expression);
	return value;
}

static void is(const char *text, int64_t expected)
{
	struct sprof_trace_scope scope = read_scope();
	int64_t found = value_in(text, &scope, &event);

	if (found != expected)
		fail_msg("%s is %lld, and not %lld", text, (long long)found, (long long)expected);
}

static void is_of_switch(const char *text, int64_t expected)
{
	struct sprof_trace_scope scope = {sprof_trace_type_row(SPROF_TRACE_SWITCH), NULL};

	if (value_in(text, &scope, &switch_event) != expected)
		fail_msg("%s is not %lld", text, (long long)expected);
}

/* openat(AT_FDCWD, ...), as gcc passes the int: 0xffffff9c. */
static void ints_have_a_sign(void **state)
{
	static const struct sprof_trace_value arguments[1 + SPROF_TRACE_ARGUMENTS] = {
		[1] = {.integer = 0xffffff9c}, [2] = {.integer = 0xffffff9c}};
	const struct sprof_trace_event opening = {
		.type = SPROF_TRACE_SYS_ENTER, .fields = arguments};
	struct sprof_trace_scope scope = read_scope();

	scope.call = "openat";
	assert_int_equal(value_in("dfd == -100 && dfd < 0", &scope, &opening), 1);
	assert_int_equal(value_in("filename", &scope, &opening), 0xffffff9c);
	assert_int_equal(value_in("args[0]", &scope, &opening), 0xffffff9c);
}

static void numbers(void **state)
{
	is("0", 0);
	is("42", 42);
	is("0x2A", 42);
	is("052", 42);
	is("9223372036854775807", INT64_MAX);
	is("0xffffffffffffffff", -1);
	is("'a'", 'a');
	is("'\\n'", '\n');
	is("'\\x41'", 'A');
	is("'\\101'", 'A');
	is("'\\''", '\'');
	is(" \t 1 ", 1);
}

static void operators_are_those_of_c(void **state)
{
	is("1+2*3", 7);
	is("(1+2)*3", 9);
	is("7-3-2", 2);
	is("100/10/5", 2);
	is("7%4", 3);
	is("-7/2", -3);
	is("-7%4", -3);
	is("1<<3+1", 16);
	is("-16>>2", -4);
	is("1|6&4^1", 5);
	is("5&3==3", 1);
	is("1<2==1", 1);
	is("3>2>1", 0);
	is("1||0&&0", 1);
	is("!0+!5", 1);
	is("~0", -1);
	is("- -3", 3);
	is("--3", 3);
	is("+5", 5);
	is("2<=2 && 2>=2 && 2!=3 && !(2<2) && !(2>2)", 1);
	is("1?2:3", 2);
	is("0?2:0?3:4", 4);
	is("1?0?5:6:7", 6);
	is("(1,2,3)", 3);
}

static void what_c_leaves_open_is_defined(void **state)
{
	is("1/(1-1)", 0);
	is("1%(1-1)", 0);
	is("(-9223372036854775807-1)/-1", INT64_MIN);
	is("(-9223372036854775807-1)%-1", 0);
	is("-(-9223372036854775807-1)", INT64_MIN);
	is("9223372036854775807+1", INT64_MIN);
	is("9223372036854775807*2", -2);
	is("1<<63", INT64_MIN);
	is("1<<64", 0);
	is("1<<-1", 0);
	is("-1>>64", -1);
	is("5>>64", 0);
	is("-8>>-1", 0);
}

static void what_is_not_needed_is_not_evaluated(void **state)
{
	is("0&&1/(1-1)", 0);
	is("1||args[9-3]", 1);
	is("2&&3", 1);
	is("0||7", 1);
}

static void fields_and_variables(void **state)
{
	is("fd", 7);
	is("buf==0x7f00", 1);
	is("count/2", 2048);
	is("id", 0);
	is("__syscall_nr", 0);
	is("args[0]", 7);
	is("args[1+1]", 4096);
	is("args[5]", 5);
	is("args[fd]", 0);
	is("args[-1+0]", 0);
	is("args[4]", INT64_MIN);
	is("_pid", 4700);
	is("_tid", 4711);
	is("common_pid", 4711);
	is("_cpu", 1);
	is("(fd<<32)+count", (INT64_C(7) << 32) + 4096);
}

static void texts(void **state)
{
	is_of_switch("prev_comm==\"worker\"", 1);
	is_of_switch("prev_comm!=\"worker\"", 0);
	is_of_switch("prev_comm==next_comm", 0);
	is_of_switch("prev_comm~\"work*\"", 1);
	is_of_switch("next_comm~\"swapper/[0-9]\"", 1);
	is_of_switch("prev_comm ~ \"swapper*\" || next_comm ~ \"swapper*\"", 1);
	is_of_switch("(prev_pid?prev_comm:next_comm)==\"worker\"", 1);
	is_of_switch("(1,prev_comm)==\"wor\\x6ber\"", 1);
	is_of_switch("(prev_state&0xff)==0", 1);
	is_of_switch("prev_state==0&&prev_pid>0", 0);
	is_of_switch("\"a\"==\"a\"", 1);
	is_of_switch("\"\"==\"a\"", 0);
}

static void functions(void **state)
{
	is("comm_get(_tid)==\"node\"", 1);
	is("comm_get(1)==\"\"", 1);
	is("syscall_name(id)~\"re*\"", 1);
	is("syscall_name(1)==\"write\"", 1);
	is("sym(buf)==\"f+7f00\"", 1);
}

static void without_lookup_functions_give_nothing(void **state)
{
	struct sprof_trace_scope scope = read_scope();
	struct sprof_expression_lookup lookup = {0};
	struct sprof_expression_frame frame = {.event = &event};
	struct sprof_expression *expression;
	struct sprof_error err;

	assert_true(create("comm_get(_tid)==\"\"&&sym(1)==\"\"", &scope, &expression, &err));
	assert_int_equal(sprof_expression_integer(expression, &frame), 1);
	frame.lookup = &lookup;
	assert_int_equal(sprof_expression_integer(expression, &frame), 1);
	sprof_expression_destroy(expression);
}

static void casts(void **state)
{
	is("(int)0xffffffff", -1);
	is("(unsigned int)-1", 4294967295);
	is("(unsigned)-1", 4294967295);
	is("(char)200", -56);
	is("(unsigned char)-1", 255);
	is("(short)0x18000", -32768);
	is("(unsigned short int)-1", 65535);
	is("(long)-1", -1);
	is("(unsigned long)-1", -1);
	is("(int)args[3]+1", 0);
	is("(long long)5", 5);
}

/* What a key's expression prints for 0x1f. */
static void prints(const char *text, const char *expected)
{
	char out[64] = "", buffer[32];
	struct sprof_expression_lookup lookup = {comm, syscall_name, symbol, buffer};
	struct sprof_expression_frame frame = {
		.lookup = &lookup, .key = 31, .out = out, .out_size = sizeof(out)};
	struct sprof_expression *expression;
	struct sprof_error err;

	if (!create(text, NULL, &expression, &err))
		fail_msg("%s: %s", text, err.message);
	sprof_expression_print(expression, &frame);
	if (strcmp(out, expected))
		fail_msg("%s prints '%s', and not '%s'", text, out, expected);
	sprof_expression_destroy(expression);
}

static void printing_a_key(void **state)
{
	prints("printf(\"%p\",key)", "0x1f");
	prints("printf(\"%d%%\",key)", "31%");
	prints("printf(\"%s:%ld\", syscall_name(key), key-1)", "write:30");
	prints("printf(\"%x|%X|%o|%u|%i\",key,key,key,key,-key)", "1f|1F|37|31|-31");
	prints("printf(\"%5d|%-5d|%05d|%+d|% d\",key,key,key,key,key)",
		"   31|31   |00031|+31| 31");
	prints("printf(\"%#x|%#o|%.4d|%8.4x\",key,key,key,key)", "0x1f|037|0031|    001f");
	prints("printf(\"%5s|%-5s|%.2s\",\"abc\",\"abc\",\"abc\")", "  abc|abc  |ab");
	prints("printf(\"%c%c\",'o','k')", "ok");
	prints("printf(\"%llx\",-1)", "ffffffffffffffff");
	prints("printf(\"%d\",0)", "0");
	prints("printf(\"a\\tb\")", "a\tb");
	prints("key*2", "62");
	prints("key>30?\"large\":\"small\"", "large");
	prints("comm_get(4711)", "node");
	prints("(printf(\"%d \",key),printf(\"%d\",key+1))", "31 32");
	prints("key>100?printf(\"%d\",key):printf(\"few\")", "few");
}

static void printing_is_cut(void **state)
{
	char out[6] = "";
	struct sprof_expression_frame frame = {
		.key = 123456789, .out = out, .out_size = sizeof(out)};
	struct sprof_expression *expression;
	struct sprof_error err;

	assert_true(create("printf(\"%d\",key)", NULL, &expression, &err));
	assert_int_equal(sprof_expression_integer(expression, &frame), 9);
	assert_string_equal(out, "12345");
	assert_int_equal(frame.out_length, 9);
	frame = (struct sprof_expression_frame){.key = 5};
	assert_int_equal(sprof_expression_integer(expression, &frame), 1);
	sprof_expression_destroy(expression);
}

static void check_error(
	const char *text, const struct sprof_trace_scope *scope, const char *message)
{
	struct sprof_expression *expression;
	struct sprof_error err = {0};

	if (create(text, scope, &expression, &err))
		fail_msg("%s is accepted", text);
	assert_int_equal(err.kind, SPROF_ERROR_USAGE);
	if (strcmp(err.message, message))
		fail_msg("%s:\n  is       %s\n  expected %s", text, err.message, message);
}

static void is_wrong(const char *text, const char *message)
{
	struct sprof_trace_scope scope = read_scope();

	check_error(text, &scope, message);
}

static void errors_of_syntax_have_columns(void **state)
{
	is_wrong("", "column 1: there is no expression");
	is_wrong("  ", "column 3: there is no expression");
	is_wrong("fd+", "column 4: a value is missing at the end");
	is_wrong("fd+*3", "column 4: a value is missing here");
	is_wrong("(fd", "column 4: ')' is missing here");
	is_wrong("fd)", "column 3: an operator is missing here");
	is_wrong("fd fd", "column 4: an operator is missing here");
	is_wrong("fd=3", "column 3: nothing can be assigned; == compares");
	is_wrong("fd==3;", "column 6: a character that no expression has");
	is_wrong("fd ? 1", "column 7: ':' of '?' is missing here");
	is_wrong("args[0", "column 7: ']' is missing here");
	is_wrong("1.5", "column 2: a character that no expression has");
	is_wrong("12ab", "column 1: not a number: decimal, 0x and hexadecimal, or 0 and octal");
	is_wrong("089", "column 1: not a number: decimal, 0x and hexadecimal, or 0 and octal");
	is_wrong("1+0x", "column 3: there is no digit after 0x");
	is_wrong("9223372036854775808", "column 1: the number is too large");
	is_wrong("0x10000000000000000", "column 1: the number is too large");
	is_wrong("fd==\"a", "column 5: the quote has no end");
	is_wrong("'ab'", "column 1: 'x' is one character; a text has double quotes");
	is_wrong("'", "column 1: the quote has no end");
	is_wrong("'\\q'", "column 1: an escape that C does not have");
	is_wrong("\"a\\0b\"==\"\"", "column 1: a text can't have the character 0");
	is_wrong("(int fd", "column 6: ')' is missing here, after a type");
	is_wrong("1,2", "column 2: an operator is missing here");
}

static void errors_of_names_have_columns(void **state)
{
	is_wrong("fdd==3", "column 1: syscalls:sys_enter_read has no field 'fdd'");
	is_wrong("1+(2*nothing)", "column 6: syscalls:sys_enter_read has no field 'nothing'");
	is_wrong("key", "column 1: syscalls:sys_enter_read has no field 'key'");
	is_wrong("ret", "column 1: syscalls:sys_enter_read has no field 'ret'");
	is_wrong("args", "column 1: 'args' has several values: args[0] to args[5]");
	is_wrong("args[6]", "column 6: 'args' has the indices 0 to 5");
	is_wrong("args[-1]", "column 6: 'args' has the indices 0 to 5");
	is_wrong("fd/0", "column 3: a division by zero");
	is_wrong("fd%-0", "column 3: a division by zero");
	is_wrong("args[\"a\"]", "column 6: a text is not an index");
	is_wrong("fd[0]", "column 3: this is not an array");
	is_wrong("system(1)", "column 1: there is no function system()");
	is_wrong("fd+comm_get()", "column 4: this function wants one value");
	is_wrong("comm_get(1,2)==\"\"", "column 12: the function wants one value only");
	is_wrong("comm_get(\"a\")==\"\"",
		"column 10: the function wants a number, and this is a text");
	is_wrong("comm_get(1", "column 11: ',' or ')' is missing here");
	is_wrong("printf(\"\")", "column 1: printf() is only for printkey");
	check_error("fd", NULL, "column 1: 'fd': how a key is printed can depend on 'key' only");
	check_error(
		"_tid", NULL, "column 1: '_tid': how a key is printed can depend on 'key' only");
}

static void errors_of_types_have_columns(void **state)
{
	is_wrong("fd==\"a\"", "column 3: a number is compared with a text");
	is_wrong("fd~\"a\"", "column 3: ~ matches a text with a pattern in double quotes");
	is_wrong("comm_get(1)~2", "column 12: ~ matches a text with a pattern in double quotes");
	is_wrong("comm_get(1)+1", "column 12: a text has no other operators than ==, != and ~");
	is_wrong("\"a\"<\"b\"", "column 4: a text has no other operators than ==, != and ~");
	is_wrong("1&&comm_get(1)", "column 2: a text has no other operators than ==, != and ~");
	is_wrong("!comm_get(1)", "column 2: a number is needed, and this is a text");
	is_wrong("-\"a\"", "column 2: a number is needed, and this is a text");
	is_wrong("(int)\"a\"", "column 6: a text can't become a number");
	is_wrong("comm_get(1)?1:2", "column 12: a text is not a condition");
	is_wrong("fd?1:\"a\"", "column 3: '?' chooses between a number and a text");
}

static void errors_of_formats_have_columns(void **state)
{
	check_error("printf()", NULL, "column 1: printf() wants a format");
	check_error(
		"printf(key)", NULL, "column 8: the format of printf() is a text in double quotes");
	check_error(
		"printf(\"%d\")", NULL, "column 8: the format wants more values than there are");
	check_error("printf(\"%d\",key,key)", NULL,
		"column 17: the format has no place for this value");
	check_error("printf(\"%s\",key)", NULL, "column 13: the format wants a text here");
	check_error("printf(\"%d\",\"a\")", NULL, "column 13: the format wants a number here");
	check_error("printf(\"%f\",key)", NULL,
		"column 8: the format has a % that is none of %d %i %u %x %X %o %c %p %s %%");
	check_error("printf(\"%*d\",key)", NULL,
		"column 8: the format has a % that is none of %d %i %u %x %X %o %c %p %s %%");
	check_error("printf(\"%999d\",key)", NULL,
		"column 8: the format has a % that is none of %d %i %u %x %X %o %c %p %s %%");
	check_error("printf(\"%\",key)", NULL,
		"column 8: the format has a % that is none of %d %i %u %x %X %o %c %p %s %%");
}

static void the_column_is_that_of_the_whole_argument(void **state)
{
	struct sprof_trace_scope scope = read_scope();
	struct sprof_expression_text text = {"fd+nope/rest", 7, 21};
	struct sprof_expression *expression;
	struct sprof_error err;

	assert_false(sprof_expression_create(&text, &scope, &expression, &err));
	assert_string_equal(err.message, "column 24: syscalls:sys_enter_read has no field 'nope'");
	assert_string_equal(
		err.hint, "it has: fd, buf, count, __syscall_nr, id, args, _pid, _tid, _cpu");
}

static void depth_and_length_are_bounded(void **state)
{
	char text[5000];

	memset(text, '(', sizeof(text));
	text[200] = '\0';
	is_wrong(text, "column 65: this is nested too deeply");
	memset(text, '-', 200);
	is_wrong(text, "column 65: this is nested too deeply");
	for (size_t i = 0; i < 200; i += 2)
		memcpy(text + i, "1?", 2);
	is_wrong(text, "column 129: this is nested too deeply");
	memset(text, '1', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	is_wrong(text, "column 1: an expression has at most 4096 characters");
	for (size_t i = 0; i < 4096; i += 2)
		memcpy(text + i, "1+", 2);
	text[4095] = '\0';
	is(text, 2048);
}

static void without_memory_nothing_is_made(void **state)
{
	struct sprof_trace_scope scope = read_scope();
	struct sprof_expression *expression;
	struct sprof_error err;
	unsigned long number = 0;
	bool ok;

	do {
		short_memory_begin(++number);
		ok = create("fd==1&&count>2||comm_get(1)==\"a\"", &scope, &expression, &err);
		short_memory_end();
		if (!ok)
			assert_int_equal(err.kind, SPROF_ERROR_NO_MEMORY);
	} while (!ok);
	assert_true(number > 3);
	sprof_expression_destroy(expression);
}

static void which_values_are_ids_of_threads(void **state)
{
	static const char *const texts[] = {"(_tid)", "next_pid", "next_prio", "_tid + 1"};
	const struct sprof_trace_scope scope = {.row = sprof_trace_type_row(SPROF_TRACE_SWITCH)};
	struct sprof_expression *expression;
	struct sprof_error err = {0};

	for (size_t i = 0; i < 4; i++) {
		assert_true(create(texts[i], &scope, &expression, &err));
		assert_int_equal(sprof_expression_is_tid(expression), i < 2);
		sprof_expression_destroy(expression);
	}
}

TEST_MAIN("expression")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(ints_have_a_sign),
		cmocka_unit_test(which_values_are_ids_of_threads),
		cmocka_unit_test(operators_are_those_of_c),
		cmocka_unit_test(what_c_leaves_open_is_defined),
		cmocka_unit_test(what_is_not_needed_is_not_evaluated),
		cmocka_unit_test(fields_and_variables),
		cmocka_unit_test(texts),
		cmocka_unit_test(functions),
		cmocka_unit_test(without_lookup_functions_give_nothing),
		cmocka_unit_test(casts),
		cmocka_unit_test(printing_a_key),
		cmocka_unit_test(printing_is_cut),
		cmocka_unit_test(errors_of_syntax_have_columns),
		cmocka_unit_test(errors_of_names_have_columns),
		cmocka_unit_test(errors_of_types_have_columns),
		cmocka_unit_test(errors_of_formats_have_columns),
		cmocka_unit_test(the_column_is_that_of_the_whole_argument),
		cmocka_unit_test(depth_and_length_are_bounded),
		cmocka_unit_test(without_memory_nothing_is_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
