/*
 * The boundary between a program and libc, by names of modules and functions.
 * Locations must be named. In statically linked programs there is no such boundary; the result is
 * the innermost function.
 */
#include "profile/answer/boundaries.h"

#include <string.h>

#include "profile/views/stack-lines.h"

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* Go programs have no libc: these packages are their boundary to the kernel. */
static bool is_go_runtime(const char *function)
{
	static const char *const starts[] = {"runtime.", "runtime/internal/", "internal/runtime/",
		"internal/poll.", "syscall.", "golang.org/x/sys/unix."};

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		if (starts_with(function, starts[i]))
			return true;
	}
	return false;
}

/* CPython's functions for its interpreter lock and Python locks: the boundary to Python code. */
static bool is_python_lock(const char *function)
{
	static const char *const starts[] = {"PyEval_RestoreThread", "PyEval_SaveThread",
		"PyEval_AcquireThread", "PyGILState_Ensure", "take_gil", "drop_gil",
		"PyThread_acquire_lock", "PyCOND_", "PyMutex_", "_PyMutex_", "_PyParkingLot_",
		"_PySemaphore_", "acquire_timed", "lock_PyThread_acquire_lock",
		/* since 3.13, and the loop's way to give the lock to others */
		"_PyEval_AcquireLock", "_PyEval_ReleaseLock", "_PyThreadState_Attach",
		"_PyThreadState_Detach", "_PyThreadState_Suspend", "_PyRawMutex_",
		"_PyRecursiveMutex_", "_PyRWMutex_", "PyEvent_Wait", "_PyCriticalSection",
		"_Py_HandlePending", "eval_frame_handle_pending"};

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		if (starts_with(function, starts[i]))
			return true;
	}
	return false;
}

/* PostgreSQL's wrappers of all waits: the boundary to what is waited for. */
static bool is_postgres_wait(const char *function)
{
	return starts_with(function, "WaitEventSetWait") || starts_with(function, "WaitLatch") ||
		strcmp(function, "PGSemaphoreLock") == 0;
}

bool sprof_profile_is_libc(const struct sprof_profile *profile, uint32_t function)
{
	static const char *const names[] = {"libc.so", "libc-", "libc.musl", "libpthread",
		"librt.so", "librt-", "ld-", "[vdso]"};
	uint32_t module = profile->functions[function].module;
	const char *name;

	if (is_go_runtime(profile->functions[function].name) ||
		is_python_lock(profile->functions[function].name) ||
		is_postgres_wait(profile->functions[function].name))
		return true;
	if (module == SPROF_PROFILE_NONE || !profile->modules)
		return false;
	name = sprof_module_name(sprof_modules_get(profile->modules, module));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (starts_with(name, names[i]))
			return true;
	}
	return false;
}

enum sprof_lock_kind sprof_profile_lock_by_name(const char *name)
{
	static const struct {
		const char *start;
		enum sprof_lock_kind kind;
	} names[] = {
		{"pthread_cond_", SPROF_LOCK_CONDITION},
		{"cnd_wait", SPROF_LOCK_CONDITION},
		{"cnd_timedwait", SPROF_LOCK_CONDITION},
		{"pthread_join", SPROF_LOCK_JOIN},
		{"pthread_timedjoin", SPROF_LOCK_JOIN},
		{"pthread_clockjoin", SPROF_LOCK_JOIN},
		{"thrd_join", SPROF_LOCK_JOIN},
		{"pthread_rwlock_", SPROF_LOCK_RWLOCK},
		{"pthread_barrier_wait", SPROF_LOCK_BARRIER},
		{"sem_wait", SPROF_LOCK_SEMAPHORE},
		{"sem_timedwait", SPROF_LOCK_SEMAPHORE},
		{"sem_clockwait", SPROF_LOCK_SEMAPHORE},
		{"new_sem_wait", SPROF_LOCK_SEMAPHORE},
		{"pthread_mutex_", SPROF_LOCK_MUTEX},
		{"mtx_lock", SPROF_LOCK_MUTEX},
		{"lll_lock_wait", SPROF_LOCK_MUTEX},
		{"runtime.lock2", SPROF_LOCK_MUTEX},
	};

	name += strspn(name, "_");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (starts_with(name, names[i].start))
			return names[i].kind;
	}
	return SPROF_LOCK_UNKNOWN;
}

enum sprof_lock_kind sprof_profile_lock_of(const struct sprof_profile *profile, uint32_t stack)
{
	enum {
		DEEPEST = 8 /* frames of libc, at most */
	};
	struct sprof_stack_lines at = {.stack = stack};
	const struct sprof_profile_line *line;
	int depth = 0;

	while (depth < DEEPEST && (line = sprof_stack_lines_next(profile, &at))) {
		enum sprof_lock_kind kind =
			sprof_profile_lock_by_name(profile->functions[line->function].name);

		if (line->kernel)
			continue;
		depth++;
		if (kind != SPROF_LOCK_UNKNOWN)
			return kind;
		if (!sprof_profile_is_libc(profile, line->function))
			break;
	}
	return SPROF_LOCK_UNKNOWN;
}
