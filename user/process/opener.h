/*
 * opener: opens and reads for us what may never answer: files on mounts whose server is another
 * process or machine (FUSE, NFS, …), paths that lead through such mounts, and those files of /proc
 * for which the kernel waits for a lock or a page of the target's memory. Helper processes do it,
 * each request within a time limit: a helper that is stuck, perhaps in a state that not even
 * SIGKILL ends, is left alone, and does nothing once it is released. There are OPENER_HELPERS at
 * most. A mount, process or user that let a request run into its limit is not asked again for a
 * while, so that one hostile user cannot keep all helpers busy.
 *
 * What comes back is a descriptor of a file on a local file system, or of a sealed copy in memory
 * of one that is not: whoever holds or reads it waits for nobody.
 *
 *	struct opener *o = opener_new();           // before any data of a target is read
 *	struct opener_request r = {.what = OPENER_PATH, .pid = pid, .root_fd = root_fd,
 *				   .path = "/usr/lib/debug/x.debug"};
 *	struct opener_answer a;
 *	if (!opener_ask(o, &r, &a))
 *		use(a.fd);                         // the caller closes it: opener_close(o, a.fd)
 *
 * A child made by fork() may go on using its parent's opener: it gets a channel of its own with the
 * first request. Without an opener (NULL) the caller's process itself does it, without a limit: for
 * tests, and for processes that may block.
 */
#ifndef PROCESS_OPENER_H
#define PROCESS_OPENER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/answers.h"
#include "process/owner.h"

#define OPENER_HELPERS 8

/* What is said of a file whose mount did not answer in time. */
#define OPENER_SILENT ANSWERS_SILENT

/* For opener_request.root_fd. */
#define OPENER_OWN_ROOT	   (-1)
#define OPENER_ROOT_OF_PID (-2) /* the root of process .pid */

enum opener_what {
	OPENER_MAPPED, /* the file that .pid has mapped at [.start, .end) */
	OPENER_PATH,   /* .path below a root, as a process with that root would open it */
	OPENER_SOURCE, /* the same for a source file: its first .folder bytes are the folder that it
			* lies in, by the rules of opener_source.c; .home: of who may read it */
	OPENER_READ,   /* /proc/PID/.path: its text, up to .bytes_most bytes */
	OPENER_NAME,   /* what is at .path below a root, which is not opened; its text is its path
			* without links */
	OPENER_CLOSURE, /* the files that the dynamic linker will load with the command .path, or,
			 * where that is NULL, with what .pid runs below .root_fd; its text is a
			 * struct opener_file and a path with its zero each: see closure.h */
	OPENER_STEP,	/* reads .root_fd once, up to .bytes_most bytes, which nobody needs: a step
			 * of a BPF iterator that reads a target's memory. What it read is .rc */
};

struct opener_file {
	uint32_t device_major, device_minor;
	uint64_t inode;
};

struct opener_request {
	enum opener_what what;
	uint32_t pid; /* 0 where .root_fd is not OPENER_ROOT_OF_PID, and there is none */
	uint64_t start, end;
	const char *path;
	int root_fd;
	uint32_t folder;
	const char *home; /* NULL: not known */
	bool no_links; /* what .path names is no symbolic link, and no link of /proc leads there */
	const struct owner *as;		     /* opened with this user's rights; NULL: with ours */
	uint32_t device_major, device_minor; /* of the file where that is known, else 0 */
	uint64_t bytes_most; /* of a text, or of a copy where that is less than its own limit */
};

struct opener_answer {
	int rc; /* 0 (but see OPENER_STEP), or a negative errno without a text: -ETIMEDOUT, -EBUSY
		 * (a mount, process or user that timed out before, or no helper left), -EINVAL (no
		 * regular file), … */
	int fd; /* the caller's; -1: none */
	bool is_copy;
	/* Of the file itself, not of its copy. */
	uint32_t device_major, device_minor;
	uint64_t inode, bytes;
	uint32_t mode, links;
	uint32_t uid; /* of the file's owner */
	char *text;   /* owned, NUL-terminated; NULL: empty */
	size_t text_bytes;
};

struct opener;
/* NULL where no process can be started: then nothing has a limit. */
struct opener *opener_new(void);
/* Ends the helpers; waits for none that is stuck. Accepts NULL. */
void opener_free(struct opener *);

/* From now on a request takes a second at most, however busy its helper is, while @goes_on, which
 * may be NULL, says false. */
void opener_set_patience(struct opener *, bool (*goes_on)(void *context), void *context);

/* Whether @rc, of an answer, says that something did not answer. */
bool opener_is_silent(int rc);

/* Asks, and waits for the answer or the limit. Returns a->rc. */
int opener_ask(struct opener *, const struct opener_request *, struct opener_answer *a);

/* Closes what an answer has opened, and frees its text. */
void opener_answer_release(struct opener *, struct opener_answer *a);
/* Closes a descriptor of an answer: the memory of copies counts as free again. */
void opener_close(struct opener *, int fd);

struct opener_stats {
	uint64_t asked;	    /* requests */
	uint64_t timed_out; /* of these: ran into their limit */
	uint64_t refused;   /* not made: see -EBUSY */
	uint64_t copied, copied_bytes, too_large;
	uint32_t stuck; /* helpers that are stuck now */
};
void opener_stats(const struct opener *, struct opener_stats *out);

#endif
