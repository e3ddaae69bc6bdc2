/*
 * cmd: the subcommands of eprof. To add one: a file cmd/x.c with `int cmd_x(int argc, char
 * **argv)`, its prototype here, and a row in main.c. argv[0] is the subcommand's name; what is
 * returned is the exit status. Commands are the only code that prints.
 */
#ifndef CMD_CMD_H
#define CMD_CMD_H

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

int cmd_record(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_zones(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_name(int argc, char **argv);

/* "eprof: <err_text()>" on stderr; returns EXIT_FAILED. */
int cmd_failed(void);
/* The same for an argument that was refused with @rc: EXIT_USAGE where err_is_usage(), else
 * EXIT_FAILED. */
int cmd_refused(int rc);
/* "eprof: <text> (see 'eprof --help')" on stderr; returns EXIT_USAGE. */
int cmd_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Reads the options of @argv as options_read() does. 0, or an exit status after a line that says
 * what is wrong. */
struct option_row;
int cmd_options(const struct option_row *, int argc, char **argv, void *arguments);
/* The take() of --mode. */
int cmd_take_mode(void *unused, const char *octal);

/* At the end of main: the status of a command that returned @status, when all that it printed is
 * out. EXIT_FAILED, with a line, where it is not. */
int cmd_end(int status);

#endif
