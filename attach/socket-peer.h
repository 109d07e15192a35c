/*
 * The other end of a local socket: unix(7) sockets have no address of their own when they connect.
 */
#ifndef SPROF_ATTACH_SOCKET_PEER_H
#define SPROF_ATTACH_SOCKET_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The inode of the peer in the kernel's answer about a unix socket (sock_diag(7)). False: there is
 * none. */
bool sprof_socket_peer_parse(const void *answer, size_t size, uint32_t *ret_inode);

/* Asks the kernel, in our own network namespace: a socket of another one is not found. */
bool sprof_socket_peer_find(uint64_t inode, uint32_t *ret_inode);

#endif
