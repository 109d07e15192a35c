/* Names of errors and signals. */
#pragma once

/* "ENOENT"; NULL: unknown. */
const char *sprof_error_number_name(int errnum);
/* "SEGV"; NULL: unknown, as for real-time signals. */
const char *sprof_signal_name(int number);
