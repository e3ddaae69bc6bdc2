/*
 * reason: why a thread was off the CPU: one row of the table "reasons" per kind of wait, system
 * call, state, and object that it waited for. Samples of waits refer to these rows.
 */
#ifndef MODEL_REASON_H
#define MODEL_REASON_H

#include <stdbool.h>
#include <stdint.h>

/* What kind of wait it was. Stored: append only. */
enum reason_kind {
	REASON_NONE = 0,   /* no wait: a sample of another source; unknown */
	REASON_RUNNABLE,   /* it could have run on: another thread took its CPU */
	REASON_LOCK,	   /* a futex: mutex, condition, semaphore, join of a thread */
	REASON_FILE_LOCK,  /* flock, fcntl */
	REASON_PIPE,	   /* a pipe or FIFO, empty or full */
	REASON_SOCKET,	   /* a socket: data, room, a connection */
	REASON_DISK,	   /* a disk, for a file or memory */
	REASON_FILE,	   /* a file or folder, but no disk: another's lock on it, a network */
	REASON_DEVICE,	   /* a terminal or other device */
	REASON_OBJECT,	   /* another descriptor: eventfd, timerfd, inotify, … */
	REASON_POLL,	   /* poll, select: idle until something happens */
	REASON_EPOLL,	   /* the same by epoll */
	REASON_SLEEP,	   /* nanosleep: a time */
	REASON_CHILD,	   /* a child process: its end; for vfork its exec */
	REASON_SIGNAL,	   /* pause, sigsuspend, sigwait */
	REASON_FAULT,	   /* a page fault: memory or a lock on it */
	REASON_FAULT_DISK, /* a page fault that read from a disk */
	REASON_MESSAGE,	   /* semaphores and messages of System V and POSIX */
	REASON_STOPPED,	   /* stopped by a signal: SIGSTOP, Ctrl-Z */
	REASON_TRACED,	   /* stopped by its tracer */
	REASON_CALL,	   /* within another system call */
	REASON_KERNEL,	   /* a thread of the kernel, or nothing more is known */
	REASON_KINDS
};

struct reason {
	uint8_t kind;	 /* enum reason_kind */
	uint8_t idle;	 /* 1: the thread had nothing to do: poll, epoll, sleep, signal, … */
	uint8_t state;	 /* as ps(1) shows it: 'R', 'S', 'D', 'I', 'T', 't', 'P'; 0 unknown */
	uint32_t call;	 /* system call, "" none */
	uint32_t object; /* what it waited for: "pipe:[4711]", "app:queue_lock", ""  unknown */
};

/* "lock", "page fault". */
const char *reason_kind_name(enum reason_kind);
/* Whether a thread that waits so has nothing to do. */
bool reason_kind_is_idle(enum reason_kind);

#endif
