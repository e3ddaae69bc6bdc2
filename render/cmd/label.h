/*
 * label: what a profile is filed under, where it was made by another tool.
 */
#ifndef CMD_LABEL_H
#define CMD_LABEL_H

#include "model/profile.h"

/* Sets version and platform, each where it is not NULL, else to what a profile is filed under that
 * has none; and the name of the run where there is none. */
void label_import(struct profile *, const char *version, const char *platform);

#endif
