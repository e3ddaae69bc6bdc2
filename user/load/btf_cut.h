/*
 * btf_cut: of the kernel's type information (BTF) the few types that programs refer to. libbpf goes
 * through all of the kernel's for each of those, having read and indexed the whole of it: some 15
 * ms of each start. Pure: bytes in, bytes out. Format: linux/btf.h.
 */
#ifndef LOAD_BTF_CUT_H
#define LOAD_BTF_CUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"

/* A type of the kernel whose number is to be known: that of a tracepoint's or iterator's arguments,
 * which a program on it is loaded with. */
struct btf_cut_id {
	const char *name;
	uint32_t id; /* 0: there is none */
};

/* A zeroed one asks for nothing. */
struct btf_cut {
	struct btf_cut_id *ids; /* of the caller, as are their names */
	size_t n_ids;
	VEC(uint8_t) bytes; /* the result: BTF with types of those names, and what stands in them */

	struct map names;    /* hashes of those that are wanted */
	uint64_t begins[64]; /* bits: how names begin that are asked for, of the two kinds */
};

/* Asks for the types called @name, without the flavour behind it: "file" for "file___old". */
void btf_cut_want(struct btf_cut *, const char *name);
/* Of @data, what btf_cut_want() and c->ids asked for. Pointers point to void: where a type lies in
 * another does not depend on what they point to. -EINVAL where @data is none that is known here. */
int btf_cut(struct btf_cut *c, const void *data, size_t n);
void btf_cut_release(struct btf_cut *c);

#endif
