/*
 * What a futex belongs to, as far as the memory around it tells: glibc's mutexes, rwlocks and
 * thread ends, and the lock of CPython's interpreter; and who has it.
 *
 * glibc's structures are the same on every 64-bit machine that sprof runs on
 * (sysdeps/nptl/bits/struct_mutex.h, struct_rwlock.h). They are no interface, so nothing is
 * believed that is not plausible: an owner must be a thread of the process, and the word must say
 * "contended".
 */
#ifndef SPROF_ATTACH_FUTEX_H
#define SPROF_ATTACH_FUTEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/record.h"

enum {
	SPROF_FUTEX_BEFORE = 72, /* bytes in front of the word that are looked at */
	SPROF_FUTEX_AFTER = 40,  /* and from the word on */
	SPROF_FUTEX_BYTES = SPROF_FUTEX_BEFORE + SPROF_FUTEX_AFTER,
};

/* The arguments of a futex system call that waits. */
struct sprof_futex {
	uint64_t address;
	uint32_t operation; /* with its flags */
	uint32_t value;     /* the word must be this for the wait to begin */
};

/* Memory around the word; what could not be read in front of it is zero. */
struct sprof_futex_memory {
	uint8_t bytes[SPROF_FUTEX_BYTES];
	bool has_before, has_word, has_after;
};

/* Whether the thread with this id, as the process knows it, is one of the process's. */
struct sprof_futex_threads {
	void *data;
	bool (*is_thread)(void *data, pid_t own_tid);
};

struct sprof_futex_facts {
	enum sprof_lock_kind lock;
	pid_t holder;         /* its id as the process knows it; 0: nobody, or not known */
	uint64_t last_holder; /* INTERPRETER: where the holder's PyThreadState is; see below */
};

/* False: the arguments are not those of a wait. */
bool sprof_futex_parse(const uint64_t arguments[6], struct sprof_futex *ret);

/* Whether no other process can wait for it, wherever it lies. */
bool sprof_futex_is_private(const struct sprof_futex *futex);

void sprof_futex_read(pid_t pid, uint64_t address, struct sprof_futex_memory *ret);

struct sprof_futex_facts sprof_futex_look(const struct sprof_futex *futex,
	const struct sprof_futex_memory *memory, const struct sprof_futex_threads *threads);

/*
 * The thread of a PyThreadState of CPython 3.11 and later, which has its native id in it; older
 * ones have the pthread_t, at which glibc keeps the id.
 */
pid_t sprof_futex_interpreter_holder(
	pid_t pid, uint64_t thread_state, const struct sprof_futex_threads *threads);

#endif
