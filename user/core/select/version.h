/*
 * version: orders the versions of a store's runs by their texts.
 */
#ifndef SELECT_VERSION_H
#define SELECT_VERSION_H

/*
 * Below 0 if @a is older than @b, above 0 if it is newer, 0 if the text does not tell: then time
 * decides. A strict weak order, as qsort(3) needs.
 *
 * 1. Versions: semantic versions 2.0.0 (semver.org, section 11) and similar ones. A "v" before the
 *    number and "+build" behind it do not count; there may be any number of components, a missing
 *    one is 0. "-rc.1", "~rc1" and "rc1" are pre-releases of the number before them. The suffixes
 *    of `git describe`, "-5-gabc1234" and "-dirty", are newer, by the number of commits. Any other
 *    word right behind the number is a later patch: 1.1.1 < 1.1.1w.
 * 2. Other texts are older than all versions, in natural order: "build 9" < "build 10".
 * 3. Texts without an order are older than both, and equal: hexadecimal build-ids and commits, ""
 *    and "unversioned".
 */
int version_compare(const char *a, const char *b);

/* The version of what has none. */
#define VERSION_NONE "unversioned"

#endif
