#include "confine/denied.h"

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "confine/callfilter.h"

static const int always[] = {
	/* the kernel's code, and the machine */
	SCMP_SYS(init_module),
	SCMP_SYS(finit_module),
	SCMP_SYS(delete_module),
	SCMP_SYS(kexec_load),
	SCMP_SYS(kexec_file_load),
	SCMP_SYS(reboot),
	SCMP_SYS(iopl),
	SCMP_SYS(ioperm),
	SCMP_SYS(swapon),
	SCMP_SYS(swapoff),
	SCMP_SYS(settimeofday),
	SCMP_SYS(clock_settime),
	SCMP_SYS(clock_adjtime),
	SCMP_SYS(adjtimex),
	SCMP_SYS(sethostname),
	SCMP_SYS(setdomainname),
	SCMP_SYS(syslog),
	SCMP_SYS(acct),
	SCMP_SYS(quotactl),
	/* other processes' view of files */
	SCMP_SYS(mount),
	SCMP_SYS(umount2),
	SCMP_SYS(pivot_root),
	SCMP_SYS(chroot),
	SCMP_SYS(move_mount),
	SCMP_SYS(open_tree),
	SCMP_SYS(fsopen),
	SCMP_SYS(fsmount),
	SCMP_SYS(fsconfig),
	SCMP_SYS(fspick),
	SCMP_SYS(mount_setattr),
	SCMP_SYS(mknod),
	SCMP_SYS(mknodat),
	SCMP_SYS(open_by_handle_at),
	SCMP_SYS(setns),
	SCMP_SYS(unshare),
	/* other processes: memory is read (process_vm_readv), and never written */
	SCMP_SYS(ptrace),
	SCMP_SYS(process_vm_writev),
	SCMP_SYS(process_madvise),
	SCMP_SYS(pidfd_getfd),
	SCMP_SYS(migrate_pages),
	SCMP_SYS(move_pages),
	/* ways around a list of system calls, and calls that only exploits use */
	SCMP_SYS(io_uring_setup),
	SCMP_SYS(io_uring_enter),
	SCMP_SYS(io_uring_register),
	SCMP_SYS(userfaultfd),
	SCMP_SYS(personality),
	SCMP_SYS(modify_ldt),
	SCMP_SYS(add_key),
	SCMP_SYS(request_key),
	SCMP_SYS(keyctl),
};

/* Calls that make, change or run a file by its name. openat2(2) has its flags in memory, where no
 * filter sees them: only the opener may call it, which is not root, and may not become root. */
static const int of_names[] = {
	SCMP_SYS(execve),
	SCMP_SYS(execveat),
	SCMP_SYS(creat),
	SCMP_SYS(truncate),
	SCMP_SYS(mkdir),
	SCMP_SYS(mkdirat),
	SCMP_SYS(rmdir),
	SCMP_SYS(unlink),
	SCMP_SYS(unlinkat),
	SCMP_SYS(rename),
	SCMP_SYS(renameat),
	SCMP_SYS(renameat2),
	SCMP_SYS(link),
	SCMP_SYS(linkat),
	SCMP_SYS(symlink),
	SCMP_SYS(symlinkat),
	SCMP_SYS(chmod),
	SCMP_SYS(fchmodat),
	SCMP_SYS(chown),
	SCMP_SYS(lchown),
	SCMP_SYS(fchownat),
	SCMP_SYS(utime),
	SCMP_SYS(utimes),
	SCMP_SYS(utimensat),
	SCMP_SYS(setxattr),
	SCMP_SYS(lsetxattr),
	SCMP_SYS(removexattr),
	SCMP_SYS(lremovexattr),
	/* new sockets */
	SCMP_SYS(socket),
	SCMP_SYS(connect),
	SCMP_SYS(bind),
};

/* vfork(2) is clone(2) to libc. */
static const int of_processes[] = {
	SCMP_SYS(fork),
	SCMP_SYS(vfork),
	SCMP_SYS(clone),
	SCMP_SYS(clone3),
};

/* Flags with which open(2) is refused. */
static const struct {
	uint64_t mask, value;
} writes[] = {
	{O_ACCMODE, O_WRONLY}, {O_ACCMODE, O_RDWR}, {O_ACCMODE, O_ACCMODE},
	{O_CREAT, O_CREAT},    {O_TRUNC, O_TRUNC},
};

static int deny(scmp_filter_ctx filter, const int *calls, size_t n)
{
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++)
		rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), calls[i], 0);
	return rc;
}

static int deny_writes(scmp_filter_ctx filter)
{
	int rc = 0;

	for (size_t i = 0; i < sizeof(writes) / sizeof(*writes) && !rc; i++) {
		const struct scmp_arg_cmp of_open = {1, SCMP_CMP_MASKED_EQ, writes[i].mask,
						     writes[i].value};
		const struct scmp_arg_cmp of_openat = {2, SCMP_CMP_MASKED_EQ, writes[i].mask,
						       writes[i].value};

		rc = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(open), 1,
					    &of_open);
		if (!rc)
			rc = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(openat),
						    1, &of_openat);
	}
	return rc;
}

/* Calls that change a user or group, and how many ids they take. */
static const struct {
	int call;
	unsigned int arguments;
} becoming[] = {
	{SCMP_SYS(setuid), 1},	 {SCMP_SYS(setgid), 1},	   {SCMP_SYS(setreuid), 2},
	{SCMP_SYS(setregid), 2}, {SCMP_SYS(setresuid), 3}, {SCMP_SYS(setresgid), 3},
	{SCMP_SYS(setfsuid), 1}, {SCMP_SYS(setfsgid), 1},
};

/* Ids have 32 bits: the upper half of the register does not count. */
static int deny_root(scmp_filter_ctx filter)
{
	int rc = 0;

	for (size_t i = 0; i < sizeof(becoming) / sizeof(*becoming); i++)
		for (unsigned int k = 0; k < becoming[i].arguments && !rc; k++) {
			const struct scmp_arg_cmp is_root = {k, SCMP_CMP_MASKED_EQ, UINT32_MAX, 0};

			rc = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), becoming[i].call,
						    1, &is_root);
		}
	return rc;
}

/* The opener needs openat2(2), but not bpf(2). */
static int deny_opener(scmp_filter_ctx filter)
{
	static const int of_bpf[] = {SCMP_SYS(bpf), SCMP_SYS(perf_event_open)};
	const int rc = deny(filter, of_bpf, sizeof(of_bpf) / sizeof(*of_bpf));

	return rc ? rc : deny_root(filter);
}

static int deny_by_kind(scmp_filter_ctx filter, enum denied_to whom)
{
	static const int of_openat2[] = {SCMP_SYS(openat2)};

	if (whom == DENIED_TO_OPENER)
		return deny_opener(filter);
	if (whom == DENIED_TO_BROKER)
		return 0;
	if (whom == DENIED_TO_KEEPER) {
		const int rc =
			deny(filter, of_processes, sizeof(of_processes) / sizeof(*of_processes));

		if (rc)
			return rc;
	}
	return deny(filter, of_openat2, 1);
}

int denied_set(enum denied_to whom)
{
	scmp_filter_ctx filter;
	int rc;

	if (!callfilter_is_there())
		return 0;
	filter = seccomp_init(SCMP_ACT_ALLOW);
	rc = filter ? seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1) : -ENOMEM;
	if (!rc)
		rc = deny(filter, always, sizeof(always) / sizeof(*always));
	if (!rc && whom != DENIED_TO_BROKER)
		rc = deny(filter, of_names, sizeof(of_names) / sizeof(*of_names));
	if (!rc && whom != DENIED_TO_BROKER)
		rc = deny_writes(filter);
	if (!rc)
		rc = deny_by_kind(filter, whom);
	if (!rc)
		rc = seccomp_load(filter);
	if (!rc && whom != DENIED_TO_BROKER && whom != DENIED_TO_OPENER)
		rc = bpfcalls_limit();
	if (filter)
		seccomp_release(filter);
	return rc ? err(rc, "cannot limit itself by seccomp: %s", strerror(-rc)) : 0;
}
