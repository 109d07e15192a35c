/*
 * Streams of calls of allocators, for tests: one line for each event.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "events/heap/allocations.h"

enum { HEAP_PID = 100, HEAP_SP = 0x7ff000 };
#define HEAP_NO_STACK UINT32_MAX

/* By how much sp is above that of the entry, after the return. */
#ifdef __x86_64__
enum { HEAP_RETURN_SIZE = 8 };
#else
enum { HEAP_RETURN_SIZE = 0 };
#endif

/* Time goes on by 1 ns with each event. */
struct heap_stream {
	struct sprof_allocations *allocations;
	uint64_t now_ns;
	uint64_t stored; /* what a word of the target's memory is; 0: can't be read */
};

/* Of a thread. Its tid is that of the process plus its number, from 0. */
struct heap_thread {
	struct heap_stream *stream;
	uint32_t id;
	pid_t pid, tid;
};

void heap_stream_begin(struct heap_stream *stream, bool is_whole, bool follow_children);
void heap_stream_end(struct heap_stream *stream);
struct heap_thread heap_thread(struct heap_stream *stream, uint32_t id);

/* A call begins at that sp; the stack's id is `stack`. */
struct heap_entry {
	const char *name;
	uint64_t sp;
	uint64_t arguments[4];
	uint32_t stack; /* 0: stack 1 */
};
void heap_enter(const struct heap_thread *thread, const struct heap_entry *entry);
void heap_leave(const struct heap_thread *thread, const char *name, uint64_t sp, uint64_t result);

/* Both, at HEAP_SP and on stack 1. */
void heap_call(const struct heap_thread *thread, const char *name, uint64_t first, uint64_t second,
	uint64_t result);
void heap_malloc(const struct heap_thread *thread, uint64_t size, uint64_t result);
void heap_free(const struct heap_thread *thread, uint64_t address);
void heap_realloc(
	const struct heap_thread *thread, uint64_t address, uint64_t size, uint64_t result);

void heap_fork(const struct heap_thread *thread, pid_t child);
void heap_exec(const struct heap_thread *thread);
void heap_exit(const struct heap_thread *thread);

/* What the books have. */
void heap_check(const struct heap_stream *stream, enum sprof_heap_figure figure, uint64_t bytes,
	uint64_t objects);
void heap_check_peak(const struct heap_stream *stream, uint64_t bytes, uint64_t objects);
/* And what holds of all books. */
void heap_check_sums(const struct heap_stream *stream);
