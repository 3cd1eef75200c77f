# electop: top for ZooKeeper elections. `make help` lists the targets.
#
# The tree is the architecture: tui -> probe -> config. Every .c below config/ and probe/ goes into
# one library without curses (tests link it); every .c below tui/ except main.c into a second one.

VERSION  := 0.1.0
PREFIX   ?= /usr/local
DESTDIR  ?=
# One directory a flavour, so that switching between them rebuilds nothing.
FLAVOUR  ?= release
O        := $(if $(filter release,$(FLAVOUR)),build,build/$(FLAVOUR))

CC       ?= cc
STD      := -std=c11 -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700
WARN     := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla \
            -Wformat=2 -Wwrite-strings -Wpointer-arith
WERROR   ?= -Werror
HARDEN   := -fstack-protector-strong -D_FORTIFY_SOURCE=2 -fPIE
OPT_release := -O2 -g $(HARDEN)
OPT_asan    := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
OPT_fuzz    := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined,fuzzer-no-link
LD_release  := -pie -Wl,-z,relro,-z,now
LD_asan     := -fsanitize=address,undefined
LD_fuzz     := -fsanitize=address,undefined

PKGS_LIB := libuv jansson yaml-0.1 libpcre2-8
PKGS_TUI := ncursesw
PKGS_TEST := cmocka vterm
pkg       = $(shell pkg-config $(1) $(2) 2>/dev/null)

CFLAGS   ?=
ALL_CFLAGS = $(STD) $(WARN) $(WERROR) $(OPT_$(FLAVOUR)) -I. -DELECTOP_VERSION='"$(VERSION)"' \
             -DPCRE2_CODE_UNIT_WIDTH=8 $(PKG_CFLAGS) $(CFLAGS)
PKG_CFLAGS := $(call pkg,--cflags,$(PKGS_LIB) $(PKGS_TUI))
LIBS     := -lzookeeper_st $(call pkg,--libs,$(PKGS_LIB)) -lm
TUI_LIBS := $(call pkg,--libs,$(PKGS_TUI))
TEST_LIBS := $(call pkg,--libs,$(PKGS_TEST)) -lutil

LIB_SRC  := $(sort $(wildcard config/*.c probe/*.c probe/*/*.c))
TUI_SRC  := $(filter-out tui/main.c,$(sort $(wildcard tui/*.c tui/*/*.c)))
LIB_OBJ  := $(LIB_SRC:%.c=$(O)/%.o)
TUI_OBJ  := $(TUI_SRC:%.c=$(O)/%.o)
UNIT_SRC := $(sort $(wildcard tests/unit/*_test.c tests/screens/*_test.c))
UNIT_BIN := $(UNIT_SRC:%.c=$(O)/%)
SUPPORT_OBJ := $(patsubst %.c,$(O)/%.o,$(sort $(wildcard tests/support/*.c)))

.PHONY: all
all: $(O)/electop

$(O)/libelectop.a: $(LIB_OBJ)
	@rm -f $@
	ar rcs $@ $^
$(O)/libelectop-tui.a: $(TUI_OBJ)
	@rm -f $@
	ar rcs $@ $^
$(O)/electop: $(O)/tui/main.o $(O)/libelectop-tui.a $(O)/libelectop.a
	$(CC) $(LD_$(FLAVOUR)) $(LDFLAGS) -o $@ $^ $(LIBS) $(TUI_LIBS)

$(O)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(UNIT_BIN): $(O)/%: $(O)/%.o $(SUPPORT_OBJ) $(O)/libelectop-tui.a $(O)/libelectop.a
	$(CC) $(LD_$(FLAVOUR)) $(LDFLAGS) -o $@ $^ $(LIBS) $(TUI_LIBS) $(TEST_LIBS)

.PHONY: unit
unit: $(UNIT_BIN)

.PHONY: clean
clean:
	rm -rf build

-include $(shell find $(O) -name '*.d' 2>/dev/null)
