/* Finds the cause of a refusal on this machine. denial.c has the list of causes. */
#include "attach/denial/diagnose.h"

#include "attach/denial/denial.h"

bool sprof_diagnose(pid_t pid, int errnum, struct sprof_error *err)
{
	struct sprof_denial_facts facts;

	sprof_denial_find("/proc", pid, errnum, &facts);
	return sprof_denial_error(&facts, pid, errnum, err);
}
