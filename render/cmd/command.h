/*
 * command: subcommands of eprof-render. Only cmd/ and main print.
 *
 * To add one: a file cmd/x.c with `int render_x(int argc, char **argv)`, its declaration below, and
 * a row in cmd/command.c. argv[0] is the subcommand's name; what it returns is the exit status: 0
 * done, 1 failed (render_fail), 2 wrong usage (render_usage, render_refuse).
 */
#ifndef CMD_COMMAND_H
#define CMD_COMMAND_H

#include "base/options.h"
#include "sandbox/sandbox.h"

struct profile;
struct selection;

struct cmd {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *about; /* one line for --help; NULL: it is not listed there */
};

/* Ends with a row whose name is NULL. */
extern const struct cmd commands[];

int render_report(int argc, char **argv);
int render_export(int argc, char **argv);
int render_generate(int argc, char **argv);
int render_import(int argc, char **argv);
int render_merge(int argc, char **argv);
int render_compare(int argc, char **argv);
int render_store(int argc, char **argv);
int render_help(int argc, char **argv);
/* The help of a report, which is that of the program. */
void render_help_print(void);
int render_for_eprof(int argc, char **argv);

/* What a subcommand takes before its files; --help and --mode, which all have, are added. */
struct render_options {
	const char *command; /* its name, before what is wrong; NULL: none */
	const struct option_row *rows;
	void (*help)(void);   /* prints to stdout */
	int (*version)(void); /* for an OPTION_STOP at RENDER_VERSION; returns the exit status */
};
enum { RENDER_HELP = 1, RENDER_VERSION };
/* Takes all options in @argv, after which optind is where the rest begins. -1: go on; else the exit
 * status, and what is wrong was printed. */
int render_options(const struct render_options *, int argc, char **argv, void *arguments);

/* What --platform means: of "here" this machine's, in *@here, which the caller frees; else what was
 * given. Before the sandbox is entered, which does not show the machine. */
const char *render_platform(const char *given, char **here);

/* Enters the sandbox: each command does so once, when it knows its files from the command line and
 * before it opens one; tests/cli/sandbox.test checks that. Returns in the confined child alone,
 * with the list released; the parent exits from here as the child did. Usage and outputs are
 * checked before. */
void render_enter(struct allowed *);
/* The same for a command that reads @n inputs and makes @output; NULL or "-": the standard output.
 */
void render_enter_to(const char *output, bool force, const char *const *inputs, size_t n);

/* Makes stdout fit the locale: for help, which goes nowhere else. */
void render_help_charset(void);
/* The exit status after a command that returned @status: 1 where stdout could not take all. */
int render_end(int status);
/* Prints err_text() as "eprof-render: …" to stderr; returns 1. */
int render_fail(void);
/* The same for what options ask for and was refused with @rc: returns 2 where err_is_usage(),
 * else 1. */
int render_refuse(int rc);
/* One line to stderr where the profile, read from @input, contradicts itself (model/check.h). */
void render_contradictions(const struct profile *, const char *input);
/* Leaves out and folds frames of the profile as the selection asks, after it has kept in @waits
 * what stacks tell of waits, if they change. */
struct wait_classes;
void render_frames(const struct selection *, struct profile *, struct wait_classes *waits);
/* selection_settle(); says on stderr that a --from was before the capture. */
int render_settle(struct selection *, const struct profile *);
/* Says on stderr what --omit-idle left out, where it is given. */
void render_left_out(const struct profile *, const struct selection *);
/* Prints the line and where help is to be found; returns 2. */
int render_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
