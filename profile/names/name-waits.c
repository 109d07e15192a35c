/*
 * Names what threads waited for. While sampling, a row's context has the sampler's ids; here they
 * become text: the kind of lock by functions on the stack, the variable by symbols, the holder's
 * place by its stack.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "profile/classify/boundaries.h"
#include "profile/classify/idle.h"
#include "profile/classify/own-place.h"
#include "profile/model/index.h"
#include "profile/names/resolve.h"

enum {
	/*
	 * Bytes from the start of a lock to its pair of words, and to the condition variable in it.
	 */
	RWLOCK_WORDS = 8,
	INTERPRETER_CONDITION = 32,
};

static const char *keep(struct sprof_profile *profile, const char *text)
{
	return sprof_strtab_intern(profile->index->strings, text);
}

uint64_t sprof_profile_lock_distance(
	enum sprof_lock_kind kind, uint64_t address, const struct sprof_lock_traits *traits)
{
	const uint64_t condition = (uint64_t)traits->condition_words;

	switch (kind) {
	case SPROF_LOCK_CONDITION:
		return condition ? condition + address % 8 : 0;
	case SPROF_LOCK_INTERPRETER:
		return condition ? condition + address % 8 + INTERPRETER_CONDITION : 0;
	case SPROF_LOCK_RWLOCK:
		return RWLOCK_WORDS + address % 8;
	case SPROF_LOCK_BARRIER: /* its second word */
		return address % 8;
	case SPROF_LOCK_UNKNOWN:
	case SPROF_LOCK_MUTEX:
	case SPROF_LOCK_JOIN:
	case SPROF_LOCK_SEMAPHORE:
	case SPROF_LOCK_PYTHON:
	case SPROF_LOCK_RUST:
	case SPROF_LOCK_PARKING:
	case SPROF_LOCK_COUNT:
		break;
	}
	return 0;
}

/* The state while names are given. */
struct naming {
	struct sprof_profile *profile;
	struct sprof_symbols *symbols;
	/* words that threads wait on for an interpreter's lock -> bytes from its start to the word */
	struct sprof_idmap interpreters;
	int condition_words; /* the same for all condition variables, if it is known of any; 0: none */
};

/* Why a lock has no holder; "": for no special reason. */
static void write_flaw(
	const struct sprof_profile_wait *wait, enum sprof_lock_kind kind, char flaw[64])
{
	const struct sprof_lock_traits *traits = &wait->traits;

	flaw[0] = '\0';
	if (kind != SPROF_LOCK_MUTEX && kind != SPROF_LOCK_RWLOCK)
		return;
	if (traits->lost_owner)
		snprintf(flaw, 64, " (its owner %d is not a thread of this process)",
			traits->lost_owner);
	else if (traits->is_endless && kind == SPROF_LOCK_MUTEX)
		snprintf(flaw, 64, " (refused: a deadlock, or its owner has ended)");
}

/* glibc waits for either word of a pair. */
static uint64_t pair_of(uint64_t address)
{
	return address & ~(uint64_t)7;
}

/*
 * The parts of an interpreter's lock (Python/ceval_gil.h): threads wait on a condition variable, and
 * briefly on the mutex beside it. The thread that gives it away waits on a second pair until
 * another one has it. The lock is recognisable only while it is held; without it, its parts look
 * like locks of their own.
 */
static bool add_interpreter(struct naming *naming, uint64_t words, uint64_t back)
{
	const uint64_t distance = back - INTERPRETER_CONDITION; /* into a condition variable */
	const uint64_t mutex = words - distance + sizeof(pthread_cond_t);
	const uint64_t other = mutex + sizeof(pthread_mutex_t);
	const uint64_t start = words - back;
	const uint64_t parts[] = {words, mutex, other + distance, other + sizeof(pthread_cond_t)};
	const size_t count = back > INTERPRETER_CONDITION ? sizeof(parts) / sizeof(parts[0]) : 1;

	for (size_t i = 0; i < count; i++) {
		if (!sprof_idmap_put(
			    &naming->interpreters, 0, parts[i], (uint32_t)(parts[i] - start)))
			return false;
	}
	return true;
}

static bool find_interpreters(struct naming *naming)
{
	const struct sprof_profile *profile = naming->profile;

	for (size_t i = 0; i < profile->wait_count; i++) {
		const struct sprof_profile_wait *wait = &profile->waits[i];
		const uint64_t words = pair_of(wait->address);

		if (wait->lock == SPROF_LOCK_INTERPRETER &&
			!add_interpreter(naming, words,
				sprof_profile_lock_distance(wait->lock, words, &wait->traits)))
			return false;
	}
	return true;
}

/* The kind of lock, and the bytes from its start to the word that the thread waits on. */
static uint64_t find_start(const struct naming *naming, const struct sprof_profile_wait *wait,
	const struct sprof_profile_row *row, enum sprof_lock_kind *ret_kind)
{
	const struct sprof_lock_traits traits = {
		.condition_words = wait->traits.condition_words ? wait->traits.condition_words
								: naming->condition_words,
	};
	const uint64_t words = pair_of(wait->address);
	const uint32_t back = sprof_idmap_find(&naming->interpreters, 0, words);
	const enum sprof_lock_kind kind = wait->lock == SPROF_LOCK_UNKNOWN
		? sprof_profile_lock_of(naming->profile, row->stack)
		: wait->lock;
	const bool is_part = kind == SPROF_LOCK_INTERPRETER || kind == SPROF_LOCK_CONDITION ||
		kind == SPROF_LOCK_MUTEX;

	*ret_kind = is_part && back != SPROF_IDMAP_NONE ? SPROF_LOCK_INTERPRETER : kind;
	if (is_part && back != SPROF_IDMAP_NONE)
		return back + wait->address - words;
	return sprof_profile_lock_distance(kind, wait->address, &traits);
}

/* "mutex cache_lock+0", "condition variable [heap]+0x2a0". */
static bool name_lock(const struct naming *naming, const struct sprof_profile_wait *wait,
	const struct sprof_profile_row *row, const char **ret, struct sprof_error *err)
{
	struct sprof_profile *profile = naming->profile;
	enum sprof_lock_kind kind;
	uint64_t back = find_start(naming, wait, row, &kind), offset = 0;
	struct sprof_module_called called;
	char what[64], flaw[64], text[512];
	const char *name = NULL;

	snprintf(what, sizeof(what), "%s%s", wait->shared ? SPROF_PROFILE_SHARED : "",
		sprof_lock_kind_name(kind));
	if (wait->module != SPROF_PROFILE_NONE &&
		!sprof_symbols_find_data(
			naming->symbols, wait->module, wait->offset - back, &name, &offset, err))
		return false;
	write_flaw(wait, kind, flaw);
	if (kind == SPROF_LOCK_JOIN || kind == SPROF_LOCK_PARKING ||
		(flaw[0] && !wait->traits.lost_owner))
		snprintf(text, sizeof(text), "%s%s", what, flaw);
	else if (name)
		snprintf(text, sizeof(text), "%s %s+%" PRIu64 "%s", what, name, offset, flaw);
	else if (wait->area && strcmp(wait->area, "[stack]") == 0)
		snprintf(text, sizeof(text), "%s %s-0x%" PRIx64 "%s", what, wait->area,
			wait->offset + back, flaw);
	else if (wait->area)
		snprintf(text, sizeof(text), "%s %s+0x%" PRIx64 "%s", what, wait->area,
			wait->offset - back, flaw);
	else
		snprintf(text, sizeof(text), "%s %s+0x%" PRIx64 "%s", what,
			sprof_profile_module_called(profile, wait->module, &called),
			wait->offset - back, flaw);
	*ret = keep(profile, text);
	return *ret || sprof_error_no_memory(err);
}

/*
 * The numbers in a condition variable do not always agree, but a program has only one C library. 0:
 * none is known, or they contradict each other.
 */
static int find_condition_words(const struct sprof_profile *profile)
{
	int words = 0;

	for (size_t i = 0; i < profile->wait_count; i++) {
		const int known = profile->waits[i].traits.condition_words;

		if (known && words && known != words)
			return 0;
		words = known ? known : words;
	}
	return words;
}

static bool name_object(const struct naming *naming, const struct sprof_profile_row *row,
	const struct sprof_profile_wait *wait, struct sprof_profile_context *context,
	struct sprof_error *err)
{
	struct sprof_profile *profile = naming->profile;
	const char *lacks = wait->kind == SPROF_WAIT_KIND_NONE || !wait->syscall
		? NULL
		: sprof_profile_idle_for(profile, row->stack);

	context->syscall = wait->syscall;
	context->kind = wait->kind;
	context->object = wait->object;
	if (lacks) {
		context->kind = SPROF_WAIT_KIND_IDLE;
		context->object = keep(profile, lacks);
		return context->object || sprof_error_no_memory(err);
	}
	if (!wait->syscall)
		context->object = keep(profile, "page fault");
	if (!wait->address)
		return true;
	return name_lock(naming, wait, row, &context->object, err);
}

static bool name_holder(struct sprof_profile *profile, const struct sprof_raw_context *raw,
	struct sprof_profile_context *context)
{
	SPROF_AUTO_FREE char *text = NULL;
	const struct sprof_profile_thread *thread;
	uint32_t function;

	if (raw->holding_thread == SPROF_PROFILE_NONE)
		return true;
	thread = &profile->threads[raw->holding_thread];
	text = sprof_string_print("%s (%d)", thread->name, thread->tid);
	if (!text)
		return false;
	context->holder = keep(profile, text);
	if (raw->holding_stack != SPROF_PROFILE_NONE) {
		function = sprof_own_place_of(profile, raw->holding_stack).function;
		if (function != SPROF_PROFILE_NONE)
			context->holder_function = profile->functions[function].name;
	}
	return context->holder;
}

static bool name_row(const struct naming *naming, const struct sprof_unnamed_row *unnamed,
	struct sprof_error *err)
{
	struct sprof_profile *profile = naming->profile;
	const struct sprof_raw_context *raw = &profile->index->raws[unnamed->raw];
	struct sprof_profile_row *row = &profile->rows[unnamed->row];
	struct sprof_profile_context context = {.state = raw->state, .labels = raw->labels};

	if (!name_object(naming, row, &profile->waits[raw->wait], &context, err))
		return false;
	return (name_holder(profile, raw, &context) &&
		       sprof_profile_intern_context(profile, &context, &row->context)) ||
		sprof_error_no_memory(err);
}

bool sprof_profile_name_waits(
	struct sprof_profile *profile, struct sprof_symbols *symbols, struct sprof_error *err)
{
	struct sprof_profile_index *index = profile->index;
	struct naming naming = {
		.profile = profile,
		.symbols = symbols,
		.condition_words = find_condition_words(profile),
	};
	bool ok = find_interpreters(&naming) || sprof_error_no_memory(err);

	for (size_t i = 0; ok && i < index->unnamed_count; i++)
		ok = name_row(&naming, &index->unnamed[i], err);
	if (ok)
		index->unnamed_count = 0;
	sprof_idmap_finish(&naming.interpreters);
	return ok;
}
