/*
 * meta: the attribute keys that a profile carries, in the order in which reports show them.
 * Free text each; a reader copes with any that are missing.
 */
#ifndef MODEL_META_H
#define MODEL_META_H

/* Of the machine and the build under test (struct profile, meta). */
#define META_VERSION "version" /* --version-key, build version, or build-id */
/* Where the version is from: "--version-key", "package note", "Debian package sqlite3", "git
 * describe", "build-id". */
#define META_VERSION_ORIGIN  "version_origin"
#define META_PLATFORM	     "platform_id" /* system-arch-cpu */
#define META_MACHINE	     "machine_id"
#define META_TIMESTAMP	     "timestamp" /* RFC 3339, UTC */
#define META_SYSTEM	     "system"	 /* uname -s */
#define META_ARCH	     "arch"	 /* uname -m */
#define META_NODE	     "node"	 /* host name */
#define META_RELEASE	     "release"	 /* uname -r */
#define META_PROCESSOR	     "processor" /* model name of the CPU */
#define META_CPU_FINGERPRINT "cpu_fingerprint"
#define META_CORES	     "cores"
#define META_COMPILER	     "compiler" /* of the main module, from DWARF or .comment */

/* Of the run (struct profile, run). */
#define RUN_NAME    "name"    /* of the run's group: the command's base name and the start time */
#define RUN_COMMAND "command" /* of the target: its command line, or "all processes" */
#define RUN_TARGET  "target"  /* how it was chosen: "-p 4711", "-a", "-- make -j2" */
#define RUN_PID	    "pid"
#define RUN_EVENTS  "events" /* "cpu-clock at 99 Hz" */
#define RUN_EVENT_CHOICE                                                                  \
	"event_choice"		 /* why this event: "no PMU: cpu-clock instead of cycles" \
				  */
#define RUN_METRIC     "metric"	 /* what reports open with; without it the first metric */
#define RUN_CLOCK      "clock"	 /* of the zones' times: "wall", "cpu", "wall, rusage, cycles" */
#define RUN_OFF_CPU    "off_cpu" /* when the stacks of waits were taken */
#define RUN_OPTIONS    "options" /* the command line of eprof */
#define RUN_END	       "end"	/* why it ended: "Ctrl-C", "-d 10", "target exited with status 0" */
#define RUN_SOURCE     "source" /* of an imported profile: the path it was read from */
#define RUN_WRITTEN_BY "written_by"
/* Of an imported profile: the columns of its zones that are known, "name,total_ns". The others are
 * 0 in the file, and shown as unknown. Without it all are known. */
#define RUN_ZONE_COLUMNS "zone_columns"
#define RUN_MERGED	 "merged" /* of which captures: "3: a.h5 (v1.0, 2026-11-21T21:52:00Z), …" */
/* Set by who reads it, not by who writes it: parts that the program does not know, in words. */
#define RUN_UNKNOWN_PARTS "unknown_parts"

/* RUN_END of a profile that was written while its capture went on. */
#define RUN_END_NONE "capture still running when this was written"

#endif
