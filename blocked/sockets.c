/*
 * The table of sockets. A socket's inode is unique across all namespaces. Does not handle the lines
 * of the kernel's tables (socket-line.c).
 */
#include "blocked/sockets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/proc.h"
#include "blocked/socket-peer.h"

enum {
	MOST = 64 * 1024, /* sockets kept */
	COST_FACTOR = 50,
};

void sprof_sockets_finish(struct sprof_sockets *sockets)
{
	free(sockets->items);
	sprof_idmap_finish(&sockets->by_inode);
	*sockets = (struct sprof_sockets){0};
}

/* Also updates a known socket: it may have been connected since. */
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
	size_t size;

	text = sprof_proc_read_whole(sprof_proc_path(pid, 0, "net/%s", name).text, &size);
	for (const char *line = text; line && *line && sockets->count < MOST;) {
		if (is_unix ? sprof_socket_parse_unix(line, &socket)
			    : sprof_socket_parse_inet(line, name, &sockets->listening, &socket))
			put(sockets, &socket);
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
}

static void read_all(struct sprof_sockets *sockets, pid_t pid)
{
	static const char *const names[] = {"tcp", "tcp6", "udp", "udp6", "unix"};
	/* CPU time: on a busy machine, waiting for a CPU is no cost. */
	const uint64_t begin_ns = sprof_clock_own_cpu_ns();

	if (sockets->count >= MOST)
		sprof_sockets_finish(sockets);
	memset(&sockets->listening, 0, sizeof(sockets->listening));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		read_table(sockets, pid, names[i]);
	sockets->read_ns = sprof_clock_now_ns();
	sockets->cost_ns = sprof_clock_own_cpu_ns() - begin_ns;
}

/* For the client of a unix socket, the other end has the server's name. Asks only once. */
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
	else {
		snprintf(socket->text, sizeof(socket->text), "unix socket:[%llu] -> socket:[%u]",
			(unsigned long long)socket->inode, peer_inode);
		socket->peer = peer_inode;
	}
	return socket->text;
}

uint32_t sprof_sockets_peer(const struct sprof_sockets *sockets, uint64_t inode)
{
	const uint32_t index = sprof_idmap_find(&sockets->by_inode, 0, inode);

	return index == SPROF_IDMAP_NONE || !sockets->items[index].is_local
		? 0
		: sockets->items[index].peer;
}

const char *sprof_sockets_find(struct sprof_sockets *sockets, pid_t pid, uint64_t inode)
{
	const uint64_t age_ns = sockets->cost_ns * COST_FACTOR;
	uint32_t index = sprof_idmap_find(&sockets->by_inode, 0, inode);

	if (index == SPROF_IDMAP_NONE &&
		(!sockets->read_ns || sockets->read_ns + age_ns < sprof_clock_now_ns())) {
		read_all(sockets, pid);
		index = sprof_idmap_find(&sockets->by_inode, 0, inode);
	}
	return index == SPROF_IDMAP_NONE ? NULL : with_peer(sockets, index);
}
