#!/bin/sh
# Checks that the source compiles for riscv64 on an x86-64 Debian 12, which has no libraries for it:
#
#     sh tests/riscv64.sh [FOLDER]
#
# clang reads every file with the C library's headers for riscv64, which are unpacked in FOLDER (by default
# /tmp/traumagen-riscv64) and not installed, and with this machine's headers of the other libraries. Nothing is linked. The
# last line is "riscv64: N files compile".
set -eu
program=riscv64.sh
cd "$(dirname "$0")/.."
. examples/packages.sh

folder=${1:-${TMPDIR:-/tmp}/traumagen-riscv64}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

step "packages"
# shellcheck disable=SC2086 # the packages are words
need_packages $build_packages clang-19

step "headers"
headers=$folder/root/usr/riscv64-linux-gnu/include
if [ ! -e "$headers/stdio.h" ]; then
    (cd "$folder" && apt-get -qq download libc6-dev-riscv64-cross linux-libc-dev-riscv64-cross) ||
        stop "apt-get could not download the headers: is there a network?"
    for package in "$folder"/*.deb; do
        dpkg -x "$package" "$folder/root" || stop "dpkg could not unpack $package"
    done
fi

step "compile"
find base isa generator sim runner model report session cli -name '*.c' >"$folder/files"
xargs clang-19 --target=riscv64-linux-gnu -march=rv64gc -std=c17 -fsyntax-only -Wall -Wextra -Wshadow \
    -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings -Wpointer-arith -Werror -D_GNU_SOURCE \
    -DTRAUMA_VERSION='""' -DTRAUMA_SOURCE_DIR='""' -DTRAUMA_BUILD_DIR='""' -DTRAUMA_LLVM_AMDGPU -DTRAUMA_LLVM_AARCH64 \
    -DTRAUMA_LLVM_RISCV -nostdinc -isystem "$(clang-19 -print-resource-dir)/include" -isystem "$headers" \
    -isystem /usr/include/lua5.4 -isystem "$(llvm-config-19 --includedir)" -I. -idirafter /usr/include \
    -idirafter /usr/include/x86_64-linux-gnu <"$folder/files" || stop "the source does not compile for riscv64"

echo "riscv64: $(wc -l <"$folder/files") files compile"
