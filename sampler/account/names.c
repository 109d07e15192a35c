/*
 * Names of threads and processes: the kernel's, or for threads those that a language's runtime has.
 */
#include "sampler/account/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "sampler/sampled.h"
#include "sampler/stack/interpreted.h"

/*
 * Returns the command line, its words separated by blanks, or the comm if there is none; NULL if
 * out of memory. A first thread that has ended has none, but its process's other threads have.
 */
static char *read_command(const struct sprof_world *world, const struct sprof_thread *thread,
	const char *comm, bool *ret_is_whole)
{
	size_t size = 0;
	char *text = world->read_whole(world->data, thread, "cmdline", &size);

	while (size && !text[size - 1])
		size--;
	*ret_is_whole = size;
	if (!size) {
		free(text);
		return strdup(comm);
	}
	for (size_t i = 0; i < size; i++) {
		if (!text[i])
			text[i] = ' ';
	}
	return text;
}

static void report(struct run *run, const struct sprof_sink *sink,
	const struct sprof_thread *thread, bool replaces_name)
{
	const struct sampled *sampled = thread->sampling;
	bool is_named = sampled->process->is_named;
	SPROF_AUTO_FREE char *command =
		is_named ? NULL : read_command(run->world, thread, sampled->name, &is_named);
	const struct sprof_thread_record record = {
		.id = thread->id,
		.process = thread->process->id,
		.pid = thread->process->pid,
		.tid = thread->tid,
		.name = sampled->name,
		.replaces_name = replaces_name,
		.process_name = command,
	};

	sampled->process->is_named = is_named;
	if (!sink->thread(sink->data, &record))
		run->out_of_memory = true;
}

/* The runtime has named the thread, but the kernel still has the process's name for it. */
static bool has_own_name(const struct sprof_thread *thread, const char *comm)
{
	const struct sampled_process *process = thread->process->sampling;

	return thread->tid != thread->process->pid && *sprof_interpreted_name(thread) &&
		!strcmp(comm, process->comm);
}

void sprof_names_report(struct run *run, const struct sprof_sink *sink, struct sprof_thread *thread,
	bool new_program)
{
	const struct sprof_world *world = run->world;
	struct sampled_process *process = thread->process->sampling;
	struct sampled *sampled = thread->sampling;
	struct sprof_proc_stat stat;
	bool has_own, was_comm;

	if (!world->read_stat(world->data, thread, &stat)) {
		if (sampled->name[0])
			return;
		stat.comm[0] = '\0';
	}
	if (thread->tid == thread->process->pid)
		memcpy(process->comm, stat.comm, sizeof(process->comm));
	has_own = has_own_name(thread, stat.comm);
	was_comm = !strcmp(sampled->name, stat.comm);
	if (sprof_sampled_named(sampled, has_own ? sprof_interpreted_name(thread) : stat.comm) ||
		new_program)
		report(run, sink, thread, has_own && was_comm);
}
