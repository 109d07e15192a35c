/*
 * Modules: the sources of mapped executable memory: a file, the vDSO, or anonymous memory (JIT
 * code).
 *
 * A module keeps its file open (or, for the vDSO, its bytes) from when it is first seen. So a file
 * that is later deleted, replaced or unmapped can still be read for unwinding and for names.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/file-stamp.h"
#include "base/script.h"

enum sprof_module_kind {
	SPROF_MODULE_FILE,
	SPROF_MODULE_MEMORY,    /* an ELF image that exists in memory only: the vDSO */
	SPROF_MODULE_ANONYMOUS, /* no ELF image; offsets are absolute addresses */
	/* source code run by an interpreter, not mapped; see base/script.h */
	SPROF_MODULE_SCRIPT,
};

/* The path of the module for kernel code: anonymous, offsets are addresses. */
#define SPROF_MODULE_KERNEL "[kernel]"
/* Code that the kernel shows in every process. */
#define SPROF_MODULE_VSYSCALL "[vsyscall]"
/* Instructions that the kernel executes outside a program that uprobes are in. */
#define SPROF_MODULE_UPROBES "[uprobes]"
/* Code of a program without a file of code: a packed one. With a file: "[jit of FILE]". */
#define SPROF_MODULE_JIT "[jit]"

struct sprof_module {
	uint32_t id; /* index in the table */
	enum sprof_module_kind kind;
	/* as in maps, without " (deleted)"; "[vdso]", "[jit of node]" */
	const char *path;
	bool deleted; /* the file was unlinked or replaced */
	uint64_t device, inode;
	/* The file, opened for reading; -1: see open_errno. For anonymous memory, its process's
	 * perf map; -1: none. */
	int fd;
	int open_errno;
	/* where the first process mapped the file's first byte; 0: unknown */
	uint64_t mapped_at;
	struct sprof_file_stamp stamp; /* of a file, taken at its opening */
	pid_t opener; /* the last process through which opening was tried; 0: not tried */
	/* the process's root folder if it is not sprof's; -1: it is, or is gone */
	int root_fd;
	/* SPROF_MODULE_MEMORY: the bytes. For a file that can't be opened: its mapped parts, at
	 * their file offsets; NULL: also unknown. Owned by the table. */
	void *image;
	size_t image_size;
	uint64_t image_base;         /* of those parts: run-time address of the file's first byte */
	struct sprof_script *script; /* SPROF_MODULE_SCRIPT: its functions. Owned by the table. */
};

/*
 * Identifies a module by all fields together. Exception: a file deleted while its module has it
 * open is still the same file, because its inode can't have been reused.
 */
struct sprof_module_key {
	enum sprof_module_kind kind;
	const char *path;
	uint64_t device, inode; /* for anonymous memory: 0 and the process id */
	bool deleted;
};

/*
 * The table only grows; modules never move and live as long as the table. One thread adds; others
 * may read at the same time.
 */
struct sprof_modules;

/* Returns NULL if out of memory. */
SPROF_MUST_USE struct sprof_modules *sprof_modules_create(void);
/* NULL is accepted. Closes the files. */
void sprof_modules_destroy(struct sprof_modules *modules);

/* Finds or adds the module with this key. For a new one, sets *ret_new; the caller opens it.
 * Returns NULL if out of memory. */
SPROF_MUST_USE struct sprof_module *sprof_modules_intern(
	struct sprof_modules *modules, const struct sprof_module_key *key, bool *ret_new);

/*
 * Returns the module or, if its file was overwritten, a new module for the inode's present content,
 * which later lookups find; the caller opens it. Returns NULL if out of memory.
 */
SPROF_MUST_USE struct sprof_module *sprof_modules_renew(struct sprof_modules *modules, uint32_t id);

/* A new number, from 1, for a state of any process's mappings of these modules. */
uint64_t sprof_modules_next_generation(struct sprof_modules *modules);

/* NULL has none. */
size_t sprof_modules_count(const struct sprof_modules *modules);
/* id must be below the count. */
struct sprof_module *sprof_modules_get(const struct sprof_modules *modules, uint32_t id);

/* Whether the module's file was overwritten since it was opened. */
bool sprof_module_is_overwritten(const struct sprof_module *module);

/* The last component of the module's path, as shown in reports. */
const char *sprof_module_name(const struct sprof_module *module);

/*
 * Whether the module is memory of one process, in which programs make code (attach/proc/jit.h). Its
 * addresses mean nothing elsewhere, so without symbols all of it is one function, called after the
 * module.
 */
bool sprof_module_is_generated(const struct sprof_module *module);

/* Whether a file is named like a shared library: "libc.so.6", not "also". */
bool sprof_module_is_library(const char *path);

/*
 * The program: the first file, or, if a program was started by the dynamic linker's name
 * ("ld-linux-x86-64.so.2 ./program"), the first one that is not named like a library. The number of
 * modules if there is no file.
 */
uint32_t sprof_modules_program(const struct sprof_modules *modules);
