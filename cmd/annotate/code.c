/*
 * The instructions of an annotated function. The function's own code is the symbol with its name.
 * An inlined copy is the part of another symbol that the debug information attributes to the
 * function. A file is used only if its build id is the profile's. Only copies with time are shown.
 * Memory without a file can't be disassembled.
 *
 * objdump supports every machine that sprof runs on, and names the targets of calls; a decoder
 * library yields only the bare instruction. It reads the open file, so no path goes through the
 * shell, and the file can't be replaced in between.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/attributes.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/helper-program.h"
#include "base/search.h"
#include "cmd/annotate/annotate.h"
#include "cmd/ui.h"
#include "elfsym/elf/image.h"
#include "elfsym/names/listing.h"
#include "profile/model/addresses.h"

/* No instruction of x86 is longer. */
enum { MAX_LENGTH = 16 };

/* The file of the function's module. */
struct object {
	struct sprof_modules *modules;
	struct sprof_module *module;
	struct sprof_image *image;
	struct sprof_namer namer;
	struct sprof_listing listing;
};

/* A place with its address. */
struct point {
	uint64_t address;
	struct sprof_metrics self, total;
};

/* One copy being disassembled. */
struct reading {
	struct sprof_annotate *annotate;
	struct object *object;
	struct sprof_code_copy *copy;
	uint64_t end;
	bool everything; /* include symbols that don't have the function's name */
	struct sprof_error *err;
};

/*
 * Takes an instruction; `text` is valid during the call. Returns false if out of memory; run() then
 * stops and returns that error.
 */
typedef bool (*objdump_taker)(void *data, uint64_t address, const char *text);

/* What to disassemble: an open file, and link-time addresses. */
struct objdump_range {
	int fd;
	uint64_t begin, end;
};

static const struct sprof_helper_program objdump = {
	"--asm", "objdump", "disassembles", "install binutils (Debian: apt install binutils)"};

/* "  401136:\tpush   %rbp" is an instruction; labels and titles begin differently. */
static bool take_line(char *line, objdump_taker take, void *data)
{
	char *end;
	uint64_t address = strtoull(line, &end, 16);

	if (end == line || end[0] != ':' || end[1] != '\t')
		return true;
	end += 2;
	for (char *at = end; *at; at++) {
		if (*at == '\t')
			*at = ' ';
	}
	for (size_t length = strlen(end); length && strchr(" \n", end[length - 1]);)
		end[--length] = '\0';
	return take(data, address, end);
}

static bool read_all(FILE *pipe, objdump_taker take, void *data)
{
	SPROF_AUTO_FREE char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, pipe) > 0) {
		if (!take_line(line, take, data))
			return false;
	}
	return true;
}

/* Passes the instructions in order. NOT_FOUND: objdump is missing; UNSUPPORTED: it failed. */
static bool objdump_run(
	const struct objdump_range *range, objdump_taker take, void *data, struct sprof_error *err)
{
	SPROF_AUTO_CLOSE int inherited = fcntl(range->fd, F_DUPFD, 3);
	char command[320];
	FILE *pipe;
	bool ok;
	int status;

	if (inherited < 0)
		return sprof_error_errno(err, errno, "can't copy a file descriptor");
	snprintf(command, sizeof(command),
		"command -v objdump >/dev/null || exit 127; LC_ALL=C exec objdump -d -C -w --no-show-raw-insn --start-address=0x%" PRIx64
		" --stop-address=0x%" PRIx64 " /dev/fd/%d",
		range->begin, range->end, inherited);
	pipe = popen(command, "re");
	if (!pipe)
		return sprof_error_errno(err, errno, "can't run objdump");
	ok = read_all(pipe, take, data);
	status = pclose(pipe);
	return ok ? sprof_helper_program_judge(&objdump, status, err) : sprof_error_no_memory(err);
}

static bool check_identity(
	const struct object *object, const char *build_id, struct sprof_error *err)
{
	char found[SPROF_BUILD_ID_TEXT] = "";

	if (!build_id) {
		sprof_ui_note("%s has no build id in the profile: it may have changed since",
			object->module->path);
		return true;
	}
	if (sprof_build_id_text(object->image, found) && strcmp(found, build_id) == 0)
		return true;
	sprof_error_set(err, SPROF_ERROR_NOT_FOUND,
		"--asm: %s is not the file that was profiled: its build id is %s, not %s",
		object->module->path, found[0] ? found : "missing", build_id);
	return false;
}

static bool object_open(const struct sprof_profile *profile, const struct sprof_naming *naming,
	uint32_t module, struct object *object, struct sprof_error *err)
{
	const struct sprof_module *known = sprof_modules_get(profile->modules, module);
	const struct sprof_module_key key = {.kind = SPROF_MODULE_FILE, .path = known->path};
	const struct sprof_debug_places places = sprof_naming_places(naming);
	struct sprof_error ignored;
	bool is_new;

	if (known->path[0] != '/')
		return sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
			"--asm: %s is not a file: its instructions are not known", known->path);
	object->modules = sprof_modules_create();
	object->module =
		object->modules ? sprof_modules_intern(object->modules, &key, &is_new) : NULL;
	if (!object->module)
		return sprof_error_no_memory(err);
	object->module->fd = open(known->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	object->module->open_errno = object->module->fd < 0 ? errno : 0;
	if (object->module->fd < 0)
		return sprof_error_errno(err, errno, "--asm: can't read %s", known->path);
	if (!sprof_image_open(object->module, &object->image, err) ||
		!check_identity(object, profile->module_facts[module].build_id, err) ||
		!sprof_namer_create(naming, object->modules, true, &object->namer, err))
		return false;
	if (!sprof_listing_create(
		    object->module, &places, NULL, SPROF_LISTING_FILE, &object->listing, &ignored))
		object->listing = (struct sprof_listing){0};
	return true;
}

static void object_close(struct object *object)
{
	sprof_listing_finish(&object->listing);
	sprof_namer_finish(&object->namer);
	sprof_image_close(object->image);
	sprof_modules_destroy(object->modules);
}

/* Whether the function is in the chain; *ret_inlined: not as its outermost. */
static bool is_in_chain(const struct sprof_annotate *annotate, const struct sprof_locations *chain,
	bool *ret_inlined)
{
	const struct sprof_profile_function *function =
		&annotate->profile->functions[annotate->function];

	for (size_t i = 0; i < chain->count; i++) {
		if (strcmp(chain->items[i].linkage, function->linkage) != 0 &&
			strcmp(chain->items[i].function, function->name) != 0)
			continue;
		*ret_inlined = chain->items[i].inlined;
		return true;
	}
	return false;
}

static bool take_instruction(void *data, uint64_t address, const char *text)
{
	struct reading *reading = data;
	struct sprof_code *code = &reading->annotate->code;
	struct sprof_code_instruction instruction = {.address = address};
	struct sprof_locations chain;
	bool inlined = false;
	uint64_t offset;

	/* objdump finishes the instruction that the end is in. */
	if (address >= reading->end ||
		!sprof_image_offset(reading->object->image, address, &offset))
		return true;
	if (!sprof_symbols_resolve(reading->object->namer.symbols, reading->object->module->id,
		    offset, &chain, reading->err))
		return false;
	if (!is_in_chain(reading->annotate, &chain, &inlined) && !reading->everything)
		return true;
	instruction.line = chain.items[0].line;
	instruction.text = strdup(text);
	instruction.file = chain.items[0].file ? strdup(chain.items[0].file) : NULL;
	if (!instruction.text || (chain.items[0].file && !instruction.file) ||
		!SPROF_ARRAY_APPEND(code->instructions, code->count, code->capacity, instruction)) {
		free(instruction.text);
		free(instruction.file);
		return false;
	}
	reading->copy->count++;
	reading->copy->inlined |= inlined;
	return true;
}

static bool disassemble(struct reading *reading, uint64_t begin, struct sprof_error *err)
{
	const struct objdump_range range = {
		.fd = reading->object->module->fd, .begin = begin, .end = reading->end};

	reading->err = err;
	return objdump_run(&range, take_instruction, reading, err);
}

/* The bounds of the code around an address: its symbol, or the address alone. */
static const struct sprof_listed *find_symbol(
	const struct object *object, uint64_t address, uint64_t *ret_begin, uint64_t *ret_end)
{
	const struct sprof_listing *listing = &object->listing;
	const struct sprof_listed *symbol = sprof_listing_find(listing, address);
	const struct sprof_listed *next = symbol;

	*ret_begin = address;
	*ret_end = address + 1;
	if (!symbol)
		return NULL;
	*ret_begin = symbol->address;
	while (next < listing->items + listing->count && next->address == symbol->address)
		next++;
	if (symbol->size)
		*ret_end = symbol->address + symbol->size;
	else if (next < listing->items + listing->count)
		*ret_end = next->address;
	return symbol;
}

/* Adds the copy that contains the address; without debug information, the whole symbol. */
static bool add_copy(struct sprof_annotate *annotate, struct object *object, uint64_t address,
	struct sprof_error *err)
{
	struct sprof_code *code = &annotate->code;
	const struct sprof_listed *symbol;
	struct reading reading = {.annotate = annotate, .object = object};
	struct sprof_code_copy *copy;

	if (!sprof_array_reserve(&code->copies, &code->copy_capacity, code->copy_count + 1,
		    sizeof(*code->copies)))
		return sprof_error_no_memory(err);
	copy = &code->copies[code->copy_count++];
	*copy = (struct sprof_code_copy){.first = code->count};
	symbol = find_symbol(object, address, &copy->begin, &copy->end);
	copy->symbol = strdup(symbol ? symbol->name : "?");
	if (!copy->symbol)
		return sprof_error_no_memory(err);
	reading.copy = copy;
	reading.end = copy->end;
	if (!disassemble(&reading, copy->begin, err))
		return false;
	reading.everything = true;
	return copy->count || disassemble(&reading, copy->begin, err);
}

static int compare_points(const void *left, const void *right)
{
	const struct point *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

/* The address of a hidden callee's time is within the call. */
static struct sprof_code_instruction *find_instruction(
	const struct sprof_code *code, const struct sprof_code_copy *copy, uint64_t address)
{
	struct sprof_code_instruction *first = code->instructions + copy->first;
	const size_t next =
		sprof_upper_bound(first, copy->count, SPROF_KEY(first, address, address));

	return next && address - first[next - 1].address < MAX_LENGTH ? &first[next - 1] : NULL;
}

/* The points are sorted, so the copy of an address is the last one or a new one. */
static bool add_points(struct sprof_annotate *annotate, struct object *object,
	const struct point *points, size_t count, struct sprof_error *err)
{
	struct sprof_code *code = &annotate->code;

	for (size_t i = 0; i < count; i++) {
		const struct sprof_code_copy *last =
			code->copy_count ? &code->copies[code->copy_count - 1] : NULL;
		struct sprof_code_instruction *found;

		if ((!last || points[i].address >= last->end) &&
			!add_copy(annotate, object, points[i].address, err))
			return false;
		found = find_instruction(
			code, &code->copies[code->copy_count - 1], points[i].address);
		sprof_metrics_add(found ? &found->self : &code->unplaced, &points[i].self);
		if (found)
			sprof_metrics_add(&found->total, &points[i].total);
	}
	return true;
}

bool sprof_code_build(
	struct sprof_annotate *annotate, const struct sprof_naming *naming, struct sprof_error *err)
{
	const struct sprof_profile *profile = annotate->profile;
	const struct sprof_annotation *annotation = &annotate->annotation;
	uint32_t module = profile->functions[annotate->function].module;
	SPROF_AUTO_FREE struct point *points = calloc(annotation->place_count + 1, sizeof(*points));
	struct object object = {0};
	size_t count = 0;
	bool ok;

	if (!points)
		return sprof_error_no_memory(err);
	if (module >= profile->module_count)
		return sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
			"--asm: the profile has names only, no addresses");
	for (size_t i = 0; i < annotation->place_count; i++) {
		const struct sprof_annotated_place *place = &annotation->places[i];
		struct point point = {.self = place->self, .total = place->total};

		const struct sprof_profile_location *location =
			&profile->locations[place->location];

		/* In another build of the file, the address is another instruction. */
		if (location->frame.module == module &&
			sprof_profile_link_address(profile, location, &point.address))
			points[count++] = point;
		else
			sprof_metrics_add(&annotate->code.unplaced, &place->self);
	}
	qsort(points, count, sizeof(*points), compare_points);
	ok = object_open(profile, naming, module, &object, err) &&
		add_points(annotate, &object, points, count, err);
	object_close(&object);
	return ok;
}

void sprof_code_finish(struct sprof_code *code)
{
	for (size_t i = 0; i < code->copy_count; i++)
		free(code->copies[i].symbol);
	for (size_t i = 0; i < code->count; i++) {
		free(code->instructions[i].text);
		free(code->instructions[i].file);
	}
	free(code->copies);
	free(code->instructions);
	*code = (struct sprof_code){0};
}
