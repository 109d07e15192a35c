/* Becomes a program with 1000 supplementary groups, so that its /proc/PID/status is long. */

#define _GNU_SOURCE
#include <grp.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static gid_t groups[1000];

	for (int i = 0; i < 1000; i++)
		groups[i] = 1000000000U + (gid_t)i;
	if (argc < 2 || setgroups(1000, groups))
		return 1;
	execvp(argv[1], argv + 1);
	return 1;
}
