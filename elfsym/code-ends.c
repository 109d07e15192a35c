/*
 * Functions that never return: by their names; by a trap behind each of their calls, as Rust has it; and by several calls
 * behind which the next function begins. Those are known by their address, or by the word that a call takes it from.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "elfsym/code-scan.h"

/*
 * Other calls of a function that never returns have code behind them that is reached from elsewhere: so many for each one
 * that has none. One alone may be a call before what a programmer knew not to be reached.
 */
enum { FEW = 2, MOST_OTHERS_OF_FEW = 8, MANY = 8, MOST_OTHERS_OF_MANY = 32 };

/* Of libc and the C++ runtime. */
static const char *const ends[] = {"abort", "exit", "_exit", "_Exit", "quick_exit", "pthread_exit",
	"thrd_exit", "longjmp", "siglongjmp", "_longjmp", "__longjmp_chk", "__stack_chk_fail",
	"__stack_chk_fail_local", "__assert_fail", "__assert", "__chk_fail", "__fortify_fail",
	"_Unwind_Resume", "__cxa_throw", "__cxa_rethrow", "__cxa_bad_cast", "__cxa_bad_typeid",
	"__cxa_throw_bad_array_new_length", "__cxa_pure_virtual", "__cxa_call_unexpected",
	"__clang_call_terminate", "_ZSt9terminatev"};

/* Programs have functions of their own by these names. */
static const char *const import_ends[] = {"err", "errx", "verr", "verrx"};

static bool is_one_of(
	const char *name, size_t length, const char *const names[], size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strlen(names[i]) == length && !memcmp(names[i], name, length))
			return true;
	}
	return false;
}

/* "_ZSt20__throw_length_errorPKc" too. */
bool sprof_code_ends_by_name(const char *name, size_t length, bool is_import)
{
	return is_one_of(name, length, ends, sizeof(ends) / sizeof(ends[0])) ||
		(is_import &&
			is_one_of(name, length, import_ends, sizeof(import_ends) / sizeof(import_ends[0]))) ||
		(length > 13 && !memcmp(name, "_ZSt", 4) && !memcmp(name + 6, "__throw", 7));
}

/* A call, and what lies behind it. */
struct site {
	uint64_t callee;
	enum { BEHIND_CODE, BEHIND_TRAP, BEHIND_FUNCTION } behind;
};

struct sites {
	struct site *items;
	size_t count, capacity;
};

static bool add_site(struct sites *sites, uint64_t callee, struct sprof_error *err)
{
	if (!sprof_array_reserve(
		    &sites->items, &sites->capacity, sites->count + 1, sizeof(*sites->items)))
		return sprof_error_no_memory(err);
	sites->items[sites->count++] = (struct site){.callee = callee};
	return true;
}

static bool is_trap(const uint8_t *code, size_t length)
{
	return code[0] == 0xf4 || code[0] == 0xcc || (length == 2 && code[0] == 0x0f && code[1] == 0x0b);
}

static bool is_start(const struct sprof_code_starts *starts, const struct sprof_code_set *called,
	uint64_t address)
{
	size_t found = sprof_code_starts_find(starts, address);

	return sprof_code_set_has(called, address) ||
		(found != SIZE_MAX && starts->items[found] == address);
}

static bool read_sites(struct sites *sites, const struct sprof_code_text *text,
	const struct sprof_code_starts *starts, const struct sprof_code_set *called,
	struct sprof_error *err)
{
	bool is_behind = false, is_next = false; /* a call; of the latter no padding lies between */
	size_t length;

	for (size_t at = 0; at < text->size; at += length) {
		const uint8_t *code = text->bytes + at;
		uint64_t callee;

		length = sprof_code_text_length(text, at);
		callee = sprof_code_text_call(text, at, length);
		if (is_behind && is_start(starts, called, text->address + at))
			sites->items[sites->count - 1].behind = BEHIND_FUNCTION;
		else if (is_next && is_trap(code, length))
			sites->items[sites->count - 1].behind = BEHIND_TRAP;
		if (callee && !add_site(sites, callee, err))
			return false;
		is_next = callee;
		is_behind = callee || (is_behind && sprof_code_text_is_padding(code, length));
	}
	return true;
}

static int compare_sites(const void *one, const void *other)
{
	const struct site *a = one, *b = other;

	return (a->callee > b->callee) - (a->callee < b->callee);
}

/* From the calls of one function. */
static bool never_returns(const struct site *sites, size_t count)
{
	size_t counts[BEHIND_FUNCTION + 1] = {0};

	for (size_t i = 0; i < count; i++)
		counts[sites[i].behind]++;
	if (counts[BEHIND_FUNCTION] >= MANY)
		return counts[BEHIND_CODE] / MOST_OTHERS_OF_MANY <= counts[BEHIND_FUNCTION];
	return !counts[BEHIND_CODE] ||
		(counts[BEHIND_FUNCTION] >= FEW &&
			counts[BEHIND_CODE] / MOST_OTHERS_OF_FEW <= counts[BEHIND_FUNCTION]);
}

static bool add_end(struct sprof_code_starts *starts, uint64_t address, struct sprof_error *err)
{
	if (!sprof_array_reserve(
		    &starts->ends, &starts->end_capacity, starts->end_count + 1, sizeof(*starts->ends)))
		return sprof_error_no_memory(err);
	starts->ends[starts->end_count++] = address;
	return true;
}

static bool add_ends(
	struct sprof_code_starts *starts, const struct sites *sites, struct sprof_error *err)
{
	size_t count;

	for (size_t i = 0; i < sites->count; i += count) {
		uint64_t callee = sites->items[i].callee;

		for (count = 1; i + count < sites->count && sites->items[i + count].callee == callee;)
			count++;
		if (never_returns(sites->items + i, count) && !add_end(starts, callee, err))
			return false;
	}
	return true;
}

bool sprof_code_ends_add(struct sprof_code_starts *starts, const struct sprof_image *image,
	const struct sprof_code_set *called, struct sprof_error *err)
{
	struct sites sites = {0};
	struct sprof_code_text text;
	bool done = true;

	for (size_t i = 0; done && i < image->segment_count; i++)
		done = !sprof_code_text_find(image, i, &text) ||
			read_sites(&sites, &text, starts, called, err);
	if (sites.count)
		qsort(sites.items, sites.count, sizeof(*sites.items), compare_sites);
	done = done && add_ends(starts, &sites, err);
	free(sites.items);
	return done;
}
