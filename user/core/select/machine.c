#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "model/meta.h"
#include "select/version.h"
#include "select/machine.h"

#define CPUINFO_MAX (1 << 20)

/* The value of the first line "key : value" in /proc/cpuinfo; "" if there is none. */
static char *cpuinfo_value(const char *text, const char *key)
{
	size_t n = strlen(key);

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		const char *colon;

		line += *line == '\n';
		colon = strchr(line, ':');
		if (strncmp(line, key, n) != 0 || !colon || strcspn(line, "\n") < n ||
		    (line[n] != '\t' && line[n] != ' ' && line[n] != ':'))
			continue;
		colon += 1 + strspn(colon + 1, " \t");
		return str_clean(colon, strcspn(colon, "\n"));
	}
	return mem_strdup("");
}

/* Up to CPUINFO_MAX bytes; "" if it cannot be read. Freed by the caller. */
static char *read_cpuinfo(void)
{
	char *text = NULL;
	size_t n;

	if (file_read("/proc/cpuinfo", CPUINFO_MAX, &text, &n) && !text)
		text = mem_strdup("");
	return text;
}

char *machine_platform(void)
{
	struct utsname u;
	_free_ char *text = read_cpuinfo();
	_free_ char *model = cpuinfo_value(text, "model name");
	_free_ char *cpu = str_slug(model);
	_free_ char *system = NULL;

	uname(&u);
	system = str_slug(u.sysname);
	return mem_printf("%s-%s-%s", system, u.machine, cpu);
}

static void describe_cpu(struct profile *p)
{
	_free_ char *text = read_cpuinfo();
	_free_ char *model = cpuinfo_value(text, "model name");
	_free_ char *family = cpuinfo_value(text, "cpu family");
	_free_ char *number = cpuinfo_value(text, "model");
	_free_ char *stepping = cpuinfo_value(text, "stepping");
	_free_ char *vendor = cpuinfo_value(text, "vendor_id");
	_free_ char *fingerprint = mem_printf("%s-%s-%s-%s", vendor, family, number, stepping);
	_free_ char *platform = machine_platform();
	_free_ char *cores = mem_printf("%ld", sysconf(_SC_NPROCESSORS_ONLN));

	profile_set_meta(p, META_PROCESSOR, model);
	profile_set_meta(p, META_CPU_FINGERPRINT, fingerprint);
	profile_set_meta(p, META_PLATFORM, platform);
	profile_set_meta(p, META_CORES, cores);
}

/* The program's build-id, else that of the first file that has one. */
static const char *main_build_id(const struct profile *p)
{
	const uint32_t main = profile_main_module(p);

	if (p->modules.at[main].build_id)
		return profile_text(p, p->modules.at[main].build_id);
	for (size_t i = 1; i < p->modules.n; i++) {
		const char *path = profile_text(p, p->modules.at[i].path);

		if (p->modules.at[i].build_id && path[0] == '/')
			return profile_text(p, p->modules.at[i].build_id);
	}
	return VERSION_NONE;
}

void machine_describe(struct profile *p, const char *version, int64_t unix_ns)
{
	char when[UNITS_BUF];
	struct utsname u;
	_free_ char *id = NULL;
	size_t n;

	uname(&u);
	profile_set_meta(p, META_VERSION, version ? version : main_build_id(p));
	profile_set_meta(p, META_VERSION_ORIGIN, version ? "--version-key" : "build-id");
	profile_set_meta(p, META_TIMESTAMP, units_time(when, sizeof(when), unix_ns));
	profile_set_meta(p, META_SYSTEM, u.sysname);
	profile_set_meta(p, META_ARCH, u.machine);
	profile_set_meta(p, META_NODE, u.nodename);
	profile_set_meta(p, META_RELEASE, u.release);
	if (!file_read("/etc/machine-id", 256, &id, &n)) {
		id[strcspn(id, "\n")] = '\0';
		profile_set_meta(p, META_MACHINE, id);
	}
	describe_cpu(p);
}
