/*
 * opener: opens and reads for eprof what may never answer: files on mounts whose server is
 * another process or machine (FUSE, NFS, …), paths that lead through such mounts, and files of
 * /proc for which the kernel waits for a lock or a page of the target's memory. Up to
 * OPENER_HELPERS helper processes do it, each request within a time limit. A helper that is stuck,
 * perhaps in a state that not even SIGKILL ends, is abandoned, and does nothing more if it ever
 * continues. A mount, process or user that let a request time out is refused for a while, so that
 * one hostile user cannot keep all helpers busy.
 *
 * An answer's descriptor is of a file on a local file system, or of a sealed copy in memory of a
 * remote one: holding or reading it never blocks on a server.
 *
 * 	struct opener *o = opener_new();           // before any data of a target is read
 * 	struct opener_request r = {.what = OPENER_PATH, .pid = pid, .root_fd = root_fd,
 * 				   .path = "/usr/lib/debug/x.debug"};
 * 	struct opener_answer a;
 * 	if (!opener_ask(o, &r, &a))
 * 		use(a.fd);                         // the caller closes it: opener_close(o, a.fd)
 *
 * A child made by fork() may go on using its parent's opener: it gets its own channel with its
 * first request. Without an opener (NULL) the calling process does the work itself, without a
 * limit: for tests, and for processes that may block.
 */
#ifndef PROCESS_OPENER_H
#define PROCESS_OPENER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/answers.h"
#include "process/owner.h"

#define OPENER_HELPERS 8

/* The note for a file whose mount did not answer in time. */
#define OPENER_SILENT ANSWERS_SILENT

/* For opener_request.root_fd. */
#define OPENER_OWN_ROOT	   (-1)
#define OPENER_ROOT_OF_PID (-2) /* the root of process .pid */

enum opener_what {
	OPENER_MAPPED, /* the file that .pid has mapped at [.start, .end) */
	OPENER_PATH,   /* .path below a root, as a process with that root would open it */
	OPENER_SOURCE, /* the same for a source file, whose first .folder bytes are the folder it
			  must lie in, by the rules of opener_source() in opener_do.c; .home: of the
			  user who may read it */
	OPENER_READ,   /* the text of /proc/PID/.path, up to .bytes_most bytes */
	OPENER_MEMORY, /* .bytes_most bytes, up to 4096, of .pid's memory at .start; fewer if its
			  memory ends there */
	OPENER_ARENAS, /* what the allocator of .pid has, whose data are at [.start, .end): the text
			  is a struct arenas */
	OPENER_NAME,   /* resolves .path below a root, without opening it; the text is its path
			  without links */
	OPENER_CLOSURE, /* the files that the dynamic linker will load with the command .path, or,
			   if that is NULL, with what .pid runs below .root_fd; the text is, for
			   each, a struct opener_file and a path that ends in a zero: see closure.h
			 */
	OPENER_STEP,	/* reads .root_fd once, up to .bytes_most bytes, and drops them: a step of a
			   BPF iterator that reads a target's memory. .rc is the number of bytes */
};

struct opener_file {
	uint32_t device_major, device_minor;
	uint64_t inode;
};

struct opener_request {
	enum opener_what what;
	uint32_t pid; /* 0: none, unless .root_fd is OPENER_ROOT_OF_PID */
	uint64_t start, end;
	const char *path;
	int root_fd;
	uint32_t folder;
	const char *home; /* NULL: unknown */
	bool no_links;	  /* .path must not be a symbolic link, nor lead through one of /proc */
	const struct owner *as;		     /* opened with this user's rights; NULL: with ours */
	uint32_t device_major, device_minor; /* the file's, if known, else 0 */
	uint64_t bytes_most; /* limit of a text, or of a copy if below its own limit */
};

struct opener_answer {
	int rc; /* 0 (but see OPENER_STEP), or a negative errno without a text: -ETIMEDOUT, -EBUSY
		   (a mount, process or user that timed out before, or no free helper), -EINVAL (no
		   regular file), … */
	int fd; /* owned by the caller; -1: none */
	bool is_copy;
	/* Of the file itself, even if fd is a copy. */
	uint32_t device_major, device_minor;
	uint64_t inode, bytes;
	uint32_t mode, links;
	uint32_t uid; /* of the file's owner */
	char *text;   /* owned, NUL-terminated; NULL: empty */
	size_t text_bytes;
};

struct opener;
/* NULL: no process can be started; requests then have no time limit. */
struct opener *opener_new(void);
/* Ends the helpers, without waiting for stuck ones. Accepts NULL. */
void opener_free(struct opener *);

/* From now on a request takes a second at most, however busy its helper is, while @goes_on returns
 * false (NULL: always true). */
void opener_set_patience(struct opener *, bool (*goes_on)(void *context), void *context);

/* Whether the error @rc of an answer means that something did not answer in time. */
bool opener_is_silent(int rc);

/* Sends the request and waits for the answer or the time limit. Returns a->rc. */
int opener_ask(struct opener *, const struct opener_request *, struct opener_answer *a);

/* Closes the answer's descriptor, and frees its text. */
void opener_answer_release(struct opener *, struct opener_answer *a);
/* Closes a descriptor of an answer; the memory of a copy no longer counts. */
void opener_close(struct opener *, int fd);

struct opener_stats {
	uint64_t asked;	    /* requests */
	uint64_t timed_out; /* of these: ran into their limit */
	uint64_t refused;   /* not sent: see -EBUSY */
	uint64_t copied, copied_bytes, too_large;
	uint32_t stuck; /* helpers that are stuck now */
};
void opener_stats(const struct opener *, struct opener_stats *out);

#endif
