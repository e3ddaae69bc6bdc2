#include "load/ksyms.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"

/* Shared with the program, as the value of a map with one entry. */
struct request {
	uint64_t address;
	char text[1016]; /* the kernel's limits: 512 for a name, 56 for a module */
};

struct asker {
	int format_fd, request_fd, prog_fd;
	struct request *request;
};

static const char format[] = "%pS";

static int make_map(const char *name, size_t bytes, uint32_t flags)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = flags);

	return bpf_map_create(BPF_MAP_TYPE_ARRAY, name, sizeof(uint32_t), (uint32_t)bytes, 1,
			      &options);
}

/* bpf_snprintf(request->text, sizeof(request->text), format, &request->address, 8) */
static int load_program(const struct asker *a)
{
	const struct bpf_insn code[] = {
		{.code = BPF_LD | BPF_DW | BPF_IMM,
		 .dst_reg = BPF_REG_4,
		 .src_reg = BPF_PSEUDO_MAP_VALUE,
		 .imm = a->request_fd},
		{0},
		{.code = BPF_LD | BPF_DW | BPF_IMM,
		 .dst_reg = BPF_REG_3,
		 .src_reg = BPF_PSEUDO_MAP_VALUE,
		 .imm = a->format_fd},
		{0},
		{.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_4},
		{.code = BPF_ALU64 | BPF_ADD | BPF_K,
		 .dst_reg = BPF_REG_1,
		 .imm = offsetof(struct request, text)},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K,
		 .dst_reg = BPF_REG_2,
		 .imm = sizeof(a->request->text)},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K,
		 .dst_reg = BPF_REG_5,
		 .imm = sizeof(a->request->address)},
		{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_snprintf},
		{.code = BPF_JMP | BPF_EXIT},
	};

	return bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "eprof_ksyms", "GPL", code,
			     sizeof(code) / sizeof(*code), NULL);
}

/* bpf_snprintf() needs a format from a map that is frozen before the program is verified. */
static int asker_open(struct asker *a)
{
	const uint32_t zero = 0;
	void *at;

	a->format_fd = make_map("eprof_format", sizeof(format), BPF_F_RDONLY_PROG);
	a->request_fd = make_map("eprof_request", sizeof(struct request), BPF_F_MMAPABLE);
	if (a->format_fd < 0 || a->request_fd < 0 ||
	    bpf_map_update_elem(a->format_fd, &zero, format, BPF_ANY) ||
	    bpf_map_freeze(a->format_fd))
		return -ENOTSUP;
	at = mmap(NULL, sizeof(struct request), PROT_READ | PROT_WRITE, MAP_SHARED, a->request_fd,
		  0);
	if (at == MAP_FAILED)
		return -ENOTSUP;
	a->request = at;
	a->prog_fd = load_program(a);
	return a->prog_fd < 0 ? -ENOTSUP : 0;
}

static void asker_close(const struct asker *a)
{
	const int fds[] = {a->format_fd, a->request_fd, a->prog_fd};

	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	if (a->request)
		munmap(a->request, sizeof(*a->request));
}

/* Parses "ext4_sync_fs+0x1c/0x1f0 [ext4]", or the bare address of an address without symbol. */
static void parse(char *text, uint64_t address, struct kallsym *out)
{
	char *module = strstr(text, " ["), *plus, *end;
	uint64_t offset;

	if (module)
		*module = '\0';
	plus = strrchr(text, '+');
	if (!plus || plus == text)
		return;
	offset = strtoull(plus + 1, &end, 16);
	if (*end != '/' || offset > address)
		return;
	out->start = address - offset;
	out->name = mem_strndup(text, (size_t)(plus - text));
	if (module)
		out->module = mem_strndup(module + 2, strcspn(module + 2, " ]"));
}

/* The process's only asker, once prepared. */
static struct asker kept = {.format_fd = -1, .request_fd = -1, .prog_fd = -1};

int ksyms_prepare(void)
{
	int rc;

	if (kept.prog_fd >= 0)
		return 0;
	rc = asker_open(&kept);
	if (rc)
		asker_close(&kept);
	if (rc)
		kept = (struct asker){.format_fd = -1, .request_fd = -1, .prog_fd = -1};
	return rc;
}

int ksyms_find(const uint64_t *addresses, size_t n, struct kallsym *out)
{
	int ret = ksyms_prepare();

	memset(out, 0, n * sizeof(*out));
	for (size_t i = 0; !ret && i < n; i++) {
		LIBBPF_OPTS(bpf_test_run_opts, options);

		kept.request->address = addresses[i];
		ret = bpf_prog_test_run_opts(kept.prog_fd, &options);
		if (!ret)
			parse(kept.request->text, addresses[i], &out[i]);
	}
	return ret;
}
