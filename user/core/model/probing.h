/*
 * probing: the class of a probe's site, and how a call's end is seen: the numbers that probes, the
 * profile and its views share.
 */
#ifndef MODEL_PROBING_H
#define MODEL_PROBING_H

/* By the cost of a probe, cheapest first. Stored: append only. Imports have 0. */
enum site_class {
	SITE_UNKNOWN = 0,
	SITE_NOP5 = 1,	   /* newer kernels rewrite it to a call */
	SITE_EMULATED = 2, /* one trap; the kernel emulates the instruction */
	SITE_STEPPED = 3,  /* two traps; the instruction is executed out of line */
	SITE_MIXED = 4,	   /* of zones: differs between processes */
	SITE_CLASSES
};

/* How the end of a call is seen. Stored: append only. */
enum exit_way {
	EXIT_UNKNOWN = 0,
	EXIT_SESSION = 1, /* uprobe session: the return address is hijacked */
	EXIT_RETS = 2,	  /* probes on RETs and on jumps that leave the function */
	EXIT_NONE = 3,	  /* not at all: calls are counted, not timed */
	EXIT_MIXED = 4,	  /* of zones: differs between processes */
	EXIT_WAYS
};

/* Index of figures of probes at exits, by the class of their site: none is a nop. */
enum { EXIT_AT_EMULATED = 0, EXIT_AT_STEPPED = 1, EXIT_SITES };

/* "nop5", "emulated", "stepped", "mixed"; "" if unknown. */
static inline const char *site_class_name(unsigned int site_class)
{
	static const char *const names[SITE_CLASSES] = {"", "nop5", "emulated", "stepped", "mixed"};

	return site_class < SITE_CLASSES ? names[site_class] : "";
}

/* "session", "returns", "none", "mixed"; "" if unknown. */
static inline const char *exit_way_name(unsigned int exit_way)
{
	static const char *const names[EXIT_WAYS] = {"", "session", "returns", "none", "mixed"};

	return exit_way < EXIT_WAYS ? names[exit_way] : "";
}

#endif
