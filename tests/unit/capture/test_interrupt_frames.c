/* Whose doing a kernel stack is: an interrupt's, or that of the thread amid which it came. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "stack/own_frames.h"

#define MOST 16

/* A stack whose place i has the function names[i], the innermost first. */
struct stack_of_names {
	struct profile *p;
	struct named named;
	uint32_t first[MOST + 1], frame[MOST], places[MOST], n;
};

static void make(struct stack_of_names *s, const char *const *names)
{
	*s = (struct stack_of_names){.p = profile_new()};
	for (; names[s->n]; s->n++) {
		const struct function f = {.name = intern_add(&s->p->strings, names[s->n]),
					   .kind = KIND_KERNEL,
					   .named = 1};
		const struct frame e = {.function = profile_function(s->p, &f)};

		s->first[s->n] = s->places[s->n] = s->n;
		s->frame[s->n] = profile_frame(s->p, &e);
	}
	s->first[s->n] = s->n;
	s->named.first.at = s->first;
	s->named.frame.at = s->frame;
}

static void assert_interrupt(const char *const *names, uint32_t frames, const char *kind)
{
	struct stack_of_names s;

	make(&s, names);
	assert_int_equal(interrupt_frames(s.p, &s.named, s.places, s.n), frames);
	assert_string_equal(interrupt_kind(s.p, &s.named, s.places, frames), kind);
	profile_free(s.p);
}
#define STACK(...) ((const char *const[]){__VA_ARGS__, NULL})

static void hard_ones(void **state)
{
	(void)state;
	assert_interrupt(STACK("try_to_wake_up", "hrtimer_wakeup", "__hrtimer_run_queues",
			       "hrtimer_interrupt", "__sysvec_apic_timer_interrupt",
			       "sysvec_apic_timer_interrupt", "asm_sysvec_apic_timer_interrupt",
			       "ksys_read", "do_syscall_64", "entry_SYSCALL_64_after_hwframe"),
			 7, "[timer interrupt]");
	assert_interrupt(STACK("try_to_wake_up", "vring_interrupt", "__handle_irq_event_percpu",
			       "handle_irq_event", "common_interrupt", "asm_common_interrupt"),
			 6, "[device interrupt]");
	assert_interrupt(
		STACK("try_to_wake_up", "irq_work_run", "sysvec_irq_work", "asm_sysvec_irq_work"),
		4, "[interrupt]");
	/* With FRED all of the kernel begins alike. */
	assert_interrupt(STACK("try_to_wake_up", "hrtimer_interrupt", "sysvec_apic_timer_interrupt",
			       "fred_extint", "asm_fred_entrypoint_kernel", "ksys_read",
			       "asm_fred_entrypoint_user"),
			 5, "[timer interrupt]");
}

/* What is done at the end of a hard one belongs to it. */
static void soft_ones(void **state)
{
	(void)state;
	assert_interrupt(STACK("try_to_wake_up", "sock_def_readable", "tcp_v4_rcv", "net_rx_action",
			       "handle_softirqs", "__irq_exit_rcu", "common_interrupt",
			       "asm_common_interrupt", "ksys_read"),
			 8, "[network interrupt]");
	/* The timer's came first, but what was due then is the disk's. */
	assert_interrupt(STACK("try_to_wake_up", "blk_update_request", "handle_softirqs",
			       "__irq_exit_rcu", "sysvec_apic_timer_interrupt",
			       "asm_sysvec_apic_timer_interrupt"),
			 6, "[disk interrupt]");
}

static void none(void **state)
{
	(void)state;
	assert_interrupt(STACK("try_to_wake_up", "wake_up_q", "futex_wake", "do_syscall_64",
			       "entry_SYSCALL_64_after_hwframe"),
			 0, "[interrupt]");
	/* A packet to the same machine: the sender's doing. */
	assert_interrupt(STACK("try_to_wake_up", "sock_def_readable", "net_rx_action",
			       "handle_softirqs", "do_softirq", "__local_bh_enable_ip",
			       "tcp_sendmsg", "do_syscall_64", "entry_SYSCALL_64_after_hwframe"),
			 0, "[interrupt]");
	/* An exception is the thread's own. */
	assert_interrupt(
		STACK("try_to_wake_up", "up_read", "do_user_addr_fault", "asm_exc_page_fault"), 0,
		"[interrupt]");
	/* It was interrupted, and exits behind that. */
	assert_interrupt(STACK("try_to_wake_up", "do_notify_parent", "do_exit", "get_signal",
			       "arch_do_signal_or_restart", "irqentry_exit_to_user_mode",
			       "asm_sysvec_apic_timer_interrupt"),
			 0, "[interrupt]");
	/* With FRED a system call. */
	assert_interrupt(
		STACK("try_to_wake_up", "ksys_write", "do_syscall_64", "asm_fred_entrypoint_user"),
		0, "[interrupt]");
	/* Names are hidden from us. */
	assert_interrupt(STACK("0xffffffff810a0000", "0xffffffff81000e0a"), 0, "[interrupt]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hard_ones),
		cmocka_unit_test(soft_ones),
		cmocka_unit_test(none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
