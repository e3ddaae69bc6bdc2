# shellcheck shell=sh
# Helpers of tests with a cgroup whose CPU time is limited. Source it after tests/kernel/lib.sh.

# The folder of the controller cpu, of cgroup v2 or v1; "": there is none.
quota_root()
{
	root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	if [ -n "$root" ] && grep -qw cpu "$root/cgroup.controllers"; then
		echo +cpu >"$root/cgroup.subtree_control" && echo "$root"
		return
	fi
	awk '$3 == "cgroup" && $4 ~ /(^|,)cpu(,|$)/ { print $2; exit }' /proc/mounts
}

# quota NAME QUOTA PERIOD: a new group, $quota, whose threads run QUOTA µs in each PERIOD; false: this
# machine has none.
quota()
{
	quota=$(quota_root)
	if [ -z "$quota" ]; then
		printf 'skipped %s: no controller for CPU time [cgroup]\n' "$1"
		return 1
	fi
	quota=$quota/eprof-quota-$$
	mkdir "$quota" && cgroups="$cgroups $quota" || return 1
	if [ -e "$quota/cpu.max" ]; then
		echo "$2 $3" >"$quota/cpu.max"
	else
		echo "$3" >"$quota/cpu.cfs_period_us"
		echo "$2" >"$quota/cpu.cfs_quota_us"
	fi
}

# Removes it, once it is empty: with its limit its threads may take seconds to exit.
quota_end()
{
	if [ -e "$quota/cpu.max" ]; then
		echo max >"$quota/cpu.max"
	else
		echo -1 >"$quota/cpu.cfs_quota_us"
	fi
	for _ in $(seq 100); do
		rmdir "$quota" 2>/dev/null && return
		sleep 0.1
	done
	not_ok "the group is removed" "$quota"
}
