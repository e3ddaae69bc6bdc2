#include "cmd/enter.h"

#include <unistd.h>

#include "cmd/command.h"

void render_enter(struct allowed *s)
{
	int status = 1;

	switch (sandbox_enter(s, &status)) {
	case SANDBOX_CHILD:
		allowed_release(s);
		return;
	case SANDBOX_FAILED:
		_exit(render_fail());
	case SANDBOX_ENDED:
		break;
	}
	/* What the child did not write is not ours to write. */
	_exit(status);
}

void render_enter_to(const char *output, bool force, const char *const *inputs, size_t n)
{
	struct allowed s = {0};

	allowed_read_all(&s, inputs, n);
	allowed_make(&s, output, force);
	render_enter(&s);
}
