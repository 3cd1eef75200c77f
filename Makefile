# electop: top for ZooKeeper elections. `make help` lists the targets.
#
# The tree is the architecture: tui -> probe -> config. Every .c below config/ and probe/ goes into
# one library without curses (tests link it); every .c below tui/ except main.c into a second one.
# Each .c of tests/unit, tests/screens, tests/tools and tests/bench is a program on both of them.

VERSION  := 0.1.0
PREFIX   ?= /usr/local
DESTDIR  ?=
# One directory a flavour, so that switching between them rebuilds nothing.
FLAVOUR  ?= release
O        := $(if $(filter release,$(FLAVOUR)),build,build/$(FLAVOUR))

CC       ?= cc
PYTHON   ?= /usr/bin/python3
export CC PYTHON
STD      := -std=c11 -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700
WARN     := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla \
            -Wformat=2 -Wwrite-strings -Wpointer-arith -Wredundant-decls
WERROR   ?= -Werror
HARDEN   := -fstack-protector-strong -D_FORTIFY_SOURCE=2 -fPIE
OPT_release := -O2 -g $(HARDEN)
OPT_asan    := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
OPT_fuzz    := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined,fuzzer-no-link
LD_release  := -pie -Wl,-z,relro,-z,now
LD_asan     := -fsanitize=address,undefined
LD_fuzz     := -fsanitize=address,undefined

PKGS_LIB := libuv libcurl jansson yaml-0.1 libpcre2-8 sqlite3 zlib
PKGS_TUI := ncursesw
PKGS_TEST := cmocka vterm
pkg       = $(shell pkg-config $(1) $(2) 2>/dev/null)

CFLAGS   ?=
ALL_CFLAGS = $(STD) $(WARN) $(WERROR) $(OPT_$(FLAVOUR)) -I. -DELECTOP_VERSION='"$(VERSION)"' \
             -DPCRE2_CODE_UNIT_WIDTH=8 $(PKG_CFLAGS) $(CFLAGS)
# ncursesw asks for an older _XOPEN_SOURCE than ours, and for more than POSIX.
PKG_CFLAGS := $(filter-out -D_XOPEN_SOURCE=% -D_DEFAULT_SOURCE,$(call pkg,--cflags,$(PKGS_LIB) $(PKGS_TUI)))
LIBS     := -lzookeeper_st $(call pkg,--libs,$(PKGS_LIB)) -lm
TUI_LIBS := $(call pkg,--libs,$(PKGS_TUI))
TEST_LIBS := $(call pkg,--libs,$(PKGS_TEST)) -lutil

LIB_SRC  := $(sort $(wildcard config/*.c probe/*.c probe/*/*.c))
TUI_SRC  := $(filter-out tui/main.c,$(sort $(wildcard tui/*.c tui/*/*.c)))
LIB_OBJ  := $(LIB_SRC:%.c=$(O)/%.o)
TUI_OBJ  := $(TUI_SRC:%.c=$(O)/%.o)
UNIT_SRC := $(sort $(wildcard tests/unit/*_test.c tests/screens/*_test.c))
UNIT_BIN := $(UNIT_SRC:%.c=$(O)/%)
TOOL_BIN := $(patsubst %.c,$(O)/%,$(sort $(wildcard tests/tools/*.c tests/bench/*.c)))
# What three of the benchmark's programs share: the bare C client.
BENCH_OBJ := $(O)/tests/bench/client/bare.o
FUZZ_BIN := $(patsubst %.c,$(O)/%,$(sort $(wildcard tests/fuzz/*.c)))
SUPPORT_OBJ := $(patsubst %.c,$(O)/%.o,$(sort $(wildcard tests/support/*.c)))
LIBRARIES := $(O)/libelectop-tui.a $(O)/libelectop.a

# pkg-config is asked when make starts: what installs packages must call make anew.
PACKAGES := tests/support/packages
AGAIN     = $(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc 2>/dev/null || echo 2))

# What is done, in a word a line; V=1 shows the commands.
say = $(if $(V),,@echo '  $(1)' $(2);)

.PHONY: all
all: $(O)/electop ## build build/electop (the default); V=1 shows the commands

$(O)/libelectop.a: $(LIB_OBJ)
	@rm -f $@
	$(call say,AR,$@)ar rcs $@ $^
$(O)/libelectop-tui.a: $(TUI_OBJ)
	@rm -f $@
	$(call say,AR,$@)ar rcs $@ $^
$(O)/electop: $(O)/tui/main.o $(LIBRARIES)
	$(call say,LD,$@)$(CC) $(LD_$(FLAVOUR)) $(LDFLAGS) -o $@ $^ $(LIBS) $(TUI_LIBS)

$(O)/%.o: %.c Makefile | have-build
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(UNIT_BIN): $(O)/%: $(O)/%.o $(SUPPORT_OBJ) $(LIBRARIES)
	$(call say,LD,$@)$(CC) $(LD_$(FLAVOUR)) $(LDFLAGS) -o $@ $^ $(LIBS) $(TUI_LIBS) $(TEST_LIBS)
$(TOOL_BIN): $(O)/%: $(O)/%.o $(LIBRARIES)
	$(call say,LD,$@)$(CC) $(LD_$(FLAVOUR)) $(LDFLAGS) -o $@ $^ $(LIBS) $(TUI_LIBS)
$(O)/tests/bench/floor $(O)/tests/bench/driver $(O)/tests/bench/crowd_floor: $(BENCH_OBJ)
$(O)/tests/fuzz/model: $(O)/tests/support/model_monkey.o
$(FUZZ_BIN): $(O)/%: $(O)/%.o $(LIBRARIES)
	$(call say,LD,$@)$(CC) $(LD_$(FLAVOUR)) $(LDFLAGS) -fsanitize=fuzzer -o $@ $(filter %.o,$^) $(LIBRARIES) $(LIBS) $(TUI_LIBS)

.PHONY: have-build have-test
have-build:
	@$(PACKAGES) --check build
have-test:
	@$(PACKAGES) --check test
$(UNIT_BIN:%=%.o) $(SUPPORT_OBJ): | have-test

.PHONY: demo test interop bench asan
demo: ## see it: a private ZooKeeper with living elections, and the dashboard on it
	@$(PACKAGES) build run
	@$(AGAIN) all
	build/electop demo
test: ## run every test (installs what they need); SUITES="unit live" for some
	@$(PACKAGES) build run test
	@$(AGAIN) all tools
	@$(AGAIN) FLAVOUR=asan all unit tools
	@$(PYTHON) tests/run $(SUITES)
interop: ## judge it by Curator and go-zookeeper, fetched from Maven Central and the Go proxy
	@$(PACKAGES) build run test interop
	@$(AGAIN) FLAVOUR=asan all tools
	@$(PYTHON) tests/run --interop $(SUITES)
bench: ## measure against a bare C client, and print the table of ratios
	@$(PACKAGES) build run test
	@$(AGAIN) all tools
	tests/bench/run
asan: ## build build/asan/electop, with address and undefined-behaviour sanitizers
	@$(AGAIN) FLAVOUR=asan all

.PHONY: unit tools fuzz fuzzers
unit: $(UNIT_BIN) ## build the unit and screen tests (FLAVOUR=asan: with sanitizers)
tools: $(TOOL_BIN) ## build the programs that tests and benchmarks run
fuzzers: $(FUZZ_BIN)
fuzz: ## run every fuzzer for FUZZ_SECONDS (20)
	@$(PACKAGES) build test tools
	@$(AGAIN) FLAVOUR=fuzz CC=clang fuzzers
	@tests/fuzz/run $(or $(FUZZ_SECONDS),20)

FORMATTED = $(shell git ls-files '*.c' '*.h')
.PHONY: format format-check screenshot
format: ## put the C sources into the house's form (clang-format)
	@$(PACKAGES) tools
	@clang-format -i $(FORMATTED)
format-check: ## say which C sources are not
	@$(PACKAGES) tools
	@clang-format --dry-run --Werror $(FORMATTED)
screenshot: ## make the README's pictures anew, from a real run of the demo
	@$(PACKAGES) build run tools
	@$(AGAIN) all
	$(PYTHON) tests/screens/picture/make
	tests/screens/picture/page

.PHONY: install uninstall deps clean help
# Where systemd looks for what does not come from the distribution.
UNITS    ?= $(PREFIX)/lib/systemd/system
SYSUSERS ?= $(PREFIX)/lib/sysusers.d
install: all ## install to $(DESTDIR)$(PREFIX)/bin, with a unit for systemd
	install -D -m 755 $(O)/electop $(DESTDIR)$(PREFIX)/bin/electop
	install -d $(DESTDIR)$(UNITS) $(DESTDIR)$(SYSUSERS)
	sed "s|@BIN@|$(PREFIX)/bin|" config/systemd/electop-record.service | \
	  install -m 644 /dev/stdin $(DESTDIR)$(UNITS)/electop-record.service
	install -m 644 config/systemd/electop.conf $(DESTDIR)$(SYSUSERS)/electop.conf
uninstall: ## remove what install put there
	rm -f $(DESTDIR)$(PREFIX)/bin/electop $(DESTDIR)$(UNITS)/electop-record.service $(DESTDIR)$(SYSUSERS)/electop.conf
deps: ## install the Debian packages for building and for the demo (as root, or with sudo)
	@$(PACKAGES) build run
clean: ## remove build/
	rm -rf build
help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | sed 's/\$$(\([A-Z]*\))/$$\1/g' | expand -t 22

-include $(patsubst %.o,%.d,$(O)/tui/main.o $(LIB_OBJ) $(TUI_OBJ) $(SUPPORT_OBJ) $(BENCH_OBJ)) $(UNIT_BIN:=.d) $(TOOL_BIN:=.d) $(FUZZ_BIN:=.d)
