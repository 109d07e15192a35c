/*
 * Finds functions that never return, by one of three signs: their name; a trap after each call, as
 * Rust generates; several calls that are directly followed by another function. A function is
 * identified by its address, or by the word that a call loads its address from.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strings.h"
#include "elfsym/code/scan.h"

/*
 * Behind a call of a function that never returns lies the next function, or code that a jump
 * reaches. A call of the first kind is a proof. A function needs two proofs: one call may stand
 * where the programmer knew that its end is not reached. Each proof allows this many calls of the
 * second kind.
 */
enum { FEW = 2, MOST_OTHERS_OF_FEW = 8, MANY = 8, MOST_OTHERS_OF_MANY = 32 };

/* From libc and the C++ runtime. */
static const char *const ends[] = {"abort", "exit", "_exit", "_Exit", "quick_exit", "pthread_exit",
	"thrd_exit", "longjmp", "siglongjmp", "_longjmp", "__longjmp_chk", "__stack_chk_fail",
	"__stack_chk_fail_local", "__assert_fail", "__assert", "__chk_fail", "__fortify_fail",
	"_Unwind_Resume", "__cxa_throw", "__cxa_rethrow", "__cxa_bad_cast", "__cxa_bad_typeid",
	"__cxa_throw_bad_array_new_length", "__cxa_pure_virtual", "__cxa_call_unexpected",
	"__clang_call_terminate", "_ZSt9terminatev"};

/* Programs have their own functions by these names, so these count as imports only. */
static const char *const import_ends[] = {"err", "errx", "verr", "verrx"};

static bool is_one_of(const char *name, size_t length, const char *const names[], size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (sprof_string_is(name, length, names[i]))
			return true;
	}
	return false;
}

/* Also matches "_ZSt20__throw_length_errorPKc". */
bool sprof_code_ends_by_name(const char *name, size_t length, bool is_import)
{
	return is_one_of(name, length, ends, sizeof(ends) / sizeof(ends[0])) ||
		(is_import &&
			is_one_of(name, length, import_ends,
				sizeof(import_ends) / sizeof(import_ends[0]))) ||
		(length > 13 && !memcmp(name, "_ZSt", 4) && !memcmp(name + 6, "__throw", 7));
}

/* The function starts found so far. */
struct known {
	const struct sprof_code_starts *starts;
	const struct sprof_code_set *called, *fdes;
};

static bool is_start(const struct known *known, uint64_t address)
{
	size_t found = sprof_code_starts_find(known->starts, address);

	return sprof_code_set_has(known->called, address) ||
		sprof_code_set_has(known->fdes, address) ||
		(found != SIZE_MAX && known->starts->functions.items[found] == address);
}

bool sprof_code_calls_note(struct sprof_code_calls *calls, const struct sprof_code_text *text,
	size_t at, size_t length, uint64_t callee, struct sprof_error *err)
{
	struct sprof_code_call *last = calls->is_behind ? &calls->items[calls->count - 1] : NULL;
	const uint8_t *code = text->bytes + at;

	if (last && sprof_code_text_is_trap(code, length))
		last->behind = SPROF_CODE_TRAP;
	else if (last && sprof_code_text_is_padding(code, length))
		last->behind = text->address + at + length;
	calls->is_behind = last && last->behind == text->address + at + length;
	if (!callee)
		return true;
	calls->is_behind = true;
	return SPROF_ARRAY_APPEND(calls->items, calls->count, calls->capacity,
		       (struct sprof_code_call){
			       .callee = callee, .behind = text->address + at + length}) ||
		sprof_error_no_memory(err);
}

static int compare_calls(const void *one, const void *other)
{
	const struct sprof_code_call *a = one, *b = other;

	return (a->callee > b->callee) - (a->callee < b->callee);
}

/* Judges by the calls of one function. */
static bool never_returns(
	const struct known *known, const struct sprof_code_call *calls, size_t count)
{
	size_t functions = 0, others = 0;

	for (size_t i = 0; i < count; i++) {
		if (calls[i].behind == SPROF_CODE_TRAP)
			continue;
		if (is_start(known, calls[i].behind))
			functions++;
		else
			others++;
	}
	if (functions >= MANY)
		return others / MOST_OTHERS_OF_MANY <= functions;
	return !others || (functions >= FEW && others / MOST_OTHERS_OF_FEW <= functions);
}

bool sprof_code_ends_add(struct sprof_code_starts *starts, struct sprof_code_calls *calls,
	const struct sprof_code_set *called, const struct sprof_code_set *fdes,
	struct sprof_error *err)
{
	const struct known known = {.starts = starts, .called = called, .fdes = fdes};
	size_t count;

	if (calls->count)
		qsort(calls->items, calls->count, sizeof(*calls->items), compare_calls);
	for (size_t i = 0; i < calls->count; i += count) {
		uint64_t callee = calls->items[i].callee;

		for (count = 1;
			i + count < calls->count && calls->items[i + count].callee == callee;)
			count++;
		if (never_returns(&known, calls->items + i, count) &&
			!sprof_code_set_add(&starts->ends, callee, err))
			return false;
	}
	return true;
}
