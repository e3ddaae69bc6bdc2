/*
 * kernel_types: gives libbpf the few kernel types that the programs refer to (see btf_cut) instead
 * of all. For session_bpf. If the kernel presents its types in an unknown form, libbpf reads them
 * itself.
 */
#ifndef LOAD_KERNEL_TYPES_H
#define LOAD_KERNEL_TYPES_H

#include <stdbool.h>

struct eprof_bpf;
struct bpf_link;
struct bpf_program;
struct kernel_types;

/* Opens the skeleton; NULL with errno set. *@out must outlive its loading; it is NULL if libbpf
 * reads the types. */
struct eprof_bpf *kernel_types_open(struct kernel_types **out);
/* Call when the programs are loaded, or given up. Accepts NULL. */
void kernel_types_free(struct kernel_types *);

/* Whether programs can be attached to the tracepoint by its type (tp_btf). True if the kernel's
 * types cannot be read. */
bool kernel_types_have_tracepoint(const char *name);

/* Whether there is a function or typedef of that name. True if the kernel's types cannot be read.
 */
bool kernel_types_have(const char *name);

/* As bpf_program__attach(), which cannot attach programs whose types come from here; nor those on a
 * function of the kernel by any of its names ("kprobe/NAME*"), see perf/event.h. */
struct bpf_link *kernel_types_attach(const struct bpf_program *);

#endif
