/*
 * The beginning, the name and the end of what the sampler keeps of each thread.
 */
#include "sampler/sampler-internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* Born under our eyes, and not before the first sample. */
static bool is_all_ours(const struct sampler *sampler, const struct sprof_thread *thread)
{
	return thread->born &&
		(!sampler->options->delay_ns || thread->seen_ns >= sampler->pace.begin_ns);
}

static struct sampling *begin(struct sampler *sampler, struct sprof_thread *thread)
{
	struct sampling *sampling;
	bool all_ours = is_all_ours(sampler, thread);
	struct sprof_figures start;

	if (!sprof_charge_begin(sampler, thread, all_ours, &start))
		return NULL;
	sampling = calloc(1, sizeof(*sampling));
	if (!sampling) {
		sampler->out_of_memory = true;
		return NULL;
	}
	sprof_account_init(&sampling->account, &start);
	sampling->window_ns = start.time_ns;
	sprof_copy_plan_init(&sampling->copy);
	thread->sampling = sampling;
	sprof_facts_begin(thread, all_ours);
	sprof_sampling_name(sampler, thread, true);
	return sampling;
}

struct sampling *sprof_sampling_of(struct sampler *sampler, struct sprof_thread *thread)
{
	return thread->sampling ? thread->sampling : begin(sampler, thread);
}

/* The command line, its words separated by blanks; the comm for a process without one. */
static char *read_command(pid_t tid, const char *comm)
{
	char path[64];
	size_t size;
	char *text;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", tid);
	text = sprof_proc_read_whole(path, &size);
	if (!text || !size) {
		free(text);
		return strdup(comm);
	}
	while (size && !text[size - 1])
		size--;
	for (size_t i = 0; i < size; i++) {
		if (!text[i])
			text[i] = ' ';
	}
	return text;
}

void sprof_sampling_name(struct sampler *sampler, struct sprof_thread *thread, bool new_program)
{
	const struct sprof_sink *sink = sampler->parts->sink;
	struct sampling *sampling = thread->sampling;
	SPROF_AUTO_FREE char *command = NULL;
	struct sprof_proc_stat stat;
	struct sprof_thread_record record = {
		.id = thread->id,
		.process = thread->process->id,
		.pid = thread->process->pid,
		.tid = thread->tid,
		.name = sampling->name,
	};

	if (!sprof_thread_read_stat(thread, &stat)) {
		if (sampling->name[0])
			return;
		stat.comm[0] = '\0';
	}
	if (!new_program && !strcmp(stat.comm, sampling->name))
		return;
	memcpy(sampling->name, stat.comm, sizeof(sampling->name));
	if (new_program)
		command = read_command(thread->tid, stat.comm);
	record.process_name = command;
	if (!sink->thread(sink->data, &record))
		sampler->out_of_memory = true;
}

void sprof_sampling_restart(struct sampler *sampler, struct sprof_thread *thread)
{
	struct sampling *sampling = thread->sampling;

	if (!sampling)
		return;
	sampling->sleep.active = sampling->lost = sampling->wait.lock.active = false;
	sampling->wait.id = SPROF_WAIT_NONE;
	sampling->sleep.skipped = 0;
	sprof_facts_begin(thread, false);
	sprof_sampling_name(sampler, thread, true);
}

void sprof_sampling_end(struct sampler *sampler, struct sprof_thread *thread, bool with_figures)
{
	/* A thread that lived between two ticks has its figures too. */
	if (sprof_sampling_of(sampler, thread)) {
		sprof_reuse_flush(sampler, thread);
		sprof_samples_flush(sampler, thread);
		sprof_charge_last(sampler, thread, with_figures);
	}
	sprof_samples_forget(&sampler->samples, thread);
	free(thread->sampling);
	thread->sampling = NULL;
	/* What it did since its last sample may have been to load something. */
	thread->process->change++;
}
