/*
 * packet: packets with descriptors between eprof's own processes, on sockets of SOCK_SEQPACKET.
 */
#ifndef BASE_PACKET_H
#define BASE_PACKET_H

#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

/* Most descriptors of a packet. */
#define PACKET_FDS 40

/* 0, or -errno without a text: -EPIPE if the other end is closed. */
int packet_send(int socket, const void *bytes, size_t n, const int *fds, size_t n_fds);
/* Sends a packet of several parts without waiting: -EAGAIN if the socket is full. */
int packet_try(int socket, const struct iovec *parts, size_t n_parts, const int *fds, size_t n_fds);

/* Receives up to @n bytes and PACKET_FDS descriptors, *@n_fds of them, which the caller closes. The
 * packet's bytes, 0 if the other end is closed, or -errno without a text: -EPROTO if more came than
 * there was room for; then all of it is lost. @flags as of recvmsg(2). */
ssize_t packet_receive(int socket, void *bytes, size_t n, int *fds, size_t *n_fds, int flags);

/* Receives one packet of exactly @n bytes and up to @most descriptors; the rest of @fds is -1. 0,
 * or -errno without a text: -EPIPE if the other end is closed, -EPROTO for any other packet. */
int packet_receive_whole(int socket, void *bytes, size_t n, int *fds, size_t most);

#endif
