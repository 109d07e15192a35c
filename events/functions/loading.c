/*
 * Follows the dynamic loader by its system calls: it maps each library's code by mmap(2), and after
 * the last one the program's constructors run. A debug register would need only one stop, but it
 * stays set when the tracer dies, and then kills the thread.
 *
 * Does not handle libraries loaded later by dlopen(3).
 */
#include "events/functions/loading.h"

#include <elf.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "attach/proc/auxv.h"
#include "base/array.h"

/* A loader's mappings lie side by side, from its base on. */
static void find_range(
	const struct sprof_maps *maps, uint64_t base, struct sprof_loading_program *ret)
{
	const struct sprof_mapping *mapping = sprof_maps_find(maps, base);

	ret->start = ret->end = base;
	for (; mapping && mapping < maps->items + maps->count && mapping->start == ret->end;
		mapping++)
		ret->end = mapping->end;
}

bool sprof_loading_begin(struct sprof_loading *loading, struct sprof_thread *thread)
{
	const uint64_t base = sprof_auxv_find(thread->process->pid, AT_BASE);
	struct sprof_loading_program program = {.tid = thread->tid};

	if (!base)
		return true;
	find_range(&thread->process->maps, base, &program);
	if (!sprof_array_reserve(&loading->items, &loading->capacity, loading->count + 1,
		    sizeof(*loading->items)))
		return false;
	loading->items[loading->count++] = program;
	thread->resumption = SPROF_RESUME_TO_CALL;
	return true;
}

static struct sprof_loading_program *find(const struct sprof_loading *loading, pid_t tid)
{
	for (size_t i = 0; i < loading->count; i++) {
		if (loading->items[i].tid == tid)
			return &loading->items[i];
	}
	return NULL;
}

void sprof_loading_end(struct sprof_loading *loading, pid_t tid)
{
	struct sprof_loading_program *program = find(loading, tid);

	if (program)
		*program = loading->items[--loading->count];
}

/* musl's loader is also its C library: only its system calls show that loading is done. */
static bool is_loaders(int64_t number)
{
	static const int numbers[] = {
		SYS_mmap,
		SYS_mprotect,
		SYS_munmap,
		SYS_brk,
		SYS_openat,
		SYS_read,
		SYS_pread64,
		SYS_fstat,
		SYS_newfstatat,
		SYS_close,
		SYS_faccessat,
		SYS_readlinkat,
		SYS_set_tid_address,
		SYS_set_robust_list,
		SYS_prlimit64,
		SYS_getrandom,
		SYS_uname,
		SYS_getcwd,
		SYS_fcntl,
		SYS_statx,
		SYS_rseq,
		SYS_writev,
		SYS_write,
#if defined(__x86_64__)
		SYS_open,
		SYS_stat,
		SYS_lstat,
		SYS_access,
		SYS_readlink,
		SYS_arch_prctl,
#endif
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (numbers[i] == number)
			return true;
	}
	return false;
}

static bool is_done(
	const struct sprof_loading_program *program, const struct sprof_call_state *call)
{
	if (call->stop == SPROF_CALL_EXIT)
		return false;
	return call->pc < program->start || call->pc >= program->end || !is_loaders(call->number);
}

static bool has_mapped(const struct sprof_thread *thread, const struct sprof_call_state *call)
{
	const int64_t number = call->stop == SPROF_CALL_EXIT ? sprof_thread_left_call(thread) : -1;

	return number == SYS_mmap || number == SYS_mprotect;
}

bool sprof_loading_take(struct sprof_loading *loading, const struct sprof_event *event)
{
	struct sprof_thread *thread = event->thread;
	const struct sprof_loading_program *program = find(loading, thread->tid);
	struct sprof_call_state call = event->call;

	if (!program)
		return false;
	if (call.stop == SPROF_CALL_NONE && !sprof_thread_read_call(thread, &call))
		return false;
	if (!is_done(program, &call))
		return has_mapped(thread, &call);
	sprof_loading_end(loading, thread->tid);
	thread->resumption = thread->watched ? SPROF_RESUME_TO_CALL : SPROF_RESUME_CONTINUE;
	return true;
}

void sprof_loading_finish(struct sprof_loading *loading)
{
	free(loading->items);
	*loading = (struct sprof_loading){0};
}
