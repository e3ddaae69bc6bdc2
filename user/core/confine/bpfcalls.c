#include "confine/denied.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static const uint32_t allowed[] = {
	BPF_MAP_CREATE, /* pools of unwind tables */
	BPF_MAP_LOOKUP_ELEM,	BPF_MAP_UPDATE_ELEM,  BPF_MAP_DELETE_ELEM,
	BPF_MAP_GET_NEXT_KEY,	BPF_MAP_LOOKUP_BATCH, BPF_MAP_LOOKUP_AND_DELETE_BATCH,
	BPF_MAP_UPDATE_BATCH,	BPF_PROG_TEST_RUN, /* programs that tell something: kernel names,
						      process numbers */
	BPF_OBJ_GET_INFO_BY_FD,			   /* what its programs have cost */
	BPF_LINK_CREATE,			   /* probes in files that are mapped later */
	BPF_ITER_CREATE,			   /* a walk over tasks */
};

#define ALLOWED (sizeof(allowed) / sizeof(*allowed))

#define LOAD(member)  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, value)

/* Written by hand: for libseccomp all refused commands would have to be listed. libseccomp's own
 * filters refuse other architectures' calls. */
int bpfcalls_limit(void)
{
	struct sock_filter code[8 + ALLOWED] = {
		LOAD(arch),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 2),
		LOAD(nr),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_bpf, 1, 0),
		RETURN(SECCOMP_RET_ALLOW),
		LOAD(args[0]), /* the lower half: the command */
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};
	long rc;

	for (uint32_t i = 0; i < ALLOWED; i++)
		code[6 + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[i],
							   (uint8_t)(ALLOWED - i), 0);
	code[6 + ALLOWED] = (struct sock_filter)RETURN(SECCOMP_RET_ERRNO | EPERM);
	code[7 + ALLOWED] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
	rc = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
	/* Above 0 it is a thread that has another filter. */
	return rc > 0 ? -EBUSY : rc ? -errno : 0;
}
