/*
 * capture_state: what a capture is inside. For capture.c and capture_profile.c.
 */
#ifndef CAPTURE_STATE_H
#define CAPTURE_STATE_H

#include "base/vec.h"
#include "capture/capture_options.h"
#include "capture/intake.h"
#include "capture/slowdown.h"
#include "capture/sinks.h"
#include "capture/sources.h"
#include "capture/windowing.h"
#include "symbol/namebook.h"

struct capture;
/* A descriptor that the loop waits for, and what it does when that is readable. */
struct capture_watched {
	int fd;
	enum capture_end (*ready)(struct capture *, int fd);
};

struct capture {
	struct capture_options o;
	struct session_options session_options;
	struct session *session;
	struct slowdown *slowdown;
	struct sources sources;
	struct sinks sinks;
	struct intake in;
	struct crew_wait reading; /* whether foreign files may be read */
	uint64_t reads_until_ns;  /* after the loop: no longer than that; 0: it has not ended */
	struct crew_wait naming;  /* whether names may be looked up */
	uint64_t loop_end_ns;	  /* 0: the loop goes on */
	uint64_t names_until_ns;  /* no longer than that */
	struct crew_wait ending;  /* what intake asks while it waits for others */
	struct namebook names;
	struct windowing windowing;
	bool part_needed;	   /* the windows in the file could not be read */
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC */
	int64_t start_unix_ns;
	int64_t cpu_at_start_ns, cpu_at_end_ns, cpu_at_open_ns;
	int epoll_fd, signal_fd;
	VEC(struct capture_watched) watched; /* others, as of rings, only end the waiting */
	int nice;			     /* as it was asked for */
	int status, command_error;	     /* of the command */
	size_t exited;			     /* how many of the target's processes */
};

/* CPU time of this process and of those that work for it all the time. */
int64_t capture_loader_cpu_ns(const struct capture *);
/* When counting starts: from then on windows end. */
void capture_start_windows(struct capture *);

#endif
