/*
 * An ELF file (or an image in memory, for the vDSO) mapped read-only: its segments, and the
 * translation between file offsets, link-time addresses and bytes. The common ground of names and
 * CFI.
 */
#ifndef SPROF_ELFSYM_IMAGE_H
#define SPROF_ELFSYM_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/module.h"

/* One PT_LOAD. Addresses are link-time addresses. */
struct sprof_segment {
	uint64_t address, offset, file_size, memory_size;
	bool executable;
};

struct sprof_image {
	void *elf; /* libelf's Elf *, for the other files of elfsym/ */
	const uint8_t *bytes;
	size_t size;
	struct sprof_segment *segments;
	size_t segment_count;
	uint64_t eh_frame_hdr_address; /* link-time; 0: none */
	uint64_t eh_frame_hdr_size;
	bool executable_file; /* ET_EXEC: linked at its run-time addresses */
	int own_fd;           /* -1: the file is the module's */
};

/*
 * Opens the module's file or memory image. Fails (kind UNSUPPORTED or IO) when it can't be read or
 * is no ELF file of this machine; the file's content is checked, never trusted.
 */
bool sprof_image_open(
	const struct sprof_module *module, struct sprof_image **ret, struct sprof_error *err);
/* The same for a file that is no module: a separate debug file. */
bool sprof_image_open_path(const char *path, struct sprof_image **ret, struct sprof_error *err);
/* NULL is accepted. */
void sprof_image_close(struct sprof_image *image);

/* File offset -> link-time address, by the segment that loads it. False: no segment does. */
bool sprof_image_address(const struct sprof_image *image, uint64_t offset, uint64_t *ret_address);
/* Link-time address -> file offset. False: no file content there. */
bool sprof_image_offset(const struct sprof_image *image, uint64_t address, uint64_t *ret_offset);
/* True when code that runs can be at this link-time address, whether or not the file holds it. */
bool sprof_image_executable(const struct sprof_image *image, uint64_t address);
/* `size` bytes at a link-time address; NULL when the file does not hold all of them. */
const uint8_t *sprof_image_at(const struct sprof_image *image, uint64_t address, size_t size);

#endif
