#include "stack/probe_frames.h"

/* How threads enter the kernel for a probe: by its breakpoint, after an instruction that was
 * stepped, and by the calls of the page that the kernel maps for probes. A debugger's breakpoints
 * enter in the same way: nobody debugs what is being captured. */
static const char *const entries[PROBE_ENTRIES] = {
	"asm_exc_int3",	       "asm_exc_debug",	  "__do_sys_uretprobe",
	"__x64_sys_uretprobe", "__do_sys_uprobe", "__x64_sys_uprobe",
};

void probe_frames_init(struct probe_frames *f, struct profile *p)
{
	f->on = true;
	f->page = intern_add(&p->strings, "[uprobes]");
	for (int i = 0; i < PROBE_ENTRIES; i++)
		f->entries[i] = intern_add(&p->strings, entries[i]);
}

bool probe_frames_has(const struct probe_frames *f, const struct profile *p, uint32_t frame)
{
	const struct function *function = &p->functions.at[p->frames.at[frame].function];

	if (!f->on)
		return false;
	if (function->kind != CODE_KERNEL)
		return p->modules.at[function->module].path == f->page;
	for (int i = 0; i < PROBE_ENTRIES; i++)
		if (function->name == f->entries[i])
			return true;
	return false;
}
