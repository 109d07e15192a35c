/*
 * Private to interp/: CPython in a process.
 */
#ifndef SPROF_INTERP_PYTHON_H
#define SPROF_INTERP_PYTHON_H

#include "base/idmap.h"
#include "base/proc.h"
#include "elfsym/greenlet-file.h"
#include "elfsym/python-file.h"
#include "interp/interp.h"
#include "interp/python-offsets.h"

enum {
	SPROF_PYTHON_STATES = 4,                       /* of one thread */
	SPROF_PYTHON_TEXT = 512,                       /* bytes of a name that are shown */
	SPROF_PYTHON_HIDDEN = SPROF_MAPPING_NO_MODULE, /* module of a frame that is not shown */
	SPROF_PYTHON_PLACES = 256,                     /* that are remembered */
	SPROF_PYTHON_DEEPEST = 32768                   /* frames of a thread that are read */
};

/* A frame as it was copied. */
struct sprof_python_frame {
	uint64_t address;     /* its own */
	uint64_t code;        /* address of the code object */
	uint64_t instruction; /* its address; to 3.10 its number in the bytecode */
	uint32_t copy;        /* of the bytecode, without a GIL; 0: the code object's own */
	/* C called the evaluation loop with this frame: the next one belongs to another loop */
	bool is_entry;
	/* no frame of Python code, but of such a call (since 3.12) */
	bool is_shim;
};

/* Frames that lie close together. */
struct sprof_python_block {
	uint64_t address;
	uint32_t size;
};

struct sprof_interp_thread {
	/* Addresses of its states, the newest interpreter's first: one for each interpreter that it
	 * has run in. */
	uint64_t states[SPROF_PYTHON_STATES];
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
	struct sprof_python_block *blocks; /* of its last frames */
	size_t block_count, block_capacity;
	unsigned kept; /* copies since, which were found in them */
};

enum sprof_python_outcome {
	SPROF_PYTHON_NOT_READ,
	SPROF_PYTHON_READ,
	SPROF_PYTHON_NO_STATE, /* the thread has no state, or it was not found */
	SPROF_PYTHON_TORN,     /* a frame could not be read, or there is no end of them */
};

struct sprof_interp_copy {
	enum sprof_python_outcome outcome;
	struct sprof_python_frame *frames; /* innermost first */
	size_t frame_count, frame_capacity;
	uint8_t *bytes; /* of blocks */
	size_t size, capacity;
	/* what one system call reads: the caller's own, the thread's states, its blocks; then missed ones */
	struct sprof_memory_piece pieces[SPROF_MEMORY_MOST_PIECES];
	size_t piece_count;
	/* whose pieces they are; NULL: they have been used */
	const struct sprof_interp_thread *asked;
	uint8_t states[SPROF_PYTHON_STATES][SPROF_PYTHON_MOST_STATE];
	unsigned misses; /* system calls for frames elsewhere */
};

struct sprof_python_codes;

/* A place in the interpreter's code that a native frame had. */
struct sprof_python_place {
	uint64_t next; /* its offset + 1; 0: none */
	enum sprof_python_part part;
};

struct sprof_interp_process {
	uint64_t serial; /* no two runtimes have the same */
	const struct sprof_python_file *file;
	uint32_t module;
	struct sprof_python_offsets offsets;
	uint64_t runtime;   /* address of _PyRuntime */
	uint64_t code_type; /* address of the type of code objects; 0: not known */
	bool is_known;      /* the version has offsets */
	uint32_t greenlet;  /* the module of that name; SPROF_MAPPING_NO_MODULE: none so far */
	struct sprof_greenlet_file greenlet_file;
	struct sprof_python_codes *codes;
	struct sprof_python_place places[SPROF_PYTHON_PLACES];
	/* result of the last merge */
	struct sprof_frame *frames;
	size_t frame_capacity;
	struct sprof_frame_registers *registers;
	size_t register_capacity;
	struct sprof_stack_state state;
};

/* python-find.c: the states of a thread, perhaps none. Bounded, whatever is in memory. */
void sprof_python_find_thread(const struct sprof_interp_process *process,
	const struct sprof_interp_memory *memory, const struct sprof_interp_subject *subject,
	struct sprof_interp_thread *thread);

/* python-blocks.c: notes where the frames of a copy were. False: no memory. */
SPROF_MUST_USE bool sprof_python_learn(const struct sprof_python_offsets *offsets,
	struct sprof_interp_thread *thread, const struct sprof_interp_copy *copy);

/* python-codes.c: code objects, read once each. NULL: no memory. */
SPROF_MUST_USE struct sprof_python_codes *sprof_python_codes_create(void);
void sprof_python_codes_destroy(struct sprof_python_codes *codes);
/*
 * What the profile stores for each copied frame, with its function and line. Shims get nothing.
 * False: no memory.
 */
SPROF_MUST_USE bool sprof_python_codes_name(const struct sprof_interp_process *process,
	const struct sprof_interp_memory *memory, struct sprof_modules *modules,
	const struct sprof_interp_copy *copy, const struct sprof_frame **ret);

/* python-text.c: the text of a str object in UTF-8. False: it is none, or can't be read. */
SPROF_MUST_USE bool sprof_python_text(const struct sprof_python_offsets *offsets,
	const struct sprof_interp_memory *memory, uint64_t address, char *buffer, size_t size);

/*
 * python-names.c: the name of a thread whose outermost frame this is, of Thread._bootstrap() in the
 * module threading. False: the thread has ended, or the version has another layout.
 */
SPROF_MUST_USE bool sprof_python_thread_name(const struct sprof_interp_process *process,
	const struct sprof_interp_memory *memory, const struct sprof_python_frame *frame,
	char *buffer, size_t size);

/*
 * python-lines.c: the line of an instruction (an offset in the bytecode, in bytes; below 0: the
 * function has not begun), by the code object's table. 0: it has none.
 */
uint32_t sprof_python_line(
	uint32_t version, const uint8_t *table, size_t size, uint32_t first, int64_t instruction);

#endif
