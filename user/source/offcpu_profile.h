/*
 * offcpu_profile: what the source of time off the CPU adds to a profile: metrics, samples, totals
 * of threads, run queues, ledger and cost. For source/offcpu.c; the functions are operations of
 * struct source.
 */
#ifndef SOURCE_OFFCPU_PROFILE_H
#define SOURCE_OFFCPU_PROFILE_H

#include "model/meta.h"
#include "perf/switch_cost.h"
#include "process/procs.h"
#include "book/holderbook.h"
#include "book/ranbook.h"
#include "book/samplebook.h"
#include "source/source.h"
#include "book/totalbook.h"
#include "book/wakebook.h"
#include "waits/reasonbook.h"

struct offcpu {
	struct samplebook book;
	struct wakebook *wakes; /* NULL: without --wakers */
	struct totalbook threads;
	struct ranbook ran;
	struct reasonbook reasons;
	struct holderbook holders;
	struct session *session;
	struct opener *opener;
	struct procs *procs;
	const struct target *target;
	double hz;
	uint64_t period_ns, min_ns;   /* min_ns: --off-min */
	uint32_t first_metric;	      /* in the profile that is being made */
	uint32_t woken_metric;	      /* the same */
	int walk;		      /* iterator over waiting threads; -1: none is open */
	uint32_t stuck;		      /* iterations that were given up */
	uint64_t starved_due_ns;      /* when to walk over threads that starve */
	struct switch_cost *switches; /* until the capture begins */
	const struct event *events;   /* the events that are sampled, too */
	size_t n_events;
	double switch_ns; /* cost of a switch beside the programs' own time; < 0: unknown */
	bool runners;	  /* who runs while others wait for a CPU is followed */
	enum session_switched way; /* of the options */
};

void offcpu_metrics(void *state, struct profile *);
void offcpu_account(const void *state, struct profile *, const struct ledger_input *);
void offcpu_reconcile(const void *state, struct profile *, const struct ledger_input *);
void offcpu_finish(const void *state, struct assembly *);
struct program_run offcpu_run(const void *state, const struct profile *);
void offcpu_taken(const void *state, const struct profile *, struct taken *);
void offcpu_total(const void *state, const struct profile *, struct str *out);

#endif
