/* Messages of linux/unix_diag.h. Handles only the peer attribute. */
#include "blocked/unix-diag.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <string.h>

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
