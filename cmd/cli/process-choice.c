/*
 * Chooses processes by their names. Only if none has such a name, by their command lines, which
 * have the script of an interpreter, the module of Python, and the main class of Java: many command
 * lines have the name of another program in them. Does not check whether they may be traced.
 */
#include "cmd/cli/process-choice.h"

#include <regex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/proc/procfs.h"
#include "attach/start/machine.h"
#include "base/cleanup.h"
#include "base/proc-status.h"
#include "base/proc.h"
#include "base/strings.h"
#include "cmd/ui.h"
#include "output/clean.h"
#include "profile/model/match.h"

enum { LISTED = 8 };

/* The three names of a process; empty: it has no such name, or it can't be read. */
struct names {
	char comm[64];
	char program[256]; /* the file that it executes */
	char word[256];    /* the first one of its command line */
};

struct candidates {
	struct sprof_pids pids;
	char list[200]; /* of the first ones, for a message */
	pid_t newest;
	uint64_t newest_ticks;
	size_t count;
};

/*
 * The part of a path after its last slash, without the kernel's suffix for deleted files. For an
 * empty path, empty.
 */
static void copy_base_name(const char *path, char *ret, size_t size)
{
	static const char deleted[] = " (deleted)";
	size_t length;

	snprintf(ret, size, "%s", sprof_string_file_name(path));
	length = strlen(ret);
	if (length >= sizeof(deleted) && strcmp(ret + length - (sizeof(deleted) - 1), deleted) == 0)
		ret[length - (sizeof(deleted) - 1)] = '\0';
}

/* Some programs write a title into their command line: its first word is up to a blank. */
static void read_names(pid_t pid, struct names *ret)
{
	char path[4096];

	*ret = (struct names){0};
	if (!sprof_proc_read_comm(pid, ret->comm, sizeof(ret->comm)))
		ret->comm[0] = '\0';
	if (sprof_proc_read_link(sprof_proc_path(pid, 0, "exe").text, path, sizeof(path)))
		copy_base_name(path, ret->program, sizeof(ret->program));
	if (sprof_proc_read_file(pid, 0, "cmdline", path, sizeof(path)) > 0) {
		path[strcspn(path, " ")] = '\0';
		copy_base_name(path, ret->word, sizeof(ret->word));
	}
}

static bool is_name(const regex_t *regex, const char *name)
{
	return name[0] && !regexec(regex, name, 0, NULL, 0);
}

static bool has_name(const regex_t *regex, pid_t pid)
{
	struct names names;

	read_names(pid, &names);
	return is_name(regex, names.comm) || is_name(regex, names.program) ||
		is_name(regex, names.word);
}

static char *read_line(pid_t pid, size_t *ret_length)
{
	return sprof_proc_read_whole(sprof_proc_path(pid, 0, "cmdline").text, ret_length);
}

static void join_words(char *line, size_t length)
{
	for (size_t at = 0; at + 1 < length; at++)
		line[at] = line[at] ? line[at] : ' ';
}

/* Each word of the command line without its folders, and all of it. */
static bool has_line(const regex_t *regex, pid_t pid)
{
	size_t length;
	SPROF_AUTO_FREE char *line = read_line(pid, &length);
	char word[256];

	for (size_t at = 0; line && at < length; at += strlen(line + at) + 1) {
		copy_base_name(line + at, word, sizeof(word));
		if (is_name(regex, word))
			return true;
	}
	if (line)
		join_words(line, length);
	return line && is_name(regex, line);
}

/* A command line has many words: the user may have meant another process. */
static void note_line(const struct sprof_process_choice *choice, const struct sprof_pids *chosen)
{
	size_t length;
	SPROF_AUTO_FREE char *line = read_line(chosen->items[0], &length);
	char shown[200];

	if (!line)
		return;
	join_words(line, length);
	sprof_clean_copy(line, shown, sizeof(shown));
	sprof_ui_note("'%s' matches no name, but the command line of process %d: %s",
		choice->pattern, (int)chosen->items[0], shown);
}

/*
 * Those that have started sprof: its shell, its shell's terminal, timeout(1), a tracer's guardian.
 */
static void list_ancestors(struct sprof_pids *ret)
{
	long pid = getpid();

	while (pid > 0 && sprof_pids_add(ret, (pid_t)pid) &&
		sprof_proc_status_read_number((pid_t)pid, "PPid", &pid))
		;
}

/* A kernel thread and a zombie have no memory. */
static bool has_memory(pid_t pid)
{
	char text[128];

	return sprof_proc_read_file(pid, 0, "statm", text, sizeof(text)) > 0 &&
		strtoul(text, NULL, 10) > 0;
}

static void note(struct candidates *candidates, pid_t pid)
{
	const size_t used = strlen(candidates->list);
	char text[1024];
	struct sprof_proc_stat stat;

	if (sprof_proc_read_file(pid, 0, "stat", text, sizeof(text)) <= 0 ||
		!sprof_proc_parse_stat(text, &stat))
		return;
	if (candidates->count < LISTED)
		snprintf(candidates->list + used, sizeof(candidates->list) - used, "%s%d %.15s",
			used ? ", " : "", (int)pid, stat.comm);
	if (!candidates->count || stat.start_ticks > candidates->newest_ticks ||
		(stat.start_ticks == candidates->newest_ticks && pid > candidates->newest)) {
		candidates->newest = pid;
		candidates->newest_ticks = stat.start_ticks;
	}
	candidates->count++;
	/* If the list is full: only --all uses it, and refuses then. */
	(void)!sprof_pids_add(&candidates->pids, pid);
}

/* Returns false if /proc can't be read. */
static bool list_matches(const regex_t *regex, bool (*matches)(const regex_t *regex, pid_t pid),
	struct candidates *ret)
{
	struct sprof_pids ancestors = {.count = 0};
	DIR *folder = sprof_proc_open_processes();
	pid_t pid;

	if (!folder)
		return false;
	list_ancestors(&ancestors);
	while ((pid = sprof_proc_next_id(folder))) {
		if (!sprof_pids_have(&ancestors, pid) && has_memory(pid) && matches(regex, pid))
			note(ret, pid);
	}
	closedir(folder);
	return true;
}

static bool settle(const struct sprof_process_choice *choice, const struct candidates *found,
	struct sprof_pids *ret, struct sprof_error *err)
{
	if (!found->count)
		return sprof_error_set(err, SPROF_ERROR_NOT_FOUND,
			"no process has a name or command line that matches '%s'", choice->pattern);
	if (choice->newest)
		return sprof_pids_add(ret, found->newest);
	if (found->count > 1 && !choice->all) {
		sprof_error_set(err, SPROF_ERROR_USAGE, "%zu processes match '%s': %s%s",
			found->count, choice->pattern, found->list,
			found->count > LISTED ? ", ..." : "");
		return sprof_error_hint(err, "--newest takes the last one started%s",
			choice->has_all ? ", --all takes them all" : "; or choose with -p");
	}
	if (found->count > SPROF_PIDS_MAX)
		return sprof_error_set(err, SPROF_ERROR_USAGE,
			"%zu processes match '%s'; at most %d are profiled together", found->count,
			choice->pattern, SPROF_PIDS_MAX);
	*ret = found->pids;
	return true;
}

bool sprof_process_choice_find(
	const struct sprof_process_choice *choice, struct sprof_pids *ret, struct sprof_error *err)
{
	struct candidates found = {.count = 0};
	struct sprof_error reason = {0};
	regex_t regex;
	bool listed, by_line;

	if (!sprof_match_compile(choice->pattern, &regex, &reason))
		return sprof_error_set(err, SPROF_ERROR_USAGE, "--name: %s", reason.message);
	if (!sprof_machine_check_proc(err)) {
		regfree(&regex);
		return false;
	}
	listed = list_matches(&regex, has_name, &found);
	by_line = listed && !found.count;
	listed = listed && (!by_line || list_matches(&regex, has_line, &found));
	regfree(&regex);
	if (!listed)
		return sprof_error_set(err, SPROF_ERROR_IO, "/proc can't be read");
	if (!settle(choice, &found, ret, err))
		return false;
	if (by_line)
		note_line(choice, ret);
	return true;
}
