#include "source/interpreters.h"

#include <stddef.h>

#include "base/mem.h"
#include "elf/budget.h"
#include "elf/dynsym.h"
#include "elf/segments.h"
#include "process/opener.h"
#include "script/detect.h"

/* What the user can do instead. */
#define SAMPLE "sample it instead: 'eprof report --focus NAME' shows who calls it"

void interpreters_release(struct interpreters *m)
{
	vec_release(&m->known);
}

static void read_interpreter(void *context, const struct elffile *f)
{
	struct interpreted *out = context;
	Elf64_Sym enabled;

	if (script_detect(f, &out->is) && out->is.language == WIRE_SCRIPT_PHP &&
	    dynsym_find(f, "zend_dtrace_enabled", &enabled))
		out->enabled = enabled.st_value;
}

/* Calls @use with the image's file, if it can be read. */
static void with_file(const struct interpreters *m, uint32_t image,
		      void (*use)(void *context, const struct elffile *), void *context)
{
	const int fd = images_at(m->images, image)->fd;
	struct budget budget;
	struct elffile f;

	if (fd < 0)
		return;
	budget_open(NULL, 0, &budget);
	if (budget_begin(&budget, NULL) && !elffile_open_within(fd, &budget, &f)) {
		use(context, &f);
		elffile_release(&f);
	}
	(void)budget_end(&budget);
	budget_close(&budget);
}

struct interpreted *interpreters_of(struct interpreters *m, uint32_t image)
{
	struct interpreted *i;

	vec_each (known, &m->known)
		if (known->image == image)
			return known;
	i = vec_add(&m->known);
	i->image = image;
	with_file(m, image, read_interpreter, i);
	return i;
}

void interpreters_look(struct interpreters *m)
{
	for (uint32_t i = 0; i < m->images->at.n; i++) {
		const struct image *image = images_at(m->images, i);

		if (image && image->kind == IMAGE_KIND_FILE)
			(void)interpreters_of(m, i);
	}
}

const char *interpreters_marker(const struct interpreter *i)
{
	if (i->language == WIRE_SCRIPT_PYTHON && i->major == 3 && i->minor == 11)
		return INTERPRETERS_PYTHON;
	return i->language == WIRE_SCRIPT_PHP && i->major == 8 ? INTERPRETERS_PHP : NULL;
}

/* Where a mapping's file says that its code belongs. */
struct placing {
	uint64_t offset, address;
	bool known;
};

static void place(void *context, const struct elffile *f)
{
	struct placing *p = context;

	p->known = segments_address(f, p->offset, &p->address);
}

static bool is_zero(const struct interpreters *m, uint32_t pid, uint64_t address)
{
	const struct opener_request r = {.what = OPENER_MEMORY,
					 .pid = pid,
					 .start = address,
					 .bytes_most = 1,
					 .root_fd = OPENER_OWN_ROOT};
	struct opener_answer a;
	bool zero;

	if (opener_ask(m->images->opener, &r, &a))
		return false;
	zero = a.text && a.text_bytes && !*a.text;
	opener_answer_release(m->images->opener, &a);
	return zero;
}

/* Whether the process's interpreter passes its markers: PHP does where it was started for it. */
static bool passes(const struct interpreters *m, uint32_t pid, const struct interpreted *i)
{
	const struct proc *p = procs_find(m->procs, pid);

	for (size_t k = 0; p && i->enabled && k < p->maps.at.n; k++) {
		const struct mapping *map = &p->maps.at.at[k];
		struct placing at = {.offset = map->start + map->bias};

		if (map->image != i->image)
			continue;
		with_file(m, i->image, place, &at);
		return !at.known || !is_zero(m, pid, i->enabled + map->start - at.address);
	}
	return true;
}

static char *version_of(const struct interpreter *i)
{
	const char *title = i->language == WIRE_SCRIPT_PYTHON ? "CPython" : "PHP";

	return i->major ? mem_printf("%s %u.%u", title, i->major, i->minor)
			: mem_printf("%s of an unknown version", title);
}

char *interpreters_objection(const struct interpreters *m, uint32_t pid,
			     const struct interpreted *i)
{
	_free_ char *version = version_of(&i->is);

	if (i->is.language == WIRE_SCRIPT_PYTHON && !interpreters_marker(&i->is))
		return mem_printf("%s does not tell when functions are called (CPython 3.11 does, "
				  "where built with its markers, as Debian's): " SAMPLE,
				  version);
	if (i->is.language == WIRE_SCRIPT_PYTHON && !i->counts)
		return mem_printf("this %s was built without its static markers (--with-dtrace, as "
				  "Debian's is): " SAMPLE,
				  version);
	if (!i->counts)
		return mem_printf("this %s was built without its static markers, or they are not "
				  "known: " SAMPLE,
				  version);
	return pid && !passes(m, pid, i) ? interpreters_silence(i) : NULL;
}

char *interpreters_silence(const struct interpreted *i)
{
	_free_ char *version = version_of(&i->is);

	if (!i->enabled)
		return NULL;
	return mem_printf("this %s was not started for it: start it with USE_ZEND_DTRACE=1 in its "
			  "environment, or " SAMPLE,
			  version);
}
