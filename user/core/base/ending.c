#include "base/ending.h"

#include <signal.h>
#include <stddef.h>

static const struct {
	int number;
	const char *text;
} crashes[] = {
	{SIGSEGV, "crashed (segmentation fault)"},
	{SIGBUS, "crashed (bus error)"},
	{SIGABRT, "crashed (aborted)"},
	{SIGFPE, "crashed (arithmetic error)"},
	{SIGILL, "crashed (illegal instruction)"},
	{SIGTRAP, "crashed (trap)"},
	{SIGSYS, "crashed (system call that is not allowed)"},
	{SIGXCPU, "took too much CPU time"},
	{SIGXFSZ, "wrote a file that is too large"},
};

static const size_t n_crashes = sizeof(crashes) / sizeof(*crashes);

bool ending_is_crash(int signal_number)
{
	for (size_t i = 0; i < n_crashes; i++)
		if (crashes[i].number == signal_number)
			return true;
	return false;
}

const char *ending_text(int signal_number)
{
	for (size_t i = 0; i < n_crashes; i++)
		if (crashes[i].number == signal_number)
			return crashes[i].text;
	return "was ended by a signal";
}
