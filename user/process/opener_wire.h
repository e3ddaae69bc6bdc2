/*
 * opener_wire: what the opener's processes share and send each other, and what an opener is inside.
 * For opener*.c alone.
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

/* A helper that has done nothing for so long is stuck. */
#define OPENER_STUCK_NS (1000ull * 1000000)
/* A request that no helper takes for so long is given up. */
#define OPENER_QUEUE_NS (2000ull * 1000000)
/* No request takes longer, however busy its helper is: who asks does nothing else meanwhile. */
#define OPENER_WHOLE_NS (5000ull * 1000000)
/* Nor than this, where nobody has the patience any more. */
#define OPENER_HURRY_NS OPENER_STUCK_NS

/* What is not asked for any more, and until when. */
#define OPENER_REFUSED 64

/* A text up to this long comes with the answer, a longer one in a memory file. */
#define OPENER_TEXT 32768

enum opener_state {
	OPENER_NONE,	 /* no process */
	OPENER_IDLE,	 /* waits for a request */
	OPENER_BUSY,	 /* with one */
	OPENER_GIVEN_UP, /* with one that nobody waits for any more: it is to be killed */
};

/* One helper. Helpers write their own, who asks the state alone. */
struct opener_slot {
	_Atomic uint32_t state;
	_Atomic int32_t pid;
	_Atomic uint64_t request;  /* channel << 32 | number */
	_Atomic uint64_t since_ns; /* when it last did something: CLOCK_MONOTONIC */
	_Atomic uint64_t device;   /* of the file that it waits for; 0: not known */
};

struct opener_refusal {
	_Atomic uint64_t key;
	_Atomic uint64_t until_ns;
	_Atomic uint32_t times;
};

struct opener_shared {
	struct opener_slot slots[OPENER_HELPERS];
	struct opener_refusal refused[OPENER_REFUSED];
	_Atomic uint32_t refused_n; /* written so far */
	_Atomic uint32_t channels;
	_Atomic uint64_t kept_bytes; /* of copies that are held now */
	uint64_t most_bytes;	     /* of these */
	_Atomic uint64_t asked, timed_out, refusals, copied, copied_bytes, too_large;
};

/* On the helpers' socket, with the channel's descriptor and that of a root where there is one. */
struct opener_message {
	uint32_t number, channel, what, pid;
	uint64_t start, end, bytes_most;
	uint32_t no_links, folder;
	int32_t root; /* OPENER_…, or 0: the descriptor that comes along */
	uint32_t has_owner;
	uint64_t sent_ns;
	struct owner owner;
	char home[256];
	char path[PATH_MAX]; /* sent as long as it is */
};

/* On a channel; the text follows. */
struct opener_reply {
	uint32_t number;
	int32_t rc;
	uint32_t is_copy, device_major, device_minor, uid, mode, links;
	uint64_t inode, bytes;
	uint32_t text_bytes, text_in_file;
};

/* The process that starts helpers; asked by a byte. */
#define OPENER_MORE 'm' /* one more helper */
#define OPENER_END  'e' /* those that were given up */

/* What a helper does for a request, in whichever process; @slot may be NULL. The descriptor in
 * *a that the file itself still has is in *@rest, to be closed after the answer was sent: closing
 * may block too. */
struct mounts;
void opener_do(struct mounts *, const struct opener_request *, struct opener_shared *,
	       struct opener_slot *slot, struct opener_answer *a, int *rest);

/* --- inside an opener: opener_ask.c, opener_process.c ----------------------------------------- */

/* A request under way. */
struct asked {
	uint32_t number;
	uint64_t sent_ns;
	uint64_t device, process; /* what is to blame if it does not come back; keys */
	uint32_t pid;
	bool is_here; /* the answer, which nobody has taken */
	struct opener_answer answer;
};

struct opener {
	struct opener_shared *shared;
	pid_t pid;    /* the process that starts helpers */
	int control;  /* to it */
	int requests; /* to the helpers */
	/* The channel: answers come here. Of this process alone: a child makes its own. */
	pid_t mine;
	int answers, theirs;
	uint32_t channel, numbers;
	VEC(struct asked) asked;
	char *room;			/* of one answer */
	bool (*goes_on)(void *context); /* NULL: always */
	void *context;
};

/* --- what is not asked for a while: opener_refusal.c ------------------------------------------ */

/* --- source files: opener_source.c ------------------------------------------------------------ */

#endif
