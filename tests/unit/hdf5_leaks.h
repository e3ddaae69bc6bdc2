/*
 * hdf5_leaks: HDF5 1.10 itself loses some memory when a file is damaged. LeakSanitizer leaves
 * that aside, for what includes this; our own leaks still fail.
 */
#ifndef TESTS_HDF5_LEAKS_H
#define TESTS_HDF5_LEAKS_H

const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libhdf5";
}

#endif
