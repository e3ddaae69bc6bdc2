/*
 * site: the instructions of a function on which probes go: the entry, which every call executes
 * once, and the exits, at which it ends. Found by disassembly (Zydis) of untrusted bytes; time and
 * memory are linear in their number.
 *
 * At an entry site rsp is still what it was at the function's first instruction: it points to the
 * return address. At an exit that ends the call rsp points to it again.
 */
#ifndef CODE_SITE_H
#define CODE_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "code/site_world.h"
#include "model/probing.h"

struct site {
	uint64_t address; /* as the file's symbols count */
	uint64_t offset;  /* in the file: what a uprobe takes */
	enum site_class class;
	/* Of exits: a probe is hit whether a conditional jump is taken or not; the jump ends the
	 * call only where this condition code (the low four bits of the opcode, as in Jcc: 4 is
	 * "equal") holds in the flags. SITE_ALWAYS for RETs and plain jumps, and for entries. */
	uint8_t condition;
};

/* Those of one function. */
struct sites {
	struct site entry; /* valid where why is NULL */
	/*
	 * All RETs, and jumps out of the function (tail calls, by a pointer too), of cold parts
	 * too, by address. May hold the entry's own address: a function that is nothing but a jump.
	 */
	VEC(struct site) exits;
	bool exits_known; /* false: exits may lack some; why: exits_why */
	bool splits;	  /* code outside [address, address + size) belongs to it (name.cold) */
	bool loops; /* its own code jumps back to the entry site: the probe sees each such pass
		     * as another call, with the same rsp */
	/* It reads, writes or pops its own return address (setjmp, vfork, dlsym, …), leaves it by a
	 * tail call to one that does (_setjmp: zonefile_sites() knows), or has none (_start): a
	 * hijacked one would change what is done. Never EXIT_SESSION. */
	bool own_return;
	const char *why;       /* cannot be probed: the reason, one clause; NULL: it can */
	const char *exits_why; /* the reason why exits are not known; NULL: they are */
};
void sites_release(struct sites *);

/* How the end of a call is seen, if at all. @hijack: nothing in the process forbids hijacking
 * return addresses. All functions of a process use one way: where return addresses are hijacked, a
 * function that uses its own is only counted. */
enum exit_way sites_exit_way(const struct sites *, bool hijack);

/* The sites of the function whose code is @own: its first byte is the entry. Never fails: malformed
 * code has a why. The caller releases @out. */
void sites_find(const struct site_world *, const struct code *own, struct sites *out);

/* The sites of a static marker, whose instruction is the first one of @at. */
void sites_marker(const struct site_kernel *, const struct code *at, struct sites *out);

/* Why an IFUNC's own code is no zone. Set, like those below, by callers that know the symbols. */
extern const char sites_chosen[];
/* Why a label without call frame information is no zone: constants have such labels too. */
extern const char sites_label[];
/* Why there are no zones in code that its runtime reads and patches. */
extern const char sites_read[];
/* Why the end of a stub's call is not in the file, in exits_why. */
extern const char sites_stub[];

/* Why a call has no end where the place is a static marker, in exits_why; and why one cannot be
 * probed: its counter is not in the file. */
extern const char sites_passed[];
extern const char sites_no_counter[];
/* Why one cannot be that ends the program that turns it on. */
extern const char sites_harmful[];

/* The number of a text in why or exits_why, 0 for NULL, to pass it between processes; and the text
 * of a number, NULL for an unknown one. */
uint32_t sites_reason_number(const char *why);
const char *sites_reason(uint32_t number);

#endif
