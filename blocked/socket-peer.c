/*
 * Asks NETLINK_SOCK_DIAG for the peer, which /proc/net/unix does not show. Stateless. unix-diag.c
 * parses the answer.
 */
#include "blocked/socket-peer.h"

#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "blocked/unix-diag.h"

static bool ask(int fd, uint64_t inode)
{
	const struct {
		struct nlmsghdr header;
		struct unix_diag_req request;
	} message = {
		.header = {.nlmsg_len = sizeof(message),
			.nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_REQUEST},
		.request = {.sdiag_family = AF_UNIX,
			.udiag_states = UINT32_MAX,
			.udiag_ino = (uint32_t)inode,
			.udiag_show = UDIAG_SHOW_PEER,
			.udiag_cookie = {UINT32_MAX, UINT32_MAX}}, /* any */
	};

	return send(fd, &message, sizeof(message), 0) == sizeof(message);
}

bool sprof_socket_peer_find(uint64_t inode, uint32_t *ret_inode)
{
	SPROF_AUTO_CLOSE int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	uint32_t answer[256];
	ssize_t size;

	if (fd < 0 || inode > UINT32_MAX || !ask(fd, inode))
		return false;
	/* The kernel has answered before send() returns. If it had not, waiting would not help. */
	size = recv(fd, answer, sizeof(answer), MSG_DONTWAIT);
	return size > 0 && sprof_unix_diag_peer(answer, (size_t)size, ret_inode);
}
