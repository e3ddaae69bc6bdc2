/*
 * usage: what is wrong with an option that getopt_long() refused, in one line. For the commands of
 * both programs.
 */
#ifndef BASE_USAGE_H
#define BASE_USAGE_H

#include <getopt.h>

/*
 * After getopt_long() returned @got, '?' or ':' (its option string must start with ':', behind a
 * '+', and opterr be 0): -EINVAL, with a text such as "unknown option '--zonee': is it --zone?".
 */
int usage_option(int got, char *const *argv, const struct option *longopts);

#endif
