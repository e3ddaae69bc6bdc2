/*
 * cmdline: the command line of a process, from /proc, and how arguments become text.
 */
#ifndef PROCESS_CMDLINE_H
#define PROCESS_CMDLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct opener;

/* The first @n bytes of arguments, each with its NUL, as text on one line (str_clean()) with spaces
 * between them. Freed by the caller. */
char *cmdline_text(const char *arguments, size_t n);

/* The text of /proc/PID/cmdline, of its first @most bytes; *@cut: there are more. NULL: the process
 * is gone, a zombie, or a thread of the kernel, or does not answer. Freed by the caller. @opener:
 * see process/opener.h. */
char *cmdline_read(struct opener *, uint32_t pid, size_t most, bool *cut);

#endif
