/*
 * The counters of a thread that are no times: switches, faults, bytes. Knows that a thread which
 * was there before us has counted without us; everything is said as of its first sight.
 */
#include "sampler/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sampler/sampler-internal.h"

static ssize_t read_file(
	const struct sprof_thread *thread, const char *name, char *buffer, size_t size)
{
	char path[96];

	snprintf(
		path, sizeof(path), "/proc/%d/task/%d/%s", thread->process->pid, thread->tid, name);
	return sprof_proc_read_path(path, buffer, size);
}

/* The last of the ids of a field such as "NSpid": that of the innermost namespace. */
static pid_t innermost(const char *status, const char *field)
{
	char value[256];
	const char *last;

	if (!sprof_proc_status_field(status, field, value, sizeof(value)))
		return 0;
	last = strrchr(value, '\t');
	return (pid_t)strtol(last ? last + 1 : value, NULL, 10);
}

static void read_status(const struct sprof_thread *thread, struct sprof_thread_facts *facts)
{
	long voluntary, involuntary;
	char text[8192];

	if (read_file(thread, "status", text, sizeof(text)) <= 0)
		return;
	facts->own_tid = innermost(text, "NSpid");
	facts->own_pid = innermost(text, "NStgid");
	facts->has_switches =
		sprof_proc_status_number(text, "voluntary_ctxt_switches", &voluntary) &&
		sprof_proc_status_number(text, "nonvoluntary_ctxt_switches", &involuntary);
	if (!facts->has_switches)
		return;
	facts->voluntary = (uint64_t)voluntary;
	facts->involuntary = (uint64_t)involuntary;
}

static void read_io(const struct sprof_thread *thread, struct sprof_thread_facts *facts)
{
	struct sprof_proc_io io;
	char text[512];

	facts->has_io =
		read_file(thread, "io", text, sizeof(text)) > 0 && sprof_proc_parse_io(text, &io);
	if (!facts->has_io)
		return;
	facts->read_bytes = io.read_bytes;
	facts->written_bytes = io.written_bytes;
}

void sprof_facts_read(struct sprof_thread *thread, const struct sprof_proc_stat *stat, bool all,
	struct sprof_thread_facts *ret)
{
	*ret = (struct sprof_thread_facts){
		.processor = stat->processor,
		.minor_faults = stat->minor_faults,
		.major_faults = stat->major_faults,
	};
	read_status(thread, ret);
	if (all)
		read_io(thread, ret);
}

void sprof_facts_begin(struct sprof_thread *thread, bool is_all_ours)
{
	struct sampling *sampling = thread->sampling;
	struct first_facts *first = &sampling->facts;
	struct sprof_proc_stat stat;

	first->own_tid = thread->tid;
	if (!sprof_thread_read_stat(thread, &stat))
		return;
	sprof_facts_read(thread, &stat, true, &first->start);
	if (first->start.own_tid)
		first->own_tid = first->start.own_tid;
	if (is_all_ours)
		first->start = (struct sprof_thread_facts){0};
}

static uint64_t since(uint64_t now, uint64_t start)
{
	return now > start ? now - start : 0;
}

void sprof_facts_tell(
	struct sampler *sampler, struct sprof_thread *thread, struct sprof_thread_facts facts)
{
	const struct sprof_sink *sink = sampler->parts->sink;
	const struct sampling *sampling = thread->sampling;
	const struct sprof_thread_facts *start = &sampling->facts.start;

	if (!sink->facts)
		return;
	facts.voluntary = since(facts.voluntary, start->voluntary);
	facts.involuntary = since(facts.involuntary, start->involuntary);
	facts.minor_faults = since(facts.minor_faults, start->minor_faults);
	facts.major_faults = since(facts.major_faults, start->major_faults);
	facts.read_bytes = since(facts.read_bytes, start->read_bytes);
	facts.written_bytes = since(facts.written_bytes, start->written_bytes);
	if (!sink->facts(sink->data, thread->id, &facts))
		sampler->out_of_memory = true;
}
