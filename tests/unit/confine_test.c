/*
 * What a confined process cannot do: change the system, look into other processes, run programs. Each call is
 * made for real, by a process that was confined as the command is.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/test.h"
#include "tui/commands/confine.h"

/* Arguments that no call accepts, should it be allowed. */
static const int forbidden[] = {
    SYS_setdomainname,
    SYS_sethostname,
    SYS_clock_adjtime,
    SYS_adjtimex,
    SYS_clock_settime,
    SYS_settimeofday,
    SYS_kexec_load,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_unshare,
    SYS_setns,
    SYS_kcmp,
    SYS_process_vm_readv,
    SYS_bpf,
    SYS_process_vm_writev,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_quotactl,
    SYS_syslog,
    SYS_vhangup,
    SYS_personality,
    SYS_setuid,
    SYS_setgid,
    SYS_setreuid,
    SYS_setregid,
    SYS_setresuid,
    SYS_setresgid,
    SYS_setgroups,
    SYS_setfsuid,
    SYS_setfsgid,
    SYS_capset,
    SYS_execve,
    SYS_execveat,
    SYS_mknodat,
    SYS_symlinkat,
    SYS_setxattr,
    SYS_fanotify_init,
    SYS_name_to_handle_at,
    SYS_ioprio_set,
    SYS_open_by_handle_at,

    SYS_setpriority,
    SYS_io_setup,
    SYS_mq_open,
    SYS_shmget,
    SYS_msgget,
    SYS_semget,
    SYS_setsid,
    SYS_setpgid,
    SYS_lookup_dcookie,
    SYS_sched_setaffinity,
    SYS_sched_setscheduler,
    SYS_tkill,
    SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo,
    SYS_migrate_pages,
    SYS_move_pages,
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
#ifdef SYS_fsmount
    SYS_fsopen,
    SYS_fsmount,
    SYS_fsconfig,
    SYS_fspick,
    SYS_move_mount,
    SYS_open_tree,
#endif
#ifdef SYS_pidfd_getfd
    SYS_pidfd_open,
    SYS_pidfd_getfd,
    SYS_pidfd_send_signal,
#endif
#ifdef SYS_io_uring_setup
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
#endif
#ifdef SYS_clone3
    SYS_clone3,
#endif
#ifdef SYS_iopl
    SYS_iopl,
    SYS_ioperm,
    SYS_modify_ldt,
#endif
};

static int refused_call(void)
{
    for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++) {
        errno = 0;
        if (syscall(forbidden[i], -1, -1, -1, -1, -1, -1) != -1 || errno != ENOSYS)
            return forbidden[i];
    }
    return 0;
}

static void *nothing(void *context)
{
    return context;
}

/* In the child. 0: as it should be; else what is not. */
static int check_confined(const struct options *options, bool connects)
{
    pthread_t thread;
    confine(options);
    int call = refused_call();
    if (call) {
        fprintf(stderr, "system call %d is not refused: %d\n", call, errno);
        return 1;
    }
    /* What is allowed works, with any arguments but a few. */
    if (pthread_create(&thread, NULL, nothing, NULL) != 0 || pthread_join(thread, NULL) != 0)
        return 2;
    int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (fd < 0 || write(fd, "x", 1) != 1)
        return 3;
    if (ioctl(fd, TIOCSTI, "x") != -1 || errno != EPERM)
        return 4;
    /* A descriptor with an owner sends it signals. */
    int owner = getppid();
    if (fcntl(fd, F_SETOWN, owner) != -1 || errno != EPERM || fcntl(fd, F_SETSIG, SIGKILL) != -1 ||
        errno != EPERM || ioctl(fd, FIOSETOWN, &owner) != -1 || errno != EPERM ||
        ioctl(fd, SIOCSPGRP, &owner) != -1 || errno != EPERM || fcntl(fd, F_GETFL) < 0 ||
        fcntl(fd, F_SETFL, O_ASYNC) != -1 || errno != EPERM || fcntl(fd, F_SETFL, O_NONBLOCK) != 0)
        return 12;
    if (fork() != -1 || errno != EPERM)
        return 13;
    if (syscall(SYS_clone, CLONE_NEWUSER | 17, 0, 0, 0, 0) != -1 || errno != EPERM)
        return 5;
    struct rlimit limit;
    if (getrlimit(RLIMIT_CORE, &limit) != 0)
        return 9;
    if (syscall(SYS_prlimit64, getppid(), RLIMIT_CORE, NULL, &limit) != -1 || errno != EPERM)
        return 10;
    if (kill(getppid(), 0) != -1 || errno != EPERM || kill(getpid(), 0) != 0 || raise(SIGCONT) != 0)
        return 11;
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0 ||
        socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) != -1 || errno != EPERM)
        return 14;
    int made = socket(AF_INET, SOCK_STREAM, 0);
    if ((made >= 0) != connects)
        return 6;
    if (made >= 0 && (listen(made, 1) == 0) != (options->command == COMMAND_EXPORT))
        return 7;
    if ((unlink("/nonexistent/x") != -1 || errno != ENOENT) != (options->command == COMMAND_CONFIG))
        return 8;
    return 0;
}

TEST(commands_are_confined)
{
    static char file[] = "file";
    static const struct {
        struct options options;
        bool connects;
    } cases[] = {
        {{.command = COMMAND_WATCH}, true},
        {{.command = COMMAND_ONCE}, true},
        {{.command = COMMAND_EXPORT}, true},
        {{.command = COMMAND_INJECT}, true},
        {{.command = COMMAND_EVENTS, .captures = {file}, .capture_count = 1, .server = "server"}, true},
        {{.command = COMMAND_EVENTS, .captures = {file}, .capture_count = 1}, false},
        {{.command = COMMAND_ONCE, .replay = "file"}, false},
        {{.command = COMMAND_REPORT}, false},
        {{.command = COMMAND_CONFIG}, false},
        {{.command = COMMAND_CONFIG, .replay = "file"}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int status;
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            _exit(check_confined(&cases[i].options, cases[i].connects));
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
}
