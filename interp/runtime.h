/*
 * Private to interp/: a language runtime is one row of the table in interp.c, and files of its own. The
 * rest of the folder goes by this row.
 */
#ifndef SPROF_INTERP_RUNTIME_H
#define SPROF_INTERP_RUNTIME_H

#include "base/proc.h"
#include "elfsym/greenlet-file.h"
#include "elfsym/image.h"
#include "elfsym/python-file.h"
#include "interp/interp.h"

enum {
	SPROF_INTERP_STATES = 4,                       /* of one thread */
	SPROF_INTERP_MOST_STATE = 1024,                /* bytes of one that are read at most */
	SPROF_INTERP_HIDDEN = SPROF_MAPPING_NO_MODULE, /* module of a frame that is not shown */
	SPROF_INTERP_PLACES = 256,                     /* that are remembered */
	SPROF_INTERP_DEEPEST = 32768                   /* frames of a thread that are read */
};

/* A frame as it was copied. */
struct sprof_interp_frame {
	uint64_t address;     /* its own */
	uint64_t code;        /* address of the code object */
	uint64_t instruction; /* its address; to 3.10 its number in the bytecode */
	uint32_t copy;        /* of the bytecode, without a GIL; 0: the code object's own */
	/* C called the evaluation loop with this frame: the next one belongs to another loop */
	bool is_entry;
	/* no frame of a function, but of such a call (CPython since 3.12) */
	bool is_shim;
};

/* Frames that lie close together. */
struct sprof_interp_block {
	uint64_t address;
	uint32_t size;
};

struct sprof_interp_thread {
	/* Addresses of its states, the newest interpreter's first: one for each interpreter that it
	 * has run in. */
	uint64_t states[SPROF_INTERP_STATES];
	size_t state_count;        /* 0: not known */
	bool has_main;             /* the last one is that of the main interpreter */
	uint64_t key;              /* what each state has as the thread's id */
	bool is_doubtful;          /* there may be others by now */
	uint64_t serial;           /* of the process's runtime that it was found in */
	unsigned vain;             /* how often it was not found, since it was last wanted */
	unsigned skipped;          /* samples since, in which it was not looked for */
	size_t depth;              /* frames of its last copy */
	char name[SPROF_COMM_MAX]; /* "": none is known */
	bool has_new_name;
	unsigned merged;                   /* stacks so far */
	struct sprof_interp_block *blocks; /* of its last frames */
	size_t block_count, block_capacity;
	unsigned kept; /* copies since, which were found in them */
};

enum sprof_interp_outcome {
	SPROF_INTERP_NOT_READ,
	SPROF_INTERP_READ,
	SPROF_INTERP_NO_STATE, /* the thread has no state, or it was not found */
	SPROF_INTERP_TORN,     /* a frame could not be read, or there is no end of them */
};

struct sprof_interp_copy {
	enum sprof_interp_outcome outcome;
	struct sprof_interp_frame *frames; /* innermost first */
	size_t frame_count, frame_capacity;
	uint8_t *bytes; /* of blocks */
	size_t size, capacity;
	/* what one system call reads: the caller's own, the thread's states, its blocks; then missed ones */
	struct sprof_memory_piece pieces[SPROF_MEMORY_MOST_PIECES];
	size_t piece_count;
	/* whose pieces they are; NULL: they have been used */
	const struct sprof_interp_thread *asked;
	uint8_t states[SPROF_INTERP_STATES][SPROF_INTERP_MOST_STATE];
	unsigned misses; /* system calls for frames elsewhere */
};

/* A place in the interpreter's code that a native frame had. */
struct sprof_interp_place {
	uint64_t next; /* its offset + 1; 0: none */
	enum sprof_python_part part;
};

/* Each runtime has more of its own behind this. */
struct sprof_interp_process {
	const struct sprof_interp_runtime *runtime;
	uint64_t serial; /* no two runtimes of processes have the same */
	uint32_t module;
	bool is_known;     /* it can be read: of this version, it is known where things are */
	bool is_stripped;  /* only exported functions have symbols */
	bool had_several;  /* see has_several(): once it was so */
	uint32_t greenlet; /* the module of that name; SPROF_MAPPING_NO_MODULE: none so far */
	struct sprof_greenlet_file greenlet_file;
	struct sprof_interp_place places[SPROF_INTERP_PLACES];
	uint8_t *parts; /* which part of it each native frame of the last stack is in */
	size_t part_capacity;
	/* result of the last merge */
	struct sprof_frame *frames;
	size_t frame_capacity;
	struct sprof_frame_registers *registers;
	size_t register_capacity;
	struct sprof_stack_state state;
};

/* Where a process has a file with a runtime. */
struct sprof_interp_site {
	const void *file; /* what the runtime's read_file() has returned */
	const struct sprof_image *image;
	const struct sprof_module *module;
	const struct sprof_mapping *mapping;
	const struct sprof_maps *maps;
	const struct sprof_modules *modules;
};

struct sprof_interp_runtime {
	/* Whether a file of this name may contain it. The program itself may, whatever its name. */
	bool (*is_called)(const char *name);
	/* What a file tells of it, for destroy_file(). NULL: it is not in the file (or no memory). */
	void *(*read_file)(const struct sprof_image *image);
	void (*destroy_file)(void *file);
	/* In a process, for destroy(), with all that is its own. NULL: it is not there after all, or no memory. */
	struct sprof_interp_process *(*create)(const struct sprof_interp_site *site);
	void (*destroy)(struct sprof_interp_process *process);
	/*
	 * The mappings have been read again: completes what is known of the process. False: the runtime
	 * is not the one that it was.
	 */
	bool (*update)(struct sprof_interp_process *process, const struct sprof_interp_site *site,
		const struct sprof_interp_memory *memory);
	/* The states of a thread, perhaps none. Bounded, whatever is in memory. */
	void (*find_thread)(const struct sprof_interp_process *process,
		const struct sprof_interp_memory *memory,
		const struct sprof_interp_subject *subject, struct sprof_interp_thread *thread);
	/*
	 * Whether there are several interpreters in it now, or that can't be read: then a loop may have its
	 * frames in a state that is not known to be the thread's.
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
	/* Notes where the frames of a copy were. False: no memory. */
	bool (*learn)(const struct sprof_interp_process *process,
		struct sprof_interp_thread *thread, const struct sprof_interp_copy *copy);
	/*
	 * What the profile stores for each copied frame, with its function and line. Shims get nothing.
	 * False: no memory.
	 */
	bool (*name_frames)(const struct sprof_interp_process *process,
		const struct sprof_interp_memory *memory, struct sprof_modules *modules,
		const struct sprof_interp_copy *copy, const struct sprof_frame **ret);
	/* Which of the interpreter's code is at an offset of its file. */
	enum sprof_python_part (*part)(const struct sprof_interp_process *process, uint64_t offset);
	/*
	 * The name that the program gave to the thread of these frames, which name_frames() has named.
	 * False: it has none, or it is not found.
	 */
	bool (*thread_name)(const struct sprof_interp_process *process,
		const struct sprof_interp_memory *memory, const struct sprof_modules *modules,
		const struct sprof_interp_copy *copy, const struct sprof_frame *names,
		char name[SPROF_COMM_MAX]);
};

/* python.c */
extern const struct sprof_interp_runtime sprof_python_runtime;

#endif
