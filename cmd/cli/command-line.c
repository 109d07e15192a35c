/*
 * Command lines as one line of text. Such a line is a label: it is not quoted and never parsed.
 * Only words meant to be typed are quoted.
 */
#include "cmd/cli/command-line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/proc.h"
#include "base/strings.h"

char *sprof_command_line_join(char *const words[])
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	for (char *const *word = words; stream && *word; word++)
		fprintf(stream, "%s%s", word == words ? "" : " ", *word);
	return sprof_string_close(stream, &text, true);
}

/* A NUL ends each word (proc(5)); a kernel thread has no words. */
static char *read_of_process(pid_t pid)
{
	size_t size;
	char *text = sprof_proc_read_whole(sprof_proc_path(pid, 0, "cmdline").text, &size);

	while (text && size && !text[size - 1])
		size--;
	if (!text || !size) {
		free(text);
		return sprof_string_print("process %d", (int)pid);
	}
	for (size_t i = 0; i < size; i++) {
		if (!text[i])
			text[i] = ' ';
	}
	return text;
}

char *sprof_command_line_quote(const char *word)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:+,=@%-";
	char *text = NULL;
	size_t size = 0;
	FILE *stream;

	if (word[0] && !word[strspn(word, plain)])
		return strdup(word);
	stream = open_memstream(&text, &size);
	if (!stream)
		return NULL;
	fputc('\'', stream);
	for (; *word; word++)
		fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, stream);
	fputc('\'', stream);
	return sprof_string_close(stream, &text, true);
}

char *sprof_command_line_again(char *const words[])
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	bool ok = true;

	if (stream)
		fputs("--", stream);
	for (char *const *word = words; stream && *word; word++) {
		SPROF_AUTO_FREE char *quoted = sprof_command_line_quote(*word);

		ok &= quoted != NULL;
		fprintf(stream, " %s", quoted ? quoted : "");
	}
	return sprof_string_close(stream, &text, ok);
}

char *sprof_command_line_of(char *const words[], pid_t pid)
{
	return words ? sprof_command_line_join(words) : read_of_process(pid);
}

/* Converts to CLOCK_REALTIME. */
static uint64_t realtime_of(uint64_t monotonic_ns)
{
	const uint64_t past_ns = sprof_clock_now_ns() - monotonic_ns;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * SPROF_NS_PER_S + (uint64_t)now.tv_nsec - past_ns;
}

bool sprof_command_line_describe(
	struct sprof_profile *profile, const char *command, uint64_t begin_ns)
{
	return sprof_profile_describe(profile, command, realtime_of(begin_ns));
}
