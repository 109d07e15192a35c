/*
 * Searches a path from a function's start to a return. Follows calls to a small depth: a function
 * does not return if it ends with a call that never returns. Knows some such functions by name,
 * also through the PLT.
 *
 * Does not handle indirect jumps and calls through pointers: assumes that they return.
 */
#include "unwind/code/returns.h"

#include <stdlib.h>
#include <string.h>

#include "elfsym/code/call-decode.h"
#include "elfsym/code/frame-distance.h"
#include "elfsym/code/scan.h"

enum {
	LONGEST = 15,
	MOST_BYTES = 64 * 1024, /* of a function; longer ones are not searched */
	MOST_DEPTH = 6,         /* of calls */
	CALL = 0xe8,
};

enum verdict { UNKNOWN, ASKED, RETURNS, NEVER };

struct sprof_code_returns {
	const struct sprof_image *image;
	const struct sprof_code_starts *starts;
	uint8_t *verdicts; /* by start */
};

/* The search through one function. */
struct search {
	struct sprof_code_returns *returns;
	const uint8_t *bytes;
	uint64_t address;
	uint32_t size;
	uint32_t *queue; /* offsets still to follow */
	size_t queue_count;
	uint8_t *seen; /* by offset */
	/* a trap or a call that doesn't return; otherwise it loops endlessly or can't be
	 * followed */
	bool has_end;
	unsigned depth;
};

static bool may_return(struct sprof_code_returns *returns, uint64_t address, unsigned depth);

struct sprof_code_returns *sprof_code_returns_create(
	const struct sprof_image *image, const struct sprof_code_starts *starts)
{
	struct sprof_code_returns *returns = calloc(1, sizeof(*returns));

	if (!returns)
		return NULL;
	*returns = (struct sprof_code_returns){.image = image, .starts = starts};
	returns->verdicts = calloc(starts->functions.count + 1, sizeof(*returns->verdicts));
	if (!returns->verdicts) {
		free(returns);
		return NULL;
	}
	return returns;
}

void sprof_code_returns_destroy(struct sprof_code_returns *returns)
{
	if (!returns)
		return;
	free(returns->verdicts);
	free(returns);
}

static void go_on_at(struct search *search, uint64_t offset)
{
	if (offset >= search->size || search->seen[offset])
		return;
	search->seen[offset] = 1;
	search->queue[search->queue_count++] = (uint32_t)offset;
}

static bool is_return(const uint8_t *code, size_t length)
{
	size_t at = length > 1 && (code[0] == 0xf3 || code[0] == 0xf2);

	return code[at] == 0xc3 || code[at] == 0xc2;
}

static bool is_conditional(const uint8_t *code)
{
	return (code[0] & 0xf0) == 0x70 || code[0] == 0x0f;
}

/* loopne, loope, loop, jrcxz. */
static bool is_loop(const uint8_t *code, size_t length)
{
	return length == 2 && (code[0] & 0xfc) == 0xe0;
}

/* Follows a jump. Returns true if it leads to a return. */
static bool jump(struct search *search, uint64_t target, bool is_direct)
{
	if (!is_direct)
		return true;
	if (target >= search->address && target - search->address < search->size) {
		go_on_at(search, target - search->address);
		return false;
	}
	if (may_return(search->returns, target, search->depth + 1))
		return true;
	search->has_end = true;
	return false;
}

/* The target of a call, or the address of the word that holds it. 0: unknown, or no call. */
static uint64_t call_target(const struct search *search, uint32_t at)
{
	const struct sprof_code_text text = {
		.bytes = search->bytes, .size = search->size, .address = search->address};

	return sprof_code_text_call(&text, at, sprof_code_text_length(&text, at));
}

/* Then it ends with a call that doesn't return: no function continues this way into the next
 * one. */
static bool is_call_or_padding(const uint8_t *code, size_t length)
{
	size_t at = 0;

	while (at + 1 < length &&
		(code[at] == 0x66 || code[at] == 0x2e || code[at] == 0xf3 ||
			(code[at] & 0xf0) == 0x40))
		at++;
	return code[at] == CALL || code[at] == 0x90 ||
		(at + 1 < length && code[at] == 0xff && (code[at + 1] & 0x38) == 0x10) ||
		(at + 1 < length && code[at] == 0x0f && code[at + 1] == 0x1f);
}

/* Continues after an instruction. The next function may start there, or a label of this one.
 * Returns true if it returns. */
static bool go_on_behind(struct search *search, uint32_t at, size_t length)
{
	if (at + length < search->size) {
		go_on_at(search, at + length);
		return false;
	}
	if (!is_call_or_padding(search->bytes + at, length) &&
		may_return(search->returns, search->address + at + length, search->depth + 1))
		return true;
	search->has_end = true;
	return false;
}

/* Follows one instruction. Returns true if it returns. */
static bool pass(struct search *search, uint32_t at)
{
	const uint8_t *code = search->bytes + at;
	size_t room = search->size - at;
	size_t length = sprof_instruction_size_x86_64(code, room < LONGEST ? room : LONGEST);
	enum sprof_call kind;
	uint64_t target;

	if (!length || is_return(code, length))
		return true;
	if (sprof_code_text_is_trap(code, length)) {
		search->has_end = true;
		return false;
	}
	if (is_loop(code, length))
		go_on_at(search, at + length + (uint64_t)(int64_t)(int8_t)code[1]);
	kind = sprof_call_decode_jump(
		SPROF_MACHINE_X86_64, code, length, search->address + at, &target);
	if (kind != SPROF_CALL_NONE && jump(search, target, kind == SPROF_CALL_DIRECT))
		return true;
	if (kind != SPROF_CALL_NONE && !is_conditional(code))
		return false;
	target = call_target(search, at);
	if (!target || may_return(search->returns, target, search->depth + 1))
		return go_on_behind(search, at, length);
	search->has_end = true;
	return false;
}

static bool find_return(struct search *search)
{
	go_on_at(search, 0);
	while (search->queue_count) {
		if (pass(search, search->queue[--search->queue_count]))
			return true;
	}
	return false;
}

/* If memory is short, assumes that it returns. */
static bool look_through(struct sprof_code_returns *returns, size_t function, unsigned depth)
{
	const struct sprof_code_starts *starts = returns->starts;
	struct search search = {
		.returns = returns, .address = starts->functions.items[function], .depth = depth};
	uint64_t size = sprof_image_room(returns->image, search.address);
	bool found = true;

	if (function + 1 < starts->functions.count &&
		starts->functions.items[function + 1] - search.address < size)
		size = starts->functions.items[function + 1] - search.address;
	if (!size || size > MOST_BYTES)
		return true;
	search.size = (uint32_t)size;
	search.bytes = sprof_image_at(returns->image, search.address, size);
	search.queue = malloc(size * sizeof(*search.queue));
	search.seen = calloc(size, 1);
	if (search.bytes && search.queue && search.seen)
		found = find_return(&search) || !search.has_end;
	free(search.queue);
	free(search.seen);
	return found;
}

static bool may_return(struct sprof_code_returns *returns, uint64_t address, unsigned depth)
{
	size_t function = sprof_code_starts_find(returns->starts, address);
	uint8_t *verdict;

	if (sprof_code_starts_is_end(returns->starts, address))
		return false;
	if (function == SIZE_MAX || returns->starts->functions.items[function] != address)
		return true;
	verdict = &returns->verdicts[function];
	if (*verdict == UNKNOWN && depth < MOST_DEPTH) {
		*verdict = ASKED;
		*verdict = look_through(returns, function, depth) ? RETURNS : NEVER;
	}
	return *verdict != NEVER;
}

bool sprof_code_may_return(struct sprof_code_returns *returns, uint64_t function)
{
	return may_return(returns, function, 0);
}
