/*
 * cmd: the subcommands of eprof. To add one: a file cmd/x.c with `int cmd_x(int argc, char
 * **argv)`, its prototype here, and a row in main.c. argv[0] is the subcommand's name; it returns
 * the exit status. Only commands print.
 */
#ifndef CMD_CMD_H
#define CMD_CMD_H

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

int cmd_record(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_zones(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_name(int argc, char **argv);

/* Prints "eprof: <err_text()>" to stderr; returns EXIT_FAILED. */
int cmd_failed(void);
/* The same for an argument that was refused with @rc; returns EXIT_USAGE if err_is_usage(), else
 * EXIT_FAILED. */
int cmd_refused(int rc);
/* Prints "eprof: <text> (see 'eprof --help')" to stderr; returns EXIT_USAGE. */
int cmd_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* options_read() of @argv. 0, or an exit status after a message. */
struct option_row;
int cmd_options(const struct option_row *, int argc, char **argv, void *arguments);
/* take() of the option --mode. */
int cmd_take_mode(void *unused, const char *octal);

/* Call at the end of main: flushes stdout, and returns @status, or EXIT_FAILED, with a message, if
 * the output could not be written. */
int cmd_end(int status);

#endif
