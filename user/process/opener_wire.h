/*
 * opener_wire: what the opener's processes share and send each other, and struct opener. For
 * opener*.c alone.
 */
#ifndef PROCESS_OPENER_WIRE_H
#define PROCESS_OPENER_WIRE_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"
#include "process/opener.h"

/* A helper that made no progress for so long is stuck, unless it waits for a processor. */
#define OPENER_STUCK_NS (1000ull * 1000000)
/* The same for a request that no helper takes. */
#define OPENER_QUEUE_NS (2000ull * 1000000)
/* The limit of any request, however busy its helper is: the asking process does nothing else
 * meanwhile. */
#define OPENER_WHOLE_NS (5000ull * 1000000)
/* The limit while goes_on() returns false. */
#define OPENER_HURRY_NS OPENER_STUCK_NS

/* Entries in the table of refused keys. */
#define OPENER_REFUSED 64

/* A text up to this long comes with the answer, a longer one in a memory file. */
#define OPENER_TEXT 32768

enum opener_state {
	OPENER_NONE,	 /* no process */
	OPENER_IDLE,	 /* waits for a request */
	OPENER_BUSY,	 /* works on a request */
	OPENER_GIVEN_UP, /* nobody waits for its request any more: to be killed */
};

/* One helper. The helper writes the fields; the asking process writes only the state. */
struct opener_slot {
	_Atomic uint32_t state;
	_Atomic int32_t pid;
	_Atomic uint64_t request;  /* channel << 32 | number */
	_Atomic uint64_t since_ns; /* time of its last progress: CLOCK_MONOTONIC */
	_Atomic uint64_t device;   /* of the file that it waits for; 0: unknown */
};

struct opener_refusal {
	_Atomic uint64_t key;
	_Atomic uint64_t until_ns;
	_Atomic uint32_t times;
};

struct opener_shared {
	struct opener_slot slots[OPENER_HELPERS];
	struct opener_refusal refused[OPENER_REFUSED];
	_Atomic uint32_t refused_n; /* entries written so far */
	_Atomic uint32_t channels;
	_Atomic uint64_t kept_bytes; /* of copies that are open now */
	uint64_t most_bytes;	     /* limit of kept_bytes */
	_Atomic uint64_t asked, timed_out, refusals, copied, copied_bytes, too_large;
};

/* Sent on the helpers' socket, with descriptors of the channel and, if any, of the root. */
struct opener_message {
	uint32_t number, channel, what, pid;
	uint64_t start, end, bytes_most;
	uint32_t no_links, folder;
	int32_t root; /* OPENER_…, or 0: the descriptor that was sent along */
	uint32_t has_owner;
	uint64_t sent_ns;
	struct owner owner;
	char home[256];
	char path[PATH_MAX]; /* sent up to its end */
};

/* Sent on a channel; the text follows. */
struct opener_reply {
	uint32_t number;
	int32_t rc;
	uint32_t is_copy, device_major, device_minor, uid, mode, links;
	uint64_t inode, bytes;
	uint32_t text_bytes, text_in_file;
};

/* Bytes sent to the process that starts helpers. */
#define OPENER_MORE 'm' /* start one more helper */
#define OPENER_END  'e' /* kill those that were given up */

/* Does the work of one request, in any process; @slot may be NULL. If the answer is a copy, *@rest
 * is the descriptor of the file itself, to be closed after the answer was sent: closing may block
 * too. */
struct mounts;
void opener_do(struct mounts *, const struct opener_request *, struct opener_shared *,
	       struct opener_slot *slot, struct opener_answer *a, int *rest);

/* --- inside an opener: opener_ask.c, opener_process.c ----------------------------------------- */

/* A request under way. */
struct asked {
	uint32_t number;
	uint64_t sent_ns;
	uint64_t device, process; /* keys to refuse if it times out */
	uint32_t pid;
	bool answered; /* the answer has come, and was not taken yet */
	struct opener_answer answer;
};

struct opener {
	struct opener_shared *shared;
	pid_t pid;    /* the process that starts helpers */
	int control;  /* to it */
	int requests; /* to the helpers */
	/* The channel on which answers come. It belongs to the process @mine alone: a child makes
	 * its own. */
	pid_t mine;
	int answers, theirs;
	uint32_t channel, numbers;
	VEC(struct asked) asked;
	char *room;			/* buffer for one answer */
	bool (*goes_on)(void *context); /* NULL: always true */
	void *context;
};

#endif
