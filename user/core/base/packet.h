/*
 * packet: packets with descriptors between our own processes, on sockets of SOCK_SEQPACKET.
 */
#ifndef BASE_PACKET_H
#define BASE_PACKET_H

#include <stddef.h>
#include <sys/types.h>

/* In one packet. */
#define PACKET_FDS 24

/* 0, or -errno without a text: -EPIPE where the other end is closed. */
int packet_send(int socket, const void *bytes, size_t n, const int *fds, size_t n_fds);

/* Up to @n bytes and PACKET_FDS descriptors, *@n_fds of them, the caller's to close. The bytes of
 * the packet, 0 where the other end is closed, or -errno without a text: -EPROTO for one that was
 * longer.
 */
ssize_t packet_receive(int socket, void *bytes, size_t n, int *fds, size_t *n_fds);

#endif
