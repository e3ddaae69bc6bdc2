/*
 * keeper: the process of ours that holds the probes of zones. A program that takes probes for code
 * must not start before they are gone, whatever the loader does just then: reads code, writes to a
 * slow disk, is stopped by Ctrl-Z, is killed. So probes are hung by this process, which does
 * nothing else, is no member of the loader's session and outlives it by the moment that it takes to
 * take them away.
 *
 * Files of such programs are watched (fanotify(7), permission events): their start waits, and no
 * other's, until the probes that they could meet are gone. The loader hears of it afterwards, and
 * gets no probe hung before it has. Where the kernel does not let us watch (no CAP_SYS_ADMIN),
 * nothing waits.
 *
 * So it is with the writing of a file that has probes: the kernel runs the instruction that stood
 * at a probe when it was hung, also once the file holds other code. Who opens it for writing waits
 * until its probes are gone (fcntl(2), leases), where the file system has leases, it was not open
 * for writing before, and it is ours or we have CAP_LEASE.
 */
#ifndef PROBE_KEEPER_H
#define PROBE_KEEPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"
#include "load/probes.h"
#include "probe/keeper_file.h"
#include "process/crew.h"

/* Links that the keeper holds; for keeper_drop(). */
typedef VEC(uint32_t) keeper_links;

struct keeper;
/* @wait is asked every so often while the keeper works; borrowed. Errors with a text. */
int keeper_new(const struct probes *, const struct crew_wait *wait, struct keeper **out);
/* Takes all probes away, and waits for that. NULL is fine. */
void keeper_free(struct keeper *);

/* Before the file @fd is read for places where probes may hang: from then on who opens it for
 * writing waits, as said above. Waits a little for one that has it open for writing now. */
void keeper_lease(struct keeper *, int fd);
/* As probes_attach(), but for nothing where it fails; adds the link to @out. @read: what the file
 * @fd held when the places in @list were found; -ESTALE where it holds something else by now.
 * -EAGAIN without a text: keeper_has_news() comes first. */
int keeper_hang(struct keeper *, enum probe_program, int fd, const struct keeper_file *read,
		uint32_t pid, const probe_list *list, keeper_links *out);
/* Takes the probes of these links away, in that order; does not wait for it. */
void keeper_drop(struct keeper *, keeper_links *);

/* Watches the file @fd. */
void keeper_watch(struct keeper *, int fd, uint32_t tag);
/* A zeroed one is empty and valid. */
struct keeper_news {
	keeper_starts starts; /* that have waited */
	keeper_files written; /* opened for writing, as they were before */
};
/* What has happened since it was asked last; false: nothing. What was hung for all processes, for
 * one that starts, or in one of the files, hangs no more, though its links are still to be dropped.
 */
bool keeper_has_news(struct keeper *, struct keeper_news *out);
void keeper_news_release(struct keeper_news *);

/* Somebody killed it: there are no probes any more. */
bool keeper_is_gone(const struct keeper *);
/* Its CPU time. */
int64_t keeper_cpu_ns(const struct keeper *);

#endif
