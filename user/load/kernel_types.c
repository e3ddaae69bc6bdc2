#include "load/kernel_types.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "load/btf_cut.h"
#include "perf/event.h"
#include "wire.h"
#include "wire_probe.h"
#include "wire_fields.h"
#include "eprof.skel.h"

#define KERNEL_BTF "/sys/kernel/btf/vmlinux"
#define MOST_BYTES (256u << 20)

/* Sections of programs that the kernel loads by the number of one of its types: the prefix of that
 * type's name, and how to attach them. */
static const struct section {
	const char *word, *type_prefix;
	enum bpf_attach_type attach;
	uint32_t flags; /* of the program */
} sections[] = {
	{"tp_btf/", "btf_trace_", BPF_TRACE_RAW_TP, 0},
	{"iter/", "bpf_iter_", BPF_TRACE_ITER, 0},
	{"iter.s/", "bpf_iter_", BPF_TRACE_ITER, BPF_F_SLEEPABLE},
};
#define SECTIONS (sizeof(sections) / sizeof(*sections))

struct kernel_types {
	struct btf_cut cut;
	VEC(struct btf_cut_id) ids; /* names are owned */
	int fd;			    /* the reduced BTF, for libbpf to read */
	int handlers[SECTIONS];	    /* libbpf's handlers, by section; 0: none */
};

/* The section of a program, and in *@of what follows its prefix; NULL: the program needs no
 * type. */
static const struct section *section_of(const struct bpf_program *program, const char **of)
{
	const char *name = bpf_program__section_name(program);

	name += *name == '?';
	for (size_t i = 0; i < SECTIONS; i++) {
		size_t n = strlen(sections[i].word);

		*of = name + n;
		if (!strncmp(name, sections[i].word, n))
			return &sections[i];
	}
	return NULL;
}

/* "btf_trace_sched_switch" for a program in "tp_btf/sched_switch"; NULL: it needs no type. */
static char *type_name(const struct bpf_program *program)
{
	const char *of;
	const struct section *s = section_of(program, &of);

	return s ? mem_printf("%s%s", s->type_prefix, of) : NULL;
}

/* libbpf calls this before it loads @program. */
static int prepare(struct bpf_program *program, struct bpf_prog_load_opts *opts, long cookie)
{
	const struct kernel_types *k = (const void *)cookie;
	_free_ char *name = type_name(program);
	const char *of;
	const struct section *section = section_of(program, &of);

	for (size_t i = 0; i < k->ids.n; i++)
		if (name && !strcmp(k->ids.at[i].name, name))
			opts->attach_btf_id = k->ids.at[i].id;
	opts->prog_flags |= section ? section->flags : 0;
	return opts->attach_btf_id ? bpf_program__set_type(program, BPF_PROG_TYPE_TRACING) : -ESRCH;
}

/* libbpf reads all types of the kernel for a program that it knows to be a tracing one. So it is
 * told a harmless program type here, and the true one in prepare(). */
static int handle_sections(struct kernel_types *k)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, o, .cookie = (long)k,
		    .prog_prepare_load_fn = prepare);

	for (size_t i = 0; i < SECTIONS; i++) {
		int id = libbpf_register_prog_handler(
			sections[i].word, BPF_PROG_TYPE_RAW_TRACEPOINT, sections[i].attach, &o);

		if (id < 0)
			return id;
		k->handlers[i] = id;
	}
	return 0;
}

void kernel_types_free(struct kernel_types *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < SECTIONS; i++)
		if (k->handlers[i])
			libbpf_unregister_prog_handler(k->handlers[i]);
	if (k->fd >= 0)
		close(k->fd);
	for (size_t i = 0; i < k->ids.n; i++)
		free((char *)k->ids.at[i].name);
	vec_release(&k->ids);
	btf_cut_release(&k->cut);
	free(k);
}

static bool has_layout(const struct btf_type *t)
{
	return btf_is_composite(t) || btf_is_any_enum(t) || btf_is_typedef(t);
}

/* Requests every type that the programs name, including their own, which the kernel lacks. */
static void ask(struct kernel_types *k, const struct eprof_bpf *skel)
{
	const struct btf *own = bpf_object__btf(skel->obj);
	struct bpf_program *program;

	for (uint32_t i = 1; i < btf__type_cnt(own); i++) {
		const struct btf_type *t = btf__type_by_id(own, i);
		const char *name = btf__name_by_offset(own, t->name_off);

		if (has_layout(t) && name && *name)
			btf_cut_want(&k->cut, name);
	}
	bpf_object__for_each_program(program, skel->obj)
	{
		struct btf_cut_id id = {.name = type_name(program)};

		if (id.name)
			vec_push(&k->ids, id);
	}
	k->cut.ids = k->ids.at;
	k->cut.n_ids = k->ids.n;
}

/* Before Linux 6.16 the kernel cannot map it. */
static int cut_by_reading(struct btf_cut *cut)
{
	_free_ char *data = NULL;
	size_t n;
	int ret = file_read(KERNEL_BTF, MOST_BYTES, &data, &n);

	return ret ? ret : btf_cut(cut, data, n);
}

static int cut(struct btf_cut *cut)
{
	_close_ int fd = open(KERNEL_BTF, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *data;
	int ret;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (st.st_size <= 0 || st.st_size > MOST_BYTES)
		return -EINVAL;
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return cut_by_reading(cut);
	ret = btf_cut(cut, data, (size_t)st.st_size);
	munmap(data, (size_t)st.st_size);
	return ret;
}

bool kernel_types_have(const char *name)
{
	struct btf_cut_id id = {.name = name};
	struct btf_cut types = {.ids = &id, .n_ids = 1};
	bool has = cut(&types) || id.id;

	btf_cut_release(&types);
	return has;
}

bool kernel_types_have_tracepoint(const char *name)
{
	_free_ char *type = mem_printf("btf_trace_%s", name);

	return kernel_types_have(type);
}

/* Writes the file whose name libbpf was given. */
static int fill(struct kernel_types *k, const struct eprof_bpf *skel)
{
	int ret;

	ask(k, skel);
	ret = cut(&k->cut);
	if (ret)
		return ret;
	return file_put(k->fd, k->cut.bytes.at, k->cut.bytes.n);
}

static struct eprof_bpf *open_cut(struct kernel_types *k)
{
	char path[64];
	LIBBPF_OPTS(bpf_object_open_opts, o, .btf_custom_path = path);
	struct eprof_bpf *skel;

	k->fd = memfd_create("kernel_types", MFD_CLOEXEC);
	if (k->fd < 0 || handle_sections(k))
		return NULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", k->fd);
	skel = eprof_bpf__open_opts(&o);
	if (skel && fill(k, skel)) {
		eprof_bpf__destroy(skel);
		skel = NULL;
	}
	return skel;
}

struct eprof_bpf *kernel_types_open(struct kernel_types **out)
{
	struct kernel_types *k = mem_zalloc(1, sizeof(*k));
	struct eprof_bpf *skel = open_cut(k);

	*out = k;
	if (skel)
		return skel;
	kernel_types_free(k);
	*out = NULL;
	return eprof_bpf__open();
}

static struct bpf_link *attach_kprobe(const struct bpf_program *program)
{
	const char *section = bpf_program__section_name(program);
	_free_ char *function = mem_strdup(strchr(section, '/') + 1), *name = NULL;

	function[strcspn(function, "*")] = '\0';
	name = kprobe_name(function);
	if (name)
		return bpf_program__attach_kprobe(program, false, name);
	errno = ENOTSUP;
	return NULL;
}

struct bpf_link *kernel_types_attach(const struct bpf_program *program)
{
	if (str_ends(bpf_program__section_name(program), "*"))
		return attach_kprobe(program);
	if (bpf_program__type(program) != BPF_PROG_TYPE_TRACING)
		return bpf_program__attach(program);
	if (bpf_program__expected_attach_type(program) == BPF_TRACE_ITER)
		return bpf_program__attach_iter(program, NULL);
	return bpf_program__attach_trace(program);
}
