/*
 * Reduces the rows to the main facts. Processes are grouped by program name, because a compiler
 * runs a hundred times. output/ formats the facts.
 */
#include "profile/answer/answer.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/idmap.h"
#include "profile/answer/cause-order.h"
#include "profile/answer/deadlocks.h"
#include "profile/classify/idle.h"
#include "profile/classify/own-place.h"
#include "profile/model/program.h"
#include "profile/model/window.h"

/* The rest may be one part of this many. */
enum { NEARLY_ALL = 20 };

/* The rows of the table of waits, at the front, whose locks are looked at in all functions. */
enum { LOCKS = 8 };

/* A program matters from this percentage of the busy time. */
static const double least_program = 5;
/* Percent of the run's duration: with less busy time, all programs are idle. */
static const double least_busy = 1;

static const enum sprof_weight classes[SPROF_CAUSES] = {
	SPROF_WEIGHT_USER, SPROF_WEIGHT_SYS, SPROF_WEIGHT_RUNQ, SPROF_WEIGHT_WAIT};

struct finding {
	const struct sprof_profile *profile;
	struct sprof_answer answer;
	uint32_t *program_of;       /* by process */
	uint64_t *process_busy;     /* by process, in ns */
	struct sprof_idmap by_name; /* two hashes of a program's name -> its number */
};

static struct sprof_hash hash_of(const char *name)
{
	struct sprof_hash hash = sprof_hash_start(0);

	for (; *name; name++)
		sprof_hash_add(&hash, (unsigned char)*name);
	return hash;
}

static bool find_program(struct finding *finding, const char *command, uint32_t *ret)
{
	struct sprof_answer *answer = &finding->answer;
	char name[sizeof(answer->programs->name)];
	struct sprof_hash hash;

	sprof_program_name(command, name, sizeof(name));
	hash = hash_of(name);
	*ret = sprof_idmap_find(&finding->by_name, hash.high, hash.low);
	if (*ret != SPROF_IDMAP_NONE)
		return true;
	*ret = (uint32_t)answer->count;
	answer->programs[answer->count].number = *ret;
	memcpy(answer->programs[answer->count++].name, name, sizeof(name));
	return sprof_idmap_put(&finding->by_name, hash.high, hash.low, *ret);
}

static bool add_processes(struct finding *finding)
{
	const struct sprof_profile *profile = finding->profile;

	for (size_t i = 0; i < profile->process_count; i++) {
		if (!find_program(finding, profile->processes[i].name, &finding->program_of[i]))
			return false;
		finding->answer.programs[finding->program_of[i]].processes++;
	}
	return true;
}

/* Whether it is unknown where the time of a row went. */
static bool is_unsampled(const struct sprof_profile *profile, size_t row)
{
	const uint32_t function = sprof_own_place_of(profile, profile->rows[row].stack).function;

	return function != SPROF_PROFILE_NONE &&
		profile->functions[function].module == SPROF_PROFILE_NONE &&
		strcmp(profile->functions[function].name, SPROF_PROFILE_UNSAMPLED) == 0;
}

static void add_rows(struct finding *finding)
{
	const struct sprof_profile *profile = finding->profile;
	struct sprof_answer *answer = &finding->answer;

	for (size_t i = 0; i < profile->row_count; i++) {
		const struct sprof_metrics *metrics = &profile->rows[i].metrics;
		uint32_t process = profile->threads[profile->rows[i].thread].process;
		struct sprof_program *program = &answer->programs[finding->program_of[process]];

		if (is_unsampled(profile, i)) {
			answer->left_out[i] = true;
			program->unsampled_ns += sprof_times_wall(&metrics->times);
			answer->unsampled_ns += sprof_times_wall(&metrics->times);
			continue;
		}
		if (answer->left_out[i]) {
			program->idle_ns += sprof_times_wall(&metrics->times);
			answer->idle_ns += sprof_times_wall(&metrics->times);
			continue;
		}
		sprof_times_add(&program->busy, &metrics->times);
		sprof_times_add(&answer->busy, &metrics->times);
		program->samples += metrics->samples;
		answer->samples += metrics->samples;
		finding->process_busy[process] += sprof_times_wall(&metrics->times);
	}
}

static bool count_stuck(struct finding *finding)
{
	const struct sprof_profile *profile = finding->profile;
	SPROF_AUTO_FREE enum sprof_stuck *stuck = calloc(profile->thread_count + 1, sizeof(*stuck));

	if (!stuck || !sprof_profile_find_deadlocks(profile, stuck))
		return false;
	for (size_t i = 0; i < profile->thread_count; i++) {
		const uint32_t number = finding->program_of[profile->threads[i].process];
		struct sprof_program *program = &finding->answer.programs[number];

		program->locked += stuck[i] == SPROF_STUCK_LOCKED;
		program->behind += stuck[i] == SPROF_STUCK_BEHIND;
	}
	return true;
}

static bool name_busiest(struct finding *finding)
{
	const struct sprof_profile *profile = finding->profile;
	struct sprof_program *programs = finding->answer.programs;
	SPROF_AUTO_FREE uint64_t *most = calloc(finding->answer.count + 1, sizeof(*most));

	for (size_t i = 0; most && i < profile->process_count; i++) {
		struct sprof_program *program = &programs[finding->program_of[i]];
		uint64_t *best = &most[finding->program_of[i]];

		if (program->pid && finding->process_busy[i] <= *best)
			continue;
		program->pid = profile->processes[i].pid;
		*best = finding->process_busy[i];
	}
	return most;
}

/* The function with the most; NONE: none has any. */
static uint32_t find_most(const uint64_t *weights, size_t count)
{
	uint32_t best = SPROF_PROFILE_NONE;

	for (size_t i = 0; i < count; i++) {
		if (weights[i] && (best == SPROF_PROFILE_NONE || weights[i] > weights[best]))
			best = (uint32_t)i;
	}
	return best;
}

static bool find_owner(const struct sprof_profile *profile, const struct sprof_view *view,
	struct sprof_cause *cause)
{
	SPROF_AUTO_FREE uint64_t *owners = calloc(profile->function_count + 1, sizeof(*owners));

	if (!owners)
		return false;
	for (size_t i = 0; i < profile->row_count; i++) {
		const struct sprof_profile_row *row = &profile->rows[i];
		uint64_t ns = sprof_times_get(&row->metrics.times, cause->weight);
		uint32_t function;

		if (!ns || !sprof_view_takes(view, profile, i))
			continue;
		function = sprof_own_place_of(profile, row->stack).function;
		if (function != SPROF_PROFILE_NONE)
			owners[function] += ns;
	}
	cause->function = find_most(owners, profile->function_count);
	cause->inner = SPROF_PROFILE_NONE;
	if (cause->function != SPROF_PROFILE_NONE)
		cause->function_ns = owners[cause->function];
	return true;
}

static uint64_t most_in_faults(const struct sprof_profile *profile, uint32_t thread)
{
	const struct sprof_thread_facts *facts = &profile->threads[thread].facts;

	return profile->threads[thread].has_facts
		? (facts->counters[SPROF_COUNTER_MINOR_FAULTS] +
			  facts->counters[SPROF_COUNTER_MAJOR_FAULTS]) *
			SPROF_MOST_FAULT_NS
		: 0;
}

/* How the function enters the kernel, if it is mostly the same way. */
static bool look_at_kernel(const struct sprof_profile *profile, const struct sprof_view *view,
	struct sprof_cause *cause)
{
	SPROF_AUTO_FREE uint64_t *entries = calloc(profile->function_count + 1, sizeof(*entries));
	uint64_t in_faults = 0, outside = 0;
	uint32_t entry;

	if (!entries)
		return false;
	for (size_t i = 0; i < profile->row_count; i++) {
		const struct sprof_profile_row *row = &profile->rows[i];
		const uint64_t ns = row->metrics.times.ns[SPROF_TIME_SYS];
		struct sprof_own_place charge;

		if (!ns || !sprof_view_takes(view, profile, i))
			continue;
		charge = sprof_own_place_of(profile, row->stack);
		if (charge.function != cause->function)
			continue;
		if (charge.kernel != SPROF_PROFILE_NONE) {
			entries[charge.kernel] += ns;
			continue;
		}
		outside += ns;
		in_faults += ns <= most_in_faults(profile, row->thread) ? ns : 0;
	}
	cause->in_faults = in_faults > cause->function_ns / 2;
	entry = find_most(entries, profile->function_count);
	if (entry != SPROF_PROFILE_NONE && entries[entry] > outside)
		cause->kernel = profile->functions[entry].name;
	return true;
}

/*
 * Divides a row's samples in proportion to its times. For user and sys time this includes the
 * samples taken while it waited for a CPU or the hypervisor had taken the CPU.
 */
static double samples_of(const struct sprof_profile_row *row, enum sprof_weight weight)
{
	const struct sprof_times *times = &row->metrics.times;
	const uint64_t cpu = times->ns[SPROF_TIME_USER] + times->ns[SPROF_TIME_SYS];
	const bool is_cpu = weight == SPROF_WEIGHT_USER || weight == SPROF_WEIGHT_SYS;
	const uint64_t whole = is_cpu ? cpu : sprof_times_wall(times);

	if (!whole)
		return 0;
	return (double)row->metrics.samples * (double)sprof_times_get(times, weight) /
		(double)whole;
}

/* Counts the samples of the cause, and the time of what its function called. */
static bool look_at_function(const struct sprof_profile *profile, const struct sprof_view *view,
	struct sprof_cause *cause)
{
	SPROF_AUTO_FREE uint64_t *inner = calloc(profile->function_count + 1, sizeof(*inner));

	if (!inner)
		return false;
	if (cause->function == SPROF_PROFILE_NONE)
		return true;
	for (size_t i = 0; i < profile->row_count; i++) {
		const struct sprof_profile_row *row = &profile->rows[i];
		const struct sprof_own_place charge = sprof_own_place_of(profile, row->stack);
		uint64_t ns = sprof_times_get(&row->metrics.times, cause->weight);

		if (!ns || !sprof_view_takes(view, profile, i))
			continue;
		cause->samples += samples_of(row, cause->weight);
		if (charge.function != cause->function)
			continue;
		if (charge.inner != SPROF_PROFILE_NONE)
			inner[charge.inner] += ns;
	}
	cause->inner = find_most(inner, profile->function_count);
	cause->inner_ns = cause->inner == SPROF_PROFILE_NONE ? 0 : inner[cause->inner];
	return true;
}

static uint64_t importance_of(const struct sprof_waits_row *row)
{
	return row->kind == SPROF_WAIT_KIND_TIME ? row->ns / SPROF_NAPS_COUNT : row->ns;
}

static bool is_same_lock(const struct sprof_waits_row *a, const struct sprof_waits_row *b)
{
	return a->kind == SPROF_WAIT_KIND_LOCK && b->kind == a->kind && a->object &&
		b->object == a->object && b->process == a->process;
}

/* The time of waits for the lock in which it had this holder, as far as the rows name one. */
static uint64_t held_ns(const struct sprof_waits_table *table, const struct sprof_waits_row *lock,
	const char *holder)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < table->count; i++) {
		if (is_same_lock(lock, &table->rows[i]) && table->rows[i].holder == holder)
			ns += table->rows[i].holder_ns;
	}
	return ns;
}

/*
 * The row with the time of all functions that wait for its lock, and with the holder of most of it.
 * It has no function unless nearly all of that time is of one.
 */
static struct sprof_waits_row in_all_functions(const struct sprof_waits_table *table, size_t index)
{
	const struct sprof_waits_row *own = &table->rows[index];
	struct sprof_waits_row row = *own;

	if (!is_same_lock(own, own))
		return row;
	row.ns = row.holder_ns = 0;
	for (size_t i = 0; i < table->count; i++) {
		const struct sprof_waits_row *other = &table->rows[i];
		uint64_t ns;

		if (!is_same_lock(own, other))
			continue;
		ns = held_ns(table, own, other->holder);
		row.ns += other->ns;
		if (other->holder && ns > row.holder_ns) {
			row.holder = other->holder;
			row.holder_function = other->holder_function;
			row.holder_ns = ns;
		}
	}
	if (own->ns < row.ns - row.ns / NEARLY_ALL)
		row.function = SPROF_PROFILE_NONE;
	return row;
}

static bool find_wait(const struct sprof_profile *profile, const struct sprof_view *view,
	struct sprof_cause *cause, struct sprof_error *err)
{
	struct sprof_waits_table table;

	if (!sprof_waits_table_build(profile, view, &table, err))
		return false;
	for (size_t i = 0; i < table.count; i++) {
		const struct sprof_waits_row row =
			i < LOCKS ? in_all_functions(&table, i) : table.rows[i];

		if ((row.syscall || row.object) &&
			importance_of(&row) > importance_of(&cause->wait))
			cause->wait = row;
	}
	sprof_waits_table_finish(&table);
	return true;
}

static bool explain(
	const struct finding *finding, struct sprof_program *program, struct sprof_error *err)
{
	const struct sprof_profile *profile = finding->profile;
	SPROF_AUTO_FREE bool *chosen = calloc(profile->thread_count + 1, sizeof(*chosen));
	const struct sprof_view view = {.thread = SPROF_PROFILE_NONE,
		.chosen = chosen,
		.left_out = finding->answer.left_out,
		.joins_alike = true,
		.weight = SPROF_WEIGHT_WAIT};

	if (!chosen)
		return sprof_error_no_memory(err);
	for (size_t i = 0; i < profile->thread_count; i++)
		chosen[i] = finding->program_of[profile->threads[i].process] == program->number;
	if (!sprof_short_threads_find(profile, chosen, &program->short_threads))
		return sprof_error_no_memory(err);
	for (size_t i = 0; i < SPROF_CAUSES; i++) {
		struct sprof_cause *cause = &program->causes[i];

		*cause = (struct sprof_cause){
			.weight = classes[i], .ns = sprof_times_get(&program->busy, classes[i])};
		if (!find_owner(profile, &view, cause) ||
			!look_at_function(profile, &view, cause) ||
			(cause->weight == SPROF_WEIGHT_SYS &&
				!look_at_kernel(profile, &view, cause)))
			return sprof_error_no_memory(err);
		if (cause->weight == SPROF_WEIGHT_WAIT && !find_wait(profile, &view, cause, err))
			return false;
	}
	sprof_causes_sort(program->causes, &program->busy);
	return true;
}

static int compare_programs(const void *left, const void *right)
{
	const struct sprof_program *a = left, *b = right;
	uint64_t one = sprof_times_wall(&a->busy), other = sprof_times_wall(&b->busy);

	if (one != other)
		return one < other ? 1 : -1;
	if (a->idle_ns != b->idle_ns)
		return a->idle_ns < b->idle_ns ? 1 : -1;
	return strcmp(a->name, b->name);
}

static size_t count_mattering(const struct finding *finding)
{
	const struct sprof_answer *answer = &finding->answer;
	uint64_t busy = sprof_times_wall(&answer->busy);
	uint64_t duration = finding->profile->quality.duration_ns;
	size_t count = 0;

	if (!busy || (duration && sprof_percent(busy, duration) < least_busy))
		return 0;
	while (count < answer->count &&
		sprof_percent(sprof_times_wall(&answer->programs[count].busy), busy) >=
			least_program)
		count++;
	return count;
}

static bool fill(struct finding *finding, size_t explained, struct sprof_error *err)
{
	struct sprof_answer *answer = &finding->answer;

	if (!add_processes(finding))
		return sprof_error_no_memory(err);
	add_rows(finding);
	if (!name_busiest(finding) || !count_stuck(finding))
		return sprof_error_no_memory(err);
	qsort(answer->programs, answer->count, sizeof(*answer->programs), compare_programs);
	for (size_t i = 0; i < answer->count && i < explained; i++) {
		if (!explain(finding, &answer->programs[i], err))
			return false;
	}
	answer->mattering = count_mattering(finding);
	return true;
}

bool sprof_answer_build(const struct sprof_profile *profile, size_t explained,
	struct sprof_answer *ret, struct sprof_error *err)
{
	struct finding finding = {.profile = profile};
	struct sprof_answer *answer = &finding.answer;
	bool ok;

	finding.program_of = calloc(profile->process_count + 1, sizeof(*finding.program_of));
	finding.process_busy = calloc(profile->process_count + 1, sizeof(*finding.process_busy));
	answer->programs = calloc(profile->process_count + 1, sizeof(*answer->programs));
	answer->left_out = sprof_profile_idle_rows(profile);
	ok = finding.program_of && finding.process_busy && answer->programs && answer->left_out;
	ok = ok ? fill(&finding, explained, err) : sprof_error_no_memory(err);
	free(finding.program_of);
	free(finding.process_busy);
	sprof_idmap_finish(&finding.by_name);
	if (!ok)
		sprof_answer_finish(answer);
	*ret = *answer;
	return ok;
}

void sprof_answer_finish(struct sprof_answer *answer)
{
	free(answer->programs);
	free(answer->left_out);
	*answer = (struct sprof_answer){0};
}
