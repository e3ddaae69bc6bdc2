#include "model/reason.h"

static const struct {
	const char *name;
	bool idle;
} kinds[REASON_KINDS] = {
	[REASON_NONE] = {"", false},
	[REASON_RUNNABLE] = {"runnable", false},
	[REASON_LOCK] = {"lock", false},
	[REASON_FILE_LOCK] = {"file lock", false},
	[REASON_PIPE] = {"pipe", false},
	[REASON_SOCKET] = {"socket", false},
	[REASON_DISK] = {"disk", false},
	[REASON_FILE] = {"file", false},
	[REASON_DEVICE] = {"device", false},
	[REASON_OBJECT] = {"descriptor", false},
	[REASON_POLL] = {"poll", true},
	[REASON_EPOLL] = {"epoll", true},
	[REASON_SLEEP] = {"sleep", true},
	[REASON_CHILD] = {"child", false},
	[REASON_SIGNAL] = {"signal", true},
	[REASON_FAULT] = {"page fault", false},
	[REASON_FAULT_DISK] = {"page fault, disk", false},
	[REASON_MESSAGE] = {"message", false},
	[REASON_STOPPED] = {"stopped", false},
	[REASON_TRACED] = {"traced", false},
	[REASON_CALL] = {"system call", false},
	[REASON_KERNEL] = {"kernel", false},
};

const char *reason_kind_name(enum reason_kind kind)
{
	return kind < REASON_KINDS ? kinds[kind].name : "";
}

bool reason_kind_is_idle(enum reason_kind kind)
{
	return kind < REASON_KINDS && kinds[kind].idle;
}
