/*
 * budget: what reading one foreign file may take in all: bytes that are really read, steps of the
 * parsers, memory, and time, whatever the file's headers and size say. Every parser that runs in
 * the privileged process charges it where it reads, loops and allocates, and gives up when told so.
 * The budgets of a capture's files share a pool.
 *
 * A NULL budget has no limits: worker processes have those of the kernel instead.
 */
#ifndef ELF_BUDGET_H
#define ELF_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct budget_pool;

enum budget_end {
	BUDGET_GOES_ON,
	BUDGET_USED_UP, /* for good: this file is not read any more */
	BUDGET_PUT_OFF, /* later: at budget_begin(), the owner has had its share for now; within a
			   read, the file takes so much that others go first, and what was read is
			   to be read again */
	BUDGET_STOPPED, /* the capture ends, or was told to */
};

/* Of one file. */
struct budget_limits {
	uint64_t bytes, steps, memory;
	uint64_t ns; /* wall time */
};

struct budget {
	struct budget_pool *pool; /* borrowed; NULL: only the limits count */
	uint32_t owner;		  /* index in the pool */
	enum budget_end end;
	bool small;			  /* for what the file is known by alone */
	bool is_large;			  /* takes more than nearly all files do */
	struct budget_limits base;	  /* what may be left at most, for one request or all */
	struct budget_limits most, spent; /* spent.memory: held at present */
	uint64_t stop_bytes, stop_steps;  /* where budget_turn() looks around next */
	uint64_t begun_ns;		  /* of the read under way; 0: none is */
	uint64_t paid_ns;		  /* of what was spent: the owner's share was charged it */
};

/*
 * A read begins: the opening of the file, or a request about it, which may take @more above what is
 * left; NULL: nothing more. False, with the reason in end: not now, or never. budget_end() in
 * either case.
 */
bool budget_begin(struct budget *, const struct budget_limits *more);
/* The read is over; how it went. */
enum budget_end budget_end(struct budget *);
/* What the file has taken so far, in nanoseconds of a usual processor. */
uint64_t budget_cost_ns(const struct budget *);
/* Much was searched and nothing found: counts as waste of the file's owner, unless it was little.
 */
void budget_in_vain(struct budget *);

/* Looks at limits, clock and signals. False: give up. Called by the functions below. */
bool budget_turn(struct budget *);

/* Charges @n bytes that were read. */
static inline bool budget_bytes(struct budget *b, uint64_t n)
{
	if (!b)
		return true;
	b->spent.bytes += n;
	return b->spent.bytes < b->stop_bytes || budget_turn(b);
}

/* Charges @n steps of some 4 ns each. */
static inline bool budget_steps(struct budget *b, uint64_t n)
{
	if (!b)
		return true;
	b->spent.steps += n;
	return b->spent.steps < b->stop_steps || budget_turn(b);
}

/* Whether the read was told to give up. */
static inline bool budget_is_over(const struct budget *b)
{
	return b && b->end != BUDGET_GOES_ON;
}

/* Charges memory that is about to be allocated for the file. */
bool budget_memory(struct budget *, uint64_t bytes);
/* It is freed again. */
void budget_memory_back(struct budget *, uint64_t bytes);
/* After a read: what is held now, all counted. False: more than the file's owner may hold. */
bool budget_hold(struct budget *, uint64_t bytes);

/* --- the pool -------------------------------------------------------------------------------- */

/*
 * budget_pool: what the privileged process spends on foreign files in one capture, fair between
 * their owners: the users to whom the files belong, since a file's owner is who may have forged it.
 * An owner has a share of the loader's time, which refills as time passes, a share of the memory,
 * and a number of files that it may waste: when so many have used up their budgets, its other files
 * get little more than what an ordinary file takes. Files of other owners lose nothing by that.
 */

/* What a pool looks at. */
struct budget_world {
	uint64_t (*now_ns)(void);	/* CLOCK_MONOTONIC; NULL: time does not pass */
	bool (*goes_on)(void *context); /* false: give up all reads; asked every millisecond or two;
					   NULL: they go on */
	void *context;
	uint64_t memory; /* for all files together, bytes */
};

/* What was given up, for the ledger. */
struct budget_losses {
	uint64_t files;	  /* that used up their budgets */
	uint64_t spared;  /* of these: whose owners had wasted too much before */
	uint64_t stopped; /* reads that the end of the capture stopped */
	uint64_t put_off; /* reads that were put off to a later time */
};

struct budget_pool;
/* Owned by the caller. */
struct budget_pool *budget_pool_new(const struct budget_world *);
void budget_pool_free(struct budget_pool *);
const struct budget_losses *budget_pool_losses(const struct budget_pool *);

/* Who a file belongs to, for the pool. @uid: the user who owns it; if it has no name (memfd,
 * deleted) or a server made it up (FUSE), the user whose process maps it. Root's files differ by
 * file system, @device, and those that are seen below another root than ours, as containers have
 * it, by that: to be root there takes less. */
uint64_t budget_owner_of(uint32_t uid, uint64_t device, bool is_ours);

/* The budget of a file of @owner; a NULL pool gives one without an owner. To be closed. */
void budget_open(struct budget_pool *, uint64_t owner, struct budget *out);
/* The same for reading what a file is known by: much smaller, and never put off or stopped; smaller
 * still while the owner has had its share. */
void budget_open_small(struct budget_pool *, uint64_t owner, struct budget *out);
void budget_close(struct budget *);

#endif
