/*
 * secrets: what of a profile may hold passwords, which exports have on request only.
 */
#ifndef EXPORT_SECRETS_H
#define EXPORT_SECRETS_H

struct profile;

/* Empties the columns that are secret (model/table.h), and leaves of command lines in the run's
 * attributes only the program. */
void export_hide_secrets(struct profile *);

#endif
