/*
 * sink_file: the file in which the windows of a capture are kept while it runs, one behind the
 * other, so that a kill -9 or a crash of eprof loses no more than what came after the last one. A
 * window that could not be written whole leaves the file as it was.
 *
 * At the end the capture reads them again. The file may belong to a stranger by then (file.h gives
 * it to the user who called sudo), so what is read must be what was written.
 */
#ifndef CAPTURE_SINK_FILE_H
#define CAPTURE_SINK_FILE_H

#include <stddef.h>
#include <stdint.h>

/* Options of the sink: which file, and who reads and writes it. The functions are those of
 * base/window_file.h; @signal_fd: signals there make them end soon; -1: none. */
struct window_place {
	const char *path;
	int (*put)(const struct window_place *, const void *bytes, size_t n, uint64_t at,
		   int signal_fd);
	int (*get)(const struct window_place *, void *bytes, size_t n, uint64_t at, int signal_fd);
	void *context;
};

#endif
