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
	uint32_t peer; /* its peer's inode, if that has no path, either; 0: none, or not asked */
	/* "tcp 127.0.0.1:412 -> 127.0.0.1:80", of the server "<-"; "unix /run/x" */
	char text[SPROF_SOCKET_TEXT];
};

/* The local ports of listening sockets, as bits. The kernel lists these sockets first. */
struct sprof_listening {
	uint8_t ports[65536 / 8];
};

struct sprof_socket_address {
	uint32_t words[4]; /* in the order of the network */
	unsigned word_count, port;
};

/* Both ends of a socket of the internet. */
struct sprof_socket_ends {
	const char *protocol; /* "tcp6" */
	struct sprof_socket_address local, peer;
	bool is_listening;
};

/* Writes the ends as text. Reads `listening`, and adds to it, as the function below. */
void sprof_socket_describe(const struct sprof_socket_ends *ends, struct sprof_listening *listening,
	struct sprof_socket *ret);

/*
 * Parses a line of /proc/net/tcp or udp, with protocol "tcp", "tcp6", "udp" or "udp6", or of
 * /proc/net/unix. Returns false for the heading, another format, or a socket without an inode,
 * which no longer has an owner. Adds the port of a listening socket to `listening`; a connection of
 * such a port was accepted.
 */
SPROF_MUST_USE bool sprof_socket_parse_inet(const char *line, const char *protocol,
	struct sprof_listening *listening, struct sprof_socket *ret);
SPROF_MUST_USE bool sprof_socket_parse_unix(const char *line, struct sprof_socket *ret);
