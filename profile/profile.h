/*
 * The profile: who ran, on which stacks, with what weight.
 *
 * Plain tables that refer to each other by index. Stacks are a prefix tree: a stack is the number
 * of its innermost node, parents come before their children, and node 0 is the empty stack. A stack
 * seen before costs one lookup; names come later (profile/resolve.h). Only profile/ writes the
 * tables; everyone else reads them through a const pointer.
 */
#ifndef SPROF_PROFILE_PROFILE_H
#define SPROF_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/module.h"
#include "base/record.h"
#include "profile/weight.h"

#define SPROF_PROFILE_NONE UINT32_MAX
#define SPROF_PROFILE_ROOT 0u /* the empty stack */

/* What has no frames of its own in a report is a frame in brackets. */
#define SPROF_PROFILE_UNSAMPLED "[unsampled]"
#define SPROF_PROFILE_OTHER "[other]" /* what there was no room for */

enum {
	SPROF_PROFILE_VALUES = 32 /* at most so many kinds of values in a file of another tool */
};

struct sprof_profile_process {
	pid_t pid;
	const char *name; /* command line or comm; never NULL */
	bool unnamed;     /* the name is that of a thread: its own was not said */
	const char *host; /* where it ran; NULL: not said */
	const char *rank; /* of a parallel job; NULL: none */
};

struct sprof_profile_thread {
	uint32_t process;
	pid_t tid;
	const char *name;
	uint64_t samples;
	uint64_t first_ns, last_ns; /* CLOCK_MONOTONIC of the first and last sample; 0: none */
	const char *former_names;   /* "a, b"; NULL: it always had this one */
	struct sprof_thread_facts facts;
	bool has_facts;
	bool numeric_ids; /* in a file, its process and thread ids are numbers and not text */
	bool is_other;      /* it stands for those of its process that there was no room for */
	uint32_t last_span; /* its index; NONE: it has none */
	struct sprof_times
		times; /* all that was charged: what the kernel accounted to the thread */
};

/* A function, told apart by name and module. */
struct sprof_profile_function {
	const char *name;
	const char *linkage; /* as the linker knows it; the same pointer as name when not mangled */
	const char *file;    /* NULL: unknown */
	uint32_t line;       /* where it begins; 0: unknown */
	uint32_t module;     /* index in the modules; SPROF_PROFILE_NONE: only a name */
	bool unresolved;     /* the name is made up from module and offset */
};

/* One function at a location. */
struct sprof_profile_line {
	uint32_t function;
	uint32_t line; /* 0: unknown */
	bool inlined;  /* inlined into the next line of the location */
	bool kernel;   /* it names the kernel's end of a stack */
};

/* A distinct raw frame, or a name that stands for one. Its lines are the inline chain, innermost
 * first. */
struct sprof_profile_location {
	struct sprof_frame frame; /* module SPROF_PROFILE_NONE: made of a name only */
	size_t first_line;        /* index in the lines */
	uint32_t line_count;      /* 0: not named yet */
};

struct sprof_profile_stack {
	uint32_t parent;   /* the stack without its innermost frame */
	uint32_t location; /* of the innermost frame; SPROF_PROFILE_NONE for the empty stack */
};

/* What a thread was doing while it was on a stack. All strings may be NULL: nothing to say. */
struct sprof_profile_context {
	enum sprof_state state; /* SPROF_STATE_COUNT: not known, or of no single one */
	const char *syscall;    /* the system call it was in */
	const char *object;     /* what that waits for */
	const char *holder;     /* the thread that holds the lock it waits for: "writer (4712)" */
	const char *holder_function; /* where that was: its innermost function outside of libc */
	const char *labels; /* another tool's; see profile/labels.h */
	enum sprof_wait_kind kind;
	/* Until it is named (see profile/resolve.h): what the sampler found, and the holder's thread
	 * and stack plus one. 0: nothing. */
	uint32_t wait, holding_thread, holding_stack;
};

/* Whether it waits for the end of a thread, which is then called its holder. */
bool sprof_profile_is_join(const struct sprof_profile_context *context);

/*
 * Whether it waits for a lock in memory of its process's own: one with the same words in another
 * process is another lock.
 */
bool sprof_profile_is_own_lock(const struct sprof_profile_context *context);

/* What a thread waited for, as the sampler found it; entry 0 stands for nothing. */
struct sprof_profile_wait {
	const char *syscall; /* NULL: none, a page fault */
	const char *object;  /* NULL: nothing to say, or a futex */
	const char *area;    /* see struct sprof_wait */
	enum sprof_wait_kind kind;
	enum sprof_lock_kind lock;
	bool shared;
	uint64_t address, offset;
	uint32_t module;
	uint32_t first_frame, frame_count; /* of the kernel's end of the stack, in the wait frames: locations, outermost first */
};

/* A thread was on the stack and in the context of a row for so long: samples in a row. */
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

/* An executable part of a module's file: for link-time addresses. */
struct sprof_profile_segment {
	uint64_t offset, size; /* in the file */
	uint64_t address;      /* link-time, of its first byte */
};

/* What is known of a module besides its identity; see sprof_profile_identify(). */
struct sprof_profile_module {
	const char *build_id; /* hexadecimal; NULL: none, or not known */
	struct sprof_profile_segment *segments;
	size_t segment_count;
	/* Why frames of it have no name, and what would help; see profile/gaps.h. NULL: not known. */
	const char *gap_why, *gap_help;
};

/*
 * What a profile counts that another tool made. One kind of its values is what views and formats
 * show, as SPROF_WEIGHT_OTHER; the others are kept for those who write the file again.
 */
struct sprof_profile_foreign {
	struct sprof_profile_kind {
		const char *type, *unit; /* "alloc_space", "bytes" */
	} kinds[SPROF_PROFILE_VALUES];
	size_t kind_count; /* 0: the profile is sprof's own, and counts time and samples */
	size_t chosen;
	uint64_t *values; /* kind_count of each row */
	size_t value_capacity;
	struct sprof_profile_kind period_kind;
	uint64_t period; /* 0: not said */
	const char *drop_frames, *keep_frames, *url; /* as its tool wrote them; NULL: not said */
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
	/* The timeline, by the begin of its spans; those of a thread don't overlap. */
	struct sprof_profile_span *spans;
	size_t span_count, span_capacity, span_max;
	uint64_t spans_cut_ns; /* when there was no room for more; 0: it is whole */
	uint64_t slice_ns; /* a saved profile has the time of its samples to so much; 0: it has none */

	const struct sprof_modules *modules; /* NULL when no raw frame ever comes */
	struct sprof_profile_module *module_facts; /* by module; those from module_count on are not known */
	size_t module_count, module_capacity;
	struct sprof_profile_foreign foreign;
	const char **comments; /* of a file, but for sprof's own */
	size_t comment_count, comment_capacity;
	const char *command;                 /* the target's command line; NULL: unknown */
	uint64_t start_realtime_ns;          /* CLOCK_REALTIME of the start; 0: unknown */
	uint64_t start_ns;                   /* of the timeline: CLOCK_MONOTONIC of the start */
	struct sprof_quality quality;

	struct sprof_profile_index *index;
};

/*
 * An empty profile. `modules` is what raw frames refer to and outlives the profile; NULL when there
 * will be none. NULL: no memory.
 */
struct sprof_profile *sprof_profile_create(const struct sprof_modules *modules);
/* NULL is accepted. */
void sprof_profile_destroy(struct sprof_profile *profile);

/* Where the sampler's records go; valid as long as the profile. */
struct sprof_sink sprof_profile_sink(struct sprof_profile *profile);

/*
 * Gives what still waits for a sample of its class to [unsampled], as a thread's last charge does: before
 * a profile is written while its threads live. False: no memory.
 */
bool sprof_profile_settle(struct sprof_profile *profile);

/* The command (copied) and the start of the run, in ns of CLOCK_REALTIME. False: no memory. */
bool sprof_profile_describe(
	struct sprof_profile *profile, const char *command, uint64_t start_realtime_ns);

/* Host and rank of the processes seen from now on; copied, NULL: not said. False: no memory. */
bool sprof_profile_set_place(struct sprof_profile *profile, const char *host, const char *rank);

/* How the profile shows what the kernel does. */
struct sprof_profile_kernel {
	/* The name of a system call; NULL: "system call 1". */
	void (*syscall_name)(int64_t number, char *buffer, size_t size);
	bool frames; /* system calls, and what the kernel says of its stack, are frames: "[read]" */
};

void sprof_profile_set_kernel(
	struct sprof_profile *profile, const struct sprof_profile_kernel *kernel);

/*
 * The timeline grows to so many spans and no further; 0, as at first: there is none. `start_ns` is when
 * the run began, in ns of CLOCK_MONOTONIC.
 */
void sprof_profile_set_timeline(struct sprof_profile *profile, size_t span_max, uint64_t start_ns);

/*
 * Bounds the memory of what comes from now on: about so many distinct stacks are kept, and threads,
 * processes, waits and texts in numbers that no report can show. All others are [other], and counted
 * in the quality. 0, as at first: there is no bound.
 */
void sprof_profile_set_max_stacks(struct sprof_profile *profile, size_t max);

/* Takes over the figures, except for those that the profile counts itself: frames_unresolved, folded. */
void sprof_profile_set_quality(struct sprof_profile *profile, const struct sprof_quality *quality);

/*
 * Building a profile by hand, where frames have names and no addresses: a location for the name,
 * the stack that is `parent` plus that location as its innermost frame, and weight for a thread
 * (its index; threads come from the sink's thread()) on a stack, its state not known. False: no
 * memory. See profile/build.h for profiles from files.
 */
bool sprof_profile_name_location(
	struct sprof_profile *profile, const char *name, uint32_t *ret_location);
bool sprof_profile_push(
	struct sprof_profile *profile, uint32_t parent, uint32_t location, uint32_t *ret_stack);
bool sprof_profile_add(struct sprof_profile *profile, uint32_t thread, uint32_t stack,
	const struct sprof_metrics *metrics);

/* The times of all rows together. */
struct sprof_times sprof_profile_times(const struct sprof_profile *profile);

/*
 * What the profile weighs: "wall", or what the kind is called that a file of another tool is shown
 * by; and its unit, "nanoseconds" or "count" or the file's own word.
 */
const char *sprof_profile_weight_name(
	const struct sprof_profile *profile, enum sprof_weight weight);
const char *sprof_profile_weight_unit(
	const struct sprof_profile *profile, enum sprof_weight weight);

/*
 * The identity that makes the report true: for each thread and class, the time on its rows, plus
 * what waits for a sample of its class until the thread's last charge, is what was charged.
 */
bool sprof_profile_adds_up(const struct sprof_profile *profile);

#endif
