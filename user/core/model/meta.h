/*
 * meta: the keys of a profile's attributes, in the order in which reports show them. Each is free
 * text, and may be missing.
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
/* Debug packages of modules whose functions have no names: "libssl3-dbgsym (libssl.so.3)". */
#define RUN_DEBUG_PACKAGES "debug_packages"
/* Of an imported profile: "1" where values were counted or measured one by one, or nobody knows how
 * they were come by; so they have no margins. */
#define RUN_EXACT "exact"
/* Of an imported profile: the columns of its zones that are known, "name,total_ns". The others are
 * 0 in the file, and shown as unknown. Without it all are known. */
#define RUN_ZONE_COLUMNS "zone_columns"
#define RUN_MERGED	 "merged" /* of which captures: "3: a.h5 (v1.0, 2026-11-21T21:52:00Z), …" */
/* Set by the program that reads the profile: parts that it does not know, in words. */
#define RUN_UNKNOWN_PARTS "unknown_parts"

/* RUN_END of a profile that was written while its capture went on. */
#define RUN_END_NONE "capture still running when this was written"

/* Of the run, too: what a comparison with its baseline found (model/regression.h). If a baseline
 * was asked for but not found, only the first two are set. */
#define REGRESSION_PREFIX	"regression."
#define REGRESSION_VERDICT	"regression.verdict" /* "regressed" … or REGRESSION_NONE */
#define REGRESSION_NONE		"no baseline"
#define REGRESSION_WHY		"regression.why"      /* there is none, or it is not comparable */
#define REGRESSION_BASELINE	"regression.baseline" /* its version */
#define REGRESSION_CHOICE	"regression.choice"   /* how it was chosen */
#define REGRESSION_METHOD	"regression.method"
#define REGRESSION_GATE		"regression.gate" /* "0.02": smaller changes are none */
#define REGRESSION_Q		"regression.q"	  /* "0.05": of those found, so many may be none */
#define REGRESSION_COUNTS	"regression.counts" /* "1 regressed, 0 improved …" */
#define REGRESSION_PER		"regression.per" /* what values are per: "run", "second", "work" */
#define REGRESSION_BETTER	"regression.better" /* "lower" or "higher" values are */
#define REGRESSION_METRIC	"regression.metric" /* of the samples */
#define REGRESSION_UNIT		"regression.unit"
#define REGRESSION_OF		"regression.of"	     /* what 100 % of them is */
#define REGRESSION_NET		"regression.net"     /* "1": zones less what the probes cost */
#define REGRESSION_BETWEEN	"regression.between" /* variation that was taken for one run a side */
#define REGRESSION_NOTES	"regression.notes"   /* to know before trusting it */
#define REGRESSION_FEW_ONLY	"regression.few_only" /* of one side only, but that may be chance */
#define REGRESSION_JUDGED	"regression.judged" /* what functions are judged by: REGRESSION_BY_… */
#define REGRESSION_SPREAD	"regression.spread" /* of whole runs of one side: "0.03" */
#define REGRESSION_COMMON	"regression.common" /* what all functions have in common: "0.15" */
#define REGRESSION_COMMON_ZONES "regression.common_zones" /* and all zones */
#define REGRESSION_SIGHT \
	"regression.sight" /* "smallest change visible 8 %; 3 more runs a side …" */
#define REGRESSION_OUTCOME  "regression.outcome" /* of --fail-on: "passed: …", "undecided: …" */
#define REGRESSION_ALIAS    "regression.alias"	 /* the program's file, which is taken for … */
#define REGRESSION_ALIAS_OF "regression.alias_of" /* … this one of the baseline */

#define REGRESSION_BY_SHARES  "shares of the samples"
#define REGRESSION_BY_WORK    "shares of a unit of work"
#define REGRESSION_BY_AMOUNTS "amounts"

#endif
