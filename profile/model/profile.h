/*
 * The profile: threads, their stacks, and weights.
 *
 * Plain tables that refer to each other by index. Stacks form a prefix tree: a stack is the index
 * of its innermost node; parents come before their children; node 0 is the empty stack. A known
 * stack costs one lookup. Names are added later (profile/names/resolve.h). Only profile/ writes the
 * tables; other folders read them through a const pointer.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/module.h"
#include "base/record.h"
#include "elfsym/elf/image.h"
#include "profile/model/kinds.h"

#define SPROF_PROFILE_NONE UINT32_MAX
#define SPROF_PROFILE_ROOT 0u /* the empty stack */

/* Frames in brackets, shown for rows without frames. */
#define SPROF_PROFILE_UNSAMPLED "[unsampled]"
#define SPROF_PROFILE_OTHER "[other]" /* everything beyond the memory bounds */

/* Prefix for the kind of a lock shared by several processes. */
#define SPROF_PROFILE_SHARED "shared "

struct sprof_profile_process {
	pid_t pid;
	const char *name; /* command line or comm; never NULL */
	bool unnamed;     /* the name is a thread's, because the process's is unknown */
	const char *host; /* host name; NULL: unknown */
	const char *rank; /* in a parallel job; NULL: none */
};

/* What a thread waited for in its last samples. */
struct sprof_last_wait {
	/* index in the profile's waits; SPROF_WAIT_NONE: it did not wait, or not known */
	uint32_t wait;
	uint32_t holder; /* a thread of the profile; NONE */
	uint32_t row;
	uint64_t since_ns; /* the time since which all samples were of this wait and holder */
};

struct sprof_profile_thread {
	uint32_t process;
	pid_t tid;
	const char *name;
	uint64_t samples;
	uint64_t first_ns, last_ns; /* CLOCK_MONOTONIC of the first and last sample; 0: none */
	const char *former_names;   /* "a, b"; NULL: its name never changed */
	struct sprof_thread_facts facts;
	bool has_facts;
	bool numeric_ids;   /* its process and thread ids in the file were numbers, not text */
	uint32_t run;       /* in a joined profile: number of the run, counted through both sides */
	bool is_other;      /* collects the threads of its process beyond the bounds */
	uint32_t last_span; /* index of its last span; NONE: none */
	struct sprof_last_wait last_wait;
	struct sprof_times times; /* all time that the kernel has accounted to the thread */
};

/* The origin of a function's code, from the system to the program: profile/classify/own-code.h. */
enum sprof_code_class {
	SPROF_CODE_UNKNOWN, /* not classified */
	SPROF_CODE_LIBC,
	SPROF_CODE_LIBRARY, /* of the system, or of the language */
	SPROF_CODE_RUNTIME, /* an interpreter, or a virtual machine */
	SPROF_CODE_PACKAGE, /* installed code for an interpreter, such as Python's modules */
	SPROF_CODE_OWN,     /* the program's */
};

/* A function; profile/model/function-key.c defines which are the same. */
struct sprof_profile_function {
	const char *name;
	const char *linkage; /* mangled; the same pointer as `name` if not mangled */
	const char *file;    /* of its definition; NULL: unknown */
	uint32_t line;       /* of its definition; 0: unknown */
	uint32_t module;     /* module index; SPROF_PROFILE_NONE: only a name */
	bool unresolved;     /* the name is made of module and offset */
	enum sprof_code_class code;
};

/* Relation of a function to the next line of its location, or to its caller. */
enum sprof_mark {
	SPROF_MARK_CALLED,
	SPROF_MARK_INLINED, /* inlined into the next line */
	/* not on the stack: it made a tail call to the previous line's function */
	SPROF_MARK_TAIL_CALL,
	/* reached by tail calls from the function that its caller called; the chain is ambiguous */
	SPROF_MARK_TAIL_CALLED,
	SPROF_MARK_COUNT,
};

/* " (inlined)", " (tail call)", " (tail call?)"; "" for a call. */
const char *sprof_mark_text(enum sprof_mark mark);

/* The mark for a function with different marks on different stacks. */
enum sprof_mark sprof_mark_join(enum sprof_mark one, enum sprof_mark other);

/* A function and line at a location. */
struct sprof_profile_line {
	uint32_t function;
	uint32_t line; /* 0: unknown */
	/* the file of the line; a function may include other files; NULL: the function's file */
	const char *file;
	enum sprof_mark mark;
	bool kernel; /* a kernel frame */
};

/* A distinct raw frame, or a name in place of one. Its lines are the inline chain, innermost first,
 * followed by the functions that made tail calls to it (profile/names/tail-calls.c). */
struct sprof_profile_location {
	struct sprof_frame frame; /* module SPROF_PROFILE_NONE: only a name */
	size_t first_line;        /* index in `lines` */
	uint32_t line_count;      /* 0: not named yet */
};

struct sprof_profile_stack {
	uint32_t parent;   /* the stack without its innermost frame */
	uint32_t location; /* of the innermost frame; SPROF_PROFILE_NONE in the empty stack */
};

/* The origin of a row's time. */
enum sprof_estimate {
	SPROF_ESTIMATE_NONE, /* the thread's own samples */
	SPROF_ESTIMATE_POOL, /* samples of similar threads: profile/edit/estimate.h */
	SPROF_ESTIMATE_COUNT,
};

/*
 * What a thread was doing on a stack: the fields of profile/model/attributes.c. Each string may be
 * NULL (no value). Before naming (profile/names/resolve.h), a recording has only state and labels.
 */
struct sprof_profile_context {
	enum sprof_state state;      /* SPROF_STATE_COUNT: unknown or mixed */
	const char *syscall;         /* the system call it was in */
	const char *object;          /* what the call waited for */
	const char *holder;          /* the thread that held the lock, such as "writer (4712)" */
	const char *holder_function; /* the holder's own function: profile/classify/own-place.h */
	const char *labels;          /* other tools' labels; see profile/model/labels.h */
	enum sprof_wait_kind kind;
	enum sprof_estimate estimate;
};

/* Whether it waits for a thread's end (pthread_join); that thread is then in `holder`. */
bool sprof_profile_is_join(const struct sprof_profile_context *context);

/* Whether a wait's object, which may be NULL, is the lock of an interpreter, such as Python's. */
bool sprof_profile_is_interpreter_lock(const char *object);

/*
 * Whether it waits for a lock in the process's private memory. An equal text in another process is
 * another lock.
 */
bool sprof_profile_is_own_lock(const struct sprof_profile_context *context);

/* What a thread waited for, as reported by the sampler; entry 0 is empty. */
struct sprof_profile_wait {
	const char *syscall; /* NULL: none, or a page fault */
	const char *object;  /* NULL: unknown, or a futex */
	const char *area;    /* see struct sprof_wait */
	enum sprof_wait_kind kind;
	enum sprof_lock_kind lock;
	struct sprof_lock_traits traits;
	bool shared;
	uint64_t address, offset;
	uint32_t module;
	/* kernel frames: locations in wait_frames, outermost first */
	uint32_t first_frame, frame_count;
};

/* Successive samples of a thread in the same row, as a span of time. */
struct sprof_profile_span {
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC of its first and last sample */
	uint32_t row;
	uint32_t samples;
};

/* A thread's figures for one stack and context. */
struct sprof_profile_row {
	uint32_t thread;
	uint32_t stack;
	uint32_t context;
	struct sprof_metrics metrics;
};

/* Facts about a module beyond its identity; see sprof_profile_identify(). */
struct sprof_profile_module {
	const char *build_id;           /* hexadecimal; NULL: none or unknown */
	struct sprof_segment *segments; /* executable ones of its file, for link-time addresses */
	size_t segment_count;
	/* where the first process mapped the file's first byte; 0: unknown */
	uint64_t mapped_at;
	/* the name in .gnu_debuglink; NULL: none or unknown */
	const char *debuglink;
	uint32_t debuglink_crc;
	/* 1 + the module of which this is another build, with the same functions: see
	 * profile/identity/identity.h; 0: none */
	uint32_t build_of;
	/* Why its frames are unresolved, and a remedy; see profile/names/gaps.h. NULL: unknown. */
	const char *gap_why, *gap_help;
};

/* Header fields of a file that sprof keeps but does not interpret. */
struct sprof_profile_head {
	struct sprof_kind period_kind;               /* NULL name: absent */
	uint64_t period;                             /* 0: absent */
	const char *drop_frames, *keep_frames, *url; /* NULL: absent */
};

struct sprof_profile_index; /* lookup tables, private to profile/ */
struct sprof_critical_log;  /* profile/critical/log.h */

struct sprof_profile {
	struct sprof_profile_process *processes;
	size_t process_count, process_capacity;
	struct sprof_profile_thread *threads;
	size_t thread_count, thread_capacity;
	struct sprof_profile_function *functions;
	size_t function_count, function_capacity;
	struct sprof_profile_line *lines;
	size_t line_count, line_capacity;
	struct sprof_profile_location *locations;
	size_t location_count, location_capacity;
	struct sprof_profile_stack *stacks;
	size_t stack_count, stack_capacity;
	struct sprof_profile_context *contexts;
	size_t context_count, context_capacity;
	struct sprof_profile_row *rows;
	size_t row_count, row_capacity;
	struct sprof_profile_wait *waits;
	size_t wait_count, wait_capacity;
	uint32_t *wait_frames; /* see struct sprof_profile_wait */
	size_t wait_frame_count, wait_frame_capacity;
	/*
	 * The timeline in order of report, which is not the order of time: sleeps are reported
	 * late, and threads one after the other. spans.c sorts. A thread's spans don't overlap.
	 */
	struct sprof_profile_span *spans;
	size_t span_count, span_capacity, span_max;
	uint64_t spans_cut_ns; /* when the timeline became full; 0: it is complete */
	/* time resolution of samples in a saved profile; 0: samples have no time */
	uint64_t slice_ns;

	const struct sprof_modules *modules; /* NULL: no raw frames */
	/* by module; unknown from module_count on */
	struct sprof_profile_module *module_facts;
	size_t module_count, module_capacity;
	struct sprof_kinds kinds;
	struct sprof_profile_head head;
	const char **comments; /* of a file, without sprof's */
	size_t comment_count, comment_capacity;
	const char *command;        /* the target's command line; NULL: unknown */
	uint64_t start_realtime_ns; /* CLOCK_REALTIME of the start; 0: unknown */
	uint32_t checksum;          /* of the unpacked file; 0: not from a file */
	uint64_t start_ns;          /* CLOCK_MONOTONIC of the start, for the timeline */
	struct sprof_quality quality;
	struct sprof_metrics whole; /* of the unfiltered profile; 0: not filtered */
	/* switches and wake-ups, of a recording that has them; NULL: none */
	const struct sprof_critical_log *critical;

	struct sprof_profile_index *index;
};

/* What is known of a module; never NULL. */
const struct sprof_profile_module *sprof_profile_module_facts(
	const struct sprof_profile *profile, uint32_t module);

/*
 * An empty profile. Raw frames refer to `modules`, which must outlive the profile; NULL: no raw
 * frames. Returns NULL if out of memory.
 */
struct sprof_profile *sprof_profile_create(const struct sprof_modules *modules);
/* NULL is accepted. */
void sprof_profile_destroy(struct sprof_profile *profile);

/* A sink for the sampler's records; valid as long as the profile. */
struct sprof_sink sprof_profile_sink(struct sprof_profile *profile);

/*
 * Assigns pending time, which still waits for a sample of its class, to [unsampled], as a thread's
 * last charge does. Call it before writing a profile of running threads. Returns false if out of
 * memory.
 */
bool sprof_profile_settle(struct sprof_profile *profile);

/*
 * Sets the command (copied) and the start in ns of CLOCK_REALTIME. Returns false if out of memory.
 */
bool sprof_profile_describe(
	struct sprof_profile *profile, const char *command, uint64_t start_realtime_ns);

/*
 * Sets host and rank (copied) of processes added from now on; NULL: unknown. Returns false if out
 * of memory.
 */
bool sprof_profile_set_place(struct sprof_profile *profile, const char *host, const char *rank);

/* How to show kernel activity. */
struct sprof_profile_kernel {
	/* Writes a system call's name; NULL: names are "system call 1". */
	void (*syscall_name)(int64_t number, char *buffer, size_t size);
	/*
	 * Writes the name of the kernel function at an address; NULL: kernel addresses are not
	 * shown.
	 */
	void (*function_name)(const void *data, uint64_t address, char *buffer, size_t size);
	const void *data; /* first argument of function_name(); must stay valid while recording */
	bool frames;      /* show system calls and kernel stacks as frames: "[read]" */
};

void sprof_profile_set_kernel(
	struct sprof_profile *profile, const struct sprof_profile_kernel *kernel);

/*
 * Limits the number of timeline spans; 0 (default): no timeline. `start_ns`: begin of the run,
 * CLOCK_MONOTONIC.
 */
void sprof_profile_set_timeline(struct sprof_profile *profile, size_t span_max, uint64_t start_ns);

/*
 * Limits memory from now on: keeps about this many distinct stacks, and more threads, processes,
 * waits and texts than a report shows. Everything beyond becomes [other] and is counted in the
 * quality. 0 (default): no limit.
 */
void sprof_profile_set_max_stacks(struct sprof_profile *profile, size_t max);

/* Copies the figures, except those that the profile counts itself: frames_unresolved and folded. */
void sprof_profile_set_quality(struct sprof_profile *profile, const struct sprof_quality *quality);

/*
 * For building a profile by hand from named frames without addresses: a location for a name, and
 * the stack `parent` extended by that location. Return false if out of memory. See also
 * profile/model/build.h.
 */
bool sprof_profile_name_location(
	struct sprof_profile *profile, const char *name, uint32_t *ret_location);
bool sprof_profile_push(
	struct sprof_profile *profile, uint32_t parent, uint32_t location, uint32_t *ret_stack);

/* A location for a kernel function, marked as such. Returns false if out of memory. */
bool sprof_profile_kernel_location(
	struct sprof_profile *profile, const char *name, uint32_t *ret_location);

/* The file of a line. NULL: unknown. */
static inline const char *sprof_profile_line_file(
	const struct sprof_profile *profile, const struct sprof_profile_line *line)
{
	return line->file ? line->file : profile->functions[line->function].file;
}

/* The file of a line that is not in its function's own file; NULL: it is there, or unknown. */
static inline const char *sprof_profile_included_file(
	const struct sprof_profile *profile, const struct sprof_profile_line *line)
{
	return line->file == profile->functions[line->function].file ? NULL : line->file;
}

/* The number of a location's lines that are code at its address; the rest made tail calls. */
uint32_t sprof_profile_own_lines(
	const struct sprof_profile *profile, const struct sprof_profile_location *location);
/* The function that contains the location's code; the location must be named. */
uint32_t sprof_profile_owner(
	const struct sprof_profile *profile, const struct sprof_profile_location *location);

/*
 * The thread index for a sink's thread id, also after the thread's end; SPROF_PROFILE_NONE: unknown
 * or dropped. The sampler's ids are not indices.
 */
uint32_t sprof_profile_thread_of(const struct sprof_profile *profile, uint32_t id);

struct sprof_metrics sprof_profile_sum(const struct sprof_profile *profile);

/*
 * Checks the accounting identity: for each thread and class, the charged time equals the time on
 * its rows plus, until its last charge, the pending time.
 */
bool sprof_profile_adds_up(const struct sprof_profile *profile);
