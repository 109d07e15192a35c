/*
 * The boundary between a program and libc, by names of modules and functions.
 * Locations must be named. In statically linked programs there is no such boundary; the result is
 * the innermost function.
 */
#include "profile/classify/boundaries.h"

#include <string.h>

#include "base/strings.h"
#include "profile/model/stack-lines.h"

/* Go programs have no libc: these packages are their boundary to the kernel. */
static bool is_go_runtime(const char *function)
{
	static const char *const starts[] = {"runtime.", "runtime/internal/", "internal/runtime/",
		"internal/poll.", "syscall.", "golang.org/x/sys/unix.", NULL};

	return sprof_string_starts_with_any(function, starts);
}

/* CPython's functions about its interpreter lock and Python locks. */
enum python_lock {
	PYTHON_AROUND = 1, /* the boundary to Python code */
	PYTHON_TAKES = 2,  /* waits for a Python lock */
	PYTHON_METHOD = 4, /* of a lock object: its time is the lock's */
};

static bool is_python_lock(const char *function, enum python_lock kind)
{
	static const struct {
		const char *start;
		unsigned kinds;
	} starts[] = {
		{"PyEval_RestoreThread", PYTHON_AROUND},
		{"PyEval_SaveThread", PYTHON_AROUND},
		{"PyEval_AcquireThread", PYTHON_AROUND},
		{"PyGILState_Ensure", PYTHON_AROUND},
		{"take_gil", PYTHON_AROUND},
		{"drop_gil", PYTHON_AROUND},
		{"PyThread_acquire_lock", PYTHON_AROUND | PYTHON_TAKES},
		{"PyCOND_", PYTHON_AROUND},
		{"PyMutex_", PYTHON_AROUND},
		{"_PyMutex_", PYTHON_AROUND},
		{"_PyMutex_LockTimed", PYTHON_TAKES},
		{"_PyParkingLot_", PYTHON_AROUND},
		{"_PySemaphore_", PYTHON_AROUND},
		{"_PySemaphore_Wait", PYTHON_TAKES},
		{"acquire_timed", PYTHON_AROUND},
		{"lock_PyThread_acquire_lock", PYTHON_AROUND | PYTHON_METHOD},
		{"_thread_lock_acquire", PYTHON_METHOD},
		{"lock_acquire", PYTHON_METHOD},
		{"rlock_acquire", PYTHON_METHOD},
		{"_thread_RLock_acquire", PYTHON_METHOD},
		/* since 3.13, and the loop's way to give the lock to others */
		{"_PyEval_AcquireLock", PYTHON_AROUND},
		{"_PyEval_ReleaseLock", PYTHON_AROUND},
		{"_PyThreadState_Attach", PYTHON_AROUND},
		{"_PyThreadState_Detach", PYTHON_AROUND},
		{"_PyThreadState_Suspend", PYTHON_AROUND},
		{"_PyRawMutex_", PYTHON_AROUND},
		{"_PyRecursiveMutex_", PYTHON_AROUND},
		{"_PyRWMutex_", PYTHON_AROUND},
		{"PyEvent_Wait", PYTHON_AROUND | PYTHON_TAKES},
		{"_PyCriticalSection", PYTHON_AROUND},
		{"_Py_HandlePending", PYTHON_AROUND},
		{"eval_frame_handle_pending", PYTHON_AROUND},
	};

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		if ((starts[i].kinds & kind) && sprof_string_starts_with(function, starts[i].start))
			return true;
	}
	return false;
}

/* PostgreSQL's functions through which all its waits go. */
static bool is_postgres_wait(const char *function)
{
	return sprof_string_starts_with(function, "WaitEventSetWait") ||
		sprof_string_starts_with(function, "WaitLatch") ||
		strcmp(function, "PGSemaphoreLock") == 0;
}

/* The libraries of OpenMP run the program's own code, as libc does. */
bool sprof_profile_is_libc(const struct sprof_profile *profile, uint32_t function)
{
	static const char *const names[] = {"libc.so", "libc-", "libc.musl", "libpthread",
		"librt.so", "librt-", "ld-", "[vdso]", "libgomp.so", "libgomp-", "libomp.so",
		"libomp-", "libiomp5.so", "libiomp5-", NULL};
	uint32_t module = profile->functions[function].module;

	if (is_go_runtime(profile->functions[function].name) ||
		is_python_lock(profile->functions[function].name, PYTHON_AROUND) ||
		is_postgres_wait(profile->functions[function].name))
		return true;
	if (module == SPROF_PROFILE_NONE || !profile->modules)
		return false;
	return sprof_string_starts_with_any(
		sprof_module_name(sprof_modules_get(profile->modules, module)), names);
}

/*
 * "std::sys::sync::mutex::futex::Mutex::lock_contended", with the type in <> in newer builds. The
 * folders differ between versions.
 */
static bool takes_rust_lock(const char *name)
{
	static const char *const ends[] = {
		"::lock_contended", "::read_contended", "::write_contended"};

	name += strspn(name, "<");
	if (!sprof_string_starts_with(name, "std::sys::"))
		return false;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		if (strstr(name, ends[i]))
			return true;
	}
	return false;
}

/*
 * "parking_lot::raw_mutex::RawMutex::lock_slow", or raw_rwlock's lock_common, upgrade_slow and
 * others.
 */
static bool takes_parking_lock(const char *name)
{
	name += strspn(name, "<");
	return (sprof_string_starts_with(name, "parking_lot::raw_mutex::") ||
		       sprof_string_starts_with(name, "parking_lot::raw_rwlock::")) &&
		!strstr(name, "::unlock");
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

	if (takes_rust_lock(name))
		return SPROF_LOCK_RUST;
	if (takes_parking_lock(name))
		return SPROF_LOCK_PARKING;
	name += strspn(name, "_");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (sprof_string_starts_with(name, names[i].start))
			return names[i].kind;
	}
	return SPROF_LOCK_UNKNOWN;
}

bool sprof_profile_takes_python_lock(const char *name)
{
	return is_python_lock(name, PYTHON_TAKES);
}

bool sprof_profile_is_python_lock(const char *name)
{
	return is_python_lock(name, PYTHON_METHOD);
}

enum sprof_lock_kind sprof_profile_python_lock(const char *name, const char *path)
{
	if (strcmp(sprof_string_file_name(path), "threading.py") != 0)
		return SPROF_LOCK_PYTHON;
	/* At the program's end, _shutdown waits for the other threads. */
	if (strstr(name, "join") || strstr(name, "tstate_lock") || strcmp(name, "_shutdown") == 0)
		return SPROF_LOCK_JOIN;
	return strstr(name, "wait") ? SPROF_LOCK_SEMAPHORE : SPROF_LOCK_PYTHON;
}

static bool is_script(const struct sprof_profile *profile, uint32_t function)
{
	const uint32_t module = profile->functions[function].module;

	return module != SPROF_PROFILE_NONE && profile->modules &&
		sprof_modules_get(profile->modules, module)->kind == SPROF_MODULE_SCRIPT;
}

/* Python's locks are semaphores, whose functions have no names in a stripped libc. */
static enum sprof_lock_kind python_lock_of(
	const struct sprof_profile *profile, uint32_t stack, enum sprof_lock_kind otherwise)
{
	struct sprof_stack_lines at = {.stack = stack};
	const struct sprof_profile_line *line;
	bool takes_lock = false;

	while ((line = sprof_stack_lines_next(profile, &at))) {
		const struct sprof_profile_function *function = &profile->functions[line->function];

		takes_lock |= sprof_profile_takes_python_lock(function->name);
		if (is_script(profile, line->function))
			return takes_lock
				? sprof_profile_python_lock(function->name,
					  sprof_modules_get(profile->modules, function->module)
						  ->path)
				: otherwise;
	}
	return otherwise;
}

enum sprof_lock_kind sprof_profile_lock_of(const struct sprof_profile *profile, uint32_t stack)
{
	enum {
		DEEPEST = 8 /* frames of libc, at most */
	};
	struct sprof_stack_lines at = {.stack = stack};
	const struct sprof_profile_line *line;
	enum sprof_lock_kind kind = SPROF_LOCK_UNKNOWN;
	int depth = 0;

	while (depth < DEEPEST && (line = sprof_stack_lines_next(profile, &at))) {
		if (line->kernel)
			continue;
		kind = sprof_profile_lock_by_name(profile->functions[line->function].name);
		depth++;
		if (kind == SPROF_LOCK_SEMAPHORE)
			break;
		if (kind != SPROF_LOCK_UNKNOWN)
			return kind;
		if (!sprof_profile_is_libc(profile, line->function))
			break;
	}
	return python_lock_of(profile, stack, kind);
}
