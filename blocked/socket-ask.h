/*
 * Asks a socket itself, through a copy of the process's descriptor (pidfd_getfd(2)). For sockets
 * that are not in the tables: new ones, and those of other families. Stateless.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "blocked/socket-line.h"

/*
 * Describes the socket with this descriptor and inode. Returns false if the descriptor may not be
 * copied, is another socket by now, or is of a family that has no name here.
 */
SPROF_MUST_USE bool sprof_socket_ask(pid_t pid, int fd, uint64_t inode,
	struct sprof_listening *listening, struct sprof_socket *ret);

/* The process that connected, listened, or made the pair (SO_PEERCRED). 0: not known. */
pid_t sprof_socket_ask_peer(pid_t pid, int fd, uint64_t inode);
