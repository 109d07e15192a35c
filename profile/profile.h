/*
 * The profile: who ran, on which stacks, with what weight.
 *
 * Plain tables that refer to each other by index. Stacks are a prefix tree: a stack is the index of
 * its innermost node, parents come before their children, and node 0 is the empty stack. A known
 * stack costs one lookup; names come later (profile/resolve.h). Only profile/ writes the tables;
 * all others read them through a const pointer.
 */
#ifndef SPROF_PROFILE_PROFILE_H
#define SPROF_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/module.h"
#include "base/record.h"
#include "profile/kinds.h"

#define SPROF_PROFILE_NONE UINT32_MAX
#define SPROF_PROFILE_ROOT 0u /* the empty stack */

/* In a report, rows without frames of their own are a frame in brackets. */
#define SPROF_PROFILE_UNSAMPLED "[unsampled]"
#define SPROF_PROFILE_OTHER "[other]" /* stands for what there was no room for */

/* Prefix of the kind of a lock shared by several processes. */
#define SPROF_PROFILE_SHARED "shared "

struct sprof_profile_process {
	pid_t pid;
	const char *name; /* command line or comm; never NULL */
	bool unnamed;     /* the name is a thread's: the process's own was not said */
	const char *host; /* where it ran; NULL: not said */
	const char *rank; /* in a parallel job; NULL: none */
};

struct sprof_profile_thread {
	uint32_t process;
	pid_t tid;
	const char *name;
	uint64_t samples;
	uint64_t first_ns, last_ns; /* CLOCK_MONOTONIC of the first and last sample; 0: none */
	const char *former_names;   /* "a, b"; NULL: always the same name */
	struct sprof_thread_facts facts;
	bool has_facts;
	bool numeric_ids; /* in a file, its process and thread ids are numbers, not text */
	uint32_t run; /* in a joined profile: of which of the runs, counted through both sides */
	bool is_other; /* it has the figures of those threads of its process that there was no room for */
	uint32_t last_span;       /* the span's index; NONE: no span */
	struct sprof_times times; /* all charged time: what the kernel accounted to the thread */
};

/* A function; profile/identity.h says which ones are the same. */
struct sprof_profile_function {
	const char *name;
	const char *linkage; /* as the linker knows it; the same pointer as name when not mangled */
	const char *file;    /* of its definition; NULL: unknown */
	uint32_t line;       /* of its beginning; 0: unknown */
	uint32_t module;     /* index in the modules; SPROF_PROFILE_NONE: only a name */
	bool unresolved;     /* the name is derived from module and offset */
};

/* How a function is related to the next line of its location, or to its caller. */
enum sprof_mark {
	SPROF_MARK_CALLED,
	SPROF_MARK_INLINED,   /* inlined into the next line */
	SPROF_MARK_TAIL_CALL, /* not on the stack: it made a tail call to the line before */
	/* tail calls lead to it from the function that its caller called; several ways are possible */
	SPROF_MARK_TAIL_CALLED,
	SPROF_MARK_COUNT,
};

/* " (inlined)", " (tail call)", " (tail call?)"; "" for a call. */
const char *sprof_mark_text(enum sprof_mark mark);

/* The mark of a function that has both on different stacks. */
enum sprof_mark sprof_mark_join(enum sprof_mark one, enum sprof_mark other);

/* One function at a location. */
struct sprof_profile_line {
	uint32_t function;
	uint32_t line; /* 0: unknown */
	const char
		*file; /* which has the line: a function may include others; NULL: the function's */
	enum sprof_mark mark;
	bool kernel; /* it names the kernel's end of a stack */
};

/* A distinct raw frame, or a name that stands for one. Its lines are the inline chain, innermost
 * first, then the functions that made tail calls to it (profile/tail-calls.c). */
struct sprof_profile_location {
	struct sprof_frame frame; /* module SPROF_PROFILE_NONE: it is only a name */
	size_t first_line;        /* index in the lines */
	uint32_t line_count;      /* 0: not named yet */
};

struct sprof_profile_stack {
	uint32_t parent;   /* the stack without its innermost frame */
	uint32_t location; /* of the innermost frame; SPROF_PROFILE_NONE for the empty stack */
};

/* How it is known that a row's thread was there. */
enum sprof_estimate {
	SPROF_ESTIMATE_NONE, /* by its own samples */
	SPROF_ESTIMATE_POOL, /* by those of threads like it: profile/estimate.h */
	SPROF_ESTIMATE_COUNT,
};

/*
 * What a thread was doing while on a stack: fields listed by profile/attributes.c. Any string may
 * be NULL: nothing to say. Before naming (profile/resolve.h), a recording has only state and
 * labels.
 */
struct sprof_profile_context {
	enum sprof_state state; /* SPROF_STATE_COUNT: not known, or several */
	const char *syscall;    /* the system call it was in */
	const char *object;     /* what the call waits for */
	const char *holder;     /* the thread that holds the lock it waits for: "writer (4712)" */
	const char
		*holder_function; /* where the holder was: its innermost function outside of libc */
	const char *labels;       /* another tool's; see profile/labels.h */
	enum sprof_wait_kind kind;
	enum sprof_estimate estimate;
};

/* Whether it waits for the end of a thread, which is then called its holder. */
bool sprof_profile_is_join(const struct sprof_profile_context *context);

/*
 * Whether it waits for a lock in its process's own memory. In another process, a lock with the same
 * words is another lock.
 */
bool sprof_profile_is_own_lock(const struct sprof_profile_context *context);

/* What a thread waited for, as the sampler found it; entry 0 is nothing. */
struct sprof_profile_wait {
	const char *syscall; /* NULL: none, a page fault */
	const char *object;  /* NULL: nothing to say, or a futex */
	const char *area;    /* see struct sprof_wait */
	enum sprof_wait_kind kind;
	enum sprof_lock_kind lock;
	bool shared;
	uint64_t address, offset;
	uint32_t module;
	/* the kernel's end of the stack, in the wait frames: locations, outermost first */
	uint32_t first_frame, frame_count;
};

/* Successive samples of a thread with the same row, as a span of time. */
struct sprof_profile_span {
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC of its first and last sample */
	uint32_t row;
	uint32_t samples;
};

/* What one thread spent on one stack in one context. */
struct sprof_profile_row {
	uint32_t thread;
	uint32_t stack;
	uint32_t context;
	struct sprof_metrics metrics;
};

/* An executable part of a module's file; gives link-time addresses. */
struct sprof_profile_segment {
	uint64_t offset, size; /* in the file */
	uint64_t address;      /* link-time, of its first byte */
};

/* What is known of a module beyond its identity; see sprof_profile_identify(). */
struct sprof_profile_module {
	const char *build_id; /* hexadecimal; NULL: none, or not known */
	struct sprof_profile_segment *segments;
	size_t segment_count;
	/* where its file's first byte was mapped in the process that had it first; 0: not known */
	uint64_t mapped_at;
	/* the name in its file's .gnu_debuglink; NULL: none, or not known */
	const char *debuglink;
	uint32_t debuglink_crc;
	/* 1 + the module that it is another build of, whose functions it has: see profile/identity.h;
	 * 0: none */
	uint32_t build_of;
	/* Why its frames have no names, and what would help; see profile/gaps.h. NULL: unknown. */
	const char *gap_why, *gap_help;
};

/* What a file says of itself without a meaning for sprof: kept for writing it again. */
struct sprof_profile_head {
	struct sprof_kind period_kind;               /* NULL name: not said */
	uint64_t period;                             /* 0: not said */
	const char *drop_frames, *keep_frames, *url; /* NULL: not said */
};

struct sprof_profile_index; /* how the tables are searched while they grow */

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
	 * The timeline, in the order in which it was told: a sleep may be behind what came after it, and threads
	 * are told one after the other. spans.c sorts. Spans of a thread don't overlap.
	 */
	struct sprof_profile_span *spans;
	size_t span_count, span_capacity, span_max;
	uint64_t spans_cut_ns; /* when its room ended; 0: it is complete */
	/* resolution of the time of samples in a saved profile; 0: they have no time */
	uint64_t slice_ns;

	const struct sprof_modules *modules; /* NULL if there are no raw frames */
	/* by module; unknown from module_count on */
	struct sprof_profile_module *module_facts;
	size_t module_count, module_capacity;
	struct sprof_kinds kinds;
	struct sprof_profile_head head;
	const char **comments; /* of a file, without sprof's own */
	size_t comment_count, comment_capacity;
	const char *command;        /* the target's command line; NULL: unknown */
	uint64_t start_realtime_ns; /* CLOCK_REALTIME of the start; 0: unknown */
	uint64_t start_ns;          /* of the timeline: CLOCK_MONOTONIC of the start */
	struct sprof_quality quality;
	struct sprof_metrics whole; /* of the profile that this was filtered from; 0: it is whole */

	struct sprof_profile_index *index;
};

/*
 * An empty profile. Raw frames refer to `modules`, which must outlive the profile; NULL: there are
 * no raw frames. NULL result: no memory.
 */
struct sprof_profile *sprof_profile_create(const struct sprof_modules *modules);
/* NULL is accepted. */
void sprof_profile_destroy(struct sprof_profile *profile);

/* Receives the sampler's records; valid as long as the profile. */
struct sprof_sink sprof_profile_sink(struct sprof_profile *profile);

/*
 * Gives time that still waits for a sample of its class to [unsampled], like a thread's last
 * charge. Call it before a profile is written while its threads live. False: no memory.
 */
bool sprof_profile_settle(struct sprof_profile *profile);

/* The command (copied) and the start of the run, in ns of CLOCK_REALTIME. False: no memory. */
bool sprof_profile_describe(
	struct sprof_profile *profile, const char *command, uint64_t start_realtime_ns);

/* Host and rank of processes seen from now on; copied, NULL: not said. False: no memory. */
bool sprof_profile_set_place(struct sprof_profile *profile, const char *host, const char *rank);

/* How the profile shows kernel activity. */
struct sprof_profile_kernel {
	/* The name of a system call; NULL: "system call 1". */
	void (*syscall_name)(int64_t number, char *buffer, size_t size);
	/* The function at an address in the kernel; NULL: no address is shown. */
	void (*function_name)(const void *data, uint64_t address, char *buffer, size_t size);
	const void *data; /* its first argument, which stays as long as the profile gets records */
	bool frames;      /* system calls, and the kernel's stack, are frames: "[read]" */
};

void sprof_profile_set_kernel(
	struct sprof_profile *profile, const struct sprof_profile_kernel *kernel);

/*
 * The most spans that the timeline may have; 0 (default): no timeline. `start_ns` is when the run
 * began, in ns of CLOCK_MONOTONIC.
 */
void sprof_profile_set_timeline(struct sprof_profile *profile, size_t span_max, uint64_t start_ns);

/*
 * Bounds the memory of later records: keeps about this many distinct stacks, and more threads,
 * processes, waits and texts than any report can show. Others become [other], and are counted in
 * the quality. 0 (default): no bound.
 */
void sprof_profile_set_max_stacks(struct sprof_profile *profile, size_t max);

/* Copies the figures, except those that the profile counts itself: frames_unresolved, folded. */
void sprof_profile_set_quality(struct sprof_profile *profile, const struct sprof_quality *quality);

/*
 * Builds a profile by hand, with frames that have names and no addresses: a location for the name,
 * and the stack `parent` with that location as its innermost frame. False: no memory. See also
 * profile/build.h.
 */
bool sprof_profile_name_location(
	struct sprof_profile *profile, const char *name, uint32_t *ret_location);
bool sprof_profile_push(
	struct sprof_profile *profile, uint32_t parent, uint32_t location, uint32_t *ret_stack);

/* A location that names something in the kernel, marked as such. False: no memory. */
bool sprof_profile_kernel_location(
	struct sprof_profile *profile, const char *name, uint32_t *ret_location);

/* The file that a line is in. NULL: unknown. */
static inline const char *sprof_profile_line_file(
	const struct sprof_profile *profile, const struct sprof_profile_line *line)
{
	return line->file ? line->file : profile->functions[line->function].file;
}

/* How many lines of a location are of code at its address: the rest made tail calls. */
uint32_t sprof_profile_own_lines(
	const struct sprof_profile *profile, const struct sprof_profile_location *location);
/* The function that the code at the location belongs to; the location must be named. */
uint32_t sprof_profile_owner(
	const struct sprof_profile *profile, const struct sprof_profile_location *location);

/*
 * Where the thread is that the sink knows by an id, also after its end; SPROF_PROFILE_NONE: it is not
 * known, or not kept. The sampler's ids are no indexes: threads are here in another order.
 */
uint32_t sprof_profile_thread_of(const struct sprof_profile *profile, uint32_t id);

struct sprof_times sprof_profile_times(const struct sprof_profile *profile);

/*
 * The identity that makes the report true. For each thread and class, the charged time is the time
 * on its rows plus, until the thread's last charge, the time that waits for a sample of its class.
 */
bool sprof_profile_adds_up(const struct sprof_profile *profile);

#endif
