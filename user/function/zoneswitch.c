#include "function/zoneswitch.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "debuginfo/codesym.h"
#include "elf/symbolname.h"

/* Of glibc, boost.context (PHP has it too), Ruby, libcoro (Perl's Coro), libco and its kin,
 * minicoro, D, Crystal. */
static const char *const known[] = {
	"swapcontext",	       "setcontext", "jump_fcontext",	"ontop_fcontext", "coro_transfer",
	"coroutine_transfer",  "co_switch",  "co_swap",		"coctx_swap",	  "_mco_switch",
	"fiber_switchContext", "acosw",	     "tb_context_jump",
};

/* They may lead to another stack, or back on the one they are on. */
static const char *const jumps[] = {"longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"};

static bool is_jump(const char *name)
{
	return symbolname_is_one_of(name, jumps, sizeof(jumps) / sizeof(*jumps));
}

bool zoneswitch_is(const char *name, const struct zonelist_request *r)
{
	if (is_jump(name) || symbolname_is_one_of(name, known, sizeof(known) / sizeof(*known)))
		return true;
	for (size_t i = 0; i < r->n_switches; i++) {
		_free_ char *plain = mem_strndup(name, symbolname_bytes(name));

		if (!strcmp(r->switches[i], plain) || !fnmatch(r->switches[i], plain, 0))
			return true;
	}
	return false;
}

struct looking {
	const struct zonelist_request *request;
	bool switches, signal_stack, jumps;
};

static void look_at(void *context, const char *name)
{
	static const char *const stack[] = {"sigaltstack"};
	struct looking *l = context;

	l->switches |= !is_jump(name) && zoneswitch_is(name, l->request);
	l->signal_stack |= symbolname_is_one_of(name, stack, 1);
	l->jumps |= is_jump(name);
}

bool zoneswitch_used(const struct zonefile *z, const struct zonelist_request *r)
{
	struct looking l = {.request = r};

	imports_each(z->elf, look_at, &l);
	return l.switches || (l.signal_stack && l.jumps);
}
