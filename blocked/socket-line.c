/*
 * Parses a line of the kernel's tables of sockets into readable addresses (net/ipv4/tcp_ipv4.c,
 * udp.c and net/unix/af_unix.c). Does not handle the peer of a unix socket (socket-peer.c).
 */
#include "blocked/socket-line.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	STATE_LISTEN = 10,         /* include/net/tcp_states.h */
	UNIX_LISTENING = 1u << 16, /* __SO_ACCEPTCON */
};

/* The kernel prints the words as numbers of the machine. */
static bool parse_address(const char *text, struct sprof_socket_address *ret)
{
	size_t digits = strcspn(text, ":");

	if (text[digits] != ':' || (digits != 8 && digits != 32))
		return false;
	ret->word_count = (unsigned)digits / 8;
	for (unsigned i = 0; i < ret->word_count; i++) {
		char word[9] = {0};

		memcpy(word, text + i * 8, 8);
		ret->words[i] = (uint32_t)strtoul(word, NULL, 16);
	}
	ret->port = (unsigned)strtoul(text + digits + 1, NULL, 16);
	return true;
}

static void write_address(const struct sprof_socket_address *address, char *buffer, size_t size)
{
	bool mapped = address->word_count == 4 && !address->words[0] && !address->words[1] &&
		address->words[2] == htonl(0xffff);
	char text[INET6_ADDRSTRLEN];

	if (address->word_count == 1 || mapped) {
		inet_ntop(AF_INET, &address->words[mapped ? 3 : 0], text, sizeof(text));
		snprintf(buffer, size, "%s:%u", text, address->port);
		return;
	}
	inet_ntop(AF_INET6, address->words, text, sizeof(text));
	snprintf(buffer, size, "[%s]:%u", text, address->port);
}

static bool is_accepted(const struct sprof_listening *listening, unsigned port)
{
	return listening->ports[port / 8 % sizeof(listening->ports)] & 1u << port % 8;
}

void sprof_socket_describe(const struct sprof_socket_ends *ends, struct sprof_listening *listening,
	struct sprof_socket *ret)
{
	const char *protocol = ends->protocol;
	const unsigned port = ends->local.port;
	char local[64], peer[64];

	write_address(&ends->local, local, sizeof(local));
	write_address(&ends->peer, peer, sizeof(peer));
	ret->is_local = false;
	if (ends->is_listening) {
		listening->ports[port / 8 % sizeof(listening->ports)] |= 1u << port % 8;
		snprintf(ret->text, sizeof(ret->text), "%.4s %s listening", protocol, local);
	} else if (ends->peer.port)
		snprintf(ret->text, sizeof(ret->text), "%.4s %s %s %s", protocol, local,
			protocol[0] == 't' && is_accepted(listening, port) ? "<-" : "->", peer);
	else
		snprintf(ret->text, sizeof(ret->text), "%.4s %s", protocol, local);
}

bool sprof_socket_parse_inet(const char *line, const char *protocol,
	struct sprof_listening *listening, struct sprof_socket *ret)
{
	struct sprof_socket_ends ends = {.protocol = protocol};
	char local[64], peer[64];
	unsigned long long inode;
	unsigned state;

	/* sl local remote st tx:rx tr:when retransmits uid timeout inode */
	if (sscanf(line, " %*u: %63s %63s %x %*s %*s %*s %*u %*u %llu", local, peer, &state,
		    &inode) != 4 ||
		!inode || !parse_address(local, &ends.local) || !parse_address(peer, &ends.peer))
		return false;
	ends.is_listening = state == STATE_LISTEN;
	ret->inode = inode;
	sprof_socket_describe(&ends, listening, ret);
	return true;
}

/* A program that binds a whole sockaddr_un to an abstract name also binds its zeros; they are shown
 * as "@". */
static size_t measure_path(const char *path)
{
	size_t length = strcspn(path, "\n");

	while (*path == '@' && length > 1 && path[length - 1] == '@')
		length--;
	return length;
}

bool sprof_socket_parse_unix(const char *line, struct sprof_socket *ret)
{
	unsigned long long inode;
	unsigned flags;
	int behind = 0;
	const char *path;

	/* Num RefCount Protocol Flags Type St Inode Path */
	if (sscanf(line, "%*x: %*x %*x %x %*x %*x %llu%n", &flags, &inode, &behind) != 2 ||
		!inode || !behind)
		return false;
	path = line + behind;
	path += strspn(path, " ");
	ret->inode = inode;
	if (*path && *path != '\n')
		snprintf(ret->text, sizeof(ret->text), "unix %.*s%s", (int)measure_path(path), path,
			flags & UNIX_LISTENING ? " listening" : "");
	else
		snprintf(ret->text, sizeof(ret->text), "unix socket:[%llu]", inode);
	ret->is_local = !*path || *path == '\n';
	ret->peer_asked = false;
	ret->peer = 0;
	return true;
}
