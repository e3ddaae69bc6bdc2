#include "timeline/timeline_names.h"

#include <string.h>

#include "base/mem.h"
#include "function/zonepattern.h"
#include "model/timed_event.h"

static bool does(const struct zone_def *def, enum wire_action action)
{
	return def->actions >> action & 1;
}

/* Allocators by their names, as those of action_alloc.c: the first that is in the name. */
static const struct {
	const char *part;
	uint32_t allocates;
	enum timeline_size size;
	bool returns_status;
} allocators[] = {
	{"posix_memalign", EVENT_MALLOC, TIMELINE_SIZE_THIRD, true},
	{"memalign", EVENT_MALLOC, TIMELINE_SIZE_SECOND, false},
	{"aligned_alloc", EVENT_MALLOC, TIMELINE_SIZE_SECOND, false},
	{"realloc", EVENT_REALLOC, TIMELINE_SIZE_SECOND, false},
	{"rallocx", EVENT_REALLOC, TIMELINE_SIZE_SECOND, false},
	{"calloc", EVENT_CALLOC, TIMELINE_SIZE_PRODUCT, false},
	{"", EVENT_MALLOC, TIMELINE_SIZE_FIRST, false},
};

static bool throws(const struct zone_def *def)
{
	const char *name = def->linkage ? def->linkage : def->name;

	return does(def, WIRE_ACTION_moment) && strcmp(name, "__cxa_begin_catch") != 0;
}

bool timeline_names_raises(const struct zone_def *def)
{
	const char *name = def->linkage ? def->linkage : def->name;

	return does(def, WIRE_ACTION_moment) && !strcmp(name, "_PyErr_SetObject");
}

static void set_role(const struct zone_def *def, struct timeline_function *f)
{
	const char *name = def->linkage ? def->linkage : def->name;
	size_t i = 0;

	if (does(def, WIRE_ACTION_free))
		f->role = TIMELINE_FREES;
	else if (does(def, WIRE_ACTION_moment))
		f->role = timeline_names_raises(def) ? TIMELINE_RAISES
			  : throws(def)		     ? TIMELINE_THROWS
						     : TIMELINE_CATCHES;
	if (!does(def, WIRE_ACTION_alloc))
		return;
	while (!strstr(name, allocators[i].part))
		i++;
	f->role = TIMELINE_ALLOCATES;
	f->size = allocators[i].size;
	f->allocates = allocators[i].allocates;
	f->returns_status = allocators[i].returns_status;
}

static void name_functions(struct timeline_names *n, const struct probed_image *image)
{
	const uint32_t module = probed_functions_module(&n->functions, image);
	struct profile *p = n->a->p;

	for (size_t k = 0; k < image->list.zones.n; k++) {
		const struct zone_def *def = &image->list.zones.at[k];
		const struct frame frame = {
			.function = probed_functions_need(&n->functions, module, def)};
		struct timeline_function *f = &n->by_number.at[image->first + k];

		*f = (struct timeline_function){.frame = profile_frame(p, &frame),
						.module = module,
						.types = def->signature};
		set_role(def, f);
	}
}

static void name_threads(struct timeline_names *n, const struct engine *e)
{
	const struct probemaps *maps = e->in.session->maps;

	for (uint32_t i = 1; i < e->thread_of.n; i++) {
		const struct wire_probe_thread t = probemaps_thread(maps, i);
		bool fresh;

		if (e->thread_of.at[i] != NO_THREAD && t.tid)
			*(uint32_t *)map_put(&n->threads, (uint64_t)t.pid << 32 | t.tid, &fresh) =
				assembly_thread(n->a, e->thread_of.at[i]);
	}
}

uint32_t timeline_names_thread(void *names, uint32_t pid, uint32_t tid)
{
	struct timeline_names *n = names;
	bool fresh;
	uint32_t *row = map_put(&n->threads, (uint64_t)pid << 32 | tid, &fresh);

	if (fresh)
		*row = profile_thread(n->a->p, &(struct thread){.pid = pid, .tid = tid});
	return *row;
}

void timeline_names_init(struct timeline_names *n, const struct engine *e, struct assembly *a)
{
	*n = (struct timeline_names){.a = a};
	probed_functions_init(&n->functions, e, a->p);
	while (n->by_number.n < e->used)
		vec_push(&n->by_number, ((struct timeline_function){0}));
	for (size_t i = 0; i < e->at.n; i++)
		if (e->at.at[i]->list.zones.n)
			name_functions(n, e->at.at[i]);
	name_threads(n, e);
}

void timeline_names_release(struct timeline_names *n)
{
	vec_release(&n->by_number);
	map_release(&n->threads);
	probed_functions_release(&n->functions);
}

bool *timeline_names_known(const struct engine *e)
{
	bool *known = mem_zalloc(e->used + 1, sizeof(*known));

	vec_each (i, &e->at)
		for (size_t k = 0; k < (*i)->list.zones.n; k++)
			known[(*i)->first + k] = true;
	return known;
}

/* The function of that number, and its image in *@image; NULL: there is none. */
static const struct zone_def *def_of(const struct engine *e, uint32_t number,
				     const struct probed_image **image)
{
	vec_each (i, &e->at) {
		if (number >= (*i)->first && number - (*i)->first < (*i)->list.zones.n) {
			*image = *i;
			return &(*i)->list.zones.at[number - (*i)->first];
		}
	}
	return NULL;
}

bool timeline_names_match(const struct engine *e, uint32_t number, const struct zonepatterns *p)
{
	const struct probed_image *image = NULL;
	const struct zone_def *def = def_of(e, number, &image);

	return def && zonepatterns_match(p,
					 &(struct zone_names){.module = engine_file(e, image)->path,
							      .linkage = def->linkage ? def->linkage
										      : def->name,
							      .name = def->name,
							      .file = def->file,
							      .line = def->line},
					 NULL)
				      .first != ZONEPATTERN_NONE;
}

const char *timeline_names_file(const struct engine *e, uint32_t number)
{
	const struct probed_image *image = NULL;

	return def_of(e, number, &image) ? str_base(engine_file(e, image)->path) : "";
}

bool timeline_names_throws(const struct engine *e, uint32_t number)
{
	const struct probed_image *image;
	const struct zone_def *def = def_of(e, number, &image);

	return def && throws(def);
}
