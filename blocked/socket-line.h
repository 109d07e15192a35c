/* Parses lines of /proc/PID/net/{tcp,tcp6,udp,udp6,unix}. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"

enum { SPROF_SOCKET_TEXT = 160 };

struct sprof_socket {
	uint64_t inode;
	bool is_local; /* a unix socket without a path; its peer may have one */
	bool peer_asked;
	/* "tcp 127.0.0.1:412 -> 127.0.0.1:80", of the server "<-"; "unix /run/x" */
	char text[SPROF_SOCKET_TEXT];
};

/* The local ports of listening sockets, as bits. The kernel lists these sockets first. */
struct sprof_listening {
	uint8_t ports[65536 / 8];
};

/*
 * Parses a line of /proc/net/tcp or udp, with protocol "tcp", "tcp6", "udp" or "udp6", or of
 * /proc/net/unix. Returns false for the heading, another format, or a socket without an inode,
 * which no longer has an owner. Adds the port of a listening socket to `listening`; a connection of
 * such a port was accepted.
 */
SPROF_MUST_USE bool sprof_socket_parse_inet(const char *line, const char *protocol,
	struct sprof_listening *listening, struct sprof_socket *ret);
SPROF_MUST_USE bool sprof_socket_parse_unix(const char *line, struct sprof_socket *ret);
