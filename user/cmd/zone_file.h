/*
 * zone_file: the patterns of --zone-file, for the commands that take it.
 */
#ifndef CMD_ZONE_FILE_H
#define CMD_ZONE_FILE_H

#include "function/zonepattern.h"

/* Adds those of the file at @path. -EINVAL with a text for a bad pattern, and where there is none:
 * without any pattern all functions would be meant. */
int zone_file_read(struct zonepatterns *, const char *path);

#endif
