/*
 * The copy of the descriptor lives for some microseconds. If the process closes the socket
 * meanwhile, the connection ends when the copy is closed.
 */
#include "blocked/socket-ask.h"

#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"

union name {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr_un local;
};

/* The caller closes it. Negative: it may not be copied, or it is another socket. */
static int copy_socket(pid_t pid, int fd, uint64_t inode)
{
	SPROF_AUTO_CLOSE int process = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	int copy = process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, process, fd, 0);
	struct stat status;

	if (copy < 0 ||
		(!fstat(copy, &status) && S_ISSOCK(status.st_mode) && status.st_ino == inode))
		return copy;
	close(copy);
	return -1;
}

static int option_of(int socket, int option)
{
	socklen_t size = sizeof(int);
	int value = 0;

	return getsockopt(socket, SOL_SOCKET, option, &value, &size) ? -1 : value;
}

static struct sprof_socket_address address_of(const union name *name)
{
	struct sprof_socket_address address = {.word_count = 1};

	if (name->any.sa_family == AF_INET6) {
		address.word_count = 4;
		memcpy(address.words, &name->v6.sin6_addr, sizeof(address.words));
		address.port = ntohs(name->v6.sin6_port);
	} else if (name->any.sa_family == AF_INET) {
		memcpy(address.words, &name->v4.sin_addr, sizeof(address.words[0]));
		address.port = ntohs(name->v4.sin_port);
	}
	return address;
}

static union name end_of(
	int socket, int (*ask)(int, struct sockaddr *restrict, socklen_t *restrict))
{
	union name name = {0};
	socklen_t size = sizeof(name);

	if (ask(socket, &name.any, &size))
		memset(&name, 0, sizeof(name));
	return name;
}

static bool describe_inet(
	int socket, bool is_v6, struct sprof_listening *listening, struct sprof_socket *ret)
{
	const int protocol = option_of(socket, SO_PROTOCOL);
	const union name local = end_of(socket, getsockname), peer = end_of(socket, getpeername);
	const struct sprof_socket_ends ends = {
		.protocol = protocol == IPPROTO_TCP ? is_v6 ? "tcp6" : "tcp"
			: is_v6                     ? "udp6"
						    : "udp",
		.local = address_of(&local),
		.peer = address_of(&peer),
		.is_listening = option_of(socket, SO_ACCEPTCONN) > 0,
	};

	if (protocol != IPPROTO_TCP && protocol != IPPROTO_UDP)
		return false;
	sprof_socket_describe(&ends, listening, ret);
	return true;
}

/* A server's end has its own path, a client's end only the server's. Abstract names begin with 0. */
static bool describe_unix(int socket, struct sprof_socket *ret)
{
	const union name local = end_of(socket, getsockname), peer = end_of(socket, getpeername);
	const bool is_named = local.local.sun_path[0] || local.local.sun_path[1];
	const char *path = is_named ? local.local.sun_path : peer.local.sun_path;
	const bool is_abstract = !path[0];
	const size_t room = sizeof(path[0]) * sizeof(local.local.sun_path) - 1;

	if (is_abstract && !path[1])
		return false;
	snprintf(ret->text, sizeof(ret->text), "unix %s%s%.*s%s", is_named ? "" : "-> ",
		is_abstract ? "@" : "", (int)room, path + is_abstract,
		option_of(socket, SO_ACCEPTCONN) > 0 ? " listening" : "");
	return true;
}

static bool describe_other(int family, struct sprof_socket *ret)
{
	static const struct {
		int family;
		const char *text;
	} others[] = {
		{AF_NETLINK, "netlink socket"},
		{AF_PACKET, "packet socket"},
		{AF_VSOCK, "vsock socket"},
		{AF_ALG, "alg socket"},
		{AF_BLUETOOTH, "bluetooth socket"},
		{AF_CAN, "can socket"},
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (others[i].family != family)
			continue;
		snprintf(ret->text, sizeof(ret->text), "%s", others[i].text);
		return true;
	}
	return false;
}

bool sprof_socket_ask(pid_t pid, int fd, uint64_t inode, struct sprof_listening *listening,
	struct sprof_socket *ret)
{
	SPROF_AUTO_CLOSE int socket = copy_socket(pid, fd, inode);
	const int family = socket < 0 ? -1 : option_of(socket, SO_DOMAIN);

	*ret = (struct sprof_socket){.inode = inode};
	if (family == AF_INET || family == AF_INET6)
		return describe_inet(socket, family == AF_INET6, listening, ret);
	return family == AF_UNIX ? describe_unix(socket, ret) : describe_other(family, ret);
}

pid_t sprof_socket_ask_peer(pid_t pid, int fd, uint64_t inode)
{
	SPROF_AUTO_CLOSE int socket = copy_socket(pid, fd, inode);
	struct ucred peer = {0};
	socklen_t size = sizeof(peer);

	return socket >= 0 && !getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) ? peer.pid
											 : 0;
}
