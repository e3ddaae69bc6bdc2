/*
 * btf_cut: reduces the kernel's type information (BTF) to the few types that the programs refer to.
 * libbpf would read and index all of it and search it for each of them: some 15 ms of each start.
 * Pure: bytes in, bytes out. Format: linux/btf.h.
 */
#ifndef LOAD_BTF_CUT_H
#define LOAD_BTF_CUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"

/* A kernel type whose number is requested: the arguments of a tracepoint or iterator, by whose
 * number a program on it is loaded. */
struct btf_cut_id {
	const char *name;
	uint32_t id; /* result; 0: no such type */
};

/* A zeroed struct requests nothing. */
struct btf_cut {
	struct btf_cut_id *ids; /* owned by the caller, like their names */
	size_t n_ids;
	VEC(uint8_t) bytes; /* the result: BTF with the requested types and the types inside them */

	struct map names;    /* hashes of the requested names */
	uint64_t begins[64]; /* bit sets: how requested names begin, for both kinds */
};

/* Requests the types named @name, without a flavour suffix: "file" for "file___old". */
void btf_cut_want(struct btf_cut *, const char *name);
/* Extracts from @data what btf_cut_want() and c->ids requested. Pointers become pointers to void,
 * which changes no offset. -EINVAL if @data is not in a known format. */
int btf_cut(struct btf_cut *c, const void *data, size_t n);
void btf_cut_release(struct btf_cut *c);

#endif
