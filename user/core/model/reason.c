#include "model/reason.h"

static const struct {
	const char *name;
	bool idle;
} kinds[REASON_KINDS] = {
#define REASON(NAME, text, idle) {text, idle},
#include "model/reasons.def"
#undef REASON
};

const char *reason_kind_name(enum reason_kind kind)
{
	return kind < REASON_KINDS ? kinds[kind].name : "";
}

bool reason_kind_is_idle(enum reason_kind kind)
{
	return kind < REASON_KINDS && kinds[kind].idle;
}
