/*
 * Waits for an hour, and says how the wait has ended: "time-out" or the name of the error.
 */
#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "tests/targets/target.h"

#define HOUR_MS 3600000

int main(int argc, char *argv[])
{
	struct epoll_event event;
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	target_init(&argc, argv);
	target_ready("%d", (int)getpid());
	if (epoll_wait(epoll, &event, 1, HOUR_MS) == 0)
		target_print("time-out");
	else
		target_print("%s", errno == EINTR ? "EINTR" : "another error");
	return 0;
}
