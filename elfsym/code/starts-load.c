/*
 * Finds the starts of functions. Reads all executable bytes as instructions in address order. The
 * target of a direct call begins a function. Code whose address is taken begins one if the code
 * before it doesn't continue into it: the bytes of an instruction may also be data. Does not find
 * unnamed functions whose address is only in tables, because jump tables look the same. On aarch64
 * finds only functions with a symbol or an FDE.
 */
#include <stdlib.h>
#include <string.h>

#include "elfsym/cfi/fdes.h"
#include "elfsym/code/scan.h"
#include "elfsym/code/starts.h"
#include "elfsym/elf/machine.h"
#include "elfsym/elf/symtab.h"

enum { LEA = 0x8d, MOST_CODE = 32 << 20 };

/* Addresses that occur in code. */
struct targets {
	struct sprof_code_set called, taken, data;
	struct sprof_code_calls calls;
};

/* "mov $X, REG" of 32 bits. */
static bool is_address(const uint8_t *code, size_t length)
{
	return (length == 5 && (code[0] & 0xf8) == 0xb8) ||
		(length == 6 && code[0] == 0x41 && (code[1] & 0xf8) == 0xb8) ||
		(length == 7 && (code[0] & 0xfe) == 0x48 && code[1] == 0xc7 &&
			(code[2] & 0xf8) == 0xc0);
}

/* The address that an instruction takes: "lea X(%rip), REG", or a 32-bit "mov $X, REG" in code that
 * uses it. 0: none. */
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
		if (taken &&
			!sprof_code_set_add(sprof_image_executable(image, taken) ? &targets->taken
										 : &targets->data,
				taken, err))
			return false;
	}
	return true;
}

/* Linkers fill the gap between two sections with it; read as code, it would hide the next start. */
static bool is_fill(const uint8_t *code, bool may_begin)
{
	return may_begin && !code[0];
}

/* Keeps only the addresses that a function may begin at. */
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
			!sprof_code_set_add(&starts->functions, address, err))
			return false;
		may_begin = is_fill(code, may_begin) || sprof_code_text_ends_way(code, length) ||
			(may_begin && sprof_code_text_is_padding(code, length));
	}
	return true;
}

/* *ret_size: the size of the code that the FDEs describe. */
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
	starts->data = targets.data;
	sprof_code_starts_sort(starts);
	done = done && sprof_code_ends_add(starts, &targets.calls, &targets.called, fdes, err);
	for (size_t i = 0; done && i < image->segment_count; i++)
		done = !sprof_code_text_find(image, i, &text) ||
			keep_likely(starts, &targets, &text, err);
	sprof_code_set_finish(&targets.called);
	sprof_code_set_finish(&targets.taken);
	free(targets.calls.items);
	return done;
}

/* GCC and clang name a part of a function so: "main.cold", "main.cold.1". */
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

		done = sprof_code_set_add(&starts->functions, symbol.address, err) &&
			(!is_elsewhere(&symbol) ||
				sprof_code_set_add(&starts->parts, symbol.address, err)) &&
			(!sprof_code_ends_by_name(symbol.name, symbol.name_length,
				 symbol.source == SPROF_SYMBOL_PLT) ||
				sprof_code_set_add(&starts->ends, symbol.address, err));
	}
	sprof_symtab_destroy(symtab);
	return done;
}

/* The kernel or the loader calls the entry function; nothing in the file does. */
static bool add_entry(
	struct sprof_code_starts *starts, const struct sprof_image *image, struct sprof_error *err)
{
	uint64_t entry = sprof_image_entry(image);

	return !sprof_image_executable(image, entry) ||
		sprof_code_set_add(&starts->functions, entry, err);
}

/* Unwind tables list parts of functions too and don't mark them. */
static bool add_fdes(struct sprof_code_starts *starts, const struct sprof_code_set *fdes,
	struct sprof_error *err)
{
	const size_t count = starts->functions.count; /* these are sorted, later ones are not */

	for (size_t i = 0; i < fdes->count; i++) {
		const struct sprof_code_set known = {
			.items = starts->functions.items, .count = count};
		uint64_t address = fdes->items[i];

		if (!sprof_code_set_has(&known, address) &&
			(!sprof_code_set_add(&starts->functions, address, err) ||
				!sprof_code_set_add(&starts->parts, address, err)))
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
	bool done;

	/* No other machine's code is decoded. */
	if (SPROF_MACHINE != SPROF_MACHINE_X86_64)
		return true;
	done = add_called(starts, image, fdes, err);
	sprof_code_starts_sort(starts);
	done = done && sprof_code_parts_add(starts, image, err);
	for (size_t i = 0; done && i < starts->parts.count; i++)
		done = sprof_code_set_add(&starts->functions, starts->parts.items[i], err);
	sprof_code_starts_sort(starts);
	return done;
}

bool sprof_code_starts_load(struct sprof_code_starts *starts, const struct sprof_image *image,
	bool always, struct sprof_error *err)
{
	uint64_t size = code_size(image), described;
	struct sprof_code_set fdes = {0};
	bool done = read_fdes(&fdes, image, &described, err),
	     has_tables = described >= size - size / 8;

	/* With only half of the starts, many functions would be taken for one. */
	if (!always && !has_tables && size > MOST_CODE) {
		sprof_code_set_finish(&fdes);
		return done;
	}
	done = done && add_symbols(starts, image, err) && add_entry(starts, image, err);
	sprof_code_starts_sort(starts);
	if (always || !has_tables)
		done = done && read_code(starts, image, &fdes, err);
	done = done && add_fdes(starts, &fdes, err);
	sprof_code_starts_sort(starts);
	sprof_code_set_finish(&fdes);
	return done;
}
