/*
 * An ELF file (or an in-memory image, for the vDSO) mapped read-only: its segments, and the
 * translation between file offsets, link-time addresses and bytes. Names and CFI are built on it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
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
	bool executable_file; /* ET_EXEC: linked at run-time addresses */
	bool is_separate;     /* not a module: a separate debug file */
	int own_fd;           /* -1: the module owns the file */
	char *own_path;       /* path of own_fd; NULL: the module has the path */
	void *own_bytes;      /* NULL: the module owns the memory, or it is a file */
	bool from_memory;     /* copied from a process: no sections, relocated in place */
	bool is_bare;         /* has the module's segments, without content */
	uint64_t memory_base; /* if from_memory: run-time address of the first byte */
};

struct sprof_section {
	const uint8_t *bytes;
	size_t size;
	uint64_t address; /* link-time; 0: not loaded */
	uint64_t entry_size;
};

/*
 * Opens the module's file, or its memory if the file is gone. Fails (kind UNSUPPORTED or IO) if it
 * can't be read or is not a native ELF file. The content is untrusted and checked.
 */
bool sprof_image_open(const struct sprof_module *module, struct sprof_image **ret,
	struct sprof_error *err) SPROF_MUST_USE;
/* The same for a separate debug file. */
bool sprof_image_open_path(
	const char *path, struct sprof_image **ret, struct sprof_error *err) SPROF_MUST_USE;
/* The same for an ELF file in malloc() memory. Takes ownership, even on failure. */
bool sprof_image_open_bytes(void *bytes, size_t size, const char *name, struct sprof_image **ret,
	struct sprof_error *err) SPROF_MUST_USE;
/*
 * Lets a separate debug file represent its module: replaces its segments by copies of the module's,
 * because the debug file's offsets may differ. The image then has no code. Returns false if out of
 * memory.
 */
bool sprof_image_place(struct sprof_image *image, const struct sprof_segment *segments,
	size_t count) SPROF_MUST_USE;
/* NULL is accepted. */
void sprof_image_close(struct sprof_image *image);

/* The link-time address of the entry point; 0: none. */
uint64_t sprof_image_entry(const struct sprof_image *image);

/* File offset -> link-time address, by the segment that loads it. Returns false if none does. */
bool sprof_image_address(const struct sprof_image *image, uint64_t offset, uint64_t *ret_address);
/* The same for the start of a code mapping. Mappings begin at a page boundary, and the bytes before
 * the code in that page may belong to another segment. */
bool sprof_image_code_address(
	const struct sprof_image *image, uint64_t offset, uint64_t *ret_address);
/* Link-time address -> file offset. Returns false if the file has no content there. */
bool sprof_image_offset(const struct sprof_image *image, uint64_t address, uint64_t *ret_offset);
/*
 * Whether running code can be at this link-time address, even if the file does not contain it;
 * never at 0.
 */
bool sprof_image_executable(const struct sprof_image *image, uint64_t address);
/* Whether the image has code or data at this link-time address at run time. */
bool sprof_image_loads(const struct sprof_image *image, uint64_t address);
/*
 * A pointer to `size` bytes at a link-time address; NULL if the file does not contain all of them.
 */
const uint8_t *sprof_image_at(const struct sprof_image *image, uint64_t address, size_t size);
/* The number of bytes in the file from this link-time address to the end of its segment. */
size_t sprof_image_room(const struct sprof_image *image, uint64_t address);
/*
 * The first section of that name that is completely in the file, not decompressed. Returns false if
 * there is none.
 */
bool sprof_image_section(
	const struct sprof_image *image, const char *name, struct sprof_section *ret);
/* The name and start of the section loaded at this link-time address. NULL: none. */
const char *sprof_image_section_name(
	const struct sprof_image *image, uint64_t address, uint64_t *ret_begin);
