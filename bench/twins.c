/*
 * Rows computed from the code of a file without unwind tables, against the tables of its twin: the
 * same code, built with them. The twin's code must lie at the same addresses.
 *
 *     twins rows FILE TWIN [--verbose]                each instruction
 *     twins stacks PID TID COPIES PERIOD_US FILE TWIN copies of a thread's stack, each walked with
 * both files
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/maps.h"
#include "base/clock.h"
#include "bench/copies.h"
#include "bench/walkers.h"
#include "elfsym/cfi.h"
#include "unwind/computed.h"
#include "elfsym/fdes.h"
#include "elfsym/frame-distance.h"

enum {
	LONGEST = 15
};

struct sides {
	struct sprof_image *file, *twin;
	struct sprof_computed *computed;
	struct sprof_cfi *cfi;
	struct sprof_fdes fdes;
	bool is_verbose;
	uint64_t functions, wrong_functions,
		others; /* others: code that the twin's tables don't have */
	uint64_t pcs, equal, unknown, different, fp_different;
};

/* The CFA, or the distance of the saved frame pointer from it where each row tells it by another
 * register. */
static bool is_same_cfa(const struct sprof_cfi_row *truth, const struct sprof_cfi_row *row)
{
	if (truth->ra == SPROF_REG_UNDEFINED || row->ra == SPROF_REG_UNDEFINED)
		return truth->ra == row->ra;
	if (truth->cfa == row->cfa)
		return truth->cfa_offset == row->cfa_offset && truth->cfa_add == row->cfa_add;
	return truth->cfa <= SPROF_CFA_FP && row->cfa <= SPROF_CFA_FP &&
	       row->fp == SPROF_REG_SAVED && truth->fp == SPROF_REG_SAVED &&
	       row->fp_offset == truth->fp_offset;
}

static bool is_same_fp(const struct sprof_cfi_row *truth, const struct sprof_cfi_row *row)
{
	if (truth->ra == SPROF_REG_UNDEFINED)
		return true;
	return truth->fp == row->fp &&
	       (truth->fp != SPROF_REG_SAVED || truth->fp_offset == row->fp_offset);
}

static void tell(const char *what, uint64_t address, const struct sprof_cfi_row *truth,
	const struct sprof_cfi_row *row)
{
	printf("%s %" PRIx64 ": table cfa %d%+d fp %d%+d ra %d, code cfa %d%+d fp %d%+d ra %d\n",
		what, address, truth->cfa, truth->cfa_offset, truth->fp, truth->fp_offset,
		truth->ra, row->cfa, row->cfa_offset, row->fp, row->fp_offset, row->ra);
}

static void compare_at(struct sides *sides, uint64_t address)
{
	struct sprof_cfi_row truth = sprof_cfi_find(sides->cfi, address), row;
	const char *what = NULL;

	if (truth.cfa == SPROF_CFA_NONE) {
		sides->others++;
		return;
	}
	row = sprof_computed_find(sides->computed, address);
	sides->pcs++;
	if (row.cfa == SPROF_CFA_NONE && row.ra != SPROF_REG_UNDEFINED) {
		sides->unknown++;
		what = "unknown";
	} else if (!is_same_cfa(&truth, &row)) {
		sides->different++;
		what = "different";
	} else if (!is_same_fp(&truth, &row)) {
		sides->fp_different++;
		what = "fp";
	} else {
		sides->equal++;
	}
	if (what && sides->is_verbose)
		tell(what, address, &truth, &row);
}

static bool is_padding(const uint8_t *code, size_t length)
{
	return code[0] == 0x90 || code[0] == 0xf4 ||
	       (length > 1 && code[0] == 0x0f && code[1] == 0x1f) ||
	       (length > 1 && code[0] == 0x66 &&
		       (code[1] == 0x90 || code[1] == 0x66 || code[1] == 0x2e || code[1] == 0x0f));
}

/* Behind a call it may run: it makes the head of a loop lie well. */
static bool may_run(const uint8_t *code, size_t length, bool *is_behind_call)
{
	if (is_padding(code, length))
		return *is_behind_call;
	*is_behind_call = code[0] == 0xe8;
	return true;
}

/* From one FDE, or what lies between two of them, to the next. */
static void compare_range(struct sides *sides, uint64_t start, uint64_t end)
{
	bool is_behind_call = false;

	while (start < end) {
		size_t room = end - start < LONGEST ? end - start : LONGEST, length;
		const uint8_t *code = sprof_image_at(sides->file, start, room);

		if (!code)
			return;
		length = sprof_instruction_size_x86_64(code, room);
		if (length && may_run(code, length, &is_behind_call))
			compare_at(sides, start);
		start += length ? length : 1;
	}
}

static bool compare_rows(const char *file, const char *twin, bool is_verbose)
{
	struct sides sides = {.is_verbose = is_verbose};
	struct sprof_section text;
	struct sprof_error err;
	uint64_t at;

	if (!sprof_image_open_path(file, &sides.file, &err) ||
		!sprof_image_open_path(twin, &sides.twin, &err) ||
		!sprof_fdes_load(&sides.fdes, sides.twin, &err) ||
		!sprof_image_section(sides.file, ".text", &text))
		return false;
	sides.computed = sprof_computed_create(sides.file);
	sides.cfi = sprof_cfi_create(sides.twin);
	at = text.address;
	for (size_t i = 0; i < sides.fdes.count; i++) {
		const struct sprof_fde *fde = &sides.fdes.items[i];

		if (fde->address < at || fde->address + fde->size > text.address + text.size)
			continue;
		compare_range(&sides, at, fde->address);
		compare_range(&sides, fde->address, fde->address + fde->size);
		at = fde->address + fde->size;
		sides.functions++;
	}
	compare_range(&sides, at, text.address + text.size);
	printf("{\"functions\": %" PRIu64 ", \"instructions\": %" PRIu64 ", \"equal\": %" PRIu64
	       ", \"unknown\": %" PRIu64 ", \"different\": %" PRIu64 ", \"fp_different\": %" PRIu64
	       ", \"without_tables\": %" PRIu64 "}\n",
		sides.functions, sides.pcs, sides.equal, sides.unknown, sides.different,
		sides.fp_different, sides.others);
	sprof_cfi_destroy(sides.cfi);
	sprof_computed_destroy(sides.computed);
	sprof_fdes_finish(&sides.fdes);
	sprof_image_close(sides.twin);
	sprof_image_close(sides.file);
	return true;
}

/* The same modules, but for one, whose code is now read from its twin. */
static bool put_twin(struct sprof_modules *modules, const char *file, const char *twin)
{
	for (size_t i = 0; i < sprof_modules_count(modules); i++) {
		struct sprof_module *module = sprof_modules_get(modules, (uint32_t)i);

		if (strcmp(module->path, file))
			continue;
		close(module->fd);
		module->fd = open(twin, O_RDONLY | O_CLOEXEC);
		sprof_file_stamp_take(&module->stamp, module->fd);
		return module->fd >= 0;
	}
	return false;
}

struct walks {
	struct walk_parts parts;
	struct sprof_maps maps;
	void *walker;
	struct walked *last;
};

static bool begin_walks(struct walks *walks, pid_t pid)
{
	walks->parts = (struct walk_parts){
		.pid = pid, .modules = sprof_modules_create(), .maps = &walks->maps};
	walks->last = calloc(1, sizeof(*walks->last));
	return walks->last && walks->parts.modules &&
	       sprof_maps_read(&walks->maps, pid, walks->parts.modules);
}

static void walk(struct walks *walks, const struct sprof_snapshot *snapshot)
{
	if (!walks->walker)
		walks->walker = walker_sprof.create(&walks->parts);
	walker_sprof.walk(walks->walker, snapshot);
	walker_sprof.read(walks->walker, walks->last);
}

static void finish_walks(struct walks *walks)
{
	if (walks->walker)
		walker_sprof.destroy(walks->walker);
	sprof_maps_finish(&walks->maps);
	sprof_modules_destroy(walks->parts.modules);
	free(walks->last);
}

static bool is_same_stack(const struct walked *one, const struct walked *other)
{
	if (one->count != other->count)
		return false;
	for (size_t i = 0; i < one->count; i++) {
		if (one->frames[i].offset != other->frames[i].offset)
			return false;
	}
	return true;
}

static void tell_stack(const char *what, const struct walked *walked)
{
	printf("%s (%s):", what, walked->complete ? "complete" : "cut");
	for (size_t i = 0; i < walked->count; i++)
		printf(" %" PRIu32 "+%" PRIx64, walked->frames[i].module, walked->frames[i].offset);
	printf("\n");
}

/* As a peek sees a thread that sleeps: pc and sp are all there is. */
static struct sprof_snapshot peeked(struct sprof_snapshot snapshot)
{
	snapshot.regs.known = (uint64_t)1 << SPROF_REG_PC | (uint64_t)1 << SPROF_REG_SP;
	return snapshot;
}

struct tally {
	uint64_t complete, equal, twin_complete;
};

static void compare_stack(struct tally *tally, struct walks *file, const struct walks *twin)
{
	bool is_same = is_same_stack(file->last, twin->last);

	tally->complete += file->last->complete;
	tally->twin_complete += twin->last->complete;
	tally->equal += is_same;
	if (!is_same) {
		tell_stack("tables", twin->last);
		tell_stack("code  ", file->last);
	}
}

static bool compare_stacks(char *argv[])
{
	pid_t pid = (pid_t)strtol(argv[2], NULL, 10), tid = (pid_t)strtol(argv[3], NULL, 10);
	struct walks file = {.walker = NULL}, twin = {.walker = NULL};
	struct tally stops = {0}, peeks = {0};
	struct copies copies;
	size_t sleeping = 0;

	if (!begin_walks(&file, pid) || !begin_walks(&twin, pid) ||
		!put_twin(twin.parts.modules, argv[6], argv[7]))
		return false;
	if (!copies_take(&copies, tid, &file.maps, strtoul(argv[4], NULL, 10),
		    strtoul(argv[5], NULL, 10) * SPROF_NS_PER_US))
		return false;
	for (size_t i = 0; i < copies.count; i++) {
		struct sprof_snapshot snapshot = copies_load(&copies, i), peek = peeked(snapshot);

		walk(&twin, &snapshot);
		walk(&file, &snapshot);
		compare_stack(&stops, &file, &twin);
		if (snapshot.regs.system_call < 0)
			continue;
		sleeping++;
		walk(&file, &peek);
		compare_stack(&peeks, &file, &twin);
	}
	printf("{\"stacks\": %zu, \"complete\": %" PRIu64 ", \"twin_complete\": %" PRIu64
	       ", \"equal\": %" PRIu64 ", \"peeks\": %zu, \"peeks_complete\": %" PRIu64
	       ", \"peeks_equal\": %" PRIu64 "}\n",
		copies.count, stops.complete, stops.twin_complete, stops.equal, sleeping,
		peeks.complete, peeks.equal);
	copies_finish(&copies);
	finish_walks(&twin);
	finish_walks(&file);
	return true;
}

int main(int argc, char *argv[])
{
	if (argc >= 4 && !strcmp(argv[1], "rows"))
		return !compare_rows(argv[2], argv[3], argc > 4);
	if (argc == 8 && !strcmp(argv[1], "stacks"))
		return !compare_stacks(argv);
	return 64;
}
