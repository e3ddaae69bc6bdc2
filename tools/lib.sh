# What the scripts of tools/ and tests/ share; sourced with the tree's top as the directory.
# shellcheck shell=sh

BUILD=${BUILD:-build}
export BUILD

say()
{
	printf '%s\n' "$*"
}

is_root()
{
	[ "$(id -u)" = 0 ]
}

# How root is reached: prints nothing (we are it) or "sudo …"; fails where there is no way. A
# password can only be asked for at a terminal.
root_way()
{
	if is_root; then
		return 0
	elif ! command -v sudo >/dev/null; then
		return 1
	elif sudo -n true 2>/dev/null; then
		echo "sudo -n"
	elif [ -t 0 ] && [ -t 2 ]; then
		echo "sudo"
	else
		return 1
	fi
}

# Runs a command as the one whom the tree belongs to: what is built under sudo is the user's.
as_user()
{
	if is_root && [ -n "${SUDO_UID:-}" ] && [ "$SUDO_UID" != 0 ] &&
	   [ "$(stat -c %u .)" = "$SUDO_UID" ]; then
		setpriv --reuid="$SUDO_UID" --regid="$SUDO_GID" --init-groups env HOME=/tmp "$@"
	else
		"$@"
	fi
}

now_ms()
{
	date +%s%3N
}

# seconds_since MS: "12.3 s"
seconds_since()
{
	awk -v ms=$(($(now_ms) - $1)) 'BEGIN { printf "%.1f s", ms / 1000 }'
}
