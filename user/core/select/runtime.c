#include "select/runtime.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "base/str.h"

#define NODE   "node --perf-basic-prof --interpreted-frames-native-stack"
#define SCRIPT "Builtins_InterpreterEntryTrampoline"
#define PYTHON "python3 -X perf (Python 3.12 and later)"

static const struct runtime runtimes[] = {
	{"libjvm.so", "Java",
	 "'jcmd PID Compiler.perfmap' while it runs (JDK 17 and later), just before the capture "
	 "ends",
	 "java -XX:+PreserveFramePointer", NULL, false},
	{"node", "Node.js", NODE, NULL, SCRIPT, true},
	{"libnode.so", "Node.js", NODE, NULL, SCRIPT, true},
	{"libcoreclr.so", ".NET", "DOTNET_PerfMapEnabled=1 in its environment", NULL, NULL, false},
	{"libpython3", "Python", PYTHON, NULL, "_PyEval_EvalFrameDefault", false},
	{"python3", "Python", PYTHON, NULL, "_PyEval_EvalFrameDefault", false},
	{"libphp", "PHP", "php -d opcache.jit_debug=16", NULL, NULL, false},
	{"php", "PHP", "php -d opcache.jit_debug=16", NULL, NULL, false},
	{"libruby", "Ruby", "ruby --yjit --yjit-perf=map (Ruby 3.3 and later)", NULL, NULL, false},
	{"ruby", "Ruby", "ruby --yjit --yjit-perf=map (Ruby 3.3 and later)", NULL, NULL, false},
	{"beam.smp", "Erlang", "erl +JPperf true", NULL, NULL, false},
	{"wasmtime", "Wasmtime", "wasmtime --profile=perfmap", NULL, NULL, false},
};

/* "node", "php8.2", "python3.11", "libpython3.11.so.1.0", but not "nodeinfo". */
static int begins(const char *name, const char *module)
{
	const size_t n = strlen(module);

	return !strncmp(name, module, n) && !isalpha((unsigned char)name[n]) && name[n] != '_';
}

const struct runtime *runtime_of(const char *path)
{
	for (size_t i = 0; i < sizeof(runtimes) / sizeof(*runtimes); i++)
		if (begins(str_base(path), runtimes[i].module))
			return &runtimes[i];
	return NULL;
}
