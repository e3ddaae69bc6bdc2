/*
 * site: where in a function's code probes go: the instruction at which every call is met once,
 * and those at which it ends. Found by disassembly (Zydis) of untrusted bytes; time and memory are
 * linear in their number.
 *
 * At every entry site rsp still holds what it held at the function's first instruction: it points
 * to the return address. At an exit rsp points to it again, where the exit is one of that call.
 */
#ifndef ELF_SITE_H
#define ELF_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/* What a probe costs there, cheapest first. */
enum site_class {
	SITE_NOP5,     /* rewritten to a call by kernels that can */
	SITE_EMULATED, /* a trap; the kernel does itself what the instruction does */
	SITE_STEPPED,  /* two traps; the instruction is executed out of line */
};
#define SITE_CLASSES 3

/* "nop5", "emulated", "stepped". */
const char *site_class_name(enum site_class);

/* A condition that always holds. */
#define SITE_ALWAYS 0xff

struct site {
	uint64_t address; /* as the file's symbols count */
	uint64_t offset;  /* in the file: what a uprobe takes */
	enum site_class class;
	/* Of exits: the probe is hit whether a conditional jump is taken or not; it ends the call
	 * only where this condition code (the low four bits of the opcode, as in Jcc: 4 is "equal")
	 * holds in the flags. SITE_ALWAYS for RETs and plain jumps, and for entries. */
	uint8_t condition;
};

/* How the end of a call is seen. Chosen by who puts the probes. */
enum exit_way {
	EXIT_SESSION, /* uprobe session: the return address is hijacked */
	EXIT_RETS,    /* probes on RETs and on jumps that leave the function */
	EXIT_NONE,    /* not at all: calls are counted, not timed */
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
	bool loops;	  /* code of its own jumps back to the entry site: such a pass is met as
			   * another call, with the same rsp */
	/* It reads, writes or pops its own return address (setjmp, vfork, dlsym, …), leaves it by a
	 * tail call to one that does (_setjmp: zonefile_sites() knows), or has none (_start): a
	 * hijacked one would change what is done. Never EXIT_SESSION. */
	bool own_return;
	const char *why;       /* cannot be probed: the reason, one clause; NULL: it can */
	const char *exits_why; /* the reason why exits are not known; NULL: they are */
};
void sites_release(struct sites *);

/* What the kernel's uprobes can do. */
struct site_kernel {
	/*
	 * A probe on a 5-byte nop becomes a call into memory that the kernel maps for it. Only
	 * where the target cannot call fork: up to 6.18.44 at least a forked child gets the call
	 * but not the memory, and dies of it. Where long_nops is set and this is not, such nops are
	 * never used.
	 */
	bool nop5;
	bool long_nops; /* nops of several bytes are emulated (6.18), and probes on 5-byte ones
			 * become calls whether we want it or not */
};
/* By the release, as of uname(2): "6.18.44-…". nop5 is never set. */
struct site_kernel site_kernel_of(const char *release);
/* Of the kernel that runs. */
struct site_kernel site_kernel_running(void);

/* Whether a call of the function may be timed, and by what: @hijack where nothing in the process
 * forbids to hijack return addresses. A process has one way for all: where it is hijacked, what
 * uses its own return address is only counted. */
enum exit_way sites_exit_way(const struct sites *, bool hijack);

/* A piece of code in memory. */
struct code {
	const uint8_t *bytes; /* borrowed */
	size_t n;
	uint64_t address, offset; /* of the first byte */
};

/* Where the return address is at some place in the code: at rsp or rbp + slot. */
struct site_frame {
	bool by_rbp;
	bool no_caller; /* there is none */
	int64_t slot;
};

enum site_target {
	SITE_TARGET_FUNCTION, /* another function: the jump is a tail call */
	SITE_TARGET_PART,     /* a part of this one that was put elsewhere */
	SITE_TARGET_UNKNOWN,
};

/* What is known of a function besides its bytes. Any of the calls may be NULL. */
struct site_world {
	struct site_kernel kernel;
	bool sweep; /* what lies between its code is code too: parts of it are reached by no jump */
	bool switches; /* it leaves its stack for another, by an indirect jump or a RET */
	/* False where it is not known. */
	bool (*frame)(void *context, uint64_t address, struct site_frame *out);
	/* What code outside of the function is that it jumps to; @out is set for
	 * SITE_TARGET_PART. NULL: another function. */
	enum site_target (*target)(void *context, uint64_t address, struct code *out);
	/* Calls @pad with every place where unwinders may land, of the code that starts at
	 * @address; false: that is not known. */
	bool (*pads)(void *context, uint64_t address,
		     void (*pad)(void *pad_context, uint64_t address), void *pad_context);
	/* Whether the variable at @address holds a function of another module that looks at its
	 * return address, or keeps it. NULL: none does. */
	bool (*keeps_return)(void *context, uint64_t address);
	bool stores_keepers; /* any variable may hold such a function */
	/* @n bytes of the file's data at @address, for jump tables; false: not there. */
	bool (*data)(void *context, uint64_t address, void *buf, size_t n);
	void *context;
};

/* The sites of the function whose code is @own: its first byte is the entry. Never fails: what
 * makes no sense has a why. @out is to be released. */
void sites_find(const struct site_world *, const struct code *own, struct sites *out);

/* Why an IFUNC's own code is no zone; this and the next are set by who knows symbols. */
extern const char sites_chosen[];
/* Why a label without call frame information is none: constants have such labels too. */
extern const char sites_label[];
/* Why nothing is a zone in code that its runtime reads. */
extern const char sites_read[];
/* Why the end of a stub's call is not in the file, in exits_why. */
extern const char sites_stub[];

/* The number of a text that stands in why or exits_why, 0 for NULL; and back: NULL also for numbers
 * that are none. So that they can pass between processes. */
uint32_t sites_reason_number(const char *why);
const char *sites_reason(uint32_t number);

#endif
