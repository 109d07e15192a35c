/*
 * Starts of functions. All executable bytes are read as instructions in the order in which they lie. What is called
 * directly begins a function, and so does code whose address is taken, if what lies before it doesn't go on into it:
 * the bytes of an instruction may also be data.
 *
 * Does not find nameless functions whose address is only in tables, for tables of jumps look the same, and of aarch64
 * only those with a symbol or an FDE.
 */
#include "elfsym/code-starts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "elfsym/code-scan.h"
#include "elfsym/fdes.h"
#include "elfsym/symtab.h"

enum { LEA = 0x8d, MOST_CODE = 32 << 20 };

static bool add(struct sprof_code_starts *starts, uint64_t address, struct sprof_error *err)
{
	if (!sprof_array_reserve(
		    &starts->items, &starts->capacity, starts->count + 1, sizeof(*starts->items)))
		return sprof_error_no_memory(err);
	starts->items[starts->count++] = address;
	return true;
}

static bool append(uint64_t **items, size_t *count, size_t *capacity, uint64_t address, struct sprof_error *err)
{
	if (!sprof_array_reserve(items, capacity, *count + 1, sizeof(**items)))
		return sprof_error_no_memory(err);
	(*items)[(*count)++] = address;
	return true;
}

bool sprof_code_starts_add_end(
	struct sprof_code_starts *starts, uint64_t address, struct sprof_error *err)
{
	return append(&starts->ends, &starts->end_count, &starts->end_capacity, address, err);
}

bool sprof_code_starts_add_part(
	struct sprof_code_starts *starts, uint64_t address, struct sprof_error *err)
{
	return append(&starts->parts, &starts->part_count, &starts->part_capacity, address, err);
}

static void sort(struct sprof_code_starts *starts)
{
	struct sprof_code_set items = {.items = starts->items, .count = starts->count};
	struct sprof_code_set ends = {.items = starts->ends, .count = starts->end_count};
	struct sprof_code_set parts = {.items = starts->parts, .count = starts->part_count};

	sprof_code_set_sort(&items);
	sprof_code_set_sort(&ends);
	sprof_code_set_sort(&parts);
	starts->count = items.count;
	starts->end_count = ends.count;
	starts->part_count = parts.count;
}

size_t sprof_code_starts_find(const struct sprof_code_starts *starts, uint64_t address)
{
	const struct sprof_code_set items = {.items = starts->items, .count = starts->count};
	size_t behind = sprof_code_set_behind(&items, address);

	return behind ? behind - 1 : SIZE_MAX;
}

bool sprof_code_starts_is_end(const struct sprof_code_starts *starts, uint64_t address)
{
	const struct sprof_code_set ends = {.items = starts->ends, .count = starts->end_count};

	return sprof_code_set_has(&ends, address);
}

/* "mov $X, REG" of 32 bits. */
static bool is_address(const uint8_t *code, size_t length)
{
	return (length == 5 && (code[0] & 0xf8) == 0xb8) ||
		(length == 6 && code[0] == 0x41 && (code[1] & 0xf8) == 0xb8) ||
		(length == 7 && (code[0] & 0xfe) == 0x48 && code[1] == 0xc7 && (code[2] & 0xf8) == 0xc0);
}

static bool is_part(const struct sprof_code_starts *starts, uint64_t address)
{
	const struct sprof_code_set parts = {.items = starts->parts, .count = starts->part_count};

	return sprof_code_set_has(&parts, address);
}

bool sprof_code_starts_is_function(const struct sprof_code_starts *starts, uint64_t address)
{
	const struct sprof_code_set items = {.items = starts->items, .count = starts->count};

	return sprof_code_set_has(&items, address) && !is_part(starts, address);
}

size_t sprof_code_starts_jumps(
	const struct sprof_code_starts *starts, uint64_t part, const struct sprof_code_jump **ret)
{
	size_t low = 0, high = starts->jump_count, count = 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (starts->jumps[middle].to < part)
			low = middle + 1;
		else
			high = middle;
	}
	if (!starts->jump_count)
		return 0;
	*ret = &starts->jumps[low < starts->jump_count ? low : 0];
	while (is_part(starts, part) && low + count < starts->jump_count && (*ret)[count].to == part)
		count++;
	return count;
}

uint64_t sprof_code_starts_room(const struct sprof_code_starts *starts, uint64_t address)
{
	const struct sprof_code_set data = {.items = starts->data, .count = starts->data_count};
	size_t behind = sprof_code_set_behind(&data, address);

	return behind < data.count ? data.items[behind] - address : UINT64_MAX;
}

/* Addresses that code has in it. */
struct targets {
	struct sprof_code_set called, taken, data;
	struct sprof_code_calls calls;
};

/* The address that an instruction takes: "lea X(%rip), REG", or "mov $X, REG" of 32 bits, where code has such; 0: none. */
static uint64_t taken_by(const struct sprof_image *image, const struct sprof_code_text *text,
	size_t at, size_t length)
{
	const uint8_t *code = text->bytes + at;
	int32_t number;

	if (length < 5)
		return 0;
	memcpy(&number, code + length - sizeof(number), sizeof(number));
	if (length == 7 && (code[0] & 0xf8) == 0x48 && code[1] == LEA && (code[2] & 0xc7) == 5)
		return text->address + at + length + (uint64_t)(int64_t)number;
	return image->executable_file && is_address(code, length) ? (uint32_t)number : 0;
}

static bool add_targets(struct targets *targets, const struct sprof_image *image,
	const struct sprof_code_text *text, struct sprof_error *err)
{
	size_t length;

	for (size_t at = 0; at < text->size; at += length) {
		uint64_t called, taken;

		length = sprof_code_text_length(text, at);
		called = sprof_code_text_call(text, at, length);
		taken = taken_by(image, text, at, length);
		if (!sprof_code_calls_note(&targets->calls, text, at, length, called, err))
			return false;
		if (called && sprof_image_executable(image, called) &&
			!sprof_code_set_add(&targets->called, called, err))
			return false;
		if (taken && !sprof_code_set_add(sprof_image_executable(image, taken) ? &targets->taken
										      : &targets->data,
				     taken, err))
			return false;
	}
	return true;
}

/* What linkers fill the room between two sections with; read as instructions it would hide where the next one begins. */
static bool is_fill(const uint8_t *code, bool may_begin)
{
	return may_begin && !code[0];
}

/* Keeps those of the addresses that a function may begin at. */
static bool keep_likely(struct sprof_code_starts *starts, const struct targets *targets,
	const struct sprof_code_text *text, struct sprof_error *err)
{
	bool may_begin = true;
	size_t length;

	for (size_t at = 0; at < text->size; at += length) {
		const uint8_t *code = text->bytes + at;
		uint64_t address = text->address + at;

		length = is_fill(code, may_begin) ? 1 : sprof_code_text_length(text, at);
		if (may_begin &&
			(sprof_code_set_has(&targets->called, address) ||
				sprof_code_set_has(&targets->taken, address)) &&
			!add(starts, address, err))
			return false;
		may_begin = is_fill(code, may_begin) || sprof_code_text_ends_way(code, length) ||
			(may_begin && sprof_code_text_is_padding(code, length));
	}
	return true;
}

/* *ret_size: of the code that they describe. */
static bool read_fdes(struct sprof_code_set *set, const struct sprof_image *image,
	uint64_t *ret_size, struct sprof_error *err)
{
	struct sprof_fdes fdes = {0};
	bool done = sprof_fdes_load(&fdes, image, err);

	*ret_size = 0;
	for (size_t i = 0; done && i < fdes.count; i++) {
		done = sprof_code_set_add(set, fdes.items[i].address, err);
		*ret_size += fdes.items[i].size;
	}
	sprof_fdes_finish(&fdes);
	sprof_code_set_sort(set);
	return done;
}

static bool add_called(struct sprof_code_starts *starts, const struct sprof_image *image,
	const struct sprof_code_set *fdes, struct sprof_error *err)
{
	struct targets targets = {0};
	struct sprof_code_text text;
	bool done = true;

	for (size_t i = 0; done && i < image->segment_count; i++)
		done = !sprof_code_text_find(image, i, &text) ||
			add_targets(&targets, image, &text, err);
	sprof_code_set_sort(&targets.called);
	sprof_code_set_sort(&targets.taken);
	sprof_code_set_sort(&targets.data);
	starts->data = targets.data.items;
	starts->data_count = targets.data.count;
	sort(starts);
	done = done && sprof_code_ends_add(starts, &targets.calls, &targets.called, fdes, err);
	for (size_t i = 0; done && i < image->segment_count; i++)
		done = !sprof_code_text_find(image, i, &text) ||
			keep_likely(starts, &targets, &text, err);
	sprof_code_set_finish(&targets.called);
	sprof_code_set_finish(&targets.taken);
	free(targets.calls.items);
	return done;
}

/* GCC's and clang's name for a part of a function: "main.cold", "main.cold.1". */
static bool is_elsewhere(const struct sprof_symbol *symbol)
{
	static const char cold[] = ".cold";
	const size_t length = sizeof(cold) - 1;

	for (size_t i = 1; i + length <= symbol->name_length; i++) {
		if (!memcmp(symbol->name + i, cold, length))
			return i + length == symbol->name_length || symbol->name[i + length] == '.';
	}
	return false;
}

static bool add_symbols(
	struct sprof_code_starts *starts, const struct sprof_image *image, struct sprof_error *err)
{
	struct sprof_symtab_files files = {.image = image};
	struct sprof_symtab *symtab;
	bool done = true;

	if (!sprof_symtab_create(&files, &symtab, err))
		return false;
	for (size_t i = 0; done && i < sprof_symtab_count(symtab); i++) {
		const struct sprof_symbol symbol = sprof_symtab_at(symtab, i);

		done = add(starts, symbol.address, err) &&
			(!is_elsewhere(&symbol) || sprof_code_starts_add_part(starts, symbol.address, err)) &&
			(!sprof_code_ends_by_name(symbol.name, symbol.name_length,
				 symbol.source == SPROF_SYMBOL_PLT) ||
				sprof_code_starts_add_end(starts, symbol.address, err));
	}
	sprof_symtab_destroy(symtab);
	return done;
}

/* Nothing in the file calls the function that the kernel or the loader begins. */
static bool add_entry(
	struct sprof_code_starts *starts, const struct sprof_image *image, struct sprof_error *err)
{
	uint64_t entry = sprof_image_entry(image);

	return !sprof_image_executable(image, entry) || add(starts, entry, err);
}

/* Unwind tables have parts of functions too, and tell them from functions by nothing. */
static bool add_fdes(
	struct sprof_code_starts *starts, const struct sprof_code_set *fdes, struct sprof_error *err)
{
	const size_t count = starts->count; /* sorted, the others are behind */

	for (size_t i = 0; i < fdes->count; i++) {
		const struct sprof_code_set known = {.items = starts->items, .count = count};
		uint64_t address = fdes->items[i];

		if (!sprof_code_set_has(&known, address) &&
			(!add(starts, address, err) || !sprof_code_starts_add_part(starts, address, err)))
			return false;
	}
	return true;
}

static uint64_t code_size(const struct sprof_image *image)
{
	uint64_t size = 0;

	for (size_t i = 0; i < image->segment_count; i++)
		size += image->segments[i].executable ? image->segments[i].file_size : 0;
	return size;
}

static bool read_code(struct sprof_code_starts *starts, const struct sprof_image *image,
	const struct sprof_code_set *fdes, struct sprof_error *err)
{
	bool done = true;

#if defined(__x86_64__)
	done = add_called(starts, image, fdes, err);
	sort(starts);
	done = done && sprof_code_parts_add(starts, image, err);
	for (size_t i = 0; done && i < starts->part_count; i++)
		done = add(starts, starts->parts[i], err);
	sort(starts);
#endif
	return done;
}

static bool load(struct sprof_code_starts *starts, const struct sprof_image *image, bool always,
	struct sprof_error *err)
{
	uint64_t size = code_size(image), described;
	struct sprof_code_set fdes = {0};
	bool done = read_fdes(&fdes, image, &described, err), has_tables = described >= size - size / 8;

	/* With half of the starts many functions would be taken for one. */
	if (!always && !has_tables && size > MOST_CODE) {
		sprof_code_set_finish(&fdes);
		return done;
	}
	done = done && add_symbols(starts, image, err) && add_entry(starts, image, err);
	sort(starts);
	if (always || !has_tables)
		done = done && read_code(starts, image, &fdes, err);
	done = done && add_fdes(starts, &fdes, err);
	sort(starts);
	sprof_code_set_finish(&fdes);
	return done;
}

bool sprof_code_starts_load(
	struct sprof_code_starts *starts, const struct sprof_image *image, struct sprof_error *err)
{
	return load(starts, image, false, err);
}

bool sprof_code_starts_load_all(
	struct sprof_code_starts *starts, const struct sprof_image *image, struct sprof_error *err)
{
	return load(starts, image, true, err);
}

void sprof_code_starts_finish(struct sprof_code_starts *starts)
{
	free(starts->items);
	free(starts->ends);
	free(starts->data);
	free(starts->parts);
	free(starts->jumps);
	*starts = (struct sprof_code_starts){0};
}
