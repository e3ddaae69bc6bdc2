#include "stack/own_frames.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "process/kallsyms.h"

/* The functions between the tracepoint and our program, inner first: bpf_trace_run1, which calls
 * the program, then some that depend on how the kernel was built. */
#define CALLER "bpf_trace_run"
static const char *const trampolines[] = {"__bpf_trace_", "__traceiter_"};

/* How the kernel leaves a CPU and wakes a thread: their callers say more. */
static const char *const switching[] = {"__schedule", "schedule", "try_to_wake_up"};

/* The function that our kprobe is on; only the end of a switch calls it. */
#define PROBED "finish_task_switch"

/* The most functions of our own program. */
#define MOST_FRAMES 12

static const char *own_frames_name(const struct profile *p, const struct named *named,
				   uint32_t place)
{
	const uint32_t k = named->first.at[place];

	if (k == named->first.at[place + 1])
		return "";
	return profile_text(p, p->functions.at[p->frames.at[named->frame.at[k]].function].name);
}

static bool is_trampoline(const char *name)
{
	for (size_t i = 0; i < sizeof(trampolines) / sizeof(*trampolines); i++)
		if (str_starts(name, trampolines[i]))
			return true;
	return false;
}

static bool is_switching(const char *name)
{
	for (size_t i = 0; i < sizeof(switching) / sizeof(*switching); i++)
		if (!strcmp(name, switching[i]))
			return true;
	return false;
}

/* How many of the innermost frames belong to our program. */
static uint32_t count_program(const struct profile *p, const struct named *named,
			      const uint32_t *places, uint32_t n)
{
	uint32_t i = 0;

	if (n && str_starts(own_frames_name(p, named, places[0]), PROBED))
		return 1;
	while (i < n && i < MOST_FRAMES &&
	       !str_starts(own_frames_name(p, named, places[i]), CALLER))
		i++;
	if (i == n || i == MOST_FRAMES)
		return 0;
	i++;
	while (i < n && is_trampoline(own_frames_name(p, named, places[i])))
		i++;
	return i;
}

uint32_t own_frames(const struct profile *p, const struct named *named, const uint32_t *places,
		    uint32_t n)
{
	uint32_t i = count_program(p, named, places, n);

	while (i + 1 < n && is_switching(own_frames_name(p, named, places[i])))
		i++;
	return i;
}

/* How the names of an interrupt's outermost functions begin. A soft interrupt has none of its own:
 * either it runs at the end of a hard one, or the thread that raised it runs it, for example by
 * sending a packet to the same machine. */
static const char *const entries[] = {"sysvec_",    "asm_sysvec_",	    "common_interrupt",
				      "exc_nmi",    "asm_common_interrupt", "asm_exc_nmi",
				      "fred_extint"};
/* Frames further out that belong to the interrupt. */
static const char *const outside[] = {"asm_", "fred_"};
/* From here on the thread itself runs: it handles signals, or is preempted. */
static const char *const own[] = {"irqentry_exit_to_user_mode", "exit_to_user_mode",
				  "arch_do_signal", "preempt_schedule_irq"};

/* Kinds by the functions in the interrupt; the innermost match decides. */
static const struct {
	const char *begin, *kind;
} kinds[] = {
	{"hrtimer_", "[timer interrupt]"},
	{"__hrtimer_", "[timer interrupt]"},
	{"call_timer_fn", "[timer interrupt]"},
	{"tick_", "[timer interrupt]"},
	{"posix_timer_fn", "[timer interrupt]"},
	{"it_real_fn", "[timer interrupt]"},
	{"net_rx_action", "[network interrupt]"},
	{"napi_", "[network interrupt]"},
	{"blk_", "[disk interrupt]"},
	{"bio_endio", "[disk interrupt]"},
	{"handle_irq_event", "[device interrupt]"},
	{"nvme_", "[disk interrupt]"},
	{"scsi_", "[disk interrupt]"},
};

static bool begins(const char *name, const char *const *with, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_starts(name, with[i]))
			return true;
	return false;
}
#define BEGINS(name, with) begins(name, with, sizeof(with) / sizeof(*(with)))

uint32_t interrupt_frames(const struct profile *p, const struct named *named,
			  const uint32_t *places, uint32_t n)
{
	uint32_t i = 0;

	for (; i < n && !BEGINS(own_frames_name(p, named, places[i]), entries); i++)
		if (BEGINS(own_frames_name(p, named, places[i]), own))
			return 0;
	if (i == n)
		return 0;
	while (i < n && (BEGINS(own_frames_name(p, named, places[i]), entries) ||
			 BEGINS(own_frames_name(p, named, places[i]), outside)))
		i++;
	return i;
}

const char *interrupt_kind(const struct profile *p, const struct named *named,
			   const uint32_t *places, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const char *name = own_frames_name(p, named, places[i]);

		for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
			if (str_starts(name, kinds[k].begin))
				return kinds[k].kind;
	}
	return "[interrupt]";
}

/* The file begins with the kernel's first code, with these functions near the start (before 6.15
 * after some hundred symbols that are not code). Reading all of it would take 50 ms. */
#define LINES 8192

struct interrupt_entries interrupt_entries(void)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	struct interrupt_entries e = {0};

	if (!f)
		return e;
	e.from = kallsyms_address(f, "asm_common_interrupt", LINES);
	e.to = e.from ? kallsyms_address(f, "__irqentry_text_end", LINES) : 0;
	fclose(f);
	return e.to > e.from ? e : (struct interrupt_entries){0};
}
