# qemu loads only plugins for the processor that it runs on itself. Where it is another one than trauma's, or is missing,
# `trauma sensors` and `check` say so, and other sources go on; nor is valgrind asked about programs of other processors.
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
expect_same "$(qemu | cut -f 1)" false "a qemu that can load no plugin"
qemu | grep -q "bin/qemu-x86_64 is a program for another processor than trauma" || fail "$(qemu)"
expect_exit 0 env PATH="$WORK/bin" "$TRAUMA" check small.lua -m cortex-a72 --counters qemu,bytes
expect_text out "is a program for another processor than trauma, whose plugin it cannot load"

expect_exit 0 env PATH=/nowhere "$TRAUMA" sensors --json
expect_same "$(qemu)" "$(printf 'false\tqemu-user is not installed')" "no qemu"
rm bin/qemu-aarch64 bin/qemu-x86_64
printf '#!/bin/sh\nexit 1\n' >bin/qemu-riscv64
expect_exit 0 env PATH="$WORK/bin" "$TRAUMA" sensors --json
expect_same "$(qemu | cut -f 1)" true "one qemu"
expect_exit 0 env PATH="$WORK/bin" "$TRAUMA" check small.lua -m cortex-a72 --counters qemu,bytes
expect_text out "qemu-aarch64 is not installed"

# A static program loads no plugin, whatever its processor.
if [ "$(uname -m)" = x86_64 ] && command -v cc >/dev/null && printf 'int main(void) { return 0; }\n' >closed.c &&
    cc -static -o bin/qemu-riscv64 closed.c 2>/dev/null; then
    expect_exit 0 env PATH="$WORK/bin" "$TRAUMA" sensors --json
    expect_same "$(qemu | cut -f 1)" false "a static qemu"
    qemu | grep -q "bin/qemu-riscv64 is a static program" || fail "$(qemu)"
    cc -o bin/qemu-riscv64 closed.c
    expect_exit 0 env PATH="$WORK/bin" "$TRAUMA" sensors --json
    expect_same "$(qemu | cut -f 1)" true "a qemu with libraries"
fi

# Valgrind runs programs of its own processor.
[ "$(uname -m)" = x86_64 ] || exit 0
command -v valgrind >/dev/null 2>&1 || exit 0
expect_exit 4 "$TRAUMA" check small.lua -m cortex-a72 --counters cachegrind
expect_text out "valgrind runs only programs of this processor, x86_64; qemu runs those of aarch64"
