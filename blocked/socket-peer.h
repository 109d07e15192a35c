/* The peer of a unix(7) socket: a connecting socket has no address. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"

/* Asks the kernel, in sprof's network namespace. Does not find sockets of other namespaces. */
SPROF_MUST_USE bool sprof_socket_peer_find(uint64_t inode, uint32_t *ret_inode);
