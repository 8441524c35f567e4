/* fault [OPTIONS] -- PROGRAM ARGS: runs the program and whatever it starts, counts their system calls of the
 * chosen kinds, and lets one of them fail, or kills at it. It sees what glibc and static programs call within
 * themselves: a seccomp filter stops the caller at each such call, and ptrace puts the error in its place.
 *
 *   -s KINDS    write,rename,allocate,fork,map,read (all but read)
 *   -n N        the N-th of those calls, from 1; without, they are counted only
 *   -d WHAT     what happens to it: an errno's name ("ENOSPC"); pick (one that the call has, by N and the
 * seed); short (a write takes half); kill (the program gets SIGKILL); killall (and all that it started) -x
 * SEED     of pick (0) -e          and every later call of the same name fails so too, as on a disk that
 * stays full -u USEC     kill or killall comes after so many microseconds instead -g SECONDS  how long others
 * may outlive the program (5) -t SECONDS  how long it may take (60) -o FILE     where the report goes: lines
 * KEY VALUE: calls, hit, exit or signal, left (what outlived it, by name), late -v          the report lists
 * every call
 *
 * Calls are counted from a program's own first instruction: what its loader does is not its doing. Exit code:
 * the program's; 128 and its signal's number; 77 where nothing may be traced here; 125 for fault's own
 * trouble. */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SKIPPED = 77, OWN_TROUBLE = 125 };

#ifndef __x86_64__
int main(void)
{
    fprintf(stderr, "fault: it knows the registers of x86-64 only\n");
    return SKIPPED;
}
#else
#include <sys/user.h>

enum kind {
    KIND_WRITE = 1,
    KIND_RENAME = 2,
    KIND_ALLOCATE = 4,
    KIND_FORK = 8,
    KIND_MAP = 16,
    KIND_READ = 32,
    KIND_USUAL = 31
};

static const struct {
    const char *name;
    enum kind kind;
} kind_names[] = {{"write", KIND_WRITE}, {"rename", KIND_RENAME}, {"allocate", KIND_ALLOCATE},
                  {"fork", KIND_FORK},   {"map", KIND_MAP},       {"read", KIND_READ}};

enum { MOST_ERRORS = 4 };

/* Where a call names a file: by which argument, and whether that is a descriptor. */
enum where { NOWHERE, FD_0, FD_4, PATH_0, PATH_1 };

static const struct call {
    long number;
    const char *name;
    enum kind kind;
    enum where where;
    int errors[MOST_ERRORS];
} calls[] = {
    {SYS_open, "open", KIND_WRITE, PATH_0, {ENOSPC, EMFILE, EACCES, EINTR}},
    {SYS_openat, "openat", KIND_WRITE, PATH_1, {ENOSPC, EMFILE, EACCES, EINTR}},
    {SYS_creat, "creat", KIND_WRITE, PATH_0, {ENOSPC, EMFILE, EACCES}},
    {SYS_write, "write", KIND_WRITE, FD_0, {ENOSPC, EIO, EINTR, EDQUOT}},
    {SYS_pwrite64, "pwrite64", KIND_WRITE, FD_0, {ENOSPC, EIO, EINTR}},
    {SYS_writev, "writev", KIND_WRITE, FD_0, {ENOSPC, EIO, EINTR}},
    {SYS_pwritev, "pwritev", KIND_WRITE, FD_0, {ENOSPC, EIO}},
    {SYS_sendfile, "sendfile", KIND_WRITE, FD_0, {ENOSPC, EIO}},
    {SYS_copy_file_range, "copy_file_range", KIND_WRITE, FD_0, {ENOSPC, EIO, EXDEV}},
    {SYS_fsync, "fsync", KIND_WRITE, FD_0, {EIO, ENOSPC, EINTR}},
    {SYS_fdatasync, "fdatasync", KIND_WRITE, FD_0, {EIO, ENOSPC}},
    {SYS_ftruncate, "ftruncate", KIND_WRITE, FD_0, {EIO, EINTR}},
    {SYS_truncate, "truncate", KIND_WRITE, PATH_0, {EIO}},
    {SYS_fallocate, "fallocate", KIND_WRITE, FD_0, {ENOSPC, EOPNOTSUPP}},
    {SYS_close, "close", KIND_WRITE, FD_0, {EIO, ENOSPC, EINTR}},
    {SYS_fchmod, "fchmod", KIND_WRITE, FD_0, {EPERM, EIO}},
    {SYS_chmod, "chmod", KIND_WRITE, PATH_0, {EPERM, EIO}},
    {SYS_fchmodat, "fchmodat", KIND_WRITE, PATH_1, {EPERM, EIO}},
    {SYS_flock, "flock", KIND_WRITE, FD_0, {ENOLCK, EINTR}},
    {SYS_fcntl, "fcntl", KIND_WRITE, FD_0, {ENOLCK, EMFILE, EINTR}},
    {SYS_dup, "dup", KIND_WRITE, FD_0, {EMFILE}},
    {SYS_dup2, "dup2", KIND_WRITE, FD_0, {EMFILE, EINTR}},
    {SYS_dup3, "dup3", KIND_WRITE, FD_0, {EMFILE, EINTR}},
    {SYS_rename, "rename", KIND_RENAME, PATH_0, {ENOSPC, EIO, EACCES}},
    {SYS_renameat, "renameat", KIND_RENAME, PATH_1, {ENOSPC, EIO, EACCES}},
    {SYS_renameat2, "renameat2", KIND_RENAME, PATH_1, {ENOSPC, EIO, EINVAL, ENOSYS}},
    {SYS_link, "link", KIND_RENAME, PATH_0, {ENOSPC, EIO, EPERM}},
    {SYS_linkat, "linkat", KIND_RENAME, PATH_1, {ENOSPC, EIO, EPERM}},
    {SYS_symlink, "symlink", KIND_RENAME, PATH_0, {ENOSPC, EIO}},
    {SYS_symlinkat, "symlinkat", KIND_RENAME, PATH_0, {ENOSPC, EIO}},
    {SYS_unlink, "unlink", KIND_RENAME, PATH_0, {EIO, EACCES}},
    {SYS_unlinkat, "unlinkat", KIND_RENAME, PATH_1, {EIO, EACCES}},
    {SYS_rmdir, "rmdir", KIND_RENAME, PATH_0, {EIO, EACCES}},
    {SYS_mkdir, "mkdir", KIND_RENAME, PATH_0, {ENOSPC, EACCES, EIO}},
    {SYS_mkdirat, "mkdirat", KIND_RENAME, PATH_1, {ENOSPC, EACCES, EIO}},
    {SYS_brk, "brk", KIND_ALLOCATE, NOWHERE, {ENOMEM}},
    {SYS_mremap, "mremap", KIND_ALLOCATE, NOWHERE, {ENOMEM}},
    {SYS_memfd_create, "memfd_create", KIND_ALLOCATE, NOWHERE, {ENOMEM, EMFILE}},
    {SYS_mmap, "mmap", KIND_MAP, FD_4, {ENOMEM, EAGAIN}},
    {SYS_mprotect, "mprotect", KIND_MAP, NOWHERE, {ENOMEM}},
    {SYS_fork, "fork", KIND_FORK, NOWHERE, {EAGAIN, ENOMEM}},
    {SYS_vfork, "vfork", KIND_FORK, NOWHERE, {EAGAIN, ENOMEM}},
    {SYS_clone, "clone", KIND_FORK, NOWHERE, {EAGAIN, ENOMEM}},
    {SYS_clone3, "clone3", KIND_FORK, NOWHERE, {EAGAIN, ENOMEM}},
    {SYS_execve, "execve", KIND_FORK, PATH_0, {ENOMEM, EACCES, ENOENT}},
    {SYS_execveat, "execveat", KIND_FORK, FD_0, {ENOMEM, EACCES, ENOENT}},
    {SYS_pipe, "pipe", KIND_FORK, NOWHERE, {EMFILE, ENFILE}},
    {SYS_pipe2, "pipe2", KIND_FORK, NOWHERE, {EMFILE, ENFILE}},
    {SYS_socketpair, "socketpair", KIND_FORK, NOWHERE, {EMFILE, ENOMEM}},
    {SYS_eventfd2, "eventfd2", KIND_FORK, NOWHERE, {EMFILE, ENOMEM}},
    {SYS_timer_create, "timer_create", KIND_FORK, NOWHERE, {EAGAIN, ENOMEM}},
    {SYS_read, "read", KIND_READ, FD_0, {EIO, EINTR}},
    {SYS_pread64, "pread64", KIND_READ, FD_0, {EIO, EINTR}},
    {SYS_getdents64, "getdents64", KIND_READ, FD_0, {EIO}},
    {SYS_lseek, "lseek", KIND_READ, FD_0, {EIO}},
    {SYS_fstat, "fstat", KIND_READ, FD_0, {EIO, ENOMEM}},
    {SYS_stat, "stat", KIND_READ, PATH_0, {EIO, EACCES}},
    {SYS_newfstatat, "newfstatat", KIND_READ, PATH_1, {EIO, EACCES}},
    {SYS_readlink, "readlink", KIND_READ, PATH_0, {EIO, EACCES}},
    {SYS_access, "access", KIND_READ, PATH_0, {EIO, EACCES}},
    {SYS_poll, "poll", KIND_READ, NOWHERE, {EINTR, ENOMEM}},
    {SYS_wait4, "wait4", KIND_READ, NOWHERE, {EINTR}},
    {SYS_waitid, "waitid", KIND_READ, NOWHERE, {EINTR}},
};
enum { CALL_COUNT = sizeof calls / sizeof calls[0] };

static const struct {
    const char *name;
    int number;
} error_names[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO},       {"EINTR", EINTR},          {"EMFILE", EMFILE},
                   {"ENFILE", ENFILE}, {"ENOMEM", ENOMEM}, {"EACCES", EACCES},        {"EAGAIN", EAGAIN},
                   {"EDQUOT", EDQUOT}, {"EPERM", EPERM},   {"EROFS", EROFS},          {"ENOLCK", ENOLCK},
                   {"ENOENT", ENOENT}, {"ENOSYS", ENOSYS}, {"EXDEV", EXDEV},          {"EINVAL", EINVAL},
                   {"EBUSY", EBUSY},   {"EFBIG", EFBIG},   {"EOPNOTSUPP", EOPNOTSUPP}};

enum deed { DEED_NONE, DEED_FAIL, DEED_PICK, DEED_SHORT, DEED_KILL, DEED_KILL_ALL };

/* One thread or process that is traced. */
struct tracee {
    pid_t pid;
    bool loading;      /* has not come to its program's first instruction; */
    uint64_t entry;    /* which is there, */
    long saved;        /* and had this word before the breakpoint */
    int leaves;        /* the errno that its call ends with; 0: it ends as it does */
    uint64_t argument; /* of brk, which was asked for nothing in its place; 0: it was not */
};

enum { MOST_TRACEES = 1024, PATH_BYTES = 300 };

struct session {
    unsigned kinds;
    unsigned long at, seed;
    enum deed deed;
    int error;
    bool again, verbose;
    long after_us;
    double grace_s, longest_s;
    FILE *report;

    pid_t main;
    struct tracee tracees[MOST_TRACEES];
    size_t count;
    unsigned long seen;
    long hit; /* number of the call that failed; below 0: none yet */
    bool ended, late;
    int how;
    double deadline; /* for what is left */
};

static volatile sig_atomic_t alarmed;

static void on_alarm(int number)
{
    alarmed = number; /* and it interrupts the wait */
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static _Noreturn void stop(const char *what)
{
    fprintf(stderr, "fault: %s: %s\n", what, strerror(errno));
    exit(OWN_TROUBLE);
}

static struct tracee *find(struct session *session, pid_t pid)
{
    for (size_t i = 0; i < session->count; i++)
        if (session->tracees[i].pid == pid)
            return &session->tracees[i];
    if (session->count == MOST_TRACEES) {
        errno = ENOMEM;
        stop("too many processes");
    }
    session->tracees[session->count] = (struct tracee){.pid = pid};
    return &session->tracees[session->count++];
}

static void forget(struct session *session, pid_t pid)
{
    for (size_t i = 0; i < session->count; i++)
        if (session->tracees[i].pid == pid)
            session->tracees[i] = session->tracees[--session->count];
}

/* ---- the program's own beginning ---- */

static uint64_t entry_of(pid_t pid)
{
    char path[64];
    uint64_t pair[2];
    uint64_t entry = 0;
    snprintf(path, sizeof path, "/proc/%d/auxv", pid);
    FILE *file = fopen(path, "rb");
    while (file != NULL && entry == 0 && fread(pair, sizeof pair, 1, file) == 1)
        if (pair[0] == 9) /* AT_ENTRY */
            entry = pair[1];
    if (file != NULL)
        fclose(file);
    return entry;
}

static void begin_loading(struct tracee *tracee)
{
    tracee->loading = true;
    tracee->leaves = 0;
    tracee->entry = entry_of(tracee->pid);
    errno = 0;
    tracee->saved = ptrace(PTRACE_PEEKTEXT, tracee->pid, tracee->entry, NULL);
    if (tracee->entry == 0 || errno != 0 ||
        ptrace(PTRACE_POKETEXT, tracee->pid, tracee->entry, (tracee->saved & ~0xffL) | 0xcc) != 0)
        tracee->loading = false; /* all of it is counted */
}

/* True when the trap is the breakpoint at the program's first instruction. */
static bool end_loading(struct tracee *tracee)
{
    struct user_regs_struct registers;
    if (!tracee->loading || ptrace(PTRACE_GETREGS, tracee->pid, NULL, &registers) != 0 ||
        registers.rip != tracee->entry + 1)
        return false;
    registers.rip = tracee->entry;
    ptrace(PTRACE_POKETEXT, tracee->pid, tracee->entry, tracee->saved);
    ptrace(PTRACE_SETREGS, tracee->pid, NULL, &registers);
    tracee->loading = false;
    return true;
}

/* ---- calls ---- */

static const char *error_name(int number)
{
    for (size_t i = 0; i < sizeof error_names / sizeof error_names[0]; i++)
        if (error_names[i].number == number)
            return error_names[i].name;
    return "?";
}

static void describe(pid_t pid, const struct call *call, const struct user_regs_struct *registers,
                     char path[PATH_BYTES])
{
    char link[64];
    path[0] = '-';
    path[1] = '\0';
    if (call->where == FD_0 || call->where == FD_4) {
        int fd = (int)(call->where == FD_0 ? registers->rdi : registers->r8);
        snprintf(link, sizeof link, "/proc/%d/fd/%d", pid, fd);
        ssize_t size = fd < 0 ? -1 : readlink(link, path, PATH_BYTES - 1);
        path[size < 0 ? 1 : size] = '\0';
        if (fd == STDERR_FILENO)
            snprintf(path, PATH_BYTES, "stderr");
    } else if (call->where != NOWHERE) {
        uint64_t address = call->where == PATH_0 ? registers->rdi : registers->rsi;
        struct iovec here = {path, PATH_BYTES - 1};
        struct iovec there = {(void *)(uintptr_t)address, PATH_BYTES - 1};
        ssize_t size = process_vm_readv(pid, &here, 1, &there, 1, 0);
        for (size_t room = 64; size < 0 && room > 0; room /= 2) {
            there.iov_len = here.iov_len = room;
            size = process_vm_readv(pid, &here, 1, &there, 1, 0);
        }
        path[size < 0 ? 1 : size] = '\0';
    }
}

static void kill_all(const struct session *session)
{
    for (size_t i = 0; i < session->count; i++)
        kill(session->tracees[i].pid, SIGKILL);
}

/* One of the errors that the call has. What opens nothing new finds no disk full. */
static int pick(const struct session *session, const struct call *call,
                const struct user_regs_struct *registers)
{
    int count = 0;
    while (count < MOST_ERRORS && call->errors[count] != 0)
        count++;
    uint64_t number = (session->at + session->seed * 1000003) * UINT64_C(0x9e3779b97f4a7c15) >> 33;
    int error = call->errors[number % (uint64_t)count];
    bool makes = call->number != SYS_openat || (registers->rdx & O_CREAT) != 0;
    error = error == ENOSPC && !makes ? EMFILE : error;
    return error == EINTR && session->again ? EIO : error; /* no call is interrupted for ever */
}

/* What becomes of a call. True when the caller must stop once more, at its end. */
static bool spoil(struct session *session, struct tracee *tracee, const struct call *call,
                  struct user_regs_struct *registers)
{
    int error = session->deed == DEED_PICK ? pick(session, call, registers) : session->error;
    char path[PATH_BYTES];
    bool first = session->hit < 0;
    session->hit = call->number;
    describe(tracee->pid, call, registers, path);
    const char *who = tracee->pid == session->main ? "parent" : "child";
    if (session->deed == DEED_KILL || session->deed == DEED_KILL_ALL) {
        fprintf(session->report, "hit %s killed %s %s\n", call->name, who, path);
        if (session->deed == DEED_KILL)
            kill(session->main, SIGKILL);
        else
            kill_all(session);
        return false;
    }
    if (session->deed == DEED_SHORT && call->number == SYS_write && registers->rdx > 1) {
        fprintf(session->report, "hit %s short %s %s\n", call->name, who, path);
        registers->rdx /= 2;
        ptrace(PTRACE_SETREGS, tracee->pid, NULL, registers);
        return false;
    }
    if (session->deed == DEED_SHORT)
        error = pick(session, call, registers);
    if (first)
        fprintf(session->report, "hit %s %s %s %s\n", call->name, error_name(error), who, path);
    if (call->number == SYS_close) { /* what fails to close is closed nevertheless */
        tracee->leaves = error;
        return true;
    }
    registers->orig_rax = (unsigned long long)-1;
    registers->rax = (unsigned long long)-error;
    if (call->number == SYS_brk) { /* it fails by leaving the end where it is, as when asked for 0 */
        tracee->argument = registers->rdi;
        registers->orig_rax = SYS_brk;
        registers->rax = (unsigned long long)-ENOSYS;
        registers->rdi = 0;
    }
    ptrace(PTRACE_SETREGS, tracee->pid, NULL, registers);
    return tracee->argument != 0;
}

static bool on_call(struct session *session, struct tracee *tracee)
{
    struct user_regs_struct registers;
    if (tracee->loading || ptrace(PTRACE_GETREGS, tracee->pid, NULL, &registers) != 0)
        return false;
    const struct call *call = NULL;
    for (size_t i = 0; i < CALL_COUNT; i++)
        if (calls[i].number == (long)registers.orig_rax)
            call = &calls[i];
    if (call == NULL)
        return false;
    session->seen++;
    if (session->verbose) {
        char path[PATH_BYTES];
        describe(tracee->pid, call, &registers, path);
        fprintf(session->report, "call %lu %d %s %s\n", session->seen, tracee->pid, call->name, path);
    }
    if (session->deed == DEED_NONE || session->after_us > 0)
        return false;
    bool again = session->again && session->hit == call->number;
    return session->seen == session->at || again ? spoil(session, tracee, call, &registers) : false;
}

/* The end of a call that was made after all. */
static void end_call(struct tracee *tracee)
{
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, tracee->pid, NULL, &registers) != 0)
        return;
    if (tracee->leaves != 0)
        registers.rax = (unsigned long long)-tracee->leaves;
    if (tracee->argument != 0)
        registers.rdi = tracee->argument;
    ptrace(PTRACE_SETREGS, tracee->pid, NULL, &registers);
    tracee->leaves = 0;
    tracee->argument = 0;
}

/* ---- stops ---- */

static void on_stop(struct session *session, pid_t pid, int state)
{
    struct tracee *tracee = find(session, pid);
    int number = WSTOPSIG(state);
    int event = state >> 16;
    enum __ptrace_request go = PTRACE_CONT;
    long deliver = 0;
    if (event == PTRACE_EVENT_SECCOMP) {
        go = on_call(session, tracee) ? PTRACE_SYSCALL : PTRACE_CONT;
    } else if (event == PTRACE_EVENT_EXEC) {
        unsigned long before;
        if (ptrace(PTRACE_GETEVENTMSG, pid, NULL, &before) == 0 && (pid_t)before != pid)
            forget(session, (pid_t)before);
        begin_loading(find(session, pid));
    } else if (event == PTRACE_EVENT_STOP) {
        if (number != SIGTRAP)
            go = PTRACE_LISTEN;
    } else if (event == 0 && number == (SIGTRAP | 0x80)) {
        end_call(tracee);
    } else if (event == 0 && !(number == SIGTRAP && end_loading(tracee))) {
        deliver = number;
    }
    ptrace(go, pid, NULL, deliver);
}

/* ---- the program ---- */

static void filter_calls(unsigned kinds)
{
    struct sock_filter program[2 * CALL_COUNT + 8];
    unsigned short at = 0;
    program[at++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    program[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
    program[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    program[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < CALL_COUNT; i++) {
        if ((calls[i].kind & kinds) == 0)
            continue;
        program[at++] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i].number, 0, 1);
        program[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
    }
    program[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog whole = {.len = at, .filter = program};
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &whole) == 0)
        return;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &whole) != 0)
        _exit(SKIPPED);
}

static void start(struct session *session, char **arguments)
{
    int gate[2];
    if (pipe(gate) != 0)
        stop("no pipe");
    session->main = fork();
    if (session->main < 0)
        stop("no process");
    if (session->main == 0) {
        char byte;
        close(gate[1]);
        if (read(gate[0], &byte, 1) != 1)
            _exit(SKIPPED);
        close(gate[0]);
        filter_calls(session->kinds);
        execvp(arguments[0], arguments);
        fprintf(stderr, "fault: %s: %s\n", arguments[0], strerror(errno));
        _exit(OWN_TROUBLE);
    }
    close(gate[0]);
    long options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
                   PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
    if (ptrace(PTRACE_SEIZE, session->main, NULL, options) != 0) {
        fprintf(stderr, "fault: skipped: nothing can be traced here: %s\n", strerror(errno));
        kill(session->main, SIGKILL);
        exit(SKIPPED);
    }
    find(session, session->main)->loading = true; /* until it is the program */
    if (write(gate[1], "g", 1) != 1)
        stop("no start");
    close(gate[1]);
}

static void list_left(const struct session *session)
{
    for (size_t i = 0; i < session->count; i++) {
        char path[64];
        char name[64] = "?";
        snprintf(path, sizeof path, "/proc/%d/comm", session->tracees[i].pid);
        FILE *file = fopen(path, "r");
        if (file != NULL && fgets(name, sizeof name, file) != NULL)
            name[strcspn(name, "\n")] = '\0';
        if (file != NULL)
            fclose(file);
        fprintf(session->report, "left %s\n", name);
    }
}

static void wait_a_moment(void)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    nanosleep(&moment, NULL);
}

static void run(struct session *session)
{
    double death = now_s() + (double)session->after_us * 1e-6;
    bool timed = session->after_us > 0;
    while (session->count > 0) {
        int state;
        pid_t pid = waitpid(-1, &state, __WALL | (timed || session->ended ? WNOHANG : 0));
        double now = timed || session->ended ? now_s() : 0;
        if (timed && now >= death) {
            fprintf(session->report, "hit time killed parent -\n");
            session->deed == DEED_KILL ? (void)kill(session->main, SIGKILL) : kill_all(session);
            timed = false;
        }
        if (session->ended && now > session->deadline) {
            list_left(session);
            kill_all(session);
            session->deadline = now + 60;
        }
        if (pid < 0 && errno == ECHILD)
            break;
        if (alarmed && !session->late && !session->ended) {
            session->late = true;
            kill_all(session);
        }
        if (pid == 0)
            wait_a_moment();
        if (pid <= 0)
            continue;
        if (WIFSTOPPED(state)) {
            on_stop(session, pid, state);
            continue;
        }
        forget(session, pid);
        if (pid == session->main) {
            session->ended = true;
            session->how = state;
            session->deadline = now_s() + session->grace_s;
        }
    }
}

static unsigned kinds_of(char *text)
{
    unsigned kinds = 0;
    for (char *word = strtok(text, ","); word != NULL; word = strtok(NULL, ","))
        for (size_t i = 0; i < sizeof kind_names / sizeof kind_names[0]; i++)
            if (strcmp(word, kind_names[i].name) == 0)
                kinds |= kind_names[i].kind;
    return kinds;
}

static void set_deed(struct session *session, const char *text)
{
    static const struct {
        const char *name;
        enum deed deed;
    } deeds[] = {{"pick", DEED_PICK}, {"short", DEED_SHORT}, {"kill", DEED_KILL}, {"killall", DEED_KILL_ALL}};
    for (size_t i = 0; i < sizeof deeds / sizeof deeds[0]; i++)
        if (strcmp(text, deeds[i].name) == 0)
            session->deed = deeds[i].deed;
    for (size_t i = 0; i < sizeof error_names / sizeof error_names[0]; i++)
        if (strcmp(text, error_names[i].name) == 0) {
            session->deed = DEED_FAIL;
            session->error = error_names[i].number;
        }
    if (session->deed == DEED_NONE) {
        errno = EINVAL;
        stop(text);
    }
}

static struct session session_of(int argc, char **argv)
{
    struct session session = {
        .kinds = KIND_USUAL, .hit = -1, .grace_s = 5, .longest_s = 60, .report = stderr};
    for (int option; (option = getopt(argc, argv, "+s:n:d:x:eu:g:t:o:v")) != -1;)
        switch (option) {
        case 's':
            session.kinds = kinds_of(optarg);
            break;
        case 'n':
            session.at = strtoul(optarg, NULL, 10);
            break;
        case 'd':
            set_deed(&session, optarg);
            break;
        case 'x':
            session.seed = strtoul(optarg, NULL, 10);
            break;
        case 'e':
            session.again = true;
            break;
        case 'u':
            session.after_us = atol(optarg);
            break;
        case 'g':
            session.grace_s = atof(optarg);
            break;
        case 't':
            session.longest_s = atof(optarg);
            break;
        case 'v':
            session.verbose = true;
            break;
        case 'o':
            session.report = fopen(optarg, "we");
            if (session.report == NULL)
                stop(optarg);
            break;
        default:
            exit(OWN_TROUBLE);
        }
    if (session.at == 0 && session.after_us == 0)
        session.deed = DEED_NONE;
    return session;
}

int main(int argc, char **argv)
{
    static struct session session;
    session = session_of(argc, argv);
    if (optind >= argc || session.kinds == 0) {
        fprintf(stderr, "usage: fault [OPTIONS] -- PROGRAM ARGS\n");
        return OWN_TROUBLE;
    }
    const struct sigaction action = {.sa_handler = on_alarm};
    sigaction(SIGALRM, &action, NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    start(&session, argv + optind);
    alarm((unsigned)session.longest_s + 1);
    run(&session);
    fprintf(session.report, "calls %lu\nlate %d\n", session.seen, session.late);
    if (WIFSIGNALED(session.how))
        fprintf(session.report, "signal %d\n", WTERMSIG(session.how));
    else
        fprintf(session.report, "exit %d\n", WEXITSTATUS(session.how));
    fclose(session.report);
    return WIFSIGNALED(session.how) ? 128 + WTERMSIG(session.how) : WEXITSTATUS(session.how);
}
#endif
