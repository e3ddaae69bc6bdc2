/*
 * packet: packets with descriptors between our own processes, on sockets of SOCK_SEQPACKET.
 */
#ifndef BASE_PACKET_H
#define BASE_PACKET_H

#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

/* In one packet. */
#define PACKET_FDS 24

/* 0, or -errno without a text: -EPIPE where the other end is closed. */
int packet_send(int socket, const void *bytes, size_t n, const int *fds, size_t n_fds);
/* The same of several parts, without waiting: -EAGAIN where earlier packets were not taken yet. */
int packet_try(int socket, const struct iovec *parts, size_t n_parts, const int *fds, size_t n_fds);

/* Up to @n bytes and PACKET_FDS descriptors, *@n_fds of them, the caller's to close. The bytes of
 * the packet, 0 where the other end is closed, or -errno without a text: -EPROTO where more bytes
 * or descriptors came than there was room for, which are lost. @flags as of recvmsg(2). */
ssize_t packet_receive(int socket, void *bytes, size_t n, int *fds, size_t *n_fds, int flags);

/* One packet of exactly @n bytes and up to @most descriptors, the rest of @fds -1. 0, or -errno
 * without a text: -EPIPE where the other end is closed; -EPROTO for another length or more of
 * them. */
int packet_receive_whole(int socket, void *bytes, size_t n, int *fds, size_t most);

#endif
