/*
 * Names of threads and processes: the kernel's, or for threads those that a language's runtime has.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "sampler/account/book.h"
#include "sampler/stack/copy.h"

/*
 * Returns the command line, its words separated by blanks, or the comm if there is none; NULL if
 * out of memory. A first thread that has ended has none, but its process's other threads have.
 */
static char *read_command(const struct sprof_world *world, const struct sprof_thread *thread,
	const char *comm, bool *ret_is_whole)
{
	size_t size = 0;
	char *text = world->read_whole(sprof_proc_path(thread->tid, 0, "cmdline").text, &size);

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

void sprof_names_report(struct run *run, struct sprof_thread *thread, bool new_program)
{
	struct sampled_process *process = thread->process->sampling;
	struct sampled *sampled = thread->sampling;
	const char *own = sprof_interpreted_name(thread);
	const bool is_first = thread->tid == thread->process->pid;
	SPROF_AUTO_FREE char *command = NULL;
	struct sprof_thread_record record;
	struct sprof_proc_stat stat;
	bool has_own, was_comm;
	const char *name;

	if (!run->world->read_stat(thread, &stat)) {
		if (sampled->name[0])
			return;
		stat.comm[0] = '\0';
	}
	if (is_first)
		memcpy(process->comm, stat.comm, sizeof(process->comm));
	/* The runtime has named it, but the kernel still has the process's name for it. */
	has_own = !is_first && *own && !strcmp(stat.comm, process->comm);
	was_comm = !strcmp(sampled->name, stat.comm);
	name = has_own ? own : stat.comm;
	if (!strcmp(name, sampled->name) && !new_program)
		return;
	snprintf(sampled->name, sizeof(sampled->name), "%s", name);
	command = process->is_named
		? NULL
		: read_command(run->world, thread, sampled->name, &process->is_named);
	record = (struct sprof_thread_record){
		.id = thread->id,
		.process = thread->process->id,
		.pid = thread->process->pid,
		.tid = thread->tid,
		.name = sampled->name,
		.replaces_name = has_own && was_comm,
		.process_name = command,
	};
	if (!run->sink->thread(run->sink->data, &record))
		run->out_of_memory = true;
}
