#include "generator/recipe/sandbox_guard.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__riscv)
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#else
#define ARCHITECTURE 0
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif

/* An allowed call, only if its argument has none of the bits, or equals the value. */
struct rule {
    int call;
    int argument; /* ANY: none is checked */
    unsigned forbidden;
    int needed; /* ANY, PIPE: the pipe to the parent */
};

enum { ANY = -1, PIPE = -2 };

static const struct rule rules[] = {
    {SYS_write, 0, 0, PIPE},
    {SYS_read, ANY, 0, ANY},
    {SYS_openat, 2, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, ANY},
    {SYS_newfstatat, ANY, 0, ANY},
    {SYS_fstat, ANY, 0, ANY},
#ifdef SYS_stat
    {SYS_stat, ANY, 0, ANY},
#endif
    {SYS_lseek, ANY, 0, ANY},
    {SYS_close, ANY, 0, ANY},
    {SYS_brk, ANY, 0, ANY},
    {SYS_mmap, 2, PROT_EXEC, ANY},
    {SYS_mprotect, 2, PROT_EXEC, ANY},
    {SYS_munmap, ANY, 0, ANY},
    {SYS_mremap, ANY, 0, ANY},
    {SYS_madvise, ANY, 0, ANY},
    {SYS_futex, ANY, 0, ANY},
    {SYS_clock_gettime, ANY, 0, ANY},
    {SYS_timer_settime, ANY, 0, ANY},
    {SYS_rt_sigaction, ANY, 0, ANY},
    {SYS_rt_sigprocmask, ANY, 0, ANY},
    {SYS_rt_sigreturn, ANY, 0, ANY},
    {SYS_sigaltstack, ANY, 0, ANY},
    {SYS_restart_syscall, ANY, 0, ANY},
    {SYS_getrandom, ANY, 0, ANY},
    {SYS_getpid, ANY, 0, ANY},
    {SYS_gettid, ANY, 0, ANY},
    {SYS_tgkill, ANY, 0, ANY},
    {SYS_exit, ANY, 0, ANY},
    {SYS_exit_group, ANY, 0, ANY},
};

/* Additional calls of a sanitizer's own code, to report an error; it writes to standard error. */
static const struct rule sanitizer_rules[] = {
    {SYS_write, ANY, 0, ANY},
    {SYS_sched_yield, ANY, 0, ANY},
    {SYS_prctl, ANY, 0, ANY},
    {SYS_readlinkat, ANY, 0, ANY},
    {SYS_getrlimit, ANY, 0, ANY},
    {SYS_sched_getaffinity, ANY, 0, ANY},
    {SYS_ioctl, ANY, 0, ANY},
    {SYS_getdents64, ANY, 0, ANY},
#ifdef SYS_readlink
    {SYS_readlink, ANY, 0, ANY},
#endif
#ifdef SYS_open
    {SYS_open, 1, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, ANY},
#endif
};

enum {
    RULE_STATEMENTS = 5,
    RULES = sizeof rules / sizeof rules[0],
    MORE = sizeof sanitizer_rules / sizeof rules[0]
};

struct call_filter {
    struct sock_filter statements[4 + (RULES + MORE) * RULE_STATEMENTS + 1];
    unsigned short count;
};

static void add(struct call_filter *filter, unsigned short code, uint32_t value, unsigned char yes,
                unsigned char no)
{
    filter->statements[filter->count++] = (struct sock_filter){code, yes, no, value};
}

/* The call's number is loaded at the start of each rule. */
static void add_rule(struct call_filter *filter, const struct rule *rule, int pipe)
{
    const unsigned short load = BPF_LD | BPF_W | BPF_ABS;
    if (rule->argument == ANY) {
        add(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)rule->call, 0, 1);
        add(filter, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
        return;
    }
    size_t low = offsetof(struct seccomp_data, args) + sizeof(uint64_t) * (size_t)rule->argument;
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)rule->call, 0, 4);
    add(filter, load, (uint32_t)low, 0, 0); /* all these processors are little-endian */
    if (rule->needed == PIPE)
        add(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)pipe, 0, 1);
    else
        add(filter, BPF_JMP | BPF_JSET | BPF_K, rule->forbidden, 1, 0);
    add(filter, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    add(filter, load, offsetof(struct seccomp_data, nr), 0, 0);
}

static void forbid_calls(int pipe)
{
    const unsigned short load = BPF_LD | BPF_W | BPF_ABS;
    struct call_filter filter = {.count = 0};
    add(&filter, load, offsetof(struct seccomp_data, arch), 0, 0);
    add(&filter, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    add(&filter, BPF_RET | BPF_K, SECCOMP_RET_TRAP, 0, 0);
    add(&filter, load, offsetof(struct seccomp_data, nr), 0, 0);
    for (size_t i = 0; i < RULES; i++)
        add_rule(&filter, &rules[i], pipe);
    for (size_t i = 0; IS_SANITIZED && i < MORE; i++)
        add_rule(&filter, &sanitizer_rules[i], pipe);
    add(&filter, BPF_RET | BPF_K, SECCOMP_RET_TRAP, 0, 0);
    const struct sock_fprog program = {filter.count, filter.statements};
    (void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

/* True under Valgrind, which makes system calls of its own in this process. Detected by instructions that
 * change nothing except under Valgrind (its "client request" RUNNING_ON_VALGRIND), because anyone can set
 * environment variables. */
static bool is_under_valgrind(void)
{
    const volatile unsigned long request[6] = {0x1001};
    unsigned long answer = 0;
#if defined(__x86_64__)
    __asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx"
                     : "+d"(answer)
                     : "a"(request)
                     : "cc", "memory");
#elif defined(__aarch64__)
    __asm__ volatile("mov x3, %0; mov x4, %1; ror x12, x12, #3; ror x12, x12, #13; ror x12, x12, #51; "
                     "ror x12, x12, #61; orr x10, x10, x10; mov %0, x3"
                     : "+r"(answer)
                     : "r"(request)
                     : "cc", "memory", "x3", "x4");
#else
    (void)request;
#endif
    return answer != 0;
}

void sandbox_guard(int pipe)
{
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_NPROC, &none);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ARCHITECTURE != 0 && !is_under_valgrind())
        forbid_calls(pipe);
}
