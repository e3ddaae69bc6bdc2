#include "process/vdso.h"

#include <elf.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

/* The image ends with its section headers; what the kernel maps is a few pages. */
static size_t image_bytes(const Elf64_Ehdr *h)
{
	return h->e_shoff + (size_t)h->e_shnum * h->e_shentsize;
}

int vdso_open(void)
{
	uintptr_t start = getauxval(AT_SYSINFO_EHDR);
	const char *image = (const char *)start; /* NOLINT: an address is what the kernel gives */
	size_t n;
	int fd;

	if (!start || sizeof(void *) != sizeof(uint64_t))
		return -1;
	n = image_bytes((const Elf64_Ehdr *)start);
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return -1;
	if (write(fd, image, n) != (ssize_t)n) {
		close(fd);
		return -1;
	}
	return fd;
}
