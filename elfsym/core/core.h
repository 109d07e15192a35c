/* A core file (core(5)): threads with registers, memory, and file mappings of a process. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/error.h"

enum { SPROF_CORE_NAME = 17, SPROF_CORE_COMMAND_LINE = 81 };

/* A mapping. The core contains `size` bytes of it, possibly none. */
struct sprof_core_piece {
	uint64_t start, end; /* addresses: [start, end) */
	const uint8_t *bytes;
	size_t size;
	bool readable, writable, executable;
};

/* A mapping of a file. */
struct sprof_core_file {
	uint64_t start, end, offset; /* `offset` in the file, in bytes */
	const char *path;            /* ends with " (deleted)" for a deleted file */
};

struct sprof_core_thread {
	pid_t tid;
	const void *registers; /* the kernel's struct user_regs_struct, unaligned */
	size_t registers_size;
	int64_t system_call; /* from a separate note; -1: there is none */
};

/* All pointers are valid as long as the core. */
struct sprof_core {
	struct sprof_core_piece *pieces; /* sorted by start */
	size_t piece_count, piece_capacity;
	struct sprof_core_file *files; /* sorted by start */
	size_t file_count, file_capacity;
	struct sprof_core_thread *threads; /* the first one received the signal, if there was one */
	size_t thread_count, thread_capacity;
	pid_t pid;
	char name[SPROF_CORE_NAME];                 /* the program's, truncated; empty: unknown */
	char command_line[SPROF_CORE_COMMAND_LINE]; /* truncated, without quotes */
	int signal;     /* ended the process; 0: none, the core is a copy of a live process */
	uint64_t entry; /* an address in the program's file; 0: not known */
	uint64_t vdso;  /* its start; 0: none */
	bool is_cut;    /* the file is shorter than its headers say */
	int fd;         /* of the file, or of a copy */
	void *elf;      /* libelf's Elf * */
};

/*
 * In open.c: opens a core of this machine. The content is checked, never trusted. Fails (IO,
 * NOT_FOUND, PERMISSION, UNSUPPORTED) with a message that names the file, and for a compressed one
 * the command.
 */
bool sprof_core_open(
	const char *path, struct sprof_core **ret, struct sprof_error *err) SPROF_MUST_USE;
/*
 * The same for a pipe, read to its end into $TMPDIR or /var/tmp, which needs room for the core; or
 * for a file.
 */
bool sprof_core_open_stream(
	int fd, const char *name, struct sprof_core **ret, struct sprof_error *err) SPROF_MUST_USE;
/* The same for an open file. Takes ownership of the descriptor, even on failure. */
bool sprof_core_open_fd(
	int fd, const char *path, struct sprof_core **ret, struct sprof_error *err) SPROF_MUST_USE;
/* NULL is accepted. */
void sprof_core_close(struct sprof_core *core);

/* The mapping at an address; NULL: none known. */
const struct sprof_core_piece *sprof_core_find(const struct sprof_core *core, uint64_t address);
/* Copies memory. Returns the number of bytes available from the address on, at most `size`. */
size_t sprof_core_read(const struct sprof_core *core, uint64_t address, void *buffer, size_t size);

/*
 * The mappings in the format of /proc/PID/maps; each file gets an artificial inode number. A
 * mapping known only from the list of files is executable if the callback says so. The caller frees
 * the text. Returns NULL if out of memory.
 */
struct sprof_core_code {
	void *data;
	bool (*is_code)(void *data, const struct sprof_core_file *file);
};
char *sprof_core_maps(
	const struct sprof_core *core, const struct sprof_core_code *code) SPROF_MUST_USE;
