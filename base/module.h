/*
 * Modules: what executable memory is mapped from. A file, the vDSO, or anonymous memory (JIT code).
 *
 * A module keeps its file open (or, for the vDSO, its bytes) from the moment it is first seen, so that
 * a file that is deleted, replaced or unmapped later can still be read for unwinding and for names.
 */
#ifndef SPROF_BASE_MODULE_H
#define SPROF_BASE_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/file-stamp.h"

enum sprof_module_kind {
	SPROF_MODULE_FILE,
	SPROF_MODULE_MEMORY,    /* an ELF image that exists in memory only: the vDSO */
	SPROF_MODULE_ANONYMOUS, /* no ELF image at all; offsets are absolute addresses */
};

/* The path of the module that stands for the kernel: anonymous, its offsets are addresses. */
#define SPROF_MODULE_KERNEL "[kernel]"

struct sprof_module {
	uint32_t id; /* its index in the table */
	enum sprof_module_kind kind;
	const char *path; /* as the kernel names it in maps, without " (deleted)"; "[vdso]", "[anon]" */
	bool deleted;     /* the file has been seen unlinked or replaced */
	uint64_t device, inode;
	/* The file, opened for reading; -1: could not be opened, see open_errno. Of anonymous memory:
	 * the perf map of its process; -1: there was none. */
	int fd;
	int open_errno;
	struct sprof_file_stamp stamp; /* of a file, when it was opened */
	pid_t opener; /* the process through which opening was tried last; 0: it was not */
	int root_fd; /* the root folder of the process, where that is not ours; -1: it is, or is gone */
	/* SPROF_MODULE_MEMORY: the bytes. Of a file that can't be opened: what was mapped of it, at
	 * its place in the file; NULL: not known either. Owned by the table. */
	void *image;
	size_t image_size;
	uint64_t image_base; /* of the latter: where the process had the file's first byte */
};

/*
 * Which module a piece of memory belongs to; all of it together is the identity. But a file that is
 * deleted when its module has it open is the same still: its inode can't have become another's.
 */
struct sprof_module_key {
	enum sprof_module_kind kind;
	const char *path;
	uint64_t device, inode; /* of anonymous memory: 0 and the process id */
	bool deleted;
};

struct sprof_modules; /* grows only; modules never move and live as long as the table */

/* NULL: no memory. */
struct sprof_modules *sprof_modules_create(void);
/* NULL is accepted. Closes the files. */
void sprof_modules_destroy(struct sprof_modules *modules);

/* The module with this identity, made if it is new: then *ret_new is true and the caller opens it. NULL: no memory. */
struct sprof_module *sprof_modules_intern(
	struct sprof_modules *modules, const struct sprof_module_key *key, bool *ret_new);

/*
 * Another module with the identity of this one, which is found in its place from now on: the same
 * inode with something else in it. The caller opens it. NULL: no memory.
 */
struct sprof_module *sprof_modules_succeed(
	struct sprof_modules *modules, const struct sprof_module *module);

size_t sprof_modules_count(const struct sprof_modules *modules);
/* id is below the count. */
struct sprof_module *sprof_modules_get(const struct sprof_modules *modules, uint32_t id);

/* Whether something else has been written into the module's file since it was opened. */
bool sprof_module_is_overwritten(const struct sprof_module *module);

/* The last component of the module's path: what reports call it. */
const char *sprof_module_name(const struct sprof_module *module);

#endif
