/*
 * sinks: where windows of a capture go once they have ended. The capture knows a sink by its row in
 * sinks.def alone. A window is handed over in two steps: put() in the process that makes it, which
 * is a copy of the capture's, and keep() in the capture itself, once all sinks have it. What was
 * put and is not kept does not count: the next window that is put holds its rows, too.
 */
#ifndef CAPTURE_SINKS_H
#define CAPTURE_SINKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/splice.h"

struct sink_window {
	const void *image; /* of the profile: bytes of a file (store_image()); NULL for keep() */
	size_t n;
	uint64_t seed, hash; /* of the image, by hash_seeded(); no target knows the seed */
};

struct sink {
	/* @options: as struct capture_options has them; borrowed. */
	void *(*new)(const void *options);
	/* What the sink has stays where it is. */
	void (*free)(void *);
	/* A signal at @signal_fd (-1: none) makes it end soon. -errno with a text. */
	int (*put)(void *, const struct sink_window *, int signal_fd);
	void (*keep)(void *, const struct sink_window *);
	/* Adds the windows that it keeps, in their order. An error with a text where one is not
	 * what was put: those before it have been added. NULL: it gives none back. */
	int (*read)(const void *, struct splice *);
};

enum sink_number {
#define SINK(name) SINK_##name,
#include "capture/sinks.def"
#undef SINK
	SINKS
};

struct sinks {
	void *state[SINKS]; /* NULL: not used */
};

void sinks_init(struct sinks *, const void *const options[SINKS]);
void sinks_release(struct sinks *);
/* Whether any is asked for; else the capture is one window. */
bool sinks_any(const struct sinks *);
/* Of all, as above: the first error. */
int sinks_put(const struct sinks *, const struct sink_window *, int signal_fd);
void sinks_keep(const struct sinks *, const struct sink_window *);
/* Of the first that gives windows back. */
int sinks_read(const struct sinks *, struct splice *);

#endif
