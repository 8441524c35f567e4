# Where qemu is missing, is a program for another processor, or loads no plugin, `trauma sensors` and `check` say so, and
# other sources go on; nor is valgrind asked about programs of other processors.
. "$SOURCE/tests/e2e/lib.sh"

# An executable file that begins as a program for s390x does.
mkdir bin
printf '\177ELF\002\002\001\000\000\000\000\000\000\000\000\000\002\000\026\000' >bin/qemu-aarch64
cp bin/qemu-aarch64 bin/qemu-x86_64
cp bin/qemu-aarch64 bin/qemu-riscv64
chmod +x bin/*

cat >small.lua <<'RECIPE'
benchmark { name = "small", target = "aarch64", kernel = function() return { load { served_by = { L1 = 1 } } } end }
RECIPE

# qemu: usable, reason and hint of that source.
qemu()
{
    index=0
    while [ "$(json_document "$WORK/out" "$index/name")" != qemu ]; do
        index=$((index + 1))
        [ "$index" -lt 100 ] || fail "qemu is not listed"
    done
    json_document "$WORK/out" "$index/usable" "$index/reason"
}

expect_exit 0 env PATH="$WORK/bin" "$TRAUMA" sensors --json
expect_same "$(qemu | cut -f 1)" false "a qemu that cannot be executed"
qemu | grep -q "qemu-riscv64 cannot be executed on this machine" || fail "$(qemu)"
expect_exit 0 env PATH="$WORK/bin" "$TRAUMA" check small.lua -m cortex-a72 --counters qemu,bytes
expect_text out "cannot be executed on this machine"

expect_exit 0 env PATH=/nowhere "$TRAUMA" sensors --json
expect_same "$(qemu)" "$(printf 'false\tqemu-riscv64 is not installed; qemu-system-riscv64 is not installed')" "no qemu"

# What is started and does not count is not usable, whatever its name: a static program, which loads no plugin, another
# version, one that ends with an error.
rm bin/*
printf '#!/bin/sh\necho "unknown option plugin" >&2\nexit 1\n' >bin/qemu-riscv64
printf '#!/bin/sh\nexit 0\n' >bin/qemu-system-riscv64
chmod +x bin/*
expect_exit 0 env PATH="$WORK/bin" "$TRAUMA" sensors --json
expect_same "$(qemu | cut -f 1)" false "qemus that do not count"
qemu | grep -q "unknown option plugin; qemu-system-riscv64 ran a small program, and the plugin did not count" || fail "$(qemu)"
expect_exit 0 env PATH="$WORK/bin" "$TRAUMA" check small.lua -m cortex-a72 --counters qemu,bytes
expect_text out "unknown option plugin"

# One that counts is enough.
for real in qemu-aarch64 qemu-system-aarch64; do
    command -v $real >/dev/null || continue
    [ $real = qemu-system-aarch64 ] || loads_plugins $real || continue
    rm -f bin/qemu*aarch64
    ln -s "$(command -v $real)" bin/$real
    expect_exit 0 env PATH="$WORK/bin" "$TRAUMA" sensors --json
    expect_same "$(qemu | cut -f 1)" true "$real"
done

# Valgrind runs programs of its own processor.
[ "$(uname -m)" = x86_64 ] || exit 0
command -v valgrind >/dev/null 2>&1 || exit 0
expect_exit 4 "$TRAUMA" check small.lua -m cortex-a72 --counters cachegrind
expect_text out "valgrind runs only programs of this processor, x86_64; qemu runs those of aarch64"
