/*
 * What may stand at the end of a command line, for the completions of shells: `sprof --complete
 * [WORD...] LAST`, which help does not list.
 */
#ifndef SPROF_CMD_COMPLETE_H
#define SPROF_CMD_COMPLETE_H

#include <stddef.h>

#include "cmd/command.h"

struct sprof_commands {
	const struct sprof_command *const *items;
	size_t count;
};

/*
 * Prints what may stand in place of the last word, one in a line, and behind a tab what it is. The
 * words are those behind "sprof", NULL-terminated; there is at least one, which may be empty. A line
 * may tell the shell instead that files (@file) or folders (@folder) may stand there, or that from
 * the word N on, counted from 1, there is another program's command line (@program N).
 */
void sprof_complete(const struct sprof_commands *commands, char *const words[]);

#endif
