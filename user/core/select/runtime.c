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
	 "java -XX:+PreserveFramePointer", NULL, false, false},
	{"node", "Node.js", NODE, NULL, SCRIPT, true, true},
	{"libnode.so", "Node.js", NODE, NULL, SCRIPT, true, true},
	{"libcoreclr.so", ".NET", "DOTNET_PerfMapEnabled=1 in its environment", NULL, NULL, false,
	 false},
	{"libpython3", "Python", PYTHON, NULL, "_PyEval_EvalFrameDefault", false, true},
	{"python3", "Python", PYTHON, NULL, "_PyEval_EvalFrameDefault", false, true},
	{"libphp", "PHP", "php -d opcache.jit_debug=16", NULL, NULL, false, true},
	{"php", "PHP", "php -d opcache.jit_debug=16", NULL, NULL, false, true},
	{"libruby", "Ruby", "ruby --yjit --yjit-perf=map (Ruby 3.3 and later)", NULL, NULL, false,
	 true},
	{"ruby", "Ruby", "ruby --yjit --yjit-perf=map (Ruby 3.3 and later)", NULL, NULL, false,
	 true},
	{"beam.smp", "Erlang", "erl +JPperf true", NULL, NULL, false, false},
	{"wasmtime", "Wasmtime", "wasmtime --profile=perfmap", NULL, NULL, false, false},
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
