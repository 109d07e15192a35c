/*
 * The addresses of sockets by inode: /proc/PID/net/{tcp,tcp6,udp,udp6,unix} as a table. The table
 * is read again if a socket is missing, but not too often.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/idmap.h"
#include "blocked/socket-line.h"

/* Zeroed is empty and valid. */
struct sprof_sockets {
	struct sprof_socket *items;
	size_t count, capacity;
	struct sprof_idmap by_inode;
	struct sprof_listening listening;
	uint64_t read_ns, cost_ns; /* time and CPU time of the last reading */
};

void sprof_sockets_finish(struct sprof_sockets *sockets);

/*
 * The addresses of the socket with this descriptor. NULL: unknown. Reads the files of the process's
 * network namespace, spending at most a fiftieth of the time.
 */
const char *sprof_sockets_find(struct sprof_sockets *sockets, pid_t pid, int fd, uint64_t inode);

/*
 * The inode of the socket at the other end, if it is a unix socket without a path that was found.
 * 0: none.
 */
uint32_t sprof_sockets_peer(const struct sprof_sockets *sockets, uint64_t inode);
