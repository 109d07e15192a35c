/*
 * A core file: notes, segments, mappings, reads of its memory. The maps text must be one that its
 * parser accepts whole, in order.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/maps-text.h"
#include "elfsym/core/core.h"
#include "tests/fuzz/fuzz.h"

static bool is_code(void *data, const struct sprof_core_file *file)
{
	return file->start % 2;
}

static void check_maps(const struct sprof_core *core)
{
	const struct sprof_core_code code = {.is_code = is_code};
	struct sprof_maps_line line;
	uint64_t end = 0;
	char *text = sprof_core_maps(core, &code);
	const char *cursor = text;

	fuzz_require(text != NULL);
	while (sprof_maps_parse_line(&cursor, &line)) {
		fuzz_require(line.start < line.end && line.start >= end);
		end = line.end;
	}
	fuzz_require(!*cursor);
	free(text);
}

static void check_memory(const struct sprof_core *core)
{
	uint8_t bytes[256];

	for (size_t i = 0; i < core->piece_count; i++) {
		const struct sprof_core_piece *piece = &core->pieces[i];

		fuzz_require(sprof_core_find(core, piece->start) == piece);
		fuzz_require(sprof_core_find(core, piece->end - 1) == piece);
		fuzz_require(
			sprof_core_read(core, piece->start, bytes, sizeof(bytes)) <= sizeof(bytes));
		(void)!sprof_core_read(core, piece->end - 8, bytes, sizeof(bytes));
	}
	for (size_t i = 0; i < core->thread_count; i++) {
		fuzz_require(core->threads[i].registers_size <= sizeof(bytes));
		memcpy(bytes, core->threads[i].registers, core->threads[i].registers_size);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sprof_core *core;
	struct sprof_error err;
	int fd = memfd_create("core", MFD_CLOEXEC);

	fuzz_require(fd >= 0);
	fuzz_require(write(fd, data, size) == (ssize_t)size);
	if (!sprof_core_open_fd(fd, "core", &core, &err))
		return 0;
	check_maps(core);
	check_memory(core);
	sprof_core_close(core);
	return 0;
}
