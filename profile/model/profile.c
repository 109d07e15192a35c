/*
 * The profile's lifetime, threads and rows: handles each record of the sink (base/record.h). Does
 * not handle names, the tree of stacks (tree.c), or the distribution of time (window.c).
 */
#include "profile/model/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/strings.h"
#include "profile/model/index.h"

enum {
	NAMES_MAX = 200 /* characters of a thread's former names */
};

struct sprof_profile *sprof_profile_create(const struct sprof_modules *modules)
{
	struct sprof_profile *profile = calloc(1, sizeof(*profile));

	if (!profile)
		return NULL;
	profile->modules = modules;
	profile->kinds = (struct sprof_kinds){.has_times = true, .shown = SPROF_WEIGHT_WALL};
	profile->index = calloc(1, sizeof(*profile->index));
	if (!profile->index)
		goto fail;
	profile->index->strings = sprof_strtab_create();
	if (!profile->index->strings)
		goto fail;
	if (!sprof_array_reserve(
		    &profile->stacks, &profile->stack_capacity, 1, sizeof(*profile->stacks)))
		goto fail;
	profile->stacks[SPROF_PROFILE_ROOT] = (struct sprof_profile_stack){
		.parent = SPROF_PROFILE_NONE, .location = SPROF_PROFILE_NONE};
	profile->stack_count = 1;
	return profile;
fail:
	sprof_profile_destroy(profile);
	return NULL;
}

static void destroy_index(struct sprof_profile_index *index, size_t thread_count)
{
	if (!index)
		return;
	for (size_t i = 0; i < thread_count; i++)
		sprof_window_finish(&index->windows[i]);
	free(index->windows);
	sprof_idmap_finish(&index->processes);
	sprof_idmap_finish(&index->threads);
	sprof_idmap_finish(&index->functions);
	sprof_idmap_finish(&index->joined);
	sprof_idmap_finish(&index->locations);
	sprof_idmap_finish(&index->stacks);
	sprof_idmap_finish(&index->whole);
	sprof_idmap_finish(&index->rows);
	sprof_idmap_finish(&index->raw_ids);
	free(index->raws);
	free(index->unnamed);
	sprof_idmap_finish(&index->built);
	sprof_idmap_finish(&index->contexts);
	sprof_idmap_finish(&index->comments);
	sprof_idmap_finish(&index->waits);
	sprof_idmap_finish(&index->entered);
	sprof_modules_destroy(index->own_modules);
	sprof_strtab_destroy(index->strings);
	free(index);
}

void sprof_profile_destroy(struct sprof_profile *profile)
{
	if (!profile)
		return;
	destroy_index(profile->index, profile->thread_count);
	for (size_t i = 0; i < profile->module_count; i++)
		free(profile->module_facts[i].segments);
	free(profile->module_facts);
	free(profile->contexts);
	free(profile->waits);
	free(profile->wait_frames);
	free(profile->spans);
	free(profile->comments);
	free(profile->kinds.values);
	free(profile->processes);
	free(profile->threads);
	free(profile->functions);
	free(profile->lines);
	free(profile->locations);
	free(profile->stacks);
	free(profile->rows);
	free(profile);
}

/* Keeps a name that the thread gives up, unless the name came with its program. */
static bool keep_name(struct sprof_profile *profile, struct sprof_profile_thread *thread,
	const struct sprof_thread_record *record, const char *name)
{
	SPROF_AUTO_FREE char *names = NULL;

	if (!thread->name[0] || thread->name == name || record->process_name ||
		record->replaces_name)
		return true;
	names = sprof_string_print("%s%s%s", thread->former_names ? thread->former_names : "",
		thread->former_names ? ", " : "", thread->name);
	return names && sprof_profile_intern_text(profile, names, &thread->former_names);
}

/* A thread that shows progress in its name would add names for ever. */
static bool has_enough_names(const struct sprof_profile_thread *thread)
{
	return thread->is_other ||
		(thread->former_names && strlen(thread->former_names) >= NAMES_MAX);
}

static bool sink_thread(void *data, const struct sprof_thread_record *record)
{
	struct sprof_profile *profile = data;
	struct sprof_profile_thread *thread;
	const char *name;
	uint32_t index;

	if (!sprof_profile_take_thread(profile, record, &index))
		return false;
	thread = &profile->threads[index];
	if (has_enough_names(thread))
		return true;
	if (!sprof_profile_intern_text(profile, record->name, &name) ||
		!keep_name(profile, thread, record, name))
		return false;
	thread->tid = record->tid;
	thread->name = name;
	return true;
}

static bool sink_facts(void *data, uint32_t id, const struct sprof_thread_facts *facts)
{
	struct sprof_profile *profile = data;
	uint32_t index;

	if (!sprof_profile_find_thread(profile, id, &index))
		return false;
	if (profile->threads[index].is_other)
		return true;
	profile->threads[index].facts = *facts;
	profile->threads[index].has_facts = true;
	return true;
}

/*
 * If not even the innermost frame is known, the stack shows the reason instead. A complete stack
 * without frames is that of a worker of the kernel in the process, such as io_uring's.
 */
static bool push_reason(struct sprof_profile *profile, enum sprof_end end, uint32_t *ret_stack)
{
	char name[32];
	uint32_t location;

	snprintf(name, sizeof(name), "[%s]",
		end == SPROF_END_ROOT ? "kernel worker" : sprof_end_name(end));
	return sprof_profile_name_location(profile, name, &location) &&
		sprof_profile_push(profile, SPROF_PROFILE_ROOT, location, ret_stack);
}

static bool sink_stack(void *data, const struct sprof_stack_view *stack, uint32_t *ret_id)
{
	struct sprof_profile *profile = data;

	if (!stack->count)
		return push_reason(profile, stack->end, ret_id);
	return sprof_profile_push_frames(profile, stack->frames, stack->count, ret_id);
}

static bool note_wait(struct sprof_profile *profile, const struct sprof_sample *sample,
	uint32_t thread, uint32_t row)
{
	struct sprof_last_wait *last = &profile->threads[thread].last_wait;
	struct sprof_last_wait now = {
		.wait = sprof_state_is_blocked(sample->state) ? sample->wait : SPROF_WAIT_NONE,
		.holder = SPROF_PROFILE_NONE,
		.row = row,
		.since_ns = sample->time_ns,
	};

	if (now.wait != SPROF_WAIT_NONE && sample->holder &&
		!sprof_profile_find_thread(profile, sample->holder->thread, &now.holder))
		return false;
	if (now.wait == last->wait && now.holder == last->holder)
		now.since_ns = last->since_ns;
	*last = now;
	return true;
}

static bool sink_sample(void *data, const struct sprof_sample *sample)
{
	struct sprof_profile *profile = data;
	const uint32_t count = !sample->is_further;
	struct sprof_window_run run = {
		.count = count,
		.ns = sample->ns,
		.queue_ns = sample->queue_ns,
		.state = sample->state,
	};
	struct sprof_profile_span span = {
		.begin_ns = sample->time_ns, .end_ns = sample->time_ns, .samples = count};
	struct sprof_profile_thread *thread;
	uint32_t index;

	if (!sprof_profile_find_thread(profile, sample->thread, &index) ||
		!sprof_profile_find_row(profile, sample, index, &run.row) ||
		!sprof_window_add(&profile->index->windows[index], &run) ||
		(!sample->is_further && !note_wait(profile, sample, index, run.row)))
		return false;
	span.row = run.row;
	if (!sprof_profile_extend(profile, index, &span))
		return false;
	if (sprof_profile_is_other(profile, profile->rows[run.row].stack))
		profile->index->folded.samples += count;
	profile->rows[run.row].metrics.samples += count;
	thread = &profile->threads[index];
	if (!thread->samples)
		thread->first_ns = sample->time_ns;
	thread->samples += count;
	thread->last_ns = sample->time_ns;
	return true;
}

bool sprof_profile_unsampled_row(struct sprof_profile *profile, uint32_t thread, uint32_t *ret_row)
{
	const struct sprof_profile_context context = {.state = SPROF_STATE_COUNT};
	struct sprof_profile_row key = {.thread = thread};
	uint32_t location;

	return sprof_profile_name_location(profile, SPROF_PROFILE_UNSAMPLED, &location) &&
		sprof_profile_push(profile, SPROF_PROFILE_ROOT, location, &key.stack) &&
		sprof_profile_intern_context(profile, &context, &key.context) &&
		sprof_profile_intern_row(profile, &key, ret_row);
}

/* Left-over time goes to the last sample of its class, or to the thread's [unsampled] row. */
static bool charge_unsampled(struct sprof_profile *profile, uint32_t thread)
{
	struct sprof_window *window = &profile->index->windows[thread];
	struct sprof_metrics left = {0};
	uint32_t row;

	sprof_window_settle(window, profile->rows);
	if (!sprof_times_wall(&window->carried))
		return true;
	if (!sprof_profile_unsampled_row(profile, thread, &row))
		return false;
	left.times = sprof_window_take_carried(window);
	sprof_metrics_add(&profile->rows[row].metrics, &left);
	return true;
}

static bool sink_charge(void *data, uint32_t id, const struct sprof_charge *charge)
{
	struct sprof_profile *profile = data;
	uint32_t index;

	if (!sprof_profile_find_thread(profile, id, &index))
		return false;
	sprof_times_add(&profile->threads[index].times, &charge->times);
	if (!profile->kinds.has_times) {
		if (charge->last)
			sprof_profile_forget_thread(profile, id);
		return true;
	}
	sprof_window_fault(&profile->index->windows[index], charge->faults);
	sprof_window_charge(&profile->index->windows[index], &charge->times, profile->rows);
	if (!charge->last)
		return true;
	if (!charge_unsampled(profile, index))
		return false;
	sprof_window_finish(&profile->index->windows[index]);
	sprof_profile_forget_thread(profile, id);
	return true;
}

bool sprof_profile_settle(struct sprof_profile *profile)
{
	for (size_t i = 0; i < profile->thread_count; i++) {
		if (!charge_unsampled(profile, (uint32_t)i))
			return false;
	}
	return true;
}

/* Spans don't continue across a pause. */
static void sink_pause(void *data)
{
	struct sprof_profile *profile = data;

	for (size_t i = 0; i < profile->thread_count; i++)
		profile->threads[i].last_span = SPROF_PROFILE_NONE;
}

struct sprof_sink sprof_profile_sink(struct sprof_profile *profile)
{
	return (struct sprof_sink){
		.data = profile,
		.thread = sink_thread,
		.stack = sink_stack,
		.sample = sink_sample,
		.charge = sink_charge,
		.wait = sprof_profile_sink_wait,
		.waited = sprof_profile_sink_waited,
		.facts = sink_facts,
		.pause = sink_pause,
	};
}

const struct sprof_profile_module *sprof_profile_module_facts(
	const struct sprof_profile *profile, uint32_t module)
{
	static const struct sprof_profile_module unknown;

	return module < profile->module_count ? &profile->module_facts[module] : &unknown;
}

void sprof_profile_set_kernel(
	struct sprof_profile *profile, const struct sprof_profile_kernel *kernel)
{
	profile->index->kernel = *kernel;
}

bool sprof_profile_describe(
	struct sprof_profile *profile, const char *command, uint64_t start_realtime_ns)
{
	const char *copy = sprof_strtab_intern(profile->index->strings, command);

	if (!copy)
		return false;
	profile->command = copy;
	profile->start_realtime_ns = start_realtime_ns;
	return true;
}

void sprof_profile_set_quality(struct sprof_profile *profile, const struct sprof_quality *quality)
{
	profile->quality = *quality;
	profile->quality.frames_unresolved = profile->index->locations_unresolved;
	profile->quality.samples_folded = profile->index->folded.samples;
	profile->quality.threads_folded = profile->index->folded.threads;
	profile->quality.waits_folded = profile->index->folded.waits;
}

struct sprof_metrics sprof_profile_sum(const struct sprof_profile *profile)
{
	struct sprof_metrics sum = {0};

	for (size_t i = 0; i < profile->row_count; i++)
		sprof_metrics_add(&sum, &profile->rows[i].metrics);
	return sum;
}

bool sprof_profile_adds_up(const struct sprof_profile *profile)
{
	SPROF_AUTO_FREE struct sprof_times *sums = NULL;

	if (!profile->kinds.has_times)
		return true;
	sums = calloc(profile->thread_count + 1, sizeof(*sums));
	if (!sums)
		return true;
	for (size_t i = 0; i < profile->row_count; i++) {
		const struct sprof_profile_row *row = &profile->rows[i];

		for (int k = 0; k < SPROF_TIME_COUNT; k++)
			sums[row->thread].ns[k] += row->metrics.times.ns[k];
	}
	for (size_t i = 0; i < profile->thread_count; i++) {
		for (int k = 0; k < SPROF_TIME_COUNT; k++) {
			if (sums[i].ns[k] + profile->index->windows[i].carried.ns[k] !=
				profile->threads[i].times.ns[k])
				return false;
		}
	}
	return true;
}
