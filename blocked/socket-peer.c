/*
 * Asks NETLINK_SOCK_DIAG (linux/unix_diag.h) for the peer, which /proc/net/unix does not show.
 * Stateless.
 */
#include "blocked/socket-peer.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"

bool sprof_unix_diag_peer(const void *answer, size_t size, uint32_t *ret_inode)
{
	const struct nlmsghdr *header = answer;
	const struct rtattr *attribute;
	size_t left;

	if (!NLMSG_OK(header, size) || header->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
		header->nlmsg_len < NLMSG_LENGTH(sizeof(struct unix_diag_msg)))
		return false;
	left = header->nlmsg_len - NLMSG_LENGTH(sizeof(struct unix_diag_msg));
	attribute = (const struct rtattr *)((const char *)NLMSG_DATA(header) +
		NLMSG_ALIGN(sizeof(struct unix_diag_msg)));
	for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left)) {
		if (attribute->rta_type != UNIX_DIAG_PEER ||
			RTA_PAYLOAD(attribute) < sizeof(*ret_inode))
			continue;
		memcpy(ret_inode, RTA_DATA(attribute), sizeof(*ret_inode));
		return *ret_inode;
	}
	return false;
}

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
