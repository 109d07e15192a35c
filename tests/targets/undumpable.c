/* A process that others of its user may not attach to, as it asked for by PR_SET_DUMPABLE 0. */
#include <sys/prctl.h>
#include <unistd.h>

#include "tests/targets/target.h"

int main(int argc, char *argv[])
{
	target_init(&argc, argv);
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		target_fail("PR_SET_DUMPABLE");
	target_ready("%d", (int)getpid());
	target_wait_for_end();
	return 0;
}
