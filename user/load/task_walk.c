#include "load/task_walk.h"

#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/file.h"
#include "base/mem.h"
#include "process/opener.h"

int task_walk_open(const struct bpf_link *link)
{
	return bpf_iter_create(bpf_link__fd(link));
}

int task_walk_on(int walk)
{
	char written[TASK_WALK_BYTES];
	ssize_t n = read(walk, written, sizeof(written));

	return n > 0 ? 1 : (int)n;
}

int task_walk_by(struct opener *opener, int walk)
{
	const struct opener_request r = {
		.what = OPENER_STEP, .root_fd = walk, .bytes_most = TASK_WALK_BYTES};
	struct opener_answer a;
	const int n = opener_ask(opener, &r, &a);

	opener_answer_release(opener, &a);
	return n > 0 ? 1 : n;
}

bool task_walk_rest(int walk)
{
	int more;

	do
		more = task_walk_on(walk);
	while (more > 0);
	return !more;
}

bool task_walk(const struct bpf_link *link)
{
	_close_ int walk = task_walk_open(link);

	return walk >= 0 && task_walk_rest(walk);
}
