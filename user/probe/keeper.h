/*
 * keeper: the process that holds the probes of zones. A process that a probe would harm must wait
 * until the probe is gone (guard.h), even while the loader reads code, writes to a slow disk, is
 * stopped by Ctrl-Z or is killed. So a process of its own attaches the probes; it does nothing
 * else, is not in the loader's session, and outlives the loader just long enough to detach them.
 * The loader is told afterwards who has waited, and can attach no probe before it has read that.
 */
#ifndef PROBE_KEEPER_H
#define PROBE_KEEPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"
#include "load/probes.h"
#include "probe/guard.h"
#include "crew/crew.h"

/* Links that the keeper holds; for keeper_drop(). */
typedef VEC(uint32_t) keeper_links;

struct keeper;
/* Calls @wait at intervals while the keeper works; borrowed. Errors with a text. */
int keeper_new(const struct probes *, const struct crew_wait *wait, struct keeper **out);
/* Detaches all probes, and waits for that, 10 to 70 s at most: what takes longer goes on without
 * us. Accepts NULL. */
void keeper_free(struct keeper *);

/* Call before reading file @fd for places to probe: from then on a process that opens it for
 * writing waits, as in guard.h. Waits a little for one that has it open for writing now. */
void keeper_lease(struct keeper *, int fd);
/* Nobody waits any more: after keeper_drop() of the file's links. */
void keeper_unlease(struct keeper *, const struct guard_file *);
/* As probes_attach(), but attaches nothing on failure; adds the link to @out. @read: the file @fd
 * when the places in @list were found; -ESTALE if its contents have changed. -EAGAIN without a
 * text: call keeper_has_news() first. */
int keeper_attach(struct keeper *, enum probe_program, int fd, const struct guard_file *read,
		  uint32_t pid, const probe_list *list, keeper_links *out);
/* Detaches the probes of these links in that order; does not wait for it. */
void keeper_drop(struct keeper *, keeper_links *);

/* From then on the start of the translator in the file @fd waits. */
void keeper_watch(struct keeper *, int fd);
/* A zeroed struct is empty and valid. */
struct keeper_news {
	guard_starts starts;  /* starts that had to wait */
	guard_writes written; /* files opened for writing, as they were before */
};
/* What has happened since the last call; false: nothing. Probes for all processes, for a process
 * that starts, or in a written file are detached already, though their links must still be
 * dropped. */
bool keeper_has_news(struct keeper *, struct keeper_news *out);
void keeper_news_release(struct keeper_news *);

/* Whether the keeper was killed, which detached all probes, or is silent. */
bool keeper_is_gone(const struct keeper *);
/* Whether it did not answer in time, 10 to 70 s by the number of probes, 10 s once the capture
 * ends: what it was asked to do last goes on in the kernel, and it detaches all probes after it. */
bool keeper_is_silent(const struct keeper *);
/* The keeper's CPU time. */
int64_t keeper_cpu_ns(const struct keeper *);

#endif
