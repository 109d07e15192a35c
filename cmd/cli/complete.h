/* Shell completion, by `sprof --complete [WORD...] LAST`, which help does not list. */
#pragma once

#include <stddef.h>

#include "cmd/cli/command.h"

struct sprof_commands {
	const struct sprof_command *const *items;
	size_t count;
};

/*
 * Prints the candidates for the last word, one per line, each followed by a tab and a description,
 * which may be empty. `words`: the words of the command line after "sprof", NULL-terminated: at
 * least one; the last one may be empty. Instead of candidates, a line may name what the shell
 * completes: file names (@file), folder names (@folder), or the command line of another program
 * that begins at word N, where the word after "sprof" is number 1 (@program N).
 */
void sprof_complete(const struct sprof_commands *commands, char *const words[]);
