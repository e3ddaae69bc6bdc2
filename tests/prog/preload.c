/*
 * preload: runs a command with libraries that the dynamic linker loads first, and allocates nothing
 * itself: preload LIBRARIES COMMAND ARGUMENTS…
 */
#include <string.h>
#include <unistd.h>

#define MOST 1000

int main(int argc, char **argv)
{
	static const char name[] = "LD_PRELOAD=";
	static char *env[MOST + 2];
	char setting[4096];
	size_t n = 0;

	if (argc < 3 || strlen(argv[1]) + sizeof(name) > sizeof(setting))
		return 2;
	memcpy(setting, name, sizeof(name));
	strcat(setting, argv[1]);
	env[n++] = setting;
	for (char **e = environ; *e && n < MOST; e++)
		if (strncmp(*e, name, sizeof(name) - 1) != 0)
			env[n++] = *e;
	execve(argv[2], argv + 2, env);
	return 127;
}
