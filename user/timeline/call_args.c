#include "timeline/call_args.h"

#include <stdlib.h>

#include "base/mem.h"
#include "load/session_options.h"
#include "timeline/timeline_names.h"
#include "timeline/call_arguments.h"

static struct zonepatterns *one_pattern(const char *text)
{
	struct zonepatterns *p = zonepatterns_new();

	(void)zonepatterns_add(p, text);
	return p;
}

void call_args_init(struct call_args *c, struct engine *engine, const struct timeline_options *o)
{
	*c = (struct call_args){.engine = engine, .o = o};
	for (uint32_t i = 0; o && i < o->n_args; i++)
		c->of[i] = one_pattern(o->args[i].pattern);
}

void call_args_release(struct call_args *c)
{
	for (size_t i = 0; i < TIMELINE_ARGS; i++)
		zonepatterns_free(c->of[i]);
	vec_release(&c->is);
}

void call_args_request(const struct call_args *c, struct session_options *out)
{
	vec_push(&out->map_sizes,
		 ((struct session_map_size){"probe_argument_shapes",
					    c->engine->in.o->max + WIRE_PROBE_SPARE}));
}

/* What --args says of the function; NULL: nothing. */
static const struct timeline_args *said_of(const struct call_args *c, uint32_t number)
{
	for (uint32_t i = 0; c->o && i < c->o->n_args; i++)
		if (timeline_names_match(c->engine, number, c->of[i]))
			return &c->o->args[i];
	return NULL;
}

/* Says that the arguments of a function are not recorded, and why. */
static void say_untyped(struct engine *engine, uint32_t number, const struct zone_def *def)
{
	const char *base = timeline_names_file(engine, number);
	_free_ char *text = NULL;

	if (zone_def_is_clone(def))
		text = mem_printf("--args: '%s' in %s is a copy made by the compiler, which takes "
				  "other arguments: its calls are recorded without",
				  def->name, base);
	else if (def->dwo)
		text = mem_printf("--args: the debug information of '%s' in %s is in %s, which was "
				  "not found where it was compiled or beside the file, nor in a "
				  "package (%s.dwp), or cannot be read: give the types: --args "
				  "'%s(int, str)'; its calls are recorded without arguments",
				  def->name, base, str_base(def->dwo), base, def->name);
	else if (!def->file)
		text = mem_printf("--args: %s has no debug information of '%s': install its -dbg "
				  "package, or give the types: --args '%s(int, str)'; its calls "
				  "are recorded without arguments",
				  base, def->name, def->name);
	else
		text = mem_printf("--args: the debug information of '%s' in %s does not tell all "
				  "types of its parameters as C passes them: give them: --args "
				  "'%s(int, str)'; its calls are recorded without arguments",
				  def->name, base, def->name);
	engine_say(engine, text);
	engine_note(engine, text);
}

/* tp_name of the second argument, a PyTypeObject: behind the head of an object with a size, the
 * same in CPython 2.2 to 3.14 (Include/cpython/object.h), but for builds without a GIL. */
static const struct wire_event_shape of_type = {
	.arguments = WIRE_EVENT_BY_MEMBERS,
	.n_members = 1,
	.members = {{.offset = 24, .argument = 1, .bytes = 8, .text = WIRE_MEMBER_POINTER}},
};

/* Of an allocator's calls in the timeline its own values are read alone. */
static struct wire_event_shape shape_of(const struct signature *is, const struct zone_def *def)
{
	if (def->actions >> WIRE_ACTION_event & 1 && def->actions >> WIRE_ACTION_alloc & 1)
		return (struct wire_event_shape){.arguments = 7 | WIRE_EVENT_BY_ALLOC};
	if (timeline_names_raises(def))
		return of_type;
	return is ? call_arguments_shape(is) : (struct wire_event_shape){0};
}

void call_args_found(struct call_args *c, uint32_t number, const struct zone_def *def, bool quiet)
{
	const struct timeline_args *said = said_of(c, number);
	const struct signature *is = NULL;
	struct wire_event_shape shape;

	if (said)
		is = said->by_debuginfo ? def->signature : &said->signature;
	if (said && !is && !quiet)
		say_untyped(c->engine, number, def);
	while (c->is.n <= number)
		vec_push(&c->is, NULL);
	c->is.at[number] = is;
	shape = shape_of(is, def);
	if (shape.arguments)
		(void)session_map_set_entries(c->engine->in.whole, "probe_argument_shapes", &number,
					      &shape, 1);
}
