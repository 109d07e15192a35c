/*
 * The names of errors and signals, for people.
 */
#ifndef SPROF_CMD_SYSTEM_NAMES_H
#define SPROF_CMD_SYSTEM_NAMES_H

/* "ENOENT"; NULL: it has no name. */
const char *sprof_error_number_name(int errnum);
/* "SEGV"; NULL: it has no name, as those of real time have none. */
const char *sprof_signal_name(int number);

#endif
