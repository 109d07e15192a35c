/* Names of errors and signals from the C library (glibc since 2.32). */
#include "base/system-names.h"

#include <string.h>

const char *sprof_error_number_name(int errnum)
{
	return strerrorname_np(errnum);
}

const char *sprof_signal_name(int number)
{
	return sigabbrev_np(number);
}
