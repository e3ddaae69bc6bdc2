/*
 * offcpu_profile: what the source of time off the CPU puts into the profile: metrics, samples,
 * ledger and cost. Used by source/offcpu.c alone; the functions are operations of struct source.
 */
#ifndef SOURCE_OFFCPU_PROFILE_H
#define SOURCE_OFFCPU_PROFILE_H

#include "model/meta.h"
#include "perf/switch_cost.h"
#include "source/offcpu_threads.h"
#include "source/samplebook.h"
#include "source/source.h"
#include "source/wakebook.h"
#include "waits/reasonbook.h"

struct offcpu {
	struct samplebook book;
	struct wakebook *wakes; /* NULL: wakers were not asked for */
	struct offcpu_threads threads;
	struct reasonbook reasons;
	struct session *session;
	struct opener *opener;
	const struct target *target;
	double hz;
	uint64_t period_ns, min_ns;   /* min_ns: of the options */
	uint32_t first_metric;	      /* of the profile under way */
	uint32_t woken_metric;	      /* the same */
	int walk;		      /* over threads that wait, under way; -1: none is */
	uint32_t stuck;		      /* walks that were given up */
	struct switch_cost *switches; /* until the capture begins */
	const struct event *events;   /* sampled besides */
	size_t n_events;
	double switch_ns; /* what a switch takes beyond the programs' own time; < 0: unknown */
	enum session_switched way; /* of the options */
};

void offcpu_metrics(void *state, struct profile *);
void offcpu_account(const void *state, struct profile *, const struct ledger_input *);
void offcpu_reconcile(const void *state, struct profile *, const struct ledger_input *);
void offcpu_finish(const void *state, struct assembly *);
struct program_run offcpu_run(const void *state, const struct profile *);
double offcpu_programs_ns(const void *state);
void offcpu_total(const void *state, const struct profile *, struct str *out);

#endif
