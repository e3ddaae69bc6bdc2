#include "sandbox/client.h"

#include <signal.h>

#include "broker/agent.h"
#include "sandbox/exporter.h"

/* Of the process: an exporter that it runs itself. */
static pid_t own_exporter;

int client_run(const char *path, int *out)
{
	sigset_t none;

	if (agent_is_there())
		return agent_run(0, path, 0, NULL, 0, out);
	sigemptyset(&none);
	return exporter_start(path, &none, out, &own_exporter);
}

int client_run_end(int *status)
{
	return agent_is_there() ? agent_run_end(false, status) : exporter_end(own_exporter, status);
}
