/* The label of a recording. Not limited in length: readers shorten it. */
#include "cmd/record/subject.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "cmd/cli/command-line.h"

static char *describe_all(const struct sprof_pids *pids)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	for (size_t i = 0; stream && i < pids->count; i++) {
		SPROF_AUTO_FREE char *command = sprof_command_line_of(NULL, pids->items[i]);

		fprintf(stream, "%s%s", i ? " | " : "", command ? command : "?");
	}
	return sprof_string_close(stream, &text, true);
}

static char *describe_threads(const struct sprof_pids *tids)
{
	SPROF_AUTO_FREE char *command = sprof_command_line_of(NULL, tids->items[0]);
	char list[512];

	sprof_pids_list(tids, ", ", list, sizeof(list));
	return command ? sprof_string_print("%s (only threads %s)", command, list) : NULL;
}

struct sprof_subject sprof_subject_of(const struct sprof_processes *processes)
{
	return (struct sprof_subject){
		.pid = processes->pid,
		.pids = processes->pids.count ? &processes->pids : NULL,
		.tids = processes->tids.count ? &processes->tids : NULL,
		.follow_children = processes->children,
	};
}

char *sprof_subject_describe(const struct sprof_subject *subject)
{
	if (subject->tids)
		return describe_threads(subject->tids);
	if (subject->pids && subject->pids->count > 1)
		return describe_all(subject->pids);
	return sprof_command_line_of(subject->arguments, subject->pid);
}
