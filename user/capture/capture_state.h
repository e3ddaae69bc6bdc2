/*
 * capture_state: the fields of struct capture. For capture.c and capture_profile.c.
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
/* A descriptor that the loop waits on, and its handler, called when it is readable. */
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
	uint64_t reads_until_ns;  /* deadline for reading them after the loop; 0: the loop runs */
	struct crew_wait naming;  /* whether names may be looked up */
	uint64_t loop_end_ns;	  /* 0: the loop runs */
	uint64_t names_until_ns;  /* deadline for names */
	struct crew_wait ending;  /* asked by intake while it waits for others */
	struct namebook names;
	struct windowing windowing;
	bool part_needed;	   /* see capture_part_needed() */
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC */
	int64_t start_unix_ns;
	int64_t cpu_at_start_ns, cpu_at_end_ns, cpu_at_open_ns;
	int epoll_fd, signal_fd;
	VEC(struct capture_watched)
	watched;		   /* rings, not listed, only wake the loop */
	int nice;		   /* our nice value at the start */
	int status, command_error; /* of the command */
	size_t exited;		   /* number of the target's processes that have exited */
};

/* CPU time of this process and of the processes that work for its sources. */
int64_t capture_loader_cpu_ns(const struct capture *);
/* Begins the first window; called when counting starts. */
void capture_start_windows(struct capture *);

#endif
