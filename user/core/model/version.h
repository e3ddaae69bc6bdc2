/*
 * version: the order of the versions that a store's runs are filed under, from the text alone.
 */
#ifndef MODEL_VERSION_H
#define MODEL_VERSION_H

/*
 * Below 0 where @a is older than @b, above 0 where it is newer, 0 where the text does not say: then
 * time decides. A total order of classes of equals, as qsort(3) needs.
 *
 * 1. Versions: semantic versions 2.0.0 (semver.org, section 11) and what comes close to them. A "v"
 *    before the number counts for nothing, nor does "+build" behind it; any number of components,
 *    a missing one is 0. "-rc.1", "~rc1" and "rc1" are pre-releases of what they follow. What `git
 *    describe` adds, "-5-gabc1234" and "-dirty", is newer than what it follows, by the number of
 *    commits. Any other word right behind the number is a later patch: 1.1.1 < 1.1.1w.
 * 2. Other texts are older than all versions, in natural order: "build 9" < "build 10".
 * 3. What has no order is older than both, and equal: hexadecimal build-ids and commits, "" and
 *    "unversioned".
 */
int version_compare(const char *a, const char *b);

#endif
