/* elfsym/code-returns: functions that return, that never do, and of which it is not known. */
#include "unwind/code/returns.h"

#include "tests/unit/unwind/code-functions.h"

/* They are read as a module that begins with the first one. */
__asm__(".pushsection .text\n"
	"returns_begin:\n"
	"returns: ret\n"
	"returns_with_a_prefix: repz ret\n"
	"stops: ud2\n"
	"halts: nop; hlt\n"
	"loops: pause; jmp loops\n"
	"calls_stops: sub $8, %rsp; call stops\n"
	"jumps_to_stops: jmp stops\n"
	"jumps_to_returns: jmp returns\n"
	"stops_sometimes: test %edi, %edi; je 1f; call stops; 1: ret\n"
	"never_either_way: test %edi, %edi; je 1f; call stops; 1: call loops\n"
	"branches_away: test %edi, %edi; je returns; ud2\n"
	"branches_to_an_end: test %edi, %edi; je stops; ud2\n"
	"jumps_through_a_pointer: jmp *%rax\n"
	"calls_through_a_pointer: call *%rax; ud2\n"
	"calls_itself: test %edi, %edi; je 1f; call calls_itself; 1: jmp calls_itself\n"
	"one_of_two: call other_of_two; ret\n"
	"other_of_two: call one_of_two; ret\n"
	"goes_on_to_return: mov %edi, %eax\n"
	"returns_behind_data: jmp 1f; .byte 6; 1: ret\n"
	"goes_on_to_an_end: mov %edi, %eax\n"
	"an_end: ud2\n"
	"ends_with_a_call: call *%rax; nopl 0(%rax); nop\n"
	"deep_0: jmp deep_1\n"
	"deep_1: jmp deep_2\n"
	"deep_2: jmp deep_3\n"
	"deep_3: jmp deep_4\n"
	"deep_4: jmp deep_5\n"
	"deep_5: jmp deep_6\n"
	"deep_6: jmp deep_7\n"
	"deep_7: jmp stops\n"
	"returns_end:\n"
	".popsection\n");

/* clang-format indents each call more than the one before. */
/* clang-format off */
#define FUNCTIONS(do_with) \
	do_with(returns) do_with(returns_with_a_prefix) do_with(stops) do_with(halts) do_with(loops) \
	do_with(calls_stops) do_with(jumps_to_stops) do_with(jumps_to_returns) do_with(stops_sometimes) \
	do_with(never_either_way) do_with(branches_away) do_with(branches_to_an_end) \
	do_with(jumps_through_a_pointer) do_with(calls_through_a_pointer) do_with(calls_itself) \
	do_with(one_of_two) do_with(other_of_two) do_with(goes_on_to_return) \
	do_with(returns_behind_data) do_with(goes_on_to_an_end) do_with(an_end) \
	do_with(ends_with_a_call) do_with(deep_0) do_with(deep_1) \
	do_with(deep_2) do_with(deep_3) do_with(deep_4) do_with(deep_5) do_with(deep_6) do_with(deep_7)
/* clang-format on */

#define DECLARE(name) extern const uint8_t name[];
#define LIST(name) name,
#define ADDRESS(name) (CODE_ADDRESS + (uint64_t)(name - returns_begin))

FUNCTIONS(DECLARE)
extern const uint8_t returns_begin[], returns_end[];

static const uint8_t *const functions[] = {FUNCTIONS(LIST)};

enum { COUNT = sizeof(functions) / sizeof(*functions) };

struct asked {
	struct code_module module;
	uint64_t items[COUNT], ends[1];
	struct sprof_code_starts starts;
	struct sprof_code_returns *returns;
};

static void begin(struct asked *asked)
{
	*asked = (struct asked){0};
	code_module_init(&asked->module, returns_begin, (size_t)(returns_end - returns_begin));
	for (size_t i = 0; i < COUNT; i++)
		asked->items[i] = ADDRESS(functions[i]);
	asked->starts = (struct sprof_code_starts){
		.functions = {asked->items, COUNT, COUNT}, .ends = {asked->ends, 0, 0}};
	asked->returns = sprof_code_returns_create(&asked->module.image, &asked->starts);
	assert_non_null(asked->returns);
}

static void end(struct asked *asked)
{
	sprof_code_returns_destroy(asked->returns);
	code_module_finish(&asked->module);
}

/* Both times: the second answer is kept from the first. */
static void expect(struct asked *asked, const uint8_t *function, bool may_return)
{
	assert_int_equal(sprof_code_may_return(asked->returns, ADDRESS(function)), may_return);
	assert_int_equal(sprof_code_may_return(asked->returns, ADDRESS(function)), may_return);
}

static void functions_that_return(void **state)
{
	struct asked asked;

	begin(&asked);
	expect(&asked, returns, true);
	expect(&asked, returns_with_a_prefix, true);
	expect(&asked, jumps_to_returns, true);
	expect(&asked, stops_sometimes, true);
	expect(&asked, branches_away, true);
	expect(&asked, returns_behind_data, true);
	end(&asked);
}

static void functions_that_never_do(void **state)
{
	struct asked asked;

	begin(&asked);
	expect(&asked, stops, false);
	expect(&asked, halts, false);
	expect(&asked, calls_stops, false);
	expect(&asked, jumps_to_stops, false);
	expect(&asked, never_either_way, false);
	expect(&asked, branches_to_an_end, false);
	expect(&asked, calls_through_a_pointer, false);
	end(&asked);
}

/* A label in the middle of one is a start too. */
static void functions_that_go_on_into_the_next(void **state)
{
	struct asked asked;

	begin(&asked);
	expect(&asked, goes_on_to_return, true);
	expect(&asked, goes_on_to_an_end, false);
	/* Behind the last call is nothing: it doesn't return. */
	expect(&asked, ends_with_a_call, false);
	end(&asked);
}

static void where_it_is_not_known(void **state)
{
	struct asked asked;

	begin(&asked);
	expect(&asked, jumps_through_a_pointer, true);
	/* For ever, or it can't be followed. */
	expect(&asked, loops, true);
	/* No function begins there. */
	expect(&asked, stops + 1, true);
	expect(&asked, returns_end, true);
	assert_true(sprof_code_may_return(asked.returns, CODE_ADDRESS - 1));
	assert_true(sprof_code_may_return(asked.returns, 0));
	assert_true(sprof_code_may_return(asked.returns, UINT64_MAX));
	end(&asked);
}

/* It ends, and none that returns is said not to. */
static void functions_that_call_each_other(void **state)
{
	struct asked asked;

	begin(&asked);
	expect(&asked, one_of_two, true);
	expect(&asked, other_of_two, true);
	sprof_code_may_return(asked.returns, ADDRESS(calls_itself));
	end(&asked);
}

static void as_deep_as_is_looked(void **state)
{
	struct asked asked;

	begin(&asked);
	expect(&asked, deep_0, true);
	end(&asked);
	begin(&asked);
	expect(&asked, deep_7, false);
	expect(&asked, deep_4, false);
	end(&asked);
}

/* Whatever their code is. */
static void functions_known_by_their_names(void **state)
{
	struct asked asked;

	begin(&asked);
	asked.ends[0] = ADDRESS(returns);
	asked.starts.ends.count = 1;
	expect(&asked, returns, false);
	expect(&asked, jumps_to_returns, false);
	end(&asked);
}

/* A return behind more bytes than are looked at: a long jump over nothing. */
static void a_function_that_is_too_long(void **state)
{
	enum { SIZE = 70000 };
	uint8_t *bytes = malloc(SIZE);
	uint64_t items[] = {CODE_ADDRESS, CODE_ADDRESS + 2};
	struct sprof_code_starts starts = {.functions = {items, 1, 1}};
	struct code_module module;
	struct sprof_code_returns *found;

	assert_non_null(bytes);
	memset(bytes, 0xcc, SIZE);
	code_module_init(&module, bytes, SIZE);
	found = sprof_code_returns_create(&module.image, &starts);
	assert_true(sprof_code_may_return(found, CODE_ADDRESS));
	sprof_code_returns_destroy(found);
	starts.functions.count = 2;
	found = sprof_code_returns_create(&module.image, &starts);
	assert_false(sprof_code_may_return(found, CODE_ADDRESS));
	sprof_code_returns_destroy(found);
	code_module_finish(&module);
	free(bytes);
}

TEST_MAIN("code-returns")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_that_return),
		cmocka_unit_test(functions_that_never_do),
		cmocka_unit_test(functions_that_go_on_into_the_next),
		cmocka_unit_test(where_it_is_not_known),
		cmocka_unit_test(functions_that_call_each_other),
		cmocka_unit_test(as_deep_as_is_looked),
		cmocka_unit_test(functions_known_by_their_names),
		cmocka_unit_test(a_function_that_is_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
