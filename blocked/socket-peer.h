/*
 * The other end of a unix(7) socket: a socket that connects has no address of its own.
 */
#ifndef SPROF_BLOCKED_SOCKET_PEER_H
#define SPROF_BLOCKED_SOCKET_PEER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"

/* Asks the kernel, in our own network namespace. Sockets of other namespaces are not found. */
SPROF_MUST_USE bool sprof_socket_peer_find(uint64_t inode, uint32_t *ret_inode);

#endif
