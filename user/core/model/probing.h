/*
 * probing: how a function's calls are met by probes: the class of a probe's site, and the way by
 * which a call's end is seen. One numbering for who finds sites, who times them, the profile and
 * its views.
 */
#ifndef MODEL_PROBING_H
#define MODEL_PROBING_H

/* What a probe costs there, cheapest first. Stored: append only. 0 is what an import has. */
enum site_class {
	SITE_UNKNOWN = 0,
	SITE_NOP5 = 1,	   /* rewritten to a call by kernels that can */
	SITE_EMULATED = 2, /* a trap; the kernel does itself what the instruction does */
	SITE_STEPPED = 3,  /* two traps; the instruction is executed out of line */
	SITE_MIXED = 4,	   /* of zones: not the same in all processes */
	SITE_CLASSES
};

/* How the end of a call is seen. Chosen by who puts the probes. Stored: append only. */
enum exit_way {
	EXIT_UNKNOWN = 0,
	EXIT_SESSION = 1, /* uprobe session: the return address is hijacked */
	EXIT_RETS = 2,	  /* probes on RETs and on jumps that leave the function */
	EXIT_NONE = 3,	  /* not at all: calls are counted, not timed */
	EXIT_MIXED = 4,	  /* of zones: not the same in all processes */
	EXIT_WAYS
};

/* Where figures of probes at exits stand, by the class of their site: none is a nop. */
enum { EXIT_AT_EMULATED = 0, EXIT_AT_STEPPED = 1, EXIT_SITES };

/* "nop5", "emulated", "stepped", "mixed"; "" for what is out of range or unknown. */
static inline const char *site_class_name(unsigned int site_class)
{
	static const char *const names[SITE_CLASSES] = {"", "nop5", "emulated", "stepped", "mixed"};

	return site_class < SITE_CLASSES ? names[site_class] : "";
}

/* "session", "returns", "none", "mixed"; "" as above. */
static inline const char *exit_way_name(unsigned int exit_way)
{
	static const char *const names[EXIT_WAYS] = {"", "session", "returns", "none", "mixed"};

	return exit_way < EXIT_WAYS ? names[exit_way] : "";
}

#endif
