/*
 * Command lines as one line of text. They are labels: nothing is quoted, nothing is read back. Single words for a person to
 * type are quoted.
 */
#include "cmd/command-line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach/procfs.h"

char *sprof_command_line_join(char *const words[])
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	if (!stream)
		return NULL;
	for (char *const *word = words; *word; word++)
		fprintf(stream, "%s%s", word == words ? "" : " ", *word);
	if (!fclose(stream))
		return text;
	free(text);
	return NULL;
}

static char *label(pid_t pid)
{
	char *text;

	return asprintf(&text, "process %d", (int)pid) < 0 ? NULL : text;
}

/* The words end with a NUL each (proc(5)); a kernel thread has none. */
char *sprof_command_line_read(pid_t pid)
{
	char path[64];
	size_t size;
	char *text;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	text = sprof_proc_read_whole(path, &size);
	while (text && size && !text[size - 1])
		size--;
	if (!text || !size) {
		free(text);
		return label(pid);
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
	if (!fclose(stream))
		return text;
	free(text);
	return NULL;
}
