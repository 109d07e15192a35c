/*
 * Starts of functions. All executable bytes are read as instructions in the order in which they lie. What is called
 * directly begins a function, and so does code whose address is taken, if what lies before it doesn't go on into it:
 * the bytes of an instruction may also be data.
 *
 * Does not find nameless functions whose address is only in tables, for tables of jumps look the same, and of aarch64
 * only those with a symbol or an FDE. Of code beyond MOST_CODE calls are not read.
 */
#include "elfsym/code-starts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "elfsym/fdes.h"
#include "elfsym/frame-distance.h"
#include "elfsym/symtab.h"

enum { CALL = 0xe8, LEA = 0x8d, LONGEST = 15, MOST_CODE = 64 << 20 };

/* Of libc and the C++ runtime. */
static const char *const ends[] = {"abort", "exit", "_exit", "_Exit", "quick_exit", "pthread_exit",
	"thrd_exit", "longjmp", "siglongjmp", "_longjmp", "__longjmp_chk", "__stack_chk_fail",
	"__stack_chk_fail_local", "__assert_fail", "__assert", "__chk_fail", "__fortify_fail", "err",
	"errx", "verr", "verrx", "_Unwind_Resume", "__cxa_throw", "__cxa_rethrow", "__cxa_bad_cast",
	"__cxa_bad_typeid", "__cxa_throw_bad_array_new_length", "__cxa_pure_virtual",
	"__cxa_call_unexpected", "__clang_call_terminate", "_ZSt9terminatev"};

static bool add(struct sprof_code_starts *starts, uint64_t address, struct sprof_error *err)
{
	if (!sprof_array_reserve(
		    &starts->items, &starts->capacity, starts->count + 1, sizeof(*starts->items)))
		return sprof_error_no_memory(err);
	starts->items[starts->count++] = address;
	return true;
}

static int compare(const void *one, const void *other)
{
	uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

	return (a > b) - (a < b);
}

static void sort(struct sprof_code_starts *starts)
{
	size_t kept = 0;

	if (starts->count)
		qsort(starts->items, starts->count, sizeof(*starts->items), compare);
	for (size_t i = 0; i < starts->count; i++) {
		if (!kept || starts->items[kept - 1] != starts->items[i])
			starts->items[kept++] = starts->items[i];
	}
	starts->count = kept;
}

size_t sprof_code_starts_find(const struct sprof_code_starts *starts, uint64_t address)
{
	size_t low = 0, high = starts->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (starts->items[middle] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : SIZE_MAX;
}

bool sprof_code_starts_is_end(const struct sprof_code_starts *starts, uint64_t address)
{
	for (size_t i = 0; i < starts->end_count; i++) {
		if (starts->ends[i] == address)
			return true;
	}
	return false;
}

static bool has(const struct sprof_code_starts *starts, uint64_t address)
{
	size_t found = sprof_code_starts_find(starts, address);

	return found != SIZE_MAX && starts->items[found] == address;
}

/* Executable bytes of the file, in one piece. */
struct text {
	const uint8_t *bytes;
	size_t size;
	uint64_t address;
};

static bool find_text(const struct sprof_image *image, size_t segment, struct text *ret)
{
	const struct sprof_segment *found = &image->segments[segment];

	*ret = (struct text){.address = found->address, .size = found->file_size};
	if (!found->executable || !ret->size)
		return false;
	if (ret->size > MOST_CODE)
		ret->size = MOST_CODE;
	ret->bytes = sprof_image_at(image, ret->address, ret->size);
	return ret->bytes;
}

/* Of what can't be read as an instruction one byte. */
static size_t length_at(const struct text *text, size_t at)
{
	size_t room = text->size - at;
	size_t length =
		sprof_instruction_size_x86_64(text->bytes + at, room < LONGEST ? room : LONGEST);

	return length ? length : 1;
}

/* "call X", "lea X(%rip), REG": both end with the distance. */
static bool is_to_code(const uint8_t *code, size_t length)
{
	return (length == 5 && code[0] == CALL) ||
		(length == 7 && (code[0] & 0xf8) == 0x48 && code[1] == LEA && (code[2] & 0xc7) == 5);
}

/* "mov $X, REG" of 32 bits, where code has such addresses. */
static bool is_address(const uint8_t *code, size_t length)
{
	return (length == 5 && (code[0] & 0xf8) == 0xb8) ||
		(length == 6 && code[0] == 0x41 && (code[1] & 0xf8) == 0xb8) ||
		(length == 7 && (code[0] & 0xfe) == 0x48 && code[1] == 0xc7 && (code[2] & 0xf8) == 0xc0);
}

/* The address that an instruction calls or takes; 0: none. */
static uint64_t target_of(
	const struct sprof_image *image, const struct text *text, size_t at, size_t length)
{
	const uint8_t *code = text->bytes + at;
	int32_t number;

	if (length < 5)
		return 0;
	memcpy(&number, code + length - sizeof(number), sizeof(number));
	if (is_to_code(code, length))
		return text->address + at + length + (uint64_t)(int64_t)number;
	return image->executable_file && is_address(code, length) ? (uint32_t)number : 0;
}

static bool add_targets(struct sprof_code_starts *starts, const struct sprof_image *image,
	const struct text *text, struct sprof_error *err)
{
	size_t length;

	for (size_t at = 0; at < text->size; at += length) {
		uint64_t target;

		length = length_at(text, at);
		target = target_of(image, text, at, length);
		if (target && sprof_image_executable(image, target) && !add(starts, target, err))
			return false;
	}
	return true;
}

static bool is_nop(const uint8_t *code, size_t length)
{
	size_t at = 0;

	while (at + 1 < length && (code[at] == 0x66 || code[at] == 0x2e || code[at] == 0xf3))
		at++;
	return code[at] == 0x90 || code[at] == 0xcc ||
		(at + 2 < length && code[at] == 0x0f && code[at + 1] == 0x1f);
}

/* What lies behind is not gone on to: a jump, a return, a trap; or a call, of the system too, which may not return. */
static bool ends_way(const uint8_t *code, size_t length)
{
	size_t at = 0;

	while (at + 1 < length && (code[at] == 0x3e || code[at] == 0xf2 || code[at] == 0xf3))
		at++;
	return code[at] == 0xc3 || code[at] == 0xc2 || code[at] == 0xe9 || code[at] == 0xeb ||
		code[at] == CALL || code[at] == 0xf4 || code[at] == 0xcc ||
		(at + 1 < length && code[at] == 0xff && (code[at + 1] & 0x30) == 0x20) ||
		(at + 1 < length && code[at] == 0xff && (code[at + 1] & 0x38) == 0x10) ||
		(at + 1 < length && code[at] == 0x0f && (code[at + 1] == 0x0b || code[at + 1] == 0x05));
}

/* What linkers fill the room between two sections with; read as instructions it would hide where the next one begins. */
static bool is_fill(const uint8_t *code, bool may_begin)
{
	return may_begin && !code[0];
}

/* Keeps those of the addresses that a function may begin at. */
static bool keep_likely(struct sprof_code_starts *starts, const struct sprof_code_starts *called,
	const struct text *text, struct sprof_error *err)
{
	bool may_begin = true;
	size_t length;

	for (size_t at = 0; at < text->size; at += length) {
		const uint8_t *code = text->bytes + at;

		length = is_fill(code, may_begin) ? 1 : length_at(text, at);
		if (may_begin && has(called, text->address + at) &&
			!add(starts, text->address + at, err))
			return false;
		may_begin = is_fill(code, may_begin) || ends_way(code, length) ||
			(may_begin && is_nop(code, length));
	}
	return true;
}

static bool add_called(
	struct sprof_code_starts *starts, const struct sprof_image *image, struct sprof_error *err)
{
	struct sprof_code_starts called = {0};
	struct text text;
	bool done = true;

	for (size_t i = 0; done && i < image->segment_count; i++)
		done = !find_text(image, i, &text) || add_targets(&called, image, &text, err);
	sort(&called);
	for (size_t i = 0; done && i < image->segment_count; i++)
		done = !find_text(image, i, &text) || keep_likely(starts, &called, &text, err);
	sprof_code_starts_finish(&called);
	return done;
}

static bool add_fdes(
	struct sprof_code_starts *starts, const struct sprof_image *image, struct sprof_error *err)
{
	struct sprof_fdes fdes = {0};
	bool done = sprof_fdes_load(&fdes, image, err);

	for (size_t i = 0; done && i < fdes.count; i++)
		done = add(starts, fdes.items[i].address, err);
	sprof_fdes_finish(&fdes);
	return done;
}

/* "_ZSt20__throw_length_errorPKc" too. */
static bool is_end(const struct sprof_symbol *symbol)
{
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		if (strlen(ends[i]) == symbol->name_length &&
			!memcmp(ends[i], symbol->name, symbol->name_length))
			return true;
	}
	return symbol->name_length > 13 && !memcmp(symbol->name, "_ZSt", 4) &&
		!memcmp(symbol->name + 6, "__throw", 7);
}

static bool add_end(struct sprof_code_starts *starts, uint64_t address, struct sprof_error *err)
{
	if (!sprof_array_reserve(
		    &starts->ends, &starts->end_capacity, starts->end_count + 1, sizeof(*starts->ends)))
		return sprof_error_no_memory(err);
	starts->ends[starts->end_count++] = address;
	return true;
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
			(!is_end(&symbol) || add_end(starts, symbol.address, err));
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

bool sprof_code_starts_load(
	struct sprof_code_starts *starts, const struct sprof_image *image, struct sprof_error *err)
{
	bool done = add_symbols(starts, image, err) && add_fdes(starts, image, err) &&
		add_entry(starts, image, err);

#if defined(__x86_64__)
	done = done && add_called(starts, image, err);
#endif
	sort(starts);
	return done;
}

void sprof_code_starts_finish(struct sprof_code_starts *starts)
{
	free(starts->items);
	free(starts->ends);
	*starts = (struct sprof_code_starts){0};
}
