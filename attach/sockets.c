/*
 * From the kernel's tables of sockets to addresses a person reads. Knows the formats of
 * net/ipv4/tcp_ipv4.c, udp.c and net/unix/af_unix.c; inodes of sockets are unique over all
 * namespaces.
 */
#include "attach/sockets.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach/procfs.h"
#include "attach/socket-peer.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"

enum {
	STATE_LISTEN = 10,         /* include/net/tcp_states.h */
	UNIX_LISTENING = 1u << 16, /* __SO_ACCEPTCON */
	MOST = 64 * 1024,          /* sockets kept */
	LEAST_AGE_NS = 100 * SPROF_NS_PER_MS,
	COST_FACTOR = 50,
};

struct address {
	uint32_t words[4]; /* as the kernel prints them: in the machine's order */
	unsigned word_count, port;
};

static bool parse_address(const char *text, struct address *ret)
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

static void write_address(const struct address *address, char *buffer, size_t size)
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

bool sprof_socket_parse_inet(const char *line, const char *protocol, struct sprof_socket *ret)
{
	char local[64], peer[64], local_text[64], peer_text[64];
	struct address ours, theirs;
	unsigned long long inode;
	unsigned state;

	/* sl local remote st tx:rx tr:when retransmits uid timeout inode */
	if (sscanf(line, " %*u: %63s %63s %x %*s %*s %*s %*u %*u %llu", local, peer, &state,
		    &inode) != 4 ||
		!inode || !parse_address(local, &ours) || !parse_address(peer, &theirs))
		return false;
	write_address(&ours, local_text, sizeof(local_text));
	write_address(&theirs, peer_text, sizeof(peer_text));
	ret->inode = inode;
	ret->is_local = false;
	if (state == STATE_LISTEN)
		snprintf(ret->text, sizeof(ret->text), "%.4s %s listening", protocol, local_text);
	else if (theirs.port)
		snprintf(ret->text, sizeof(ret->text), "%.4s %s -> %s", protocol, local_text,
			peer_text);
	else
		snprintf(ret->text, sizeof(ret->text), "%.4s %s", protocol, local_text);
	return true;
}

/* Who binds a whole sockaddr_un to an abstract name has its zeros in the name: they are shown as "@". */
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
		snprintf(ret->text, sizeof(ret->text), "unix %.*s%s", (int)measure_path(path),
			path, flags & UNIX_LISTENING ? " listening" : "");
	else
		snprintf(ret->text, sizeof(ret->text), "unix socket:[%llu]", inode);
	ret->is_local = !*path || *path == '\n';
	ret->peer_asked = false;
	return true;
}

void sprof_sockets_finish(struct sprof_sockets *sockets)
{
	free(sockets->items);
	sprof_idmap_finish(&sockets->by_inode);
	*sockets = (struct sprof_sockets){0};
}

/* A socket that is known already may have been connected since. */
static void put(struct sprof_sockets *sockets, const struct sprof_socket *socket)
{
	uint32_t index = sprof_idmap_find(&sockets->by_inode, 0, socket->inode);

	if (index == SPROF_IDMAP_NONE) {
		index = (uint32_t)sockets->count;
		if (!sprof_array_reserve(&sockets->items, &sockets->capacity, (size_t)index + 1,
			    sizeof(*sockets->items)) ||
			!sprof_idmap_put(&sockets->by_inode, 0, socket->inode, index))
			return;
		sockets->count++;
	}
	sockets->items[index] = *socket;
}

static void read_table(struct sprof_sockets *sockets, pid_t pid, const char *name)
{
	SPROF_AUTO_FREE char *text = NULL;
	bool is_unix = !strcmp(name, "unix");
	struct sprof_socket socket;
	char path[64];
	size_t size;

	snprintf(path, sizeof(path), "/proc/%d/net/%s", pid, name);
	text = sprof_proc_read_whole(path, &size);
	for (const char *line = text; line && *line && sockets->count < MOST;) {
		if (is_unix ? sprof_socket_parse_unix(line, &socket)
			    : sprof_socket_parse_inet(line, name, &socket))
			put(sockets, &socket);
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
}

static void read_all(struct sprof_sockets *sockets, pid_t pid)
{
	static const char *const names[] = {"tcp", "tcp6", "udp", "udp6", "unix"};
	uint64_t begin = sprof_clock_now_ns();

	if (sockets->count >= MOST)
		sprof_sockets_finish(sockets);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		read_table(sockets, pid, names[i]);
	sockets->read_ns = sprof_clock_now_ns();
	sockets->cost_ns = sockets->read_ns - begin;
}

/* A client of a unix socket has the server's name at its other end. Asked for once. */
static const char *with_peer(struct sprof_sockets *sockets, uint32_t index)
{
	struct sprof_socket *socket = &sockets->items[index];
	uint32_t peer_inode, peer;

	if (!socket->is_local || socket->peer_asked)
		return socket->text;
	socket->peer_asked = true;
	if (!sprof_socket_peer_find(socket->inode, &peer_inode))
		return socket->text;
	peer = sprof_idmap_find(&sockets->by_inode, 0, peer_inode);
	if (peer != SPROF_IDMAP_NONE && !sockets->items[peer].is_local)
		snprintf(socket->text, sizeof(socket->text), "unix -> %s",
			sockets->items[peer].text + strlen("unix "));
	else
		snprintf(socket->text, sizeof(socket->text), "unix socket:[%llu] -> socket:[%u]",
			(unsigned long long)socket->inode, peer_inode);
	return socket->text;
}

const char *sprof_sockets_find(struct sprof_sockets *sockets, pid_t pid, uint64_t inode)
{
	uint64_t age_ns = sockets->cost_ns * COST_FACTOR;
	uint32_t index = sprof_idmap_find(&sockets->by_inode, 0, inode);

	if (age_ns < LEAST_AGE_NS)
		age_ns = LEAST_AGE_NS;
	if (index == SPROF_IDMAP_NONE &&
		(!sockets->read_ns || sockets->read_ns + age_ns < sprof_clock_now_ns())) {
		read_all(sockets, pid);
		index = sprof_idmap_find(&sockets->by_inode, 0, inode);
	}
	return index == SPROF_IDMAP_NONE ? NULL : with_peer(sockets, index);
}
