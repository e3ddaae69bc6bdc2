#include <errno.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/err.h"
#include "load/kernel_types.h"
#include "load/namespace.h"
#include "process/procfs.h"
#include "wire.h"
#include "eprof.skel.h"

int namespace_check(void)
{
	if (procfs_is_own())
		return 0;
	return err(-ENOTSUP,
		   "/proc is not that of eprof's own PID namespace, so its process numbers are "
		   "wrong: mount the right one (unshare --mount-proc, or mount -t proc proc "
		   "/proc)");
}

void namespace_configure(struct eprof_bpf *skel)
{
	bool inner = !procfs_in_first_namespace();

	skel->rodata->config_ids_inner = inner;
	bpf_program__set_autoload(skel->progs.ids_learn, inner);
	bpf_program__set_autoload(skel->progs.ids_exit, inner);
	bpf_map__set_autocreate(skel->maps.ids_past, inner);
}

int namespace_open(struct eprof_bpf *skel, struct bpf_link **out)
{
	LIBBPF_OPTS(bpf_test_run_opts, run);
	int ret;

	if (!skel->rodata->config_ids_inner)
		return 0;
	ret = bpf_prog_test_run_opts(bpf_program__fd(skel->progs.ids_learn), &run);
	if (!ret && !run.retval)
		ret = -EFAULT;
	if (!ret) {
		*out = kernel_types_attach(skel->progs.ids_exit);
		ret = *out ? 0 : -errno;
	}
	return ret ? err(ret, "cannot identify the processes of this PID namespace: %s",
			 strerror(-ret))
		   : 0;
}
