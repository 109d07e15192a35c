/*
 * Copies of a thread's stack, each walked by the code of a file without unwind tables and by the tables of its twin:
 *     twins PID TID COPIES PERIOD_US FILE TWIN
 * The twin is the same code, built with tables, at the same addresses. Each instruction is compared by code-rows.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/module/read-maps.h"
#include "base/clock.h"
#include "bench/copies.h"
#include "bench/walkers.h"

/* The module of the file is read from the twin from now on. The other modules stay. */
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
	pid_t pid = (pid_t)strtol(argv[1], NULL, 10), tid = (pid_t)strtol(argv[2], NULL, 10);
	struct walks file = {.walker = NULL}, twin = {.walker = NULL};
	struct tally stops = {0}, peeks = {0};
	struct copies copies;
	size_t sleeping = 0;

	if (!begin_walks(&file, pid) || !begin_walks(&twin, pid) ||
		!put_twin(twin.parts.modules, argv[5], argv[6]))
		return false;
	if (!copies_take(&copies, tid, &file.maps, strtoul(argv[3], NULL, 10),
		    strtoul(argv[4], NULL, 10) * SPROF_NS_PER_US))
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
	return argc == 7 ? !compare_stacks(argv) : 64;
}
