/* What unit tests ask of a sanitizer, which costs too much beside counting: it finds nothing. */
#include <stddef.h>

int __asan_region_is_poisoned(void *, size_t);
int __sanitizer_install_malloc_and_free_hooks(void *, void *);
size_t __sanitizer_get_allocated_size(const void *);

int __asan_region_is_poisoned(void *at, size_t n)
{
	(void)at, (void)n;
	return 0;
}

int __sanitizer_install_malloc_and_free_hooks(void *on_malloc, void *on_free)
{
	(void)on_malloc, (void)on_free;
	return 0;
}

size_t __sanitizer_get_allocated_size(const void *at)
{
	(void)at;
	return 0;
}
