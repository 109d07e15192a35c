/*
 * Stores what threads wait for, as the sampler reports it, each wait once, and looks up system call
 * names. profile/names/name-waits.c adds what needs symbols.
 */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "profile/model/index.h"

enum { KERNEL_NAMES = 32, KERNEL_NAME = 96 };

/* The functions of one stack of the kernel. */
struct kernel_names {
	char texts[KERNEL_NAMES][KERNEL_NAME];
	const char *names[KERNEL_NAMES];
};

/* NULL stays NULL. */
static bool intern(struct sprof_profile *profile, const char *text, const char **ret)
{
	*ret = NULL;
	return !text || sprof_profile_intern_text(profile, text, ret);
}

static bool name_call(struct sprof_profile *profile, int64_t number, const char **ret)
{
	char name[64];

	*ret = NULL;
	if (number < 0)
		return true;
	if (profile->index->kernel.syscall_name)
		profile->index->kernel.syscall_name(number, name, sizeof(name));
	else
		snprintf(name, sizeof(name), "system call %lld", (long long)number);
	return intern(profile, name, ret);
}

static bool add_frame(
	struct sprof_profile *profile, struct sprof_profile_wait *wait, const char *name)
{
	uint32_t location;

	if (!sprof_profile_kernel_location(profile, name, &location) ||
		!SPROF_ARRAY_APPEND(profile->wait_frames, profile->wait_frame_count,
			profile->wait_frame_capacity, location))
		return false;
	wait->frame_count++;
	return true;
}

/* How it entered the kernel, which the outermost functions there show. */
static const char *name_of_entry(const struct sprof_wait *from)
{
	for (size_t i = from->kernel_count; i-- > 0;) {
		/* x86 and arm64 */
		if (strstr(from->kernel[i], "do_syscall") || strstr(from->kernel[i], "el0_svc"))
			return "system call";
		if (strstr(from->kernel[i], "page_fault") ||
			strstr(from->kernel[i], "do_mem_abort"))
			return "page fault";
	}
	return from->kernel_count ? "interrupt" : "page fault";
}

/* "[read]", and the kernel's own stack on top. */
static bool add_frames(struct sprof_profile *profile, const struct sprof_wait *from,
	struct sprof_profile_wait *wait)
{
	char name[96];

	wait->first_frame = (uint32_t)profile->wait_frame_count;
	if (!profile->index->kernel.frames)
		return true;
	snprintf(name, sizeof(name), "[%s]", wait->syscall ? wait->syscall : name_of_entry(from));
	if (!add_frame(profile, wait, name))
		return false;
	for (size_t i = from->kernel_count; i-- > 0;) {
		if (!add_frame(profile, wait, from->kernel[i]))
			return false;
	}
	return true;
}

static bool append(struct sprof_profile *profile, const struct sprof_wait *from, const char *object,
	const char *area, struct sprof_hash key, uint32_t *ret_id)
{
	const struct sprof_interned waits = SPROF_INTERNED(&profile->index->waits, profile->waits,
		profile->wait_count, profile->wait_capacity);
	struct sprof_profile_wait wait = {
		.object = object,
		.area = area,
		.kind = from->kind,
		.lock = from->lock,
		.traits = from->traits,
		.shared = from->shared,
		.address = from->address,
		.offset = from->offset,
		.module = from->module,
	};

	return name_call(profile, from->system_call, &wait.syscall) &&
		add_frames(profile, from, &wait) && sprof_intern(&waits, key, &wait, ret_id);
}

static struct sprof_hash hash_of(
	const struct sprof_wait *wait, const char *object, const char *area)
{
	const uint64_t fields[] = {(uint64_t)wait->system_call,
		(uint64_t)wait->kind << 32 | (uint64_t)wait->shared << 31 | wait->lock,
		(uint64_t)wait->traits.lost_owner << 32 |
			(uint64_t)wait->traits.condition_words << 2 |
			(uint64_t)wait->traits.is_limited << 1 | wait->traits.is_endless,
		(uint64_t)(uintptr_t)object, (uint64_t)(uintptr_t)area, wait->address, wait->offset,
		wait->module};

	struct sprof_hash hash = sprof_hash_start(wait->kernel_count);

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		sprof_hash_add(&hash, fields[i]);
	for (size_t i = 0; i < wait->kernel_count; i++) {
		for (const char *text = wait->kernel[i]; *text; text++)
			sprof_hash_add(&hash, (uint8_t)*text);
		sprof_hash_add(&hash, 0);
	}
	return hash;
}

/* Entry 0 is nothing. */
static bool begin(struct sprof_profile *profile)
{
	if (profile->wait_count)
		return true;
	if (!sprof_array_reserve(
		    &profile->waits, &profile->wait_capacity, 1, sizeof(*profile->waits)))
		return false;
	profile->waits[0] = (struct sprof_profile_wait){.module = SPROF_PROFILE_NONE};
	profile->wait_count = 1;
	return true;
}

static bool is_full(const struct sprof_profile *profile)
{
	return sprof_profile_is_full(profile->wait_count, profile->index->bounds.waits);
}

/* There are no more of these than system calls. */
static bool is_folded(const struct sprof_wait *wait)
{
	return wait->object && !strcmp(wait->object, SPROF_PROFILE_OTHER) && !wait->kernel_count;
}

static bool sink_named(
	struct sprof_profile *profile, const struct sprof_wait *wait, uint32_t *ret_id);

/* If there is no room for a wait, its system call is kept. */
static bool fold(struct sprof_profile *profile, const struct sprof_wait *wait, uint32_t *ret_id)
{
	const struct sprof_wait folded = {
		.system_call = wait->system_call,
		.kind = wait->kind,
		.object = SPROF_PROFILE_OTHER,
		.module = SPROF_RECORD_NONE,
	};

	profile->index->folded.waits++;
	return sink_named(profile, &folded, ret_id);
}

static bool sink_named(
	struct sprof_profile *profile, const struct sprof_wait *wait, uint32_t *ret_id)
{
	const char *object, *area;
	struct sprof_hash hash;

	if (!begin(profile))
		return false;
	if (is_full(profile) && wait->object && !is_folded(wait) &&
		!sprof_strtab_find(profile->index->strings, wait->object))
		return fold(profile, wait, ret_id);
	if (!intern(profile, wait->object, &object) || !intern(profile, wait->area, &area))
		return false;
	hash = hash_of(wait, object, area);
	*ret_id = sprof_idmap_find(&profile->index->waits, hash.high, hash.low);
	if (*ret_id != SPROF_IDMAP_NONE)
		return true;
	if (is_full(profile) && !is_folded(wait))
		return fold(profile, wait, ret_id);
	return append(profile, wait, object, area, hash, ret_id);
}

/* Names the wait's kernel addresses, if there is a function for it. */
static void name_addresses(
	const struct sprof_profile *profile, struct kernel_names *names, struct sprof_wait *wait)
{
	const struct sprof_profile_kernel *kernel = &profile->index->kernel;

	if (!kernel->function_name || !kernel->frames)
		return;
	for (; wait->kernel_count < wait->kernel_address_count && wait->kernel_count < KERNEL_NAMES;
		wait->kernel_count++) {
		char *text = names->texts[wait->kernel_count];

		kernel->function_name(kernel->data, wait->kernel_addresses[wait->kernel_count],
			text, sizeof(names->texts[0]));
		names->names[wait->kernel_count] = text;
	}
	wait->kernel = names->names;
}

bool sprof_profile_sink_wait(void *data, const struct sprof_wait *wait, uint32_t *ret_id)
{
	struct sprof_profile *profile = data;
	struct sprof_wait named = *wait;
	struct kernel_names names;

	if (!wait->kernel_address_count)
		return sink_named(profile, wait, ret_id);
	name_addresses(profile, &names, &named);
	*ret_id = SPROF_WAIT_NONE;
	/* Without names, a running thread's activity outside system calls is unknown. */
	return (wait->system_call < 0 && !named.kernel_count) ||
		sink_named(profile, &named, ret_id);
}

bool sprof_profile_enter_kernel(
	struct sprof_profile *profile, uint32_t stack, uint32_t wait, uint32_t *ret_stack)
{
	uint32_t found = stack;

	if (wait && profile->waits[wait].frame_count) {
		found = sprof_idmap_find(&profile->index->entered, stack, wait);
		if (found == SPROF_IDMAP_NONE) {
			const struct sprof_profile_wait *what = &profile->waits[wait];

			found = stack;
			for (uint32_t i = 0; i < what->frame_count; i++) {
				if (!sprof_profile_push(profile, found,
					    profile->wait_frames[what->first_frame + i], &found))
					return false;
			}
			if (!sprof_profile_is_full(
				    profile->index->entered.count, profile->index->bounds.rows) &&
				!sprof_idmap_put(&profile->index->entered, stack, wait, found))
				return false;
		}
	}
	*ret_stack = found;
	return true;
}
