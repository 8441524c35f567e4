#!/bin/sh
# Builds trauma for arm64 on an x86-64 Debian 12 and runs the core of its tests by qemu's user emulation:
#
#     sh tests/arm64.sh [FOLDER]
#
# FOLDER (by default /tmp/traumagen-arm64) keeps what is downloaded and built, some 1.5 GB. arm64 packages are unpacked
# there and not installed, so the machine's own stay as they are. Only packages for the build itself are installed, as
# root, if missing. It takes ten minutes to an hour, by the number of cores (JOBS=N uses fewer); the last line is
# "arm64: N passed, N failed".
set -eu
program=arm64.sh
cd "$(dirname "$0")/.."
. examples/packages.sh

folder=${1:-${TMPDIR:-/tmp}/traumagen-arm64}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
source=$PWD
case $folder/ in
"$source"/*) stop "$folder is in the repository: name a folder outside it" ;;
esac
jobs=${JOBS:-$(nproc)}

step "packages"
# shellcheck disable=SC2086 # the packages are words
need_packages $build_packages gcc-aarch64-linux-gnu qemu-user-static dpkg apt util-linux

# ---- the arm64 libraries ----

step "arm64 libraries"
sysroot=$folder/sysroot
apt=$folder/apt
libraries=$sysroot/usr/lib/aarch64-linux-gnu
wanted="llvm-19-dev liblua5.4-dev libjansson-dev libhwloc-dev libelf-dev liblapacke-dev libpfm4-dev libcmocka-dev"
if [ ! -e "$sysroot/complete" ]; then
    # A package list and a state of its own: apt resolves what a bare arm64 machine needs, and nothing is installed.
    mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$sysroot"
    : >"$apt/status"
    for suite in "debian bookworm" "debian bookworm-updates" "debian-security bookworm-security"; do
        echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/$suite main"
    done >"$apt/sources.list"
    private="-o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Install-Recommends=0
        -o Dir::State=$apt/state -o Dir::State::status=$apt/status -o Dir::Cache=$apt/cache
        -o Dir::Etc::sourcelist=$apt/sources.list -o Dir::Etc::sourceparts=/dev/null -o APT::Sandbox::User=$(id -un)"
    # shellcheck disable=SC2086 # the options are words
    apt-get $private -qq update || stop "apt-get update failed: is there a network?"
    # shellcheck disable=SC2086
    apt-get $private -qq -y --download-only install $wanted >/dev/null || stop "apt-get could not download: $wanted"
    for package in "$apt"/cache/archives/*.deb; do
        dpkg -x "$package" "$sysroot" || stop "dpkg could not unpack $package"
    done
    # What the packages' scripts would have chosen; and LLVM's archives, which take long to link, are left out.
    for library in lapack blas; do
        ln -sf "$library/lib$library.so.3" "$libraries/lib$library.so.3"
        ln -sf "$library/lib$library.so" "$libraries/lib$library.so"
        ln -sf "$library-netlib.pc" "$libraries/pkgconfig/$library.pc"
    done
    rm -f "$sysroot"/usr/lib/llvm-19/lib/*.a
    touch "$sysroot/complete"
fi
export TRAUMA_SYSROOT="$sysroot" QEMU_LD_PREFIX="$sysroot"
emulator=$(command -v qemu-aarch64-static)
printf '#!/bin/sh\nexec %s -L %s %s/usr/lib/llvm-19/bin/llvm-config "$@"\n' "$emulator" "$sysroot" "$sysroot" \
    >"$folder/llvm-config"
chmod +x "$folder/llvm-config"

# ---- both programs ----

step "build for this machine"
cmake -S . -B build >/dev/null || stop "cmake failed"
cmake --build build --parallel "$jobs" --target trauma >/dev/null || stop "the build failed"
own=$source/build/trauma

step "build for arm64"
cmake -S . -B "$folder/build-arm64" -DCMAKE_TOOLCHAIN_FILE="$source/cmake/arm64.cmake" -DTRAUMA_TESTS=ON \
    -DTRAUMA_WERROR=ON -DLLVM_CONFIG="$folder/llvm-config" >/dev/null || stop "cmake failed"
unit_tests="generator_processors generator_detect generator_data_words isa_executable isa_mc runner_probe_texts"
# shellcheck disable=SC2086 # the targets are words
cmake --build "$folder/build-arm64" --parallel "$jobs" --target trauma json_lines $unit_tests >/dev/null ||
    stop "the build failed"
other=$folder/build-arm64/trauma

# ---- where arm64 programs run ----

# emulated COMMAND...: runs it where the kernel hands arm64 programs to qemu, in a namespace with its own table of binary
# formats (Linux 6.7), or with the machine's table if Debian's package has filled it. O: qemu gets the program opened,
# which programs without a name need.
cat >"$folder/enter" <<'ENTER'
#!/bin/sh
mount -t binfmt_misc none /proc/sys/fs/binfmt_misc || exit 1
printf '%s' ':qemu-aarch64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:'"$EMULATOR"':OF' \
    >/proc/sys/fs/binfmt_misc/register || exit 1
exec "$@"
ENTER
chmod +x "$folder/enter"
export EMULATOR="$emulator"
if unshare -U -r -m "$folder/enter" "$other" --version >/dev/null 2>&1; then
    emulated()
    {
        unshare -U -r -m "$folder/enter" "$@"
    }
elif "$other" --version >/dev/null 2>&1; then
    emulated()
    {
        "$@"
    }
else
    stop "arm64 programs do not run here: that needs Linux 6.7, or binfmt_misc with qemu-aarch64-static and its flag O"
fi

# ---- tests ----

passed=0
failed=0

# expect NAME COMMAND...: the command's success.
expect()
{
    name=$1
    shift
    if "$@" >"$folder/output" 2>&1; then
        passed=$((passed + 1))
        echo "passed: $name"
    else
        failed=$((failed + 1))
        echo "FAILED: $name"
        tail -n 20 "$folder/output" | sed 's/^/    /'
    fi
}

work=$folder/work
rm -rf "$work"
mkdir -p "$work"
cd "$work"

# same RECIPE MACHINE: both programs make the same suite of it.
same()
{
    rm -rf own other
    "$own" gen "$1" -m "$2" -o own && emulated "$other" gen "$1" -m "$2" -o other && diff -r own other
}

step "the same bytes from both"
for case in "$source"/tests/golden/*/recipe.lua; do
    expect "golden $(basename "$(dirname "$case")")" same "$case" "$(dirname "$case")/machine.lua"
done
for pair in traumagen-2001/dcache:pentium-pro bandwidth:zen5 \
    traumagen-2001/dcache:neoverse-n1 bandwidth:cortex-a72 \
    traumagen-2001/dcache:sifive-u74 bandwidth:thead-c920; do
    expect "$pair" same "${pair%:*}" "${pair#*:}"
done
# What those recipes have not, for the three processors' targets.
cat >each.lua <<'RECIPE'
benchmark { name = "branches", sweep = { accuracy = { 0.93, 0.5 }, kind = { "conditional", "indirect" } },
  kernel = function(p) return { add { count = 3 }, branch { accuracy = p.accuracy, kind = p.kind } } end }
benchmark { name = "code", kernel = function() return { code { served_by = { L1I = 0.75, L2 = 0.25 } } } end }
benchmark { name = "data", kernel = function()
  return { load { served_by = { L1 = 0.5, L2 = 0.5 }, address = "chase", order = "burst" },
           store { miss_rate = { L1 = 0.25 }, data = pattern.toggle(0.25) }, fma { count = 2, chain = 2 } } end }
benchmark { name = "pages", kernel = function() return { tlb { miss_rate = 0.25 }, load { served_by = { L1 = 1 } } } end }
RECIPE
for machine in skylake-sp cortex-a72 sifive-u74; do
    expect "each behaviour:$machine" same each.lua "$machine"
done

# Sensors may all be missing here, which its exit code says.
sensors()
{
    emulated "$other" sensors || [ $? -eq 4 ]
}

step "its own programs"
cat >small.lua <<'RECIPE'
benchmark { name = "small", target = "aarch64", sweep = { hit = { 0.5, 0.75 } },
  kernel = function(p) return { load { served_by = { L1 = p.hit, L2 = 1 - p.hit } }, add { count = 2 } } end }
RECIPE
expect "check by plan and bytes" emulated "$other" check small.lua -m neoverse-n1 --counters plan,bytes
# This machine's qemu cannot load an arm64 plugin: it says so, and other sources go on.
foreign()
{
    emulated "$other" check small.lua -m neoverse-n1 --counters qemu,bytes >foreign.txt 2>&1 &&
        grep -qi "could not load plugin\|is not installed" foreign.txt
}
expect "qemu of another processor" foreign
expect "run" emulated "$other" run small.lua -m neoverse-n1 --reps 1 --time 0.001 -o small.jsonl
expect "ticks of its programs" grep -q '"ticks"' small.jsonl
expect "explain" emulated "$other" explain small.lua -m cortex-a53
expect "machine detect" emulated "$other" machine detect -o here.lua
expect "an aarch64 machine" grep -q 'isa = "aarch64"' here.lua
expect "sensors" sensors

# What is measured under emulation means nothing and need not make a machine; but every loop runs and ends.
probe()
{
    emulated "$other" machine probe --time 2 -q >probe.txt 2>&1 || true
    for value in clock.core latency.MEM branch.miss width.store_wide rate.fma rate.div.4 l1i.size; do
        grep -q "^$value " probe.txt || {
            echo "no $value"
            return 1
        }
    done
}
expect "machine probe" probe

# The same of single instructions: operands are found by execution, which is as on the silicon; times are qemu's.
instruction()
{
    emulated "$other" measure instruction 'mul {r0}, {r1}, {r2}' 'udiv x0, x1, x2' 'fmla {v0}.2d, {v1}.2d, {v2}.2d' \
        'ldr x0, [x1, #8]' 'adds x0, x1, x2' -v >instruction.txt 2>&1 || return 1
    for pair in '-> {r0}' 'slow:2^62/3' '{v0}' 'memory -> x0' '-> flags'; do
        grep -qF -e "$pair" instruction.txt || {
            cat instruction.txt
            return 1
        }
    done
}
expect "measure instruction" instruction

step "unit tests"
cd "$source"
for test in $unit_tests; do
    expect "${test%%_*}/${test#*_}" emulated "$folder/build-arm64/tests/${test%%_*}/$test"
done

echo "arm64: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
