/*
 * The lock that a futex belongs to, from the memory around its word, and the lock's holder: glibc's
 * mutexes, rwlocks and joins, and CPython's interpreter lock.
 *
 * glibc's structures are the same on every 64-bit machine that sprof runs on
 * (sysdeps/nptl/bits/struct_mutex.h, struct_rwlock.h, thread-shared-types.h). They are not a stable
 * interface: condition variables changed in 2.41, and the values of the words show which version
 * they are. So only plausible values are accepted: an owner must be a thread of the process, and
 * the word must be in the "contended" state.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/record.h"
#include "blocked/access.h"

/* The arguments of a waiting futex system call. */
struct sprof_futex {
	uint64_t address;
	uint32_t operation; /* including its flags */
	uint32_t value;     /* the wait starts only if the word has this value */
	bool is_limited;    /* the wait ends at some time */
};

/* Whether the process has a thread with this id, in its own pid namespace. */
struct sprof_futex_threads {
	void *data;
	bool (*is_thread)(void *data, pid_t own_tid);
};

struct sprof_futex_facts {
	enum sprof_lock_kind lock;
	pid_t holder;         /* id in the process's own pid namespace; 0: none or unknown */
	uint64_t last_holder; /* INTERPRETER: address of the holder's PyThreadState; see below */
	struct sprof_lock_traits traits; /* of the memory only */
};

/* Returns false if these are not the arguments of a wait. */
SPROF_MUST_USE bool sprof_futex_parse(const uint64_t arguments[6], struct sprof_futex *ret);

/* Whether the futex is private to the process (FUTEX_PRIVATE_FLAG). */
bool sprof_futex_is_private(const struct sprof_futex *futex);

/*
 * Whether the thread waits on a zero in its frame at sp, where no other thread can wake it. If it
 * waits for a mutex, the kernel has refused the lock, because that would close a cycle or because
 * the owner has ended; glibc and musl then wait for ever, with priority inheritance. For a
 * semaphore this proves nothing.
 */
bool sprof_futex_is_endless(const struct sprof_futex *futex, uint64_t sp);

/* Reads the memory of the process. */
struct sprof_futex_facts sprof_futex_look(const struct sprof_blocked_access *access, pid_t pid,
	const struct sprof_futex *futex, const struct sprof_futex_threads *threads);

/*
 * The thread of a PyThreadState. CPython 3.11 and later stores the native id in it; older versions
 * store the pthread_t, in which glibc stores the id. 0: not found.
 */
pid_t sprof_futex_interpreter_holder(const struct sprof_blocked_access *access, pid_t pid,
	uint64_t thread_state, const struct sprof_futex_threads *threads);
