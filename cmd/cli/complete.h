/* Shell completion: `sprof --complete [WORD...] LAST`, hidden in help. */
#ifndef SPROF_CMD_CLI_COMPLETE_H
#define SPROF_CMD_CLI_COMPLETE_H

#include <stddef.h>

#include "cmd/cli/command.h"

struct sprof_commands {
	const struct sprof_command *const *items;
	size_t count;
};

/*
 * Prints the candidates for the last word, one per line, each with a tab and a description. `words`
 * are those after "sprof", NULL-terminated; there is at least one, which may be empty. Special
 * lines ask the shell to complete files (@file), folders (@folder), or another program's command
 * line from word N on, counted from 1 (@program N).
 */
void sprof_complete(const struct sprof_commands *commands, char *const words[]);

#endif
