#include "cmd/doctor_process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "cmd/record_packages.h"
#include "elf/budget.h"
#include "elf/buildid.h"
#include "elf/elffile.h"
#include "select/runtime.h"
#include "process/cmdline.h"
#include "process/images.h"
#include "process/maps.h"
#include "process/opener.h"
#include "process/procfs.h"
#include "script/async.h"
#include "script/detect.h"
#include "script/language.h"
#include "symbol/buildversion.h"

#define FILES_MOST    128
#define COMMAND_MOST  256
#define PACKAGES_MOST 8

/* A file whose code the process has mapped. */
struct mapped {
	char *path; /* owned */
	uint64_t start, end;
	uint32_t dev_major, dev_minor;
	bool is_read, has_symbols, is_go;
	struct interpreter script; /* that it has */
};

struct look {
	struct doctor_process *out;
	struct opener *opener;
	VEC(struct mapped) files;
	bool own_root; /* the process has the root that we have */
	bool programs; /* BPF programs may be loaded */
};

static void find(struct look *l, bool ok, const char *what, char *found, const char *get)
{
	vec_push(&l->out->findings,
		 ((struct doctor_finding){ok, mem_strdup(what), found, mem_strdup(ok ? "" : get)}));
}

static void take_mapping(void *context, const struct procfs_mapping *m)
{
	struct look *l = context;

	if (!m->executable || m->path[0] != '/' || l->files.n == FILES_MOST)
		return;
	vec_each (known, &l->files)
		if (!strcmp(known->path, m->path))
			return;
	vec_push(&l->files, ((struct mapped){.path = mem_strdup(m->path),
					     .start = m->start,
					     .end = m->end,
					     .dev_major = m->dev_major,
					     .dev_minor = m->dev_minor}));
}

/* Whether a debug file of that build-id is installed. */
static bool has_debug_file(const struct elffile *f)
{
	uint8_t id[BUILDID_MAX];
	char hex[BUILDID_HEX];
	const uint8_t n = buildid_read(f, id);
	_free_ char *path = NULL;

	if (n < 2)
		return false;
	buildid_hex(id, n, hex);
	path = mem_printf("/usr/lib/debug/.build-id/%.2s/%s.debug", hex, hex + 2);
	return !access(path, R_OK);
}

static void read_sections(struct mapped *m, const struct elffile *f)
{
	Elf64_Shdr s;

	m->is_read = true;
	(void)script_detect(f, &m->script);
	m->is_go = !elffile_section(f, ".gopclntab", &s) ||
		   !elffile_section(f, ".note.go.buildid", &s);
	m->has_symbols = m->is_go || !elffile_section(f, ".symtab", &s) ||
			 !elffile_section(f, ".gnu_debugdata", &s) || has_debug_file(f);
}

static void read_file(struct look *l, struct mapped *m)
{
	const struct opener_request r = {.what = OPENER_MAPPED,
					 .pid = l->out->pid,
					 .start = m->start,
					 .end = m->end,
					 .root_fd = OPENER_OWN_ROOT,
					 .device_major = m->dev_major,
					 .device_minor = m->dev_minor};
	struct opener_answer a;
	struct budget budget;
	struct elffile f;

	if (opener_ask(l->opener, &r, &a))
		return;
	/* Which version an interpreter has takes more than what a file is known by. */
	budget_open(NULL, 0, &budget);
	if (budget_begin(&budget, NULL) && !elffile_open_within(a.fd, &budget, &f)) {
		read_sections(m, &f);
		elffile_release(&f);
	}
	(void)budget_end(&budget);
	budget_close(&budget);
	opener_answer_release(l->opener, &a);
}

/* --- findings --------------------------------------------------------------------------------- */

static bool has_perf_map(const struct look *l)
{
	const uint32_t pid = l->out->pid;
	const int root = l->own_root ? OPENER_OWN_ROOT : OPENER_ROOT_OF_PID;
	const struct opener_request r = {.what = OPENER_PATH, .pid = pid, .root_fd = root};
	struct opener_request map = r;
	_free_ char *path = mem_printf("/tmp/perf-%u.map", procfs_namespace_pid(pid));
	struct opener_answer a;
	bool found;

	map.path = path;
	map.no_links = true;
	found = !opener_ask(l->opener, &map, &a);
	opener_answer_release(l->opener, &a);
	return found;
}

/* The interpreter of that language, which is perhaps in a library; NULL: there is none that eprof
 * knows. */
static const struct interpreter *interpreter_of(const struct look *l, const char *name)
{
	vec_each (m, &l->files)
		if (m->script.language && !strcmp(script_language(m->script.language)->title, name))
			return &m->script;
	return NULL;
}

/* What will be seen of its scripts, or why nothing will; owned by the caller. */
static char *script_text(const struct runtime *r, const struct interpreter *i)
{
	if (i->reason[0])
		return mem_strdup(i->reason);
	return i->major ? mem_printf("%s %u.%u", r->name, i->major, i->minor)
			: mem_strdup("with the lines where they begin");
}

/* Whether the process has used asyncio, whose tasks are in a file of their own. */
static bool has_asyncio(const struct look *l)
{
	vec_each (m, &l->files)
		if (str_starts(str_base(m->path), "_asyncio."))
			return true;
	return false;
}

/* Says whether --async will tell which tasks await the running one. */
static void look_at_tasks(struct look *l, const struct interpreter *i)
{
	const char *why = async_why(i);

	find(l, !why, "which tasks of asyncio await others (--async)",
	     why ? mem_strdup(why) : mem_printf("Python %u.%u", i->major, i->minor), "Python 3.14");
}

/* Says whether stacks will have the functions of its scripts. */
static void look_at_script(struct look *l, const struct runtime *r, const struct interpreter *i)
{
	_free_ char *what = mem_printf("functions of %s scripts", r->name);

	find(l, !i->reason[0], what, script_text(r, i), r->map);
	if (i->language == WIRE_SCRIPT_PYTHON && !i->reason[0] && has_asyncio(l))
		look_at_tasks(l, i);
}

/* Without programs no interpreter is read. */
static void look_without_root(struct look *l, const struct runtime *r)
{
	_free_ char *what = mem_printf("functions of %s scripts", r->name);
	_free_ char *get = mem_printf("capture as root%s%s", r->script ? ", or " : "",
				      r->script ? r->map : "");

	find(l, false, what,
	     mem_strdup("not without root: memory can only be read after the sample, when it has "
			"changed"),
	     get);
}

static void look_at_runtime(struct look *l, const struct runtime *r)
{
	const struct interpreter *script = interpreter_of(l, r->name);
	_free_ char *what = mem_printf("names of %s %s", r->name, r->script ? "functions" : "code");
	_free_ char *stacks = mem_printf("whole stacks of %s", r->name);
	const bool named = has_perf_map(l);
	_free_ char *path = mem_printf("/tmp/perf-%u.map", procfs_namespace_pid(l->out->pid));
	bool framed;

	if (r->shown && !l->programs && !named) {
		look_without_root(l, r);
		return;
	}
	if (script) {
		look_at_script(l, r, script);
		return;
	}
	find(l, named, what, mem_printf("%s%s", named ? "" : "no ", path), r->map);
	if (!r->frames)
		return;
	framed = strstr(l->out->command, "+PreserveFramePointer");
	find(l, framed, stacks,
	     mem_strdup(framed ? "-XX:+PreserveFramePointer" : "no frame pointers"), r->frames);
}

static void look_at_runtimes(struct look *l)
{
	const struct runtime *said = NULL;

	vec_each (m, &l->files) {
		const struct runtime *r = runtime_of(m->path);

		if (!r || (said && !strcmp(said->name, r->name)))
			continue;
		said = r;
		look_at_runtime(l, r);
	}
}

static void add_package(const struct look *l, struct str *get, const char *path)
{
	_free_ char *package = l->own_root ? buildversion_package(path, NULL) : NULL;
	struct str name = {0};

	if (package)
		packages_add_debug(&name, package);
	if (package && !strstr(str_text(get), name.s))
		str_addf(get, "%s%s", get->n ? " " : "apt install ", name.s);
	str_release(&name);
}

static void look_at_symbols(struct look *l)
{
	struct str without = {0}, get = {0};
	size_t n = 0;

	vec_each (m, &l->files) {
		if (!m->is_read || m->has_symbols)
			continue;
		if (n++ >= PACKAGES_MOST)
			continue;
		str_addf(&without, "%s%s", without.n ? ", " : "", str_base(m->path));
		add_package(l, &get, m->path);
	}
	if (!n)
		find(l, true, "names of functions", mem_strdup("all files have symbols"), "");
	else
		find(l, false, "names of functions",
		     mem_printf("only exported ones of %s%s", without.s,
				n > PACKAGES_MOST ? ", …" : ""),
		     get.n ? get.s
			   : "DEBUGINFOD_URLS=… eprof name FILE, after the capture, or a build "
			     "that is not stripped");
	str_release(&without);
	str_release(&get);
}

static void look_at_go(struct look *l)
{
	vec_each (m, &l->files) {
		if (!m->is_go)
			continue;
		find(l, false, "waits of goroutines", mem_strdup("only those of threads are seen"),
		     "Go's own block and mutex profiles");
		return;
	}
}

static bool has_own_root(uint32_t pid)
{
	_free_ char *path = procfs_path(pid, "root");
	struct stat own, other;

	return !stat("/", &own) && !stat(path, &other) && own.st_dev == other.st_dev &&
	       own.st_ino == other.st_ino;
}

int doctor_process_look(struct doctor_process *out, uint32_t pid, bool programs)
{
	struct look l = {.out = out, .opener = opener_new(), .programs = programs};
	bool cut;
	int ret;

	*out = (struct doctor_process){.pid = pid};
	out->command = cmdline_read(l.opener, pid, COMMAND_MOST, &cut);
	l.own_root = has_own_root(pid);
	ret = mappings_read(l.opener, pid, take_mapping, &l);
	if (ret || !out->command || !l.files.n)
		ret = err(-ESRCH,
			  "cannot read the mappings of process %u: it has ended, or is another "
			  "user's",
			  pid);
	vec_each (m, &l.files)
		read_file(&l, m);
	if (!ret) {
		look_at_runtimes(&l);
		look_at_symbols(&l);
		look_at_go(&l);
	}
	vec_each (m, &l.files)
		free(m->path);
	vec_release(&l.files);
	opener_free(l.opener);
	return ret;
}

void doctor_process_release(struct doctor_process *p)
{
	vec_each (f, &p->findings) {
		free(f->what);
		free(f->found);
		free(f->get);
	}
	vec_release(&p->findings);
	free(p->command);
}
