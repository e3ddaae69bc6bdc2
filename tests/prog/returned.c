// cflags: -O2 -fomit-frame-pointer
/* returned SECONDS: spins in inner under probed, four deep, whose return addresses a uretprobe of
 * its own has replaced. Needs root. */
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>

#include "prog.h"

FRAME uint64_t inner(double seconds)
{
	return spin_for(seconds) + 1;
}

FRAME uint64_t probed(int depth, double seconds)
{
	uint64_t x = depth ? probed(depth - 1, seconds) : inner(seconds);

	__asm__ volatile("" : "+r"(x)); /* each call is one */
	return x + 1;
}

/* Where the code at @address stands in this program's file. */
static uint64_t file_offset(uint64_t address)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start, end, offset;
	uint64_t found = 0;
	char line[4096];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
		    address >= start && address < end)
			found = address - start + offset;
	if (maps)
		fclose(maps);
	return found;
}

static int probe_returns(void)
{
	FILE *type = fopen("/sys/bus/event_source/devices/uprobe/type", "r");
	struct perf_event_attr attr = {.size = sizeof(attr), .config = 1}; /* of the return */

	if (!type || fscanf(type, "%u", &attr.type) != 1)
		return -1;
	fclose(type);
	attr.uprobe_path = (uint64_t)(uintptr_t) "/proc/self/exe";
	attr.probe_offset = file_offset((uint64_t)(uintptr_t)probed);
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

int main(int argc, char **argv)
{
	uint64_t sum;

	if (probe_returns() < 0) {
		perror("uretprobe");
		return 1;
	}
	sum = probed(3, arg(argc, argv, 1, 2));
	printf("pid=%d sum=%llu\n", getpid(), (unsigned long long)sum);
	return 0;
}
