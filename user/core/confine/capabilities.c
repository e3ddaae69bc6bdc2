#include "confine/capabilities.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "confine/denied.h"

/* A range of user ids that systemd and containers leave unused: no user and no file has one. With
 * the pid added, no other process has the same id, and could signal this one. */
#define OWN_USERS 1879048192u

#define BIT(kind)  (1u << (kind))
#define BY_EVENTS  (BIT(CAPABILITIES_KEEPER_BY_EVENTS) | BIT(CAPABILITIES_CALIBRATOR_BY_EVENTS))
#define LOADER	   BIT(CAPABILITIES_LOADER)
#define BROKER	   BIT(CAPABILITIES_BROKER)
#define OPENER	   BIT(CAPABILITIES_OPENER)
#define KEEPER	   (BIT(CAPABILITIES_KEEPER) | BIT(CAPABILITIES_KEEPER_BY_EVENTS))
#define CALIBRATOR (BIT(CAPABILITIES_CALIBRATOR) | BIT(CAPABILITIES_CALIBRATOR_BY_EVENTS))

static const struct {
	unsigned int capability, kinds;
} kept[] = {
	/* maps, iterators and links of the capture's BPF programs */
	{CAP_BPF, LOADER | KEEPER | CALIBRATOR},
	/* events on other processes and CPUs; attaching programs to probes */
	{CAP_PERFMON, LOADER | KEEPER | CALIBRATOR},
	/* rings of events beyond a user's allowance of locked memory */
	{CAP_IPC_LOCK, LOADER},
	/* /proc/PID/maps, root and map_files of other users' processes, reading their memory */
	{CAP_SYS_PTRACE, LOADER | OPENER},
	/* the files behind /proc/PID/map_files */
	{CAP_CHECKPOINT_RESTORE, LOADER | OPENER},
	/* the files that a target maps, whatever their mode; the file in which a probe is placed,
	 * by its name in /proc/self/fd */
	{CAP_DAC_READ_SEARCH, LOADER | BROKER | OPENER | KEEPER | CALIBRATOR},
	/* probes in files of others by perf events, which need no less */
	{CAP_SYS_ADMIN, BY_EVENTS},
	/* leases on files of others */
	{CAP_LEASE, KEEPER},
	/* addresses in /proc/kallsyms */
	{CAP_SYSLOG, LOADER},
	/* the writer of a window gets the loader's priority when it is late; the calibrator moves
	 * between CPUs */
	{CAP_SYS_NICE, LOADER},
	/* to kill the loader's children, and its own, which have other users; helpers that became a
	 * target's owner */
	{CAP_KILL, BROKER | OPENER},
	/* git becomes the caller, a store's reader becomes nobody; files are opened with the rights
	 * of a target's owner */
	{CAP_SETUID, BROKER | OPENER},
	{CAP_SETGID, BROKER | OPENER},
	/* the profile is made where the caller may make it, and given to the caller */
	{CAP_DAC_OVERRIDE, BROKER},
	{CAP_CHOWN, BROKER},
	{CAP_FOWNER, BROKER},
	/* to enter an empty root, in which it could run nothing */
	{CAP_SYS_CHROOT, CALIBRATOR},
};

#define LAST_CAPABILITY 63

/* What eprof-render needs to open and make files of others, and to become nobody. */
#define OF_FILES                                                                      \
	(1ull << CAP_DAC_READ_SEARCH | 1ull << CAP_DAC_OVERRIDE | 1ull << CAP_CHOWN | \
	 1ull << CAP_FOWNER | 1ull << CAP_SETUID | 1ull << CAP_SETGID | 1ull << CAP_KILL)

static uint64_t list_of(enum capabilities_kind kind)
{
	uint64_t set = 0;

	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		if (kept[i].kinds & BIT(kind))
			set |= 1ull << kept[i].capability;
	return set;
}

/* Keeps the capabilities in @set, and lets programs inherit those in @inheritable. */
static int limit_to(uint64_t set, uint64_t inheritable)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &head, data))
		return -errno;
	for (int i = 0; i < 2; i++) {
		data[i].permitted &= (uint32_t)(set >> 32 * i);
		data[i].effective = data[i].permitted;
		data[i].inheritable = data[i].permitted & (uint32_t)(inheritable >> 32 * i);
	}
	return syscall(SYS_capset, &head, data) ? -errno : 0;
}

/* So that no program and no change of user gives any back. Without CAP_SETPCAP only no_new_privs
 * sees to that. */
static void lock_out(enum capabilities_kind kind)
{
	unsigned bits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_KEEP_CAPS_LOCKED;

	/* Permitted capabilities survive the change of user, after which they are limited. */
	if (kind != CAPABILITIES_BROKER)
		bits |= SECBIT_KEEP_CAPS | SECBIT_NO_CAP_AMBIENT_RAISE |
			SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
	for (int i = 0; i <= LAST_CAPABILITY; i++)
		(void)prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	(void)prctl(PR_SET_SECUREBITS, bits);
}

/* Gives this thread a user of its own. It may fail in a user namespace without such users: the
 * capabilities are limited all the same. By system calls: libc's functions change all threads, and
 * end the process if one fails. */
static void leave_root(enum capabilities_kind kind)
{
	const long own = OWN_USERS + (long)getpid();
	/* The kernel sends the death signal only if the parent may signal us, as our saved user.
	 * Nothing else would end a stopped calibrator. */
	const long saved = BIT(kind) & CALIBRATOR ? OWN_USERS + (long)getppid() : own;

	if (geteuid())
		return;
	if (!syscall(SYS_setgroups, 0, NULL) && !syscall(SYS_setresgid, own, own, own))
		(void)!syscall(SYS_setresuid, own, own, saved);
}

/* Those that the kernel drops when root changes its user for files (capabilities(7)). */
#define OVER_FILES                                                                    \
	(1ull << CAP_DAC_READ_SEARCH | 1ull << CAP_DAC_OVERRIDE | 1ull << CAP_CHOWN | \
	 1ull << CAP_FOWNER | 1ull << CAP_FSETID | 1ull << CAP_LINUX_IMMUTABLE |      \
	 1ull << CAP_MKNOD | 1ull << CAP_MAC_OVERRIDE)

/* Makes all permitted capabilities but @without effective. */
static int make_effective(uint64_t without)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &head, data))
		return -errno;
	for (int i = 0; i < 2; i++)
		data[i].effective = data[i].permitted & ~(uint32_t)(without >> 32 * i);
	return syscall(SYS_capset, &head, data) ? -errno : 0;
}

int capabilities_lower_files(void)
{
	return make_effective(OVER_FILES);
}

int capabilities_raise_files(void)
{
	return make_effective(0);
}

int capabilities_drop(void)
{
	return limit_to(0, 0);
}

void capabilities_drop_thread(void)
{
	leave_root(CAPABILITIES_LOADER);
	(void)limit_to(0, 0);
}

int capabilities_keep(enum capabilities_kind kind)
{
	int rc = 0;

	/* Before lock_out() empties the bounding set. */
	if (kind == CAPABILITIES_BROKER)
		rc = limit_to(UINT64_MAX, OF_FILES);
	lock_out(kind);
	if (kind != CAPABILITIES_BROKER)
		leave_root(kind);
	if (!rc)
		rc = limit_to(list_of(kind), kind == CAPABILITIES_BROKER ? OF_FILES : 0);
	if (!rc && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		rc = -errno;
	if (rc)
		return err(rc, "cannot give up privileges: %s", strerror(-rc));
	if (BIT(kind) & CALIBRATOR)
		return 0;
	return denied_set(kind == CAPABILITIES_BROKER	? DENIED_TO_BROKER
			  : kind == CAPABILITIES_OPENER ? DENIED_TO_OPENER
			  : kind == CAPABILITIES_LOADER ? DENIED_TO_LOADER
							: DENIED_TO_KEEPER);
}

void capabilities_pass_on(void)
{
	for (int i = 0; i <= LAST_CAPABILITY; i++)
		if (OF_FILES >> i & 1)
			(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, i, 0, 0);
}
