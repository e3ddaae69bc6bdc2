/*
 * embed LIBRARY WHAT: a program that embeds CPython and runs functions in a second interpreter, on
 * the thread that has the state of the first one too, as Apache's mod_wsgi does.
 *	busy	outer() of the first one calls inner() of the second by this program: both loop
 *	asleep	nap() of the second one sleeps, while the first runs nothing
 *	first	alone() of the first one sleeps, and the second runs nothing
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void *python, *first, *second;

static void *find(const char *name)
{
	return dlsym(python, name);
}

static void run(const char *text)
{
	int (*const simple)(const char *) = (int (*)(const char *))find("PyRun_SimpleString");

	simple(text);
}

static void *swap(void *state)
{
	void *(*const to)(void *) = (void *(*)(void *))find("PyThreadState_Swap");

	return to(state);
}

/* For outer(), by ctypes. */
void in_second(void)
{
	swap(second);
	run("inner()");
	swap(first);
}

#define LOOP   "    for i in range(3000000): pass\n"
#define ASLEEP "    import time\n    print('ready', flush=True)\n    time.sleep(60)\n"

int main(int argc, char **argv)
{
	void (*start)(void);
	void *(*more)(void);

	if (argc < 3 || !(python = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL)))
		return 2;
	start = (void (*)(void))find("Py_Initialize");
	more = (void *(*)(void))find("Py_NewInterpreter");
	start();
	first = swap(NULL);
	swap(first);
	run("import ctypes\n"
	    "call = ctypes.PyDLL(None).in_second\n"
	    "def outer():\n" LOOP "    call()\n"
	    "def alone():\n" ASLEEP);
	second = more();
	run("def inner():\n" LOOP "def nap():\n" ASLEEP);
	if (!strcmp(argv[2], "asleep"))
		run("nap()");
	swap(first);
	if (!strcmp(argv[2], "first"))
		run("alone()");
	for (int i = 0; i < 20 && !strcmp(argv[2], "busy"); i++)
		run("outer()");
	return 0;
}
