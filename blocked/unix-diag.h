/* Parses the kernel's answers about unix sockets (sock_diag(7)). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

/* The inode of the peer. Returns false if there is none. */
SPROF_MUST_USE bool sprof_unix_diag_peer(const void *answer, size_t size, uint32_t *ret_inode);
