/*
 * default_file: the profile that is meant where none is named: a capture writes a new one, a report
 * opens the newest. In the working directory: eprof.h5, eprof.1.h5, eprof.2.h5 …
 */
#ifndef CMD_DEFAULT_FILE_H
#define CMD_DEFAULT_FILE_H

#define DEFAULT_FILE "eprof.h5"

/* The first of these names that nothing has. Freed by the caller. */
char *default_file_new(void);
/* The one that was changed last; NULL: there is none. Freed by the caller. */
char *default_file_newest(void);

#endif
