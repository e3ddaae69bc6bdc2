/*
 * record_windows: the file of windows of a capture, which the broker has written and read.
 */
#ifndef CMD_RECORD_WINDOWS_H
#define CMD_RECORD_WINDOWS_H

#include "capture/sink_file.h"

/* @path, borrowed, is that of record_places. */
struct window_place record_windows(const char *path);

#endif
