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
# A cross build names its own: see doc/contributing.md.
OBJCOPY  ?= objcopy
PKG_CONFIG ?= pkg-config
export CC PYTHON PKG_CONFIG
STD      := -std=c11 -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700
WARN     := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla \
            -Wformat=2 -Wwrite-strings -Wpointer-arith -Wredundant-decls
WERROR   ?= -Werror
# Of these options, those that this compiler knows for this machine.
known     = $(foreach option,$(1),$(shell $(CC) -Werror $(option) -E -xc - </dev/null >/dev/null 2>&1 && echo $(option)))
HARDEN   := -fstack-protector-strong -D_FORTIFY_SOURCE=2 -fPIE \
            $(call known,-fstack-clash-protection -fcf-protection=full)
# Two builds of the same sources are the same, wherever they lie.
OPT_release := -O2 -g -ffile-prefix-map=$(CURDIR)=. $(HARDEN)
# gcc 12 loses sight of memory that a list owns, and takes an index that a loop has checked for none: what it
# says of leaks and of NULL is wrong here, and the sanitizers judge both in every test.
OPT_analyze := -O2 -fanalyzer -Wno-analyzer-malloc-leak -Wno-analyzer-null-dereference \
               -Wno-analyzer-possible-null-dereference -Wno-analyzer-null-argument -Wno-analyzer-double-free
# Its debug information serves backtraces, and its hundred test programs are linked by the faster linker.
OPT_asan    := -O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
OPT_tsan    := -O1 -g -fno-omit-frame-pointer -fsanitize=thread
OPT_fuzz    := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined,fuzzer-no-link
LD_release  := -pie -Wl,-z,relro,-z,now,-z,noexecstack
LD_asan     := -fsanitize=address,undefined $(if $(shell command -v ld.gold),-fuse-ld=gold)
LD_tsan     := -fsanitize=thread
LD_fuzz     := -fsanitize=address,undefined

PKGS_LIB := libuv libpcap libcurl libmicrohttpd jansson yaml-0.1 libpcre2-8 sqlite3 zlib openssl libsasl2 krb5-gssapi krb5 libarchive libdeflate
PKGS_TUI := ncursesw
PKGS_TEST := cmocka vterm
pkg       = $(shell $(PKG_CONFIG) $(1) $(2) 2>/dev/null)

CFLAGS   ?=
ALL_CFLAGS = $(STD) $(WARN) $(WERROR) $(OPT_$(FLAVOUR)) -I. -DELECTOP_VERSION='"$(VERSION)"' \
             -DPCRE2_CODE_UNIT_WIDTH=8 $(PKG_CFLAGS) $(CFLAGS)
# ncursesw asks for an older _XOPEN_SOURCE than ours, and for more than POSIX.
PKG_CFLAGS := $(filter-out -D_XOPEN_SOURCE=% -D_DEFAULT_SOURCE,$(call pkg,--cflags,$(PKGS_LIB) $(PKGS_TUI)))
# The C client, with its calls of the system bound to probe/transport; the benchmark's floor takes it as it is.
CLIENT   := $(O)/libzookeeper_st.a
# It clears no credential that it frees: its free() does.
CLIENT_CALLS := connect=transport_connect send=transport_send recv=transport_recv poll=transport_poll \
                close=transport_close free=secret_library_free realloc=secret_library_realloc
LIBS      = $(CLIENT) $(call pkg,--libs,$(PKGS_LIB)) -lm -lpthread
TUI_LIBS := $(call pkg,--libs,$(PKGS_TUI))
TEST_LIBS := $(call pkg,--libs,$(PKGS_TEST)) -lutil

LIB_SRC  := $(sort $(wildcard config/*.c probe/*.c probe/*/*.c probe/*/*/*.c))
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
# The manual: templates whose markers doc/manual.c fills from the program's tables. A cross build names a
# native one: make MANUAL=build/doc/manual ...
MANUAL   ?= $(O)/doc/manual
PAGES    := $(patsubst doc/%.in,$(O)/man/%,$(sort $(wildcard doc/*.in)))

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
$(CLIENT): Makefile | have-build
	@mkdir -p $(@D)
	$(call say,OBJCOPY,$@)$(OBJCOPY) $(CLIENT_CALLS:%=--redefine-sym %) \
	  $$($(CC) -print-file-name=libzookeeper_st.a) $@
$(O)/electop: $(O)/tui/main.o $(LIBRARIES) $(CLIENT)
	$(call say,LD,$@)$(CC) $(LD_$(FLAVOUR)) $(LDFLAGS) -o $@ $(filter-out $(CLIENT),$^) $(LIBS) $(TUI_LIBS)

$(O)/doc/manual: $(O)/doc/manual.o $(LIBRARIES) $(CLIENT)
	$(call say,LD,$@)$(CC) $(LD_$(FLAVOUR)) $(LDFLAGS) -o $@ $(filter-out $(CLIENT),$^) $(LIBS) $(TUI_LIBS)
$(O)/man/%: doc/%.in $(MANUAL)
	@mkdir -p $(@D)
	$(call say,MAN,$@)$(MANUAL) $< >$@.new && mv $@.new $@

$(O)/%.o: %.c Makefile | have-build
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(UNIT_BIN): $(O)/%: $(O)/%.o $(SUPPORT_OBJ) $(LIBRARIES) $(CLIENT)
	$(call say,LD,$@)$(CC) $(LD_$(FLAVOUR)) $(LDFLAGS) -o $@ $(filter-out $(CLIENT),$^) $(LIBS) $(TUI_LIBS) $(TEST_LIBS)
$(TOOL_BIN): $(O)/%: $(O)/%.o $(LIBRARIES) $(CLIENT)
	$(call say,LD,$@)$(CC) $(LD_$(FLAVOUR)) $(LDFLAGS) -o $@ $(filter-out %/libzookeeper_st.a,$^) $(LIBS) $(TUI_LIBS)
# The same without the transport.
$(O)/tests/bench/transport_bare: $(O)/tests/bench/transport.o $(LIBRARIES)
	$(call say,LD,$@)$(CC) $(LD_$(FLAVOUR)) $(LDFLAGS) -o $@ $^ $(LIBS)
$(O)/tests/bench/transport_bare: CLIENT := -l:libzookeeper_st.a
tools: $(O)/tests/bench/transport_bare
BARE_BIN := $(O)/tests/bench/floor $(O)/tests/bench/driver $(O)/tests/bench/crowd_floor
$(BARE_BIN): $(BENCH_OBJ)
$(BARE_BIN): CLIENT := -l:libzookeeper_st.a
$(O)/tests/fuzz/model: $(O)/tests/support/model_monkey.o
$(FUZZ_BIN): $(O)/%: $(O)/%.o $(LIBRARIES) $(CLIENT)
	$(call say,LD,$@)$(CC) $(LD_$(FLAVOUR)) $(LDFLAGS) -fsanitize=fuzzer -o $@ $(filter %.o,$^) $(LIBRARIES) $(LIBS) $(TUI_LIBS)

.PHONY: have-build have-test
have-build:
	@$(PACKAGES) --check build
have-test:
	@$(PACKAGES) --check test
$(UNIT_BIN:%=%.o) $(SUPPORT_OBJ): | have-test

.PHONY: demo test test-slow interop field bench chaos outage day asan
demo: ## see it: a private ZooKeeper with living elections, and the dashboard on it
	@$(PACKAGES) build run
	@$(AGAIN) all
	build/electop demo
test: ## run every test (installs what they need); SUITES="unit live" for some
	@$(PACKAGES) build run test
	@$(AGAIN) all
	@$(AGAIN) FLAVOUR=asan all unit tools man
	@$(PYTHON) tests/run $(SUITES)
test-slow: ## run the tests that need a minute and more of real time, some under valgrind and the thread sanitizer
	@$(PACKAGES) build run test
	@$(AGAIN) all
	@$(AGAIN) FLAVOUR=tsan all
	@$(AGAIN) FLAVOUR=asan all unit tools
	@$(PYTHON) tests/run --slow $(SUITES)
interop: ## judge it by other clients, fetched from Maven Central and the Go proxy, and by ZooKeeper 3.5 to 3.9
	@$(PACKAGES) build run test interop
	@$(AGAIN) FLAVOUR=asan all tools
	@$(PYTHON) tests/run --interop $(SUITES); status=$$?; cat build/interop/security.txt 2>/dev/null; exit $$status
field: ## judge it by real systems (not in CI); SYSTEMS="kafka helix" for some
	@$(PACKAGES) build run test interop
	@$(AGAIN) all tools
	@$(PYTHON) tests/field/run $(SYSTEMS)
bench: ## measure against a bare C client, and print the table of ratios; CURVES=1 draws build/curves.svg, too
	@$(PACKAGES) build run test
	@$(AGAIN) all tools
	tests/bench/run $(if $(CURVES),--curves build/curves.svg)
chaos: ## harass three servers for FOR=20m, and judge what was said by their logs; SEED=52 chooses the faults
	@$(PACKAGES) build run test
	@$(AGAIN) FLAVOUR=asan all tools
	@$(PYTHON) tests/live/chaos_run chaos $(or $(SEED),52) $(or $(FOR),20m)
outage: ## harass servers and clients for FOR=15m, and let an autopsy of the logs name each cause; SEED=16
	@$(PACKAGES) build run test
	@$(AGAIN) all tools
	@ELECTOP=build/electop SANDBOX=build/tests/tools/sandbox \
	  $(PYTHON) tests/live/chaos_run outage $(or $(SEED),16) $(or $(FOR),15m)
day: ## a day of elections and faults in FOR=60m: what programs hold every tenth of it, and whether it stays flat; SEED=17
	@$(PACKAGES) build run test
	@$(AGAIN) all tools
	@ELECTOP=build/electop SANDBOX=build/tests/tools/sandbox \
	  $(PYTHON) tests/live/chaos_run day $(or $(SEED),17) $(or $(FOR),60m)
asan: ## build build/asan/electop, with address and undefined-behaviour sanitizers
	@$(AGAIN) FLAVOUR=asan all

.PHONY: man unit tools fuzz fuzzers campaign
man: $(PAGES) ## fill the manual's pages into build/man
unit: $(UNIT_BIN) ## build the unit and screen tests (FLAVOUR=asan: with sanitizers)
tools: $(TOOL_BIN) $(O)/doc/manual ## build the programs that tests and benchmarks run
fuzzers: $(FUZZ_BIN)
fuzz: ## run every fuzzer for FUZZ_SECONDS (20)
	@$(PACKAGES) build test tools
	@$(AGAIN) FLAVOUR=fuzz CC=clang fuzzers
	@tests/fuzz/run $(or $(FUZZ_SECONDS),20)

CAMPAIGN = logs=5000 recordings=2000 captures=500 cases=500 requests=100000 connections=100000
campaign: ## changed logs, recordings, packets, cases, requests and connections through both builds (hours); SEED=1
	@$(PACKAGES) build run test
	@$(AGAIN) all
	@$(AGAIN) FLAVOUR=asan all tools
	ELECTOP=$(CURDIR)/build/electop tests/fuzz/campaign $(CAMPAIGN)
	ELECTOP=$(CURDIR)/build/asan/electop tests/fuzz/campaign $(CAMPAIGN)

.PHONY: check-static objects
objects: $(O)/tui/main.o $(LIB_OBJ) $(TUI_OBJ)
check-static: ## read the sources for mistakes: gcc's analyzer, clang-tidy, cppcheck
	@$(PACKAGES) build tools
	@$(AGAIN) FLAVOUR=analyze CC=gcc objects
	@tests/structure/static
FORMATTED = $(shell git ls-files '*.c' '*.h')
.PHONY: format format-check screenshot
format: ## put the C sources into the house's form (clang-format)
	@$(PACKAGES) tools
	@clang-format -i $(FORMATTED)
format-check: ## say which C sources are not
	@$(PACKAGES) tools
	@clang-format --dry-run --Werror $(FORMATTED)
screenshot: ## make the README's pictures anew, from a real run of the demo
	@$(PACKAGES) build run test tools
	@$(AGAIN) all
	$(PYTHON) tests/screens/picture/make
	$(PYTHON) tests/screens/picture/grafana
	tests/screens/picture/page

.PHONY: install uninstall deps clean help
# Where systemd looks for what does not come from the distribution.
UNITS    ?= $(PREFIX)/lib/systemd/system
SYSUSERS ?= $(PREFIX)/lib/sysusers.d
MANDIR   ?= $(PREFIX)/share/man
# Where each shell looks for completions.
BASH_COMPLETIONS ?= $(PREFIX)/share/bash-completion/completions
ZSH_COMPLETIONS  ?= $(PREFIX)/share/zsh/site-functions
FISH_COMPLETIONS ?= $(PREFIX)/share/fish/vendor_completions.d
install: all man $(MANUAL) ## install to $(DESTDIR)$(PREFIX)/bin, with a unit for systemd
	install -D -m 755 $(O)/electop $(DESTDIR)$(PREFIX)/bin/electop
	install -d $(DESTDIR)$(UNITS) $(DESTDIR)$(SYSUSERS)
	for unit in record export; do \
	  sed "s|@BIN@|$(PREFIX)/bin|" config/systemd/electop-$$unit.service | \
	    install -m 644 /dev/stdin $(DESTDIR)$(UNITS)/electop-$$unit.service || exit 1; done
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/doc/electop/examples config/prometheus/* config/grafana/electop.json \
	  config/debian/config.example.yaml
	$(MANUAL) --example | install -m 644 /dev/stdin $(DESTDIR)$(PREFIX)/share/doc/electop/examples/every-key.yaml
	install -d $(DESTDIR)$(BASH_COMPLETIONS) $(DESTDIR)$(ZSH_COMPLETIONS) $(DESTDIR)$(FISH_COMPLETIONS)
	$(MANUAL) --completion bash | install -m 644 /dev/stdin $(DESTDIR)$(BASH_COMPLETIONS)/electop
	$(MANUAL) --completion zsh | install -m 644 /dev/stdin $(DESTDIR)$(ZSH_COMPLETIONS)/_electop
	$(MANUAL) --completion fish | install -m 644 /dev/stdin $(DESTDIR)$(FISH_COMPLETIONS)/electop.fish
	install -m 644 config/systemd/electop.conf $(DESTDIR)$(SYSUSERS)/electop.conf
	for page in $(PAGES); do \
	  install -D -m 644 $$page $(DESTDIR)$(MANDIR)/man$${page##*.}/$${page##*/} || exit 1; done
uninstall: ## remove what install put there
	for page in $(PAGES); do rm -f $(DESTDIR)$(MANDIR)/man$${page##*.}/$${page##*/}; done
	rm -f $(DESTDIR)$(PREFIX)/bin/electop $(DESTDIR)$(UNITS)/electop-record.service $(DESTDIR)$(UNITS)/electop-export.service \
	  $(DESTDIR)$(SYSUSERS)/electop.conf
	rm -f $(DESTDIR)$(BASH_COMPLETIONS)/electop $(DESTDIR)$(ZSH_COMPLETIONS)/_electop $(DESTDIR)$(FISH_COMPLETIONS)/electop.fish
	rm -rf $(DESTDIR)$(PREFIX)/share/doc/electop/examples
.PHONY: dist deb
dist: ## make build/electop-VERSION.tar.gz, which builds without git
	@mkdir -p build
	git ls-files -z | grep -zv '^\.ci/' | tar --null -T - --transform 's|^|electop-$(VERSION)/|' --owner=0 --group=0 -czf build/electop-$(VERSION).tar.gz
deb: dist ## make build/deb/electop_VERSION_ARCH.deb, without a word from lintian
	@$(PACKAGES) build package
	rm -rf build/deb && mkdir -p build/deb
	tar -xzf build/electop-$(VERSION).tar.gz -C build/deb
	cp -r config/debian build/deb/electop-$(VERSION)/debian
	rm build/deb/electop-$(VERSION)/debian/config.example.yaml
	cd build/deb/electop-$(VERSION) && dpkg-buildpackage -b -us -uc
	lintian --fail-on error,warning build/deb/electop_*.changes
deps: ## install the Debian packages for building and for the demo (as root, or with sudo)
	@$(PACKAGES) build run
clean: ## remove build/
	rm -rf build
help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | sed 's/\$$(\([A-Z]*\))/$$\1/g' | expand -t 22

-include $(patsubst %.o,%.d,$(O)/tui/main.o $(LIB_OBJ) $(TUI_OBJ) $(SUPPORT_OBJ) $(BENCH_OBJ) $(O)/doc/manual.o) $(UNIT_BIN:=.d) $(TOOL_BIN:=.d) $(FUZZ_BIN:=.d)
