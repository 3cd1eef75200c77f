#define _GNU_SOURCE /* F_OFD_SETLK: the locks of Kerberos */
#include "tui/commands/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probe/log.h"

#if defined __x86_64__
#define SYSTEM_CALLS AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define SYSTEM_CALLS AUDIT_ARCH_AARCH64
#endif

#ifdef SYSTEM_CALLS

/* Groups of calls that a command needs, beside those that all need. */
enum {
    DOES_ALL = 0,
    DOES_CONNECT = 1, /* to servers, resolvers and a KDC */
    DOES_SERVE = 2,   /* listens */
    DOES_WRITE = 4    /* makes, renames and removes files: a recording, a report, a private directory */
};

struct allowed_call {
    int number;
    unsigned does;
};

/* Older architectures have a second form of many calls, which newer ones (arm64) lack. */
static const struct allowed_call allowed_calls[] = {
    /* memory */
    {SYS_brk, 0},
    {SYS_mmap, 0},
    {SYS_munmap, 0},
    {SYS_mremap, 0},
    {SYS_mprotect, 0},
    {SYS_madvise, 0},
    {SYS_mlock, 0},
    {SYS_munlock, 0},
    {SYS_membarrier, 0},
    {SYS_mincore, 0},
    {SYS_msync, 0},
    /* this process and its threads */
    {SYS_clone, 0},
    {SYS_exit, 0},
    {SYS_exit_group, 0},
    {SYS_futex, 0},
    {SYS_rseq, 0},
    {SYS_set_robust_list, 0},
    {SYS_get_robust_list, 0},
    {SYS_set_tid_address, 0},
    {SYS_gettid, 0},
    {SYS_getpid, 0},
    {SYS_getppid, 0},
    {SYS_getpgid, 0},
    {SYS_getsid, 0},
    {SYS_getuid, 0},
    {SYS_geteuid, 0},
    {SYS_getgid, 0},
    {SYS_getegid, 0},
    {SYS_getgroups, 0},
    {SYS_getresuid, 0},
    {SYS_getresgid, 0},
    {SYS_getrusage, 0},
    {SYS_prlimit64, 0},
    {SYS_getrlimit, 0},
    {SYS_setrlimit, 0},
    {SYS_prctl, 0},
    {SYS_sched_yield, 0},
    {SYS_sched_getaffinity, 0},
    {SYS_sched_getparam, 0},
    {SYS_sched_getscheduler, 0},
    {SYS_sched_get_priority_max, 0},
    {SYS_sched_get_priority_min, 0},
    {SYS_getpriority, 0},
    {SYS_getcpu, 0},
    {SYS_uname, 0},
    {SYS_sysinfo, 0},
    {SYS_wait4, 0},
    {SYS_waitid, 0},
    {SYS_capget, 0},
    {SYS_getrandom, 0},
    {SYS_umask, 0},
    {SYS_restart_syscall, 0},
    /* signals: to itself, and to its terminal's job (Ctrl-Z) */
    {SYS_rt_sigaction, 0},
    {SYS_rt_sigprocmask, 0},
    {SYS_rt_sigreturn, 0},
    {SYS_rt_sigpending, 0},
    {SYS_rt_sigtimedwait, 0},
    {SYS_rt_sigsuspend, 0},
    {SYS_sigaltstack, 0},
    {SYS_signalfd4, 0},
    /* time */
    {SYS_clock_gettime, 0},
    {SYS_clock_getres, 0},
    {SYS_clock_nanosleep, 0},
    {SYS_gettimeofday, 0},
    {SYS_nanosleep, 0},
    {SYS_times, 0},
    {SYS_timer_create, 0},
    {SYS_timer_settime, 0},
    {SYS_timer_delete, 0},
    {SYS_timerfd_create, 0},
    {SYS_timerfd_settime, 0},
    {SYS_setitimer, 0},
    {SYS_getitimer, 0},
    /* descriptors; fcntl() and ioctl() are below */
    {SYS_read, 0},
    {SYS_readv, 0},
    {SYS_pread64, 0},
    {SYS_preadv, 0},
    {SYS_write, 0},
    {SYS_writev, 0},
    {SYS_pwrite64, 0},
    {SYS_pwritev, 0},
    {SYS_lseek, 0},
    {SYS_close, 0},
    {SYS_close_range, 0},
    {SYS_dup, 0},
    {SYS_dup3, 0},
    {SYS_flock, 0},
    {SYS_pipe2, 0},
    {SYS_eventfd2, 0},
    {SYS_epoll_create1, 0},
    {SYS_epoll_ctl, 0},
    {SYS_epoll_pwait, 0},
    {SYS_epoll_pwait2, 0},
    {SYS_ppoll, 0},
    {SYS_pselect6, 0},
    {SYS_splice, 0},
    {SYS_sendfile, 0},
    {SYS_copy_file_range, 0},
    {SYS_memfd_create, 0}, /* pictures are drawn into one */
    /* files */
    {SYS_openat, 0},
    {SYS_openat2, 0},
    {SYS_fstat, 0},
    {SYS_newfstatat, 0},
    {SYS_statx, 0},
    {SYS_statfs, 0},
    {SYS_fstatfs, 0},
    {SYS_faccessat, 0},
    {SYS_faccessat2, 0},
    {SYS_readlinkat, 0},
    {SYS_getdents64, 0},
    {SYS_getcwd, 0},
    {SYS_chdir, 0},
    {SYS_fchdir, 0},
    {SYS_fadvise64, 0},
    {SYS_readahead, 0},
    {SYS_inotify_init1, 0},
    {SYS_inotify_add_watch, 0},
    {SYS_inotify_rm_watch, 0},
    {SYS_ftruncate, DOES_WRITE},
    {SYS_truncate, DOES_WRITE},
    {SYS_fallocate, DOES_WRITE},
    {SYS_fsync, DOES_WRITE},
    {SYS_fdatasync, DOES_WRITE},
    {SYS_sync_file_range, DOES_WRITE},
    {SYS_renameat, DOES_WRITE},
    {SYS_renameat2, DOES_WRITE},
    {SYS_unlinkat, DOES_WRITE},
    {SYS_mkdirat, DOES_WRITE},
    {SYS_linkat, DOES_WRITE},
    {SYS_fchmod, DOES_WRITE},
    {SYS_fchmodat, DOES_WRITE},
    {SYS_fchown, DOES_WRITE},
    {SYS_fchownat, DOES_WRITE},
    {SYS_utimensat, DOES_WRITE},
    /* sockets; socketpair() is below */
    {SYS_sendto, 0},
    {SYS_sendmsg, 0},
    {SYS_recvfrom, 0},
    {SYS_recvmsg, 0},
    {SYS_getsockopt, 0},
    {SYS_setsockopt, 0},
    {SYS_getsockname, 0},
    {SYS_getpeername, 0},
    {SYS_shutdown, 0},
    {SYS_socket, DOES_CONNECT},
    {SYS_connect, DOES_CONNECT},
    {SYS_sendmmsg, DOES_CONNECT},
    {SYS_recvmmsg, DOES_CONNECT},
    {SYS_bind, DOES_CONNECT | DOES_SERVE},
    {SYS_listen, DOES_SERVE},
    {SYS_accept, DOES_SERVE},
    {SYS_accept4, DOES_SERVE},
    /* tickets of Kerberos may be in the kernel's keyring */
    {SYS_keyctl, DOES_CONNECT},
    {SYS_add_key, DOES_CONNECT},
    {SYS_request_key, DOES_CONNECT},
#ifdef SYS_open
    {SYS_open, 0},
    {SYS_stat, 0},
    {SYS_lstat, 0},
    {SYS_access, 0},
    {SYS_readlink, 0},
    {SYS_getdents, 0},
    {SYS_poll, 0},
    {SYS_select, 0},
    {SYS_epoll_create, 0},
    {SYS_epoll_wait, 0},
    {SYS_pipe, 0},
    {SYS_eventfd, 0},
    {SYS_inotify_init, 0},
    {SYS_dup2, 0},
    {SYS_getpgrp, 0},
    {SYS_time, 0},
    {SYS_alarm, 0},
    {SYS_pause, 0},
    {SYS_arch_prctl, 0},
    {SYS_rename, DOES_WRITE},
    {SYS_unlink, DOES_WRITE},
    {SYS_mkdir, DOES_WRITE},
    {SYS_rmdir, DOES_WRITE},
    {SYS_link, DOES_WRITE},
    {SYS_chmod, DOES_WRITE},
    {SYS_chown, DOES_WRITE},
    {SYS_creat, DOES_WRITE},
#endif
#ifdef __SANITIZE_ADDRESS__
    {SYS_ptrace, 0}, /* its search for leaks stops this process's own threads */
#endif
};
#define CALLS_MOST (sizeof allowed_calls / sizeof *allowed_calls)

/* What fcntl() and ioctl() may do. Others send signals to any process, or push input into the terminal, which the
 * user's shell would read. */
static const unsigned allowed_fcntls[] = {F_DUPFD,     F_DUPFD_CLOEXEC, F_GETFD,     F_SETFD,
                                          F_GETFL,     F_GETLK,         F_SETLK,     F_SETLKW,
                                          F_OFD_GETLK, F_OFD_SETLK,     F_OFD_SETLKW};
/* ... with termios2, as newer C libraries ask a terminal. */
#define TERMINAL2(direction, number) (direction << 30 | 44u << 16 | 'T' << 8 | number)
static const unsigned allowed_ioctls[] = {TCGETS,
                                          TCSETS,
                                          TCSETSW,
                                          TCSETSF,
                                          TERMINAL2(2u, 0x2a),
                                          TERMINAL2(1u, 0x2b),
                                          TERMINAL2(1u, 0x2c),
                                          TERMINAL2(1u, 0x2d),
                                          TCFLSH,
                                          TCSBRK,
                                          TIOCGWINSZ,
                                          TIOCGPGRP,
                                          TIOCGSID,
                                          FIONREAD,
                                          FIONBIO,
                                          FIOCLEX,
                                          FIONCLEX,
                                          TIOCOUTQ,
                                          SIOCGIFNAME,
                                          SIOCGIFINDEX};
#define ARGUMENTS_MOST                                                                                       \
    (sizeof allowed_fcntls / sizeof *allowed_fcntls + sizeof allowed_ioctls / sizeof *allowed_ioctls)

/* The filter's steps around the lists. */
#define STEPS_MORE 56

struct call_filter {
    struct sock_filter steps[2 * (CALLS_MOST + ARGUMENTS_MOST) + STEPS_MORE];
    unsigned short count;
};

static void filter_add(struct call_filter *filter, struct sock_filter step)
{
    filter->steps[filter->count++] = step;
}

static void filter_load(struct call_filter *filter, size_t offset)
{
    filter_add(filter, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offset));
}

static void filter_end(struct call_filter *filter, unsigned action)
{
    filter_add(filter, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

/* If the loaded word equals the value: this action. */
static void filter_end_if(struct call_filter *filter, unsigned value, unsigned action)
{
    filter_add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
    filter_end(filter, action);
}

/* Both architectures are little-endian: the lower half of an argument comes first. */
#define ARGUMENT(n) (offsetof(struct seccomp_data, args) + 8 * (n))
#define REFUSED (SECCOMP_RET_ERRNO | EPERM)

/* The first argument is one of these processes, 0 is this one or its job: allowed, else refused. */
static void filter_process(struct call_filter *filter, int number, unsigned process)
{
    filter_add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 6));
    filter_load(filter, ARGUMENT(0));
    filter_end_if(filter, 0, SECCOMP_RET_ALLOW);
    filter_end_if(filter, process, SECCOMP_RET_ALLOW);
    filter_end(filter, REFUSED);
}

/* The second argument is one of these: allowed, else refused. So is masked, if the third has none of these bits. */
static void filter_second(struct call_filter *filter, int number, const unsigned *allowed, size_t count,
                          unsigned masked, unsigned mask)
{
    unsigned char steps = (unsigned char)(2 * count + 2 + (mask ? 4 : 0));
    filter_add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, steps));
    filter_load(filter, ARGUMENT(1));
    for (size_t i = 0; i < count; i++)
        filter_end_if(filter, allowed[i], SECCOMP_RET_ALLOW);
    if (mask) {
        filter_add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, masked, 0, 3));
        filter_load(filter, ARGUMENT(2));
        filter_add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, mask, 1, 0));
        filter_end(filter, SECCOMP_RET_ALLOW);
    }
    filter_end(filter, REFUSED);
}

/* clone() may make threads, and no process: a child could get the number of one that is allowed here. prlimit64() and signals are for this process only. */
static void filter_arguments(struct call_filter *filter)
{
    const unsigned namespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
                                CLONE_NEWPID | CLONE_NEWNET;
#ifdef __SANITIZE_ADDRESS__
    const unsigned threads = CLONE_VM; /* its search for leaks runs beside the process */
#else
    const unsigned threads = CLONE_THREAD;
#endif
    filter_add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 5));
    filter_load(filter, ARGUMENT(0));
    filter_add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, namespaces, 1, 0));
    filter_add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, threads, 1, 0));
    filter_end(filter, REFUSED);
    filter_end(filter, SECCOMP_RET_ALLOW);
    /* libuv's pipes; a pair of datagram sockets could send to others by their names. */
    filter_add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socketpair, 0, 4));
    filter_load(filter, ARGUMENT(1));
    filter_add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0xf & ~SOCK_STREAM, 0, 1));
    filter_end(filter, REFUSED);
    filter_end(filter, SECCOMP_RET_ALLOW);
    filter_process(filter, SYS_prlimit64, (unsigned)getpid());
    filter_process(filter, SYS_kill, (unsigned)getpid());
    filter_process(filter, SYS_tgkill, (unsigned)getpid());
    filter_second(filter, SYS_fcntl, allowed_fcntls, sizeof allowed_fcntls / sizeof *allowed_fcntls, F_SETFL,
                  O_ASYNC);
    filter_second(filter, SYS_ioctl, allowed_ioctls, sizeof allowed_ioctls / sizeof *allowed_ioctls, 0, 0);
}

static void filter_make(struct call_filter *filter, unsigned does)
{
    filter->count = 0;
    filter_load(filter, offsetof(struct seccomp_data, arch));
    filter_add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYSTEM_CALLS, 1, 0));
    filter_end(filter, SECCOMP_RET_KILL_PROCESS);
    filter_load(filter, offsetof(struct seccomp_data, nr));
    filter_arguments(filter);
    for (size_t i = 0; i < CALLS_MOST; i++)
        if (!allowed_calls[i].does || allowed_calls[i].does & does)
            filter_end_if(filter, (unsigned)allowed_calls[i].number, SECCOMP_RET_ALLOW);
    filter_end(filter, SECCOMP_RET_ERRNO | ENOSYS);
}

static unsigned what_it_does(enum command command)
{
    switch (command) {
    case COMMAND_REPORT:
    case COMMAND_WHY:
    case COMMAND_REPLAY:
    case COMMAND_CASE:
    case COMMAND_BUNDLE:
    case COMMAND_AUTOPSY:
        return DOES_WRITE;
    case COMMAND_EXPORT:
        return DOES_CONNECT | DOES_WRITE | DOES_SERVE;
    case COMMAND_CONFIG:
    case COMMAND_COMPLETION:
    case COMMAND_HELP:
    case COMMAND_VERSION:
        return DOES_ALL;
    default:
        return DOES_CONNECT | DOES_WRITE;
    }
}
#endif

void confine(const struct options *options)
{
    if (options->command == COMMAND_DEMO || options->command == COMMAND_RECORD)
        return;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return;
#ifdef SYSTEM_CALLS
    struct call_filter filter;
    bool files =
        options->replay || (options->capture_count > 0 && !options_beside(options)); /* for servers */
    filter_make(&filter, what_it_does(options->command) & (files ? DOES_WRITE : ~0u));
    struct sock_fprog program = {filter.count, filter.steps};
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0)
        log_line(LOG_LEVEL_INFO, "cannot filter system calls: %s", strerror(errno));
#endif
}
