/*
 * The addresses of sockets, by inode: /proc/PID/net/{tcp,tcp6,udp,udp6,unix} as a table that is
 * read again when a socket is not in it, but not too often.
 */
#ifndef SPROF_ATTACH_SOCKETS_H
#define SPROF_ATTACH_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/idmap.h"

enum {
	SPROF_SOCKET_TEXT = 160
};

struct sprof_socket {
	uint64_t inode;
	bool is_local; /* of a socket without a path, whose peer may have one */
	bool peer_asked;
	char text[SPROF_SOCKET_TEXT]; /* "tcp 127.0.0.1:41234 -> 127.0.0.1:5432", "unix /run/x.sock"
				       */
};

/*
 * One line of /proc/net/tcp or udp, of protocol "tcp", "tcp6", "udp" or "udp6", or of
 * /proc/net/unix. False: the heading, not in the format, or a socket without an inode, which has no
 * owner any more.
 */
bool sprof_socket_parse_inet(const char *line, const char *protocol, struct sprof_socket *ret);
bool sprof_socket_parse_unix(const char *line, struct sprof_socket *ret);

/* Zeroed is empty and valid. */
struct sprof_sockets {
	struct sprof_socket *items;
	size_t count, capacity;
	struct sprof_idmap by_inode;
	uint64_t read_ns, cost_ns; /* when the table was last read, and how long that took */
};

void sprof_sockets_finish(struct sprof_sockets *sockets);

/*
 * The socket's addresses, or NULL: not known. The files are those of the process's network
 * namespace. They are read at most so often that it takes a fiftieth of the time.
 */
const char *sprof_sockets_find(struct sprof_sockets *sockets, pid_t pid, uint64_t inode);

#endif
