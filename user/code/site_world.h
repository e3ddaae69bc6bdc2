/*
 * site_world: callbacks by which the code that follows a function's control flow asks what the rest
 * of the file says of it: frames, parts elsewhere, landing pads, data.
 */
#ifndef CODE_SITE_WORLD_H
#define CODE_SITE_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How this kernel's uprobes treat nops, which depends on its release. */
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

/* A condition that always holds. */
#define SITE_ALWAYS 0xff

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
	/* The entry's site lies before these arguments' registers are written: bit 0 is the first.
	 */
	uint32_t arguments;
	bool sweep;    /* bytes that no jump reaches are code too, if they lie between its code */
	bool switches; /* it switches to another stack, by an indirect jump or a RET */
	/* False where it is not known. */
	bool (*frame)(void *context, uint64_t address, struct site_frame *out);
	/* Classifies the target of a jump out of the function; sets @out for SITE_TARGET_PART.
	 * NULL: all targets are other functions. */
	enum site_target (*target)(void *context, uint64_t address, struct code *out);
	/* Calls @pad with every landing pad of the code that starts at @address; false: they are
	 * not known. */
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

#endif
