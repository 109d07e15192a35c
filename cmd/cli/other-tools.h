/*
 * Words of perf, perf-prof, strace, ltrace, py-spy, gdb and valgrind, and what does the same here.
 */
#pragma once

/* The sentence for another tool's command; NULL: it is not known. */
const char *sprof_other_tools_command(const char *word);

/*
 * The sentence for an option that `command` does not have, such as "-a", or for a word that is no
 * program. NULL: it is not known.
 */
const char *sprof_other_tools_option(const char *command, const char *option);
