/* The peer of a unix(7) socket: a connecting socket has no address. */
#ifndef SPROF_BLOCKED_SOCKET_PEER_H
#define SPROF_BLOCKED_SOCKET_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

/* Asks the kernel, in sprof's network namespace. Does not find sockets of other namespaces. */
SPROF_MUST_USE bool sprof_socket_peer_find(uint64_t inode, uint32_t *ret_inode);

/* The inode of the peer. Returns false if there is none. */
SPROF_MUST_USE bool sprof_unix_diag_peer(const void *answer, size_t size, uint32_t *ret_inode);

#endif
