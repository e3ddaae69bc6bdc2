/*
 * catalog: lists the runs of a file, or its versions and platforms, without loading a run: to
 * choose among the runs of a store. A capture's file has one run.
 */
#ifndef STORE_CATALOG_H
#define STORE_CATALOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/* Texts are owned, and "" where the file says nothing. The first three, exactly as they were given
 * when the run was added, are the key of store_load(). They may hold any byte: str_clean() for
 * people. */
struct catalog_run {
	char *version, *platform, *name;
	int64_t started_unix_ns, duration_ns;
	/* Of the machine at the time of the run (model/meta.h). */
	char *cpu_fingerprint, *machine_id, *cores, *release;
	char *command;
};

/* In the order of version_compare() (select/version.h), then of started_unix_ns, then of the
 * keys' bytes. */
struct catalog {
	VEC(struct catalog_run) runs;
};

/* Whether both are of one program, by the name of its file: the first word of the command. An
 * unknown command is any program. */
bool catalog_same_program(const struct catalog_run *, const struct catalog_run *);

/* Errors of store_load(); a file without runs is no error. To be released in either case. */
int catalog_load(const char *path, struct catalog *);
void catalog_release(struct catalog *);

/* A version on a platform. */
struct platform {
	char *version, *platform;
	size_t runs;
	char *timestamp; /* when its first run was made, RFC 3339 */
	char *system, *processor, *cores, *node;
};

/* In the order of version_compare(), then of time, then of the keys' bytes; those of one version
 * together. */
struct platforms {
	VEC(struct platform) all;
};

/* As catalog_load(); does not look at the runs, so thousands cost as much as a few. */
int platforms_load(const char *path, struct platforms *);
void platforms_release(struct platforms *);

#endif
