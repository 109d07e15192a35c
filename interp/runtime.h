/*
 * Private to interp/: a language runtime is one row of the table in interp.c, and separate files.
 * The other files only use this row.
 */
#pragma once

#include "base/proc.h"
#include "elfsym/elf/image.h"
#include "elfsym/python/greenlet.h"
#include "elfsym/python/runtime.h"
#include "interp/interp.h"

enum {
	SPROF_INTERP_STATES = 4,                       /* per thread */
	SPROF_INTERP_MOST_STATE = 1024,                /* maximum bytes read of one */
	SPROF_INTERP_HIDDEN = SPROF_MAPPING_NO_MODULE, /* module of a hidden frame */
	SPROF_INTERP_PLACES = 256,                     /* cached places */
	SPROF_INTERP_DEEPEST = 32768                   /* maximum frames read per thread */
};

struct sprof_interp_frame {
	uint64_t address;     /* of the frame */
	uint64_t code;        /* address of the code object */
	uint64_t instruction; /* address of the instruction; up to 3.10 its index in the bytecode */
	/* number of the bytecode's copy, without a GIL; 0: the code object's own */
	uint32_t copy;
	/* C called the evaluation loop with this frame: the next frame belongs to another loop */
	bool is_entry;
	/* not a function's frame, but one for such a call (CPython since 3.12) */
	bool is_shim;
};

/* A range of memory with frames. */
struct sprof_interp_block {
	uint64_t address;
	uint32_t size;
};

struct sprof_interp_thread {
	/* Addresses of its states, one for each interpreter that it has run in, newest interpreter
	 * first. */
	uint64_t states[SPROF_INTERP_STATES];
	size_t state_count;        /* 0: unknown */
	bool has_main;             /* the last one belongs to the main interpreter */
	uint64_t key;              /* the thread's id in its states */
	bool is_doubtful;          /* there may be others by now */
	uint64_t serial;           /* of the process's runtime in which it was found */
	unsigned vain;             /* failed searches since it was last needed */
	unsigned skipped;          /* samples since then without a search */
	size_t depth;              /* frames of its last copy */
	char name[SPROF_COMM_MAX]; /* "": unknown */
	bool has_new_name;
	unsigned merged;                   /* stacks so far */
	struct sprof_interp_block *blocks; /* of its last frames */
	size_t block_count, block_capacity;
	unsigned kept; /* copies since then with all frames in them */
};

enum sprof_interp_outcome {
	SPROF_INTERP_NOT_READ,
	SPROF_INTERP_READ,
	SPROF_INTERP_NO_STATE, /* the thread has no state, or it was not found */
	SPROF_INTERP_TORN,     /* a frame could not be read, or there are too many */
};

struct sprof_interp_copy {
	enum sprof_interp_outcome outcome;
	struct sprof_interp_frame *frames; /* innermost first */
	size_t frame_count, frame_capacity;
	uint8_t *bytes; /* content of the blocks */
	size_t size, capacity;
	/*
	 * memory read by one system call: the caller's piece, the thread's states, its blocks; then
	 * missed frames
	 */
	struct sprof_memory_piece pieces[SPROF_MEMORY_MOST_PIECES];
	size_t piece_count;
	/* the thread of the pieces; NULL: they were used */
	const struct sprof_interp_thread *asked;
	uint8_t states[SPROF_INTERP_STATES][SPROF_INTERP_MOST_STATE];
	unsigned misses; /* system calls for frames elsewhere */
};

/* A place in the interpreter's code where a native frame was. */
struct sprof_interp_place {
	uint64_t next; /* offset + 1; 0: none */
	enum sprof_python_part part;
};

/* Runtimes append their own fields. */
struct sprof_interp_process {
	const struct sprof_interp_runtime *runtime;
	uint64_t serial; /* unique among all runtimes of processes */
	uint32_t module;
	bool is_known;     /* supported: the offsets of this version are known */
	bool is_stripped;  /* only exported functions have symbols */
	bool had_several;  /* result of has_several(), once true */
	uint32_t greenlet; /* the module "greenlet"; SPROF_MAPPING_NO_MODULE: not loaded so far */
	struct sprof_greenlet_file greenlet_file;
	struct sprof_interp_place places[SPROF_INTERP_PLACES];
	uint8_t *parts; /* part of the interpreter for each native frame of the last stack */
	size_t part_capacity;
	/* result of the last merge */
	struct sprof_frame *frames;
	size_t frame_capacity;
	struct sprof_frame_registers *registers;
	size_t register_capacity;
	struct sprof_stack_state state;
};

/* A file with a runtime, mapped in a process. */
struct sprof_interp_site {
	const void *file; /* from read_file() */
	const struct sprof_image *image;
	const struct sprof_module *module;
	const struct sprof_mapping *mapping;
	const struct sprof_maps *maps;
	const struct sprof_modules *modules;
};

struct sprof_interp_runtime {
	/*
	 * Whether a file of this name may contain the runtime. The program itself may, regardless
	 * of its name.
	 */
	bool (*is_called)(const char *name);
	/*
	 * Reads a file's facts, to be freed with destroy_file(). Returns NULL if it does not
	 * contain the runtime, or out of memory.
	 */
	void *(*read_file)(const struct sprof_image *image);
	void (*destroy_file)(void *file);
	/*
	 * Creates the state for a process, to be freed with destroy(). Returns NULL if the runtime
	 * is not there after all, or out of memory.
	 */
	struct sprof_interp_process *(*create)(const struct sprof_interp_site *site);
	void (*destroy)(struct sprof_interp_process *process);
	/*
	 * Updates the state after the mappings were read again. Returns false if the runtime is
	 * another one now.
	 */
	bool (*update)(struct sprof_interp_process *process, const struct sprof_interp_site *site,
		const struct sprof_interp_memory *memory);
	/* Finds the states of a thread, possibly none. Limited, whatever is in memory. */
	void (*find_thread)(const struct sprof_interp_process *process,
		const struct sprof_interp_memory *memory,
		const struct sprof_interp_subject *subject, struct sprof_interp_thread *thread);
	/*
	 * Whether there are several interpreters, or that can't be read: then a loop's frames may
	 * be in a state not known to be the thread's.
	 */
	bool (*has_several)(const struct sprof_interp_process *process,
		const struct sprof_interp_memory *memory);
	/* See sprof_interp_pieces() and sprof_interp_copy(). */
	struct sprof_memory_piece *(*pieces)(const struct sprof_interp_process *process,
		const struct sprof_interp_thread *thread, struct sprof_interp_copy *copy,
		size_t *ret_count);
	void (*copy)(const struct sprof_interp_process *process,
		const struct sprof_interp_memory *memory, const struct sprof_interp_stack *stack,
		const struct sprof_interp_thread *thread, struct sprof_interp_copy *copy);
	/* Remembers where the frames of a copy were. Returns false if out of memory. */
	bool (*learn)(const struct sprof_interp_process *process,
		struct sprof_interp_thread *thread, const struct sprof_interp_copy *copy);
	/*
	 * The profile's frame for each copied frame, with function and line. Skips shims. Returns
	 * false if out of memory.
	 */
	bool (*name_frames)(const struct sprof_interp_process *process,
		const struct sprof_interp_memory *memory, struct sprof_modules *modules,
		const struct sprof_interp_copy *copy, const struct sprof_frame **ret);
	/* The part of the interpreter at an offset of its file. */
	enum sprof_python_part (*part)(const struct sprof_interp_process *process, uint64_t offset);
	/*
	 * The name that the program gave the thread of these frames, which name_frames() has named.
	 * Returns false if there is none, or it is not found.
	 */
	bool (*thread_name)(const struct sprof_interp_process *process,
		const struct sprof_interp_memory *memory, const struct sprof_modules *modules,
		const struct sprof_interp_copy *copy, const struct sprof_frame *names,
		char name[SPROF_COMM_MAX]);
	/* See sprof_interp_holds(). */
	bool (*holds)(const struct sprof_interp_process *process,
		const struct sprof_interp_memory *memory, const struct sprof_interp_copy *copy,
		uint64_t semaphore);
};

/* interp/python/python.c */
extern const struct sprof_interp_runtime sprof_python_runtime;
