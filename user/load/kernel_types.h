/*
 * kernel_types: hands libbpf the few kernel types that the programs refer to (see btf_cut), in
 * place of all. For session_bpf. Where the kernel shows its types in a way that is not known here,
 * libbpf reads them itself.
 */
#ifndef LOAD_KERNEL_TYPES_H
#define LOAD_KERNEL_TYPES_H

struct eprof_bpf;
struct bpf_link;
struct bpf_program;
struct kernel_types;

/* The skeleton, opened; NULL with errno. What comes in *@out must outlive its load, and is NULL
 * where libbpf reads the types. */
struct eprof_bpf *kernel_types_open(struct kernel_types **out);
/* To be called when the programs are loaded, or given up. Accepts NULL. */
void kernel_types_free(struct kernel_types *);

/* As bpf_program__attach(), which does not know programs any more whose types come from here. */
struct bpf_link *kernel_types_attach(const struct bpf_program *);

#endif
