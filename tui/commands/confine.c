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

/* Older architectures have a second form of many calls, which newer ones (arm64) lack. */
static const int calls_of_all[] = {
    /* memory */
    SYS_brk, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_mlock, SYS_munlock,
    SYS_membarrier, SYS_mincore, SYS_msync,
    /* this process and its threads */
    SYS_clone, SYS_exit, SYS_exit_group, SYS_futex, SYS_rseq, SYS_set_robust_list, SYS_get_robust_list,
    SYS_set_tid_address, SYS_gettid, SYS_getpid, SYS_getppid, SYS_getpgid, SYS_getsid, SYS_getuid,
    SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getgroups, SYS_getresuid, SYS_getresgid, SYS_getrusage,
    SYS_prlimit64, SYS_getrlimit, SYS_setrlimit, SYS_prctl, SYS_sched_yield, SYS_sched_getaffinity,
    SYS_sched_getparam, SYS_sched_getscheduler, SYS_sched_get_priority_max, SYS_sched_get_priority_min,
    SYS_getpriority, SYS_getcpu, SYS_uname, SYS_sysinfo, SYS_wait4, SYS_waitid, SYS_capget, SYS_getrandom,
    SYS_umask, SYS_restart_syscall,
    /* signals: to itself, and to its terminal's job (Ctrl-Z) */
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigpending, SYS_rt_sigtimedwait,
    SYS_rt_sigsuspend, SYS_sigaltstack, SYS_signalfd4,
    /* time */
    SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_gettimeofday, SYS_nanosleep, SYS_times,
    SYS_timer_create, SYS_timer_settime, SYS_timer_delete, SYS_timerfd_create, SYS_timerfd_settime,
    SYS_setitimer, SYS_getitimer,
    /* descriptors, and memory as one, in which pictures are drawn; fcntl() and ioctl() are below */
    SYS_read, SYS_readv, SYS_pread64, SYS_preadv, SYS_write, SYS_writev, SYS_pwrite64, SYS_pwritev, SYS_lseek,
    SYS_close, SYS_close_range, SYS_dup, SYS_dup3, SYS_flock, SYS_pipe2, SYS_eventfd2, SYS_epoll_create1,
    SYS_epoll_ctl, SYS_epoll_pwait, SYS_epoll_pwait2, SYS_ppoll, SYS_pselect6, SYS_splice, SYS_sendfile,
    SYS_copy_file_range, SYS_memfd_create,
    /* files */
    SYS_openat, SYS_openat2, SYS_fstat, SYS_newfstatat, SYS_statx, SYS_statfs, SYS_fstatfs, SYS_faccessat,
    SYS_faccessat2, SYS_readlinkat, SYS_getdents64, SYS_getcwd, SYS_chdir, SYS_fchdir, SYS_fadvise64,
    SYS_readahead, SYS_inotify_init1, SYS_inotify_add_watch, SYS_inotify_rm_watch,
    /* sockets; socketpair() is below */
    SYS_sendto, SYS_sendmsg, SYS_recvfrom, SYS_recvmsg, SYS_getsockopt, SYS_setsockopt, SYS_getsockname,
    SYS_getpeername, SYS_shutdown,
#ifdef SYS_open
    SYS_open, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_getdents, SYS_poll, SYS_select,
    SYS_epoll_create, SYS_epoll_wait, SYS_pipe, SYS_eventfd, SYS_inotify_init, SYS_dup2, SYS_getpgrp,
    SYS_time, SYS_alarm, SYS_pause, SYS_arch_prctl,
#endif
#ifdef __SANITIZE_ADDRESS__
    SYS_ptrace, /* its search for leaks stops this process's own threads */
#endif
};
static const int calls_to_write[] = {
    SYS_ftruncate, SYS_truncate,  SYS_fallocate, SYS_fsync,     SYS_fdatasync, SYS_sync_file_range,
    SYS_renameat,  SYS_renameat2, SYS_unlinkat,  SYS_mkdirat,   SYS_linkat,    SYS_fchmod,
    SYS_fchmodat,  SYS_fchown,    SYS_fchownat,  SYS_utimensat,
#ifdef SYS_open
    SYS_rename,    SYS_unlink,    SYS_mkdir,     SYS_rmdir,     SYS_link,      SYS_chmod,
    SYS_chown,     SYS_creat,
#endif
};
/* ... and tickets of Kerberos may be in the kernel's keyring. */
static const int calls_to_connect[] = {
    SYS_socket, SYS_connect, SYS_sendmmsg, SYS_recvmmsg, SYS_bind, SYS_keyctl, SYS_add_key, SYS_request_key,
};
static const int calls_to_serve[] = {SYS_bind, SYS_listen, SYS_accept, SYS_accept4};

static const struct {
    unsigned does;
    const int *calls;
    size_t count;
} allowed_calls[] = {
    {DOES_ALL, calls_of_all, sizeof calls_of_all / sizeof *calls_of_all},
    {DOES_WRITE, calls_to_write, sizeof calls_to_write / sizeof *calls_to_write},
    {DOES_CONNECT, calls_to_connect, sizeof calls_to_connect / sizeof *calls_to_connect},
    {DOES_SERVE, calls_to_serve, sizeof calls_to_serve / sizeof *calls_to_serve},
};
#define CALLS_MOST                                                                                           \
    ((sizeof calls_of_all + sizeof calls_to_write + sizeof calls_to_connect + sizeof calls_to_serve) /       \
     sizeof *calls_of_all)

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

/* clone() may make threads, and no process: a child could get the number of one that is allowed here. prlimit64() and
 * signals are for this process only. */
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
    for (size_t i = 0; i < sizeof allowed_calls / sizeof *allowed_calls; i++)
        for (size_t k = 0;
             (allowed_calls[i].does & does) == allowed_calls[i].does && k < allowed_calls[i].count; k++)
            filter_end_if(filter, (unsigned)allowed_calls[i].calls[k], SECCOMP_RET_ALLOW);
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
    bool confined = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
#ifdef SYSTEM_CALLS
    struct call_filter filter;
    bool files =
        options->replay || (options->capture_count > 0 && !options_beside(options)); /* for servers */
    filter_make(&filter, what_it_does(options->command) & (files ? DOES_WRITE : ~0u));
    struct sock_fprog program = {filter.count, filter.steps};
    confined = confined && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
#endif
    if (!confined)
        log_line(LOG_LEVEL_WARNING, "this process is not confined, its system calls are not filtered: %s",
                 strerror(errno));
}
