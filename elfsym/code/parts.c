/*
 * Finds parts of functions that lie elsewhere: compilers move rarely executed code away. A part's
 * first instruction is reached only by jumps from other functions, and the code before it does not
 * continue into it. A function that is only called by tail calls looks the same; the unwind states
 * at the jumps distinguish the two.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "elfsym/code/call-decode.h"
#include "elfsym/code/scan.h"

/* Sorted addresses that may be parts, with the evidence for and against each. */
struct candidates {
	struct sprof_code_set set;
	int32_t *spans; /* jumps that lead over it, as the difference to the previous candidate */
	bool *may_begin;
};

struct reader {
	struct sprof_code_starts *starts;
	const struct sprof_image *image;
	struct candidates candidates;
	struct sprof_error *err;
};

/* A function among adjacent functions. */
struct function {
	size_t next; /* index of the next start */
	uint64_t begin, end;
};

static void move_to(const struct sprof_code_starts *starts, struct function *function, uint64_t at)
{
	while (function->next < starts->functions.count &&
		starts->functions.items[function->next] <= at) {
		function->begin = starts->functions.items[function->next++];
		function->end = function->next < starts->functions.count
			? starts->functions.items[function->next]
			: UINT64_MAX;
	}
}

static bool add_jump(struct reader *reader, uint64_t from, uint64_t to)
{
	struct sprof_code_starts *starts = reader->starts;

	return SPROF_ARRAY_APPEND(starts->jumps, starts->jump_count, starts->jump_capacity,
		       (struct sprof_code_jump){.from = from, .to = to}) ||
		sprof_error_no_memory(reader->err);
}

/* Reads jumps that leave a function and don't lead to a known function. */
static bool read_jumps(struct reader *reader, const struct sprof_code_text *text)
{
	struct function function = {.begin = text->address, .end = text->address};
	const struct sprof_code_starts *starts = reader->starts;
	size_t length;

	for (size_t at = 0; at < text->size; at += length) {
		uint64_t from = text->address + at, to;

		length = sprof_code_text_length(text, at);
		if (sprof_call_decode_jump(SPROF_MACHINE_X86_64, text->bytes + at, length, from,
			    &to) != SPROF_CALL_DIRECT)
			continue;
		move_to(starts, &function, from);
		if ((to >= function.begin && to < function.end) ||
			!sprof_image_executable(reader->image, to))
			continue;
		if (!sprof_code_starts_is_function(starts, to) && !add_jump(reader, from, to))
			return false;
	}
	return true;
}

/* A jump within a function crosses some candidates: the code on both sides is one function. */
static void note_span(struct candidates *candidates, uint64_t from, uint64_t to)
{
	size_t first = sprof_code_set_behind(&candidates->set, from < to ? from : to);
	size_t end = sprof_code_set_behind(&candidates->set, from < to ? to : from);

	if (first == end)
		return;
	candidates->spans[first]++;
	candidates->spans[end]--;
}

/* An exception handler in a separate part continues after a call, so that call returns. */
static bool ends_way(const struct sprof_code_starts *starts, const struct sprof_code_text *text,
	size_t at, size_t length)
{
	const uint8_t *code = text->bytes + at;
	uint64_t callee = sprof_code_text_call(text, at, length);
	bool is_call = callee || (code[0] == 0xff && length > 1 && (code[1] & 0x38) == 0x10);

	return sprof_code_text_ends_way(code, length) &&
		(!is_call || (callee && sprof_code_starts_is_end(starts, callee)));
}

static void judge_candidates(struct reader *reader, const struct sprof_code_text *text)
{
	struct candidates *candidates = &reader->candidates;
	struct function function = {.begin = text->address, .end = text->address};
	size_t next = text->address ? sprof_code_set_behind(&candidates->set, text->address - 1)
				    : 0,
	       length;
	bool may_begin = true;

	for (size_t at = 0; at < text->size; at += length) {
		const uint8_t *code = text->bytes + at;
		uint64_t from = text->address + at, to;

		length = sprof_code_text_length(text, at);
		while (next < candidates->set.count && candidates->set.items[next] < from)
			next++;
		if (next < candidates->set.count && candidates->set.items[next] == from)
			candidates->may_begin[next] = may_begin;
		may_begin = ends_way(reader->starts, text, at, length) ||
			(may_begin && sprof_code_text_is_padding(code, length));
		if (sprof_call_decode_jump(SPROF_MACHINE_X86_64, code, length, from, &to) !=
			SPROF_CALL_DIRECT)
			continue;
		move_to(reader->starts, &function, from);
		if (to >= function.begin && to < function.end)
			note_span(candidates, from, to);
	}
}

static bool add_parts(struct reader *reader)
{
	const struct candidates *candidates = &reader->candidates;
	int32_t spans = 0;

	for (size_t i = 0; i < candidates->set.count; i++) {
		spans += candidates->spans[i];
		if (!spans && candidates->may_begin[i] &&
			!sprof_code_set_add(
				&reader->starts->parts, candidates->set.items[i], reader->err))
			return false;
	}
	return true;
}

static int compare_jumps(const void *one, const void *other)
{
	const struct sprof_code_jump *a = one, *b = other;

	return a->to != b->to ? (a->to > b->to) - (a->to < b->to)
			      : (a->from > b->from) - (a->from < b->from);
}

static bool find_candidates(struct reader *reader)
{
	struct sprof_code_starts *starts = reader->starts;
	struct candidates *candidates = &reader->candidates;

	if (starts->jump_count)
		qsort(starts->jumps, starts->jump_count, sizeof(*starts->jumps), compare_jumps);
	for (size_t i = 0; i < starts->jump_count; i++) {
		if (!sprof_code_set_add(&candidates->set, starts->jumps[i].to, reader->err))
			return false;
	}
	sprof_code_set_sort(&candidates->set);
	candidates->spans = calloc(candidates->set.count + 1, sizeof(*candidates->spans));
	candidates->may_begin = calloc(candidates->set.count + 1, sizeof(*candidates->may_begin));
	return (candidates->spans && candidates->may_begin) || sprof_error_no_memory(reader->err);
}

bool sprof_code_parts_add(
	struct sprof_code_starts *starts, const struct sprof_image *image, struct sprof_error *err)
{
	struct reader reader = {.starts = starts, .image = image, .err = err};
	struct sprof_code_text text;
	bool done = true;

	for (size_t i = 0; done && i < image->segment_count; i++)
		done = !sprof_code_text_find(image, i, &text) || read_jumps(&reader, &text);
	done = done && find_candidates(&reader);
	for (size_t i = 0; done && i < image->segment_count; i++) {
		if (sprof_code_text_find(image, i, &text))
			judge_candidates(&reader, &text);
	}
	done = done && add_parts(&reader);
	sprof_code_set_finish(&reader.candidates.set);
	free(reader.candidates.spans);
	free(reader.candidates.may_begin);
	return done;
}
