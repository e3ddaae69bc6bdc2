/*
 * mem: allocation that does not fail. A size read from a file or the kernel is checked against a
 * bound first (see store, elf). Out of memory ends the program with one line and status 1: nowhere
 * else does a library floor print.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* @n elements of @size bytes, zeroed. n * size is checked for overflow. Freed by free(). */
void *mem_zalloc(size_t n, size_t size) __attribute__((malloc, warn_unused_result));
/* As reallocarray(3); never NULL unless n * size is 0. */
void *mem_realloc(void *ptr, size_t n, size_t size) __attribute__((warn_unused_result));
char *mem_strdup(const char *s) __attribute__((malloc, warn_unused_result));
char *mem_strndup(const char *s, size_t n) __attribute__((malloc, warn_unused_result));
/* As vasprintf(3) and asprintf(3). */
char *mem_vprintf(const char *fmt, va_list args)
	__attribute__((format(printf, 1, 0), warn_unused_result));
char *mem_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2), warn_unused_result));

/* Zeroed memory that children made by fork(2) share; not freed. */
void *mem_shared(size_t n, size_t size) __attribute__((warn_unused_result));

/* Bytes that this process may have: the machine's memory, or RLIMIT_AS if that is less. */
uint64_t mem_most(void);

/* __attribute__((cleanup)) helpers: `_free_ char *path = …;` and `_close_ int fd = …;`. */
void mem_cleanup_free(void *pointer_to_pointer);
void mem_cleanup_close(const int *fd);
#define _free_	__attribute__((cleanup(mem_cleanup_free)))
#define _close_ __attribute__((cleanup(mem_cleanup_close)))

#endif
