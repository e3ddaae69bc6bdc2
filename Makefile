# eprof: two programs, one BPF object. `make help` lists what can be made.
#
# Sources are found by their place; a new file needs no line here. Objects go to build/obj, the
# same with ASan and UBSan for the unit tests to build/asan.

BUILD	:= build
# Each step is one short line; V=1 shows the whole command.
Q	:= $(if $(V),,@)
say	= @$(if $(V),:,printf '  %-6s %s\n' $(1) $(2))
PREFIX	?= /usr/local
CC	?= gcc
CLANG	?= clang
BPFTOOL	?= $(firstword $(wildcard /usr/sbin/bpftool /usr/bin/bpftool) bpftool)
PKGS	:= hdf5 libseccomp libxxhash
PKGS_USER   := libbpf libdw libelf zlib
PKGS_RENDER := cairo cairo-pdf cairo-svg pangocairo zlib libdeflate libprotobuf-c

WARN	:= -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings
CFLAGS	?= -O2 -g
# What a program does not call is not in it: eprof has no code that reads others' HDF5, or compares.
SLIM	:= -ffunction-sections -fdata-sections
SLIM_LINK := -Wl,--gc-sections
VERSION := $(shell git describe --always --dirty 2>/dev/null || echo unknown)
STD	:= -std=gnu11 -D_GNU_SOURCE -fno-strict-aliasing -pthread $(WARN)
# What makes a slip of ours harder to use, in all that we compile for the programs. It stands behind
# CFLAGS and LDFLAGS, so that these do not switch it off by the way: make HARDEN= HARDEN_LINK= does.
# FORTIFY needs an optimising build, and hides from sanitizers what they look for. Shadow stacks are
# asked for by name: Debian's startup files have no mark, and nothing in them needs one. A mark for
# IBT would promise what these files do not keep; the linker sets it where they have theirs.
HARDEN	:= -fstack-protector-strong -fstack-clash-protection -fcf-protection=full -fPIE
HARDEN_LINK := -pie -Wl,-z,relro,-z,now,-z,noexecstack,-z,shstk
FORTIFY	:= -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3
optimises = $(filter-out -O0,$(lastword $(filter -O%,$(CFLAGS))))
HARDEN_OBJ = $(HARDEN) $(if $(HARDEN),$(if $(filter -fsanitize=%,$(CFLAGS)),,$(if $(optimises),$(FORTIFY))))
INC	:= -Iuser/core $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
INC_USER   := $(INC) -Iuser -Ibpf -I$(BUILD)/gen $(shell pkg-config --cflags $(PKGS_USER) 2>/dev/null)
INC_RENDER := $(INC) -Irender -I$(BUILD)/gen $(shell pkg-config --cflags $(PKGS_RENDER) 2>/dev/null)
LIBS	   := $(shell pkg-config --libs $(PKGS) 2>/dev/null) -lm -pthread
# The programs load HDF5's shared library when they need it (user/core/store/late.h), so that its
# updates reach them, and do not link it.
HDF5_SO	   := $(firstword $(wildcard $(patsubst -L%,%/libhdf5.so,$(shell pkg-config --libs-only-L hdf5 2>/dev/null))) \
	      $(shell $(CC) -print-file-name=libhdf5.so))
HDF5_NAME  := $(shell objdump -p $(HDF5_SO) 2>/dev/null | awk '$$1 == "SONAME" { print $$2 }')
LATE_DEFS  := -DLATE_NAME='"$(HDF5_NAME)"' -DLATE_FILE='"$(dir $(realpath $(HDF5_SO)))$(HDF5_NAME)"'
late_hdf5   = $(filter-out -lhdf5,$(1))
LIBS_USER  := $(shell pkg-config --libs $(PKGS_USER) 2>/dev/null) -lZydis -liberty $(LIBS)
LIBS_RENDER := $(shell pkg-config --libs $(PKGS_RENDER) 2>/dev/null) $(LIBS)

LATE_SRC   := user/core/late/hdf5.c
CORE_SRC   := $(sort $(filter-out $(LATE_SRC),$(wildcard user/core/*/*.c)))
USER_SRC   := $(sort $(filter-out user/core/%,$(wildcard user/*/*.c)))
RENDER_SRC := $(sort $(wildcard render/*/*.c) $(filter-out render/main.c,$(wildcard render/*.c)))
RENDER_ASM := render/web/embed.S
# What protoc-c makes of formats' descriptions.
RENDER_GEN := $(BUILD)/gen/pprof.pb-c.c
# The linker wants maps defined before they are used: what others share comes first.
BPF_FIRST  := $(sort $(wildcard bpf/*.bpf.c)) $(patsubst %,bpf/probe/%.bpf.c,thread proc clocks zone_stats)
BPF_SRC	   := $(BPF_FIRST) $(filter-out $(BPF_FIRST),$(sort $(wildcard bpf/probe/*.bpf.c))) \
	      $(sort $(wildcard bpf/sample/*.bpf.c)) $(sort $(wildcard bpf/source/*.bpf.c))
UNIT_SRC   := $(sort $(wildcard tests/unit/*/test_*.c))
PROG_SRC   := $(sort $(wildcard tests/prog/*.c tests/prog/*/*.c))
# Of languages and libraries that only tests need.
ZONE_SRC   := $(sort $(foreach e,cc go rs,$(wildcard tests/prog/zones/*.$(e))))

obj	= $(patsubst %.S,$(BUILD)/$(1)/%.o,$(patsubst %.c,$(BUILD)/$(1)/%.o,$(2:$(BUILD)/%=%)))
# The unit tests' build is made often and runs once: compiling it so takes half the time of -O2 -g.
# Two warnings need what -O2 finds out; the programs' build gives them.
QUICK	:= -O1 -g1 -Wno-format-truncation -Wno-maybe-uninitialized
SAN	:= $(QUICK) -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

.PHONY: all help demo check pictures bench incidents agree vmtest install uninstall clean unit fuzz kill soak coverage format progs
.PRECIOUS: $(BUILD)/%.o
.SECONDARY: $(RENDER_GEN)
.DELETE_ON_ERROR:

all: $(BUILD)/eprof $(BUILD)/eprof-render ## build both programs

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' Makefile

# --- programs ---------------------------------------------------------------------------------
$(BUILD)/eprof-tests: $(BUILD)/obj/tests/options.o
$(BUILD)/eprof $(BUILD)/eprof-tests: $(call obj,obj,user/main.c $(USER_SRC) $(CORE_SRC) $(LATE_SRC))
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(SLIM_LINK) $(HARDEN_LINK) -o $@ $^ $(call late_hdf5,$(LIBS_USER))
$(BUILD)/eprof-render: $(call obj,obj,render/main.c $(RENDER_SRC) $(CORE_SRC) $(LATE_SRC) $(RENDER_ASM) $(RENDER_GEN))
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(SLIM_LINK) $(HARDEN_LINK) -o $@ $^ $(call late_hdf5,$(LIBS_RENDER))

# What of HDF5 the objects of store ask for.
$(BUILD)/gen/hdf5_calls.h: $(call obj,obj,$(filter user/core/store/%,$(CORE_SRC)))
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q)nm -u $^ | awk '$$2 ~ /^H5/ && !seen[$$2]++ { \
		if ($$2 ~ /_g$$/) print "LATE_VALUE(" $$2 ")"; else print "LATE_CALL(" $$2 ", " n++ ")" }' >$@.tmp
	@mv $@.tmp $@
$(call obj,obj,$(LATE_SRC)): $(BUILD)/gen/hdf5_calls.h
$(call obj,obj,$(LATE_SRC)): HARDEN_OBJ += $(LATE_DEFS) -I$(BUILD)/gen

DEFS = -DEPROF_VERSION='"$(VERSION)"'
# Every page carries its viewer: without indents and comments, but for those within a line.
WEB := $(wildcard render/web/*.js render/web/time/*.js render/web/*.css render/web/*.html)
$(BUILD)/gen/page/%: %
	@mkdir -p $(@D)
	$(Q)sed -e 's/^[[:blank:]]*//' -e 's/[[:blank:]]*\/\* [^*]* \*\/$$//' -e '/^\/\*.*\*\/$$/d' -e '/^\/\*[^*]*$$/,/\*\/$$/d' -e '/^$$/d' $< > $@
define rules # $(1) folder of objects, $(2) extra flags
$(BUILD)/$(1)/user/core/%.o: user/core/%.c
	@mkdir -p $$(@D)
	$$(call say,CC,$$@)
	$$(Q)$$(CC) $$(STD) $$(CFLAGS) $(2) $$(INC) -MMD -MP -c -o $$@ $$<
$(BUILD)/$(1)/user/%.o: user/%.c | $(BUILD)/gen/eprof.skel.h $(BUILD)/gen/syscalls_64.h $(BUILD)/gen/syscalls_32.h
	@mkdir -p $$(@D)
	$$(call say,CC,$$@)
	$$(Q)$$(CC) $$(STD) $$(CFLAGS) $(2) $$(DEFS) $$(INC_USER) -MMD -MP -c -o $$@ $$<
$(BUILD)/$(1)/render/%.o: render/%.c | $(RENDER_GEN)
	@mkdir -p $$(@D)
	$$(call say,CC,$$@)
	$$(Q)$$(CC) $$(STD) $$(CFLAGS) $(2) $$(DEFS) $$(INC_RENDER) -MMD -MP -c -o $$@ $$<
$(BUILD)/$(1)/render/web/embed.o: render/web/embed.S $(WEB:%=$(BUILD)/gen/page/%)
	@mkdir -p $$(@D)
	$$(Q)cd $(BUILD)/gen/page && $$(CC) $(2) -c -o $$(abspath $$@) $$(abspath $$<)
# Another's code: its warnings are not ours.
$(BUILD)/$(1)/gen/%.o: $(BUILD)/gen/%.c
	@mkdir -p $$(@D)
	$$(call say,CC,$$@)
	$$(Q)$$(CC) $$(STD) -w $$(CFLAGS) $(2) $$(INC_RENDER) -MMD -MP -c -o $$@ $$<
$(BUILD)/$(1)/tests/%.o: tests/%.c | $(BUILD)/gen/eprof.skel.h $(RENDER_GEN)
	@mkdir -p $$(@D)
	$$(call say,CC,$$@)
	$$(Q)$$(CC) $$(STD) $$(CFLAGS) $(2) $$(INC_USER) $$(INC_RENDER) -Itests/unit -MMD -MP -c -o $$@ $$<
endef
# Objects that were made with other flags are made anew.
$(shell mkdir -p $(BUILD) && echo '$(SLIM) $(HARDEN)' | cmp -s - $(BUILD)/harden || echo '$(SLIM) $(HARDEN)' >$(BUILD)/harden)
$(eval $(call rules,obj,$$(SLIM) $$(HARDEN_OBJ)))
$(call obj,obj,user/main.c render/main.c $(USER_SRC) $(RENDER_SRC) $(CORE_SRC) $(LATE_SRC) $(RENDER_ASM) $(RENDER_GEN)): $(BUILD)/harden
$(eval $(call rules,asan,$(SAN) $$(COUNT)))
# And so are those that say which version they are.
$(shell echo '$(VERSION)' | cmp -s - $(BUILD)/version || echo '$(VERSION)' >$(BUILD)/version)
$(patsubst %.c,$(BUILD)/obj/%.o,$(shell grep -rl --include=*.c EPROF_VERSION user render)): $(BUILD)/version
# What the bounded parsers do is counted for tests/unit/binary/test_foreign.c: each step is a call.
PARSERS	:= elf cfi code unwind
$(foreach room,$(PARSERS),$(eval $(BUILD)/asan/user/$(room)/%.o: COUNT := -fsanitize-coverage=trace-pc))

# --- the BPF object: each source apart, linked into one, one skeleton ---------------------------
BPF_FLAGS := -target bpf -g -O2 -mcpu=v3 -Wall -Wextra -Werror -Wno-unused-parameter -Ibpf \
	-D__TARGET_ARCH_x86 -I/usr/include/$(shell $(CC) -print-multiarch 2>/dev/null)
$(BUILD)/bpf/%.bpf.o: bpf/%.bpf.c
	@mkdir -p $(@D)
	$(call say,BPF,$@)
	$(Q)$(CLANG) $(BPF_FLAGS) -MMD -MP -c -o $@ $<
$(BUILD)/bpf/eprof.o: Makefile $(patsubst bpf/%.bpf.c,$(BUILD)/bpf/%.bpf.o,$(BPF_SRC))
	$(call say,BPF,$@)
	$(Q)$(BPFTOOL) gen object $@ $(filter %.o,$^)
$(BUILD)/gen/eprof.skel.h: $(BUILD)/bpf/eprof.o
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name eprof_bpf > $@.tmp
	@mv $@.tmp $@

# --- names of system calls, by number, as the machine's headers have them -----------------------
SYSCALLS := $(BUILD)/gen/syscalls_64.h $(BUILD)/gen/syscalls_32.h
$(SYSCALLS): $(BUILD)/gen/syscalls_%.h: Makefile
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q)echo '#include <asm/unistd_$*.h>' | $(CC) -E -dM - | \
		sed -n 's/^#define __NR_\([a-z0-9_]*\) \([0-9]*\)$$/[\2] = "\1",/p' | sort >$@.tmp
	@mv $@.tmp $@

# --- readers and writers of formats that protoc-c makes ------------------------------------------
$(BUILD)/gen/%.pb-c.c: render/export/%.proto
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q)protoc-c --proto_path=$(<D) --c_out=$(@D) $(<F)

# --- tests --------------------------------------------------------------------------------------
ASAN_LIB := $(call obj,asan,$(CORE_SRC) $(USER_SRC) $(RENDER_SRC) $(RENDER_ASM) $(RENDER_GEN) tests/unit/work.c)
UNIT_BIN := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(UNIT_SRC))
# Fuzzers on their corpora, and damaged copies of them, without libFuzzer.
FUZZ_OTHERS := $(filter-out import store,$(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c)))
REPLAY_BIN  := $(FUZZ_OTHERS:%=$(BUILD)/unit/fuzz/%)
$(BUILD)/asan/lib.a: $(ASAN_LIB)
	@rm -f $@
	$(Q)ar rcs $@ $^
$(UNIT_BIN): $(BUILD)/unit/%: $(BUILD)/asan/tests/unit/%.o $(BUILD)/asan/lib.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(SAN) -o $@ $^ $(LIBS_USER) $(LIBS_RENDER) -lcmocka

$(REPLAY_BIN): $(BUILD)/unit/fuzz/%: $(BUILD)/asan/tests/fuzz/fuzz_%.o $(BUILD)/asan/tests/fuzz/replay.o $(BUILD)/asan/lib.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(SAN) -o $@ $^ $(LIBS_USER) $(LIBS_RENDER) -lcmocka

unit: $(UNIT_BIN) $(REPLAY_BIN) ## build and run the unit tests, under ASan and UBSan
	@tests/unit/run $(UNIT_BIN) $(REPLAY_BIN)

# Fuzzers (libFuzzer, of clang): one of each format that is imported, and tests/fuzz/fuzz_x.c of
# others. Each runs for FUZZ_SECONDS. They share one archive of the rooms that read foreign bytes.
FUZZ_SECONDS ?= 30
FUZZ_SAN     := -O1 -g1 -Wno-unknown-warning-option -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
FUZZ_FORMATS := $(subst _,-,$(filter-out tracy,$(shell sed -n 's/^IMPORT(\(.*\))$$/\1/p' render/import/imports.def)))
FUZZERS	     := $(addprefix $(BUILD)/fuzz/,$(FUZZ_OTHERS) $(FUZZ_FORMATS:%=import-%) store)
FUZZ_ROOMS   := elf cfi code unwind process crew symbol debuginfo script
FUZZ_SRC     := $(CORE_SRC) $(foreach room,$(FUZZ_ROOMS),$(filter user/$(room)/%,$(USER_SRC))) \
	user/load/btf_cut.c user/perf/plain_sample.c user/perf/side_record.c \
	$(filter render/import/% render/import_json/% render/query/pprof_word.c render/sandbox/%,$(RENDER_SRC)) $(RENDER_GEN)
FUZZ_LIB     := $(call obj,fuzz/obj,$(FUZZ_SRC))
FUZZ_LIBS     = $(LIBS_USER) $(LIBS_RENDER)
FUZZ_LINK     = $(CLANG) $(STD) $(CFLAGS) $(FUZZ_SAN) $(INC_RENDER) $(INC_USER) -Itests/unit -fsanitize=fuzzer
$(eval $(call rules,fuzz/obj,$(FUZZ_SAN)))
$(BUILD)/fuzz/%: CC := $(CLANG)
$(BUILD)/fuzz/lib.a: $(FUZZ_LIB)
	@rm -f $@
	$(Q)ar rcs $@ $^
$(BUILD)/fuzz/import-%: tests/fuzz/fuzz_import.c $(wildcard tests/fuzz/*.h) $(BUILD)/fuzz/lib.a
	$(call say,LINK,$@)
	$(Q)$(FUZZ_LINK) -DFUZZ='"$*"' -o $@ $< $(BUILD)/fuzz/lib.a $(FUZZ_LIBS)
$(BUILD)/fuzz/%: tests/fuzz/fuzz_%.c $(wildcard tests/fuzz/*.h) $(BUILD)/fuzz/lib.a
	$(call say,LINK,$@)
	$(Q)$(FUZZ_LINK) -o $@ $< $(BUILD)/fuzz/lib.a $(FUZZ_LIBS)

fuzz: $(FUZZERS) ## fuzz the readers of foreign files, FUZZ_SECONDS each
	@tests/fuzz/run $(FUZZ_SECONDS) $(FUZZERS)

kill: all progs ## kill captures, changes of stores and the like 200 times, see what is left; root
	@tests/kill/run

SOAK_S ?= 300
soak: all progs ## capture for SOAK_S seconds beside a hostile crowd, see what grows; root
	@tests/soak/run $(SOAK_S)

# What is worth its time: bpf/ runs in the kernel, where nothing is counted.
COVERAGE_TESTS ?= $(addprefix tests/cli/,$(addsuffix .test,caller capture_bad compare doctor events export \
	generate import library merge mode name output sandbox selection store usage zones)) \
	$(addprefix tests/kernel/,$(addsuffix .test,end_signal source split store unprivileged windows \
	offcpu/offcpu zones/zones_capture zones/zones_translator))
coverage: all progs ## lines and branches that COVERAGE_TESTS and the unit tests reach, by room; root
	+@tests/coverage/run $(COVERAGE_TESTS)

# Targets with known answers. Flags of their own stand in their first line: // cflags: …
PROGS	:= $(addprefix $(BUILD)/prog/,$(notdir $(basename $(PROG_SRC))))
progs: $(BUILD)/eprof-tests $(PROGS) $(addprefix $(BUILD)/prog/,$(notdir $(basename $(ZONE_SRC))))
# One whose list of headers is missing is made anew: what it was made of is not known.
$(addprefix $(BUILD)/prog/,$(addsuffix .d,$(notdir $(basename $(PROG_SRC) $(filter %.cc,$(ZONE_SRC)))))): ;
define prog_rules # $(1) folder of sources
$(BUILD)/prog/%: $(1)/%.c $(BUILD)/prog/%.d
	@mkdir -p $$(@D)
	$$(call say,CC,$$@)
	$$(Q)$$(CC) -std=gnu11 -D_GNU_SOURCE -O1 -g -fno-omit-frame-pointer \
		-mno-omit-leaf-frame-pointer -pthread -Itests/prog -MMD -MP -MT $$@ -MF $$@.d \
		$$$$(sed -n '1s,^// cflags: ,,p' $$<) -o $$@ $$< -lm
$(BUILD)/prog/%: $(1)/%.cc $(BUILD)/prog/%.d
	@mkdir -p $$(@D)
	$$(call say,CC,$$@)
	$$(Q)$$(CXX) -std=gnu++17 -D_GNU_SOURCE -g -pthread -Itests/prog -MMD -MP -MT $$@ -MF $$@.d \
		$$$$(sed -n '1s,^// cflags: ,,p' $$<) -o $$@ $$< $$$$(sed -n '2s,^// libs: ,,p' $$<)
$(BUILD)/prog/%: $(1)/%.go
	@mkdir -p $$(@D)
	$$(call say,CC,$$@)
	$$(Q)GOCACHE=$(abspath $(BUILD))/gocache GO111MODULE=off go build -o $$@ $$<
$(BUILD)/prog/%: $(1)/%.rs
	@mkdir -p $$(@D)
	$$(call say,CC,$$@)
	$$(Q)env -u MAKEFLAGS -u MFLAGS rustc -O -g -o $$@ $$<
endef
$(foreach folder,$(sort $(dir $(PROG_SRC))),$(eval $(call prog_rules,$(folder:%/=%))))

check: ## install, build, run every test
	tools/check
demo: ## install, build, profile a real program, render it
	tools/demo
pictures: all ## make the pictures of the READMEs anew, from a capture
	tools/pictures/make
bench: all $(PROGS) ## measure against peers; writes build/bench.tsv
	tools/bench

incidents: all $(PROGS) ## programs in trouble: what must stand in the first screen
	tools/incidents

agree: all progs ## compare shares of sqlite3, whole stacks, with perf's 64 KiB copies
	tests/kernel/whole_agree.sh

vmtest: all progs ## run the kernel tests on Debian's 6.1 and 6.12 kernels, in QEMU
	tools/vmtest

format: ## put all C in the house's format
	clang-format -i $$(git ls-files 'bpf/*.[ch]' 'user/*.[ch]' 'render/*.[ch]' 'tests/*.[ch]')

# --- the rest -----------------------------------------------------------------------------------
# Options and subcommands for shells, as --help tells of them.
COMPLETIONS := $(addprefix $(BUILD)/completions/,eprof.bash _eprof eprof.fish eprof-render.fish)
$(COMPLETIONS) &: tools/completions $(BUILD)/eprof $(BUILD)/eprof-render
	$(call say,GEN,$(BUILD)/completions)
	$(Q)LC_ALL=C.UTF-8 tools/completions $(BUILD)/eprof $(BUILD)/eprof-render $(BUILD)/completions

# A manual page a command, and one on captures.
MAN := $(sort $(wildcard user/man/*.[17] render/man/*.1))

# What is installed: where it comes from, and its place under PREFIX.
INSTALLED := \
	$(BUILD)/eprof:bin/eprof \
	$(BUILD)/eprof-render:bin/eprof-render \
	$(foreach page,$(MAN),$(page):share/man/man$(patsubst .%,%,$(suffix $(page)))/$(notdir $(page))) \
	$(BUILD)/completions/eprof.bash:share/bash-completion/completions/eprof \
	$(BUILD)/completions/eprof.bash:share/bash-completion/completions/eprof-render \
	$(BUILD)/completions/_eprof:share/zsh/site-functions/_eprof \
	$(BUILD)/completions/eprof.fish:share/fish/vendor_completions.d/eprof.fish \
	$(BUILD)/completions/eprof-render.fish:share/fish/vendor_completions.d/eprof-render.fish
root	:= "$(DESTDIR)$(PREFIX)"

install: all $(COMPLETIONS) ## install programs, man pages, completions under DESTDIR/PREFIX
	$(Q)for file in $(INSTALLED); do \
		mode=644; case $$file in *:bin/*) mode=755 ;; esac; \
		install -D -m $$mode "$${file%%:*}" $(root)/"$${file#*:}" || exit; \
	done

uninstall: ## remove what install put there
	$(Q)for file in $(INSTALLED); do rm -f $(root)/"$${file#*:}" || exit; done

clean: ## remove what was built
	rm -rf $(BUILD)

-include $(shell find $(BUILD) -type f -name '*.d' -not -path '$(BUILD)/vm/*' 2>/dev/null)
