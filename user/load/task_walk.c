#include "load/task_walk.h"

#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/mem.h"

bool task_walk(const struct bpf_link *link)
{
	_close_ int fd = bpf_iter_create(bpf_link__fd(link));
	char nothing[64];
	ssize_t n;

	if (fd < 0)
		return false;
	do
		n = read(fd, nothing, sizeof(nothing));
	while (n > 0);
	return n == 0;
}
