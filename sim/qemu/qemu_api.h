/* The part of QEMU's interface for TCG plugins (QEMU 4.2 and later, docs/devel/tcg-plugins) that this plugin
 * uses. QEMU exports the functions to the plugins that it loads. Debian packages no header for it. The
 * functions at the end hide differences between versions, so that one plugin serves all. */
#ifndef SIM_QEMU_QEMU_API_H
#define SIM_QEMU_QEMU_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t qemu_plugin_id_t;

struct qemu_plugin_tb;   /* a translated block: a run of guest instructions */
struct qemu_plugin_insn; /* one of its instructions */

typedef struct {
    const char *target_name; /* "x86_64" */
    struct {
        int min, cur;
    } version;
    bool system_emulation;
    struct {
        int smp_vcpus, max_vcpus;
    } system;
} qemu_info_t;

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W, QEMU_PLUGIN_MEM_RW };

typedef uint32_t qemu_plugin_meminfo_t;
typedef void qemu_plugin_translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void qemu_plugin_executed(unsigned vcpu, void *context);
typedef void qemu_plugin_accessed(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *context);
typedef void qemu_plugin_called(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2,
                                uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8);
typedef void qemu_plugin_started(qemu_plugin_id_t id, unsigned vcpu);
typedef void qemu_plugin_ended(qemu_plugin_id_t id, void *context);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_translated *callback);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_plugin_executed *callback,
                                          enum qemu_plugin_cb_flags flags, void *context);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, qemu_plugin_executed *callback,
                                            enum qemu_plugin_cb_flags flags, void *context);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_accessed *callback,
                                      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw,
                                      void *context);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id, qemu_plugin_called *callback);
void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, qemu_plugin_started *callback);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_ended *callback, void *context);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn); /* in this process; NULL: unknown */
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);

/* ---- independent of QEMU's version ---- */

/* Call it first, in qemu_plugin_install. */
void qemu_api_begin(const qemu_info_t *info);

/* Reads the instruction's bytes, at most QEMU_INSN_BYTES; returns their number. */
enum { QEMU_INSN_BYTES = 16 };
size_t qemu_api_bytes(const struct qemu_plugin_insn *insn, uint8_t bytes[QEMU_INSN_BYTES]);

/* Makes QEMU count each execution of the instruction, without a callback. */
void qemu_api_count(struct qemu_plugin_insn *insn);

/* The number of counted executions so far. */
uint64_t qemu_api_counted(void);

#endif
