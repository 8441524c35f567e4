# Shared by examples/quickstart.sh and tests/run.sh: named steps, and Debian packages that are installed only if
# missing. The sourcing script sets `program` to its own name.

# What differs between releases: LLVM's version; the package with QEMU's RISC-V machine; and the QEMU that loads plugins,
# which is qemu-user unless that is a static program. Only Debian's rows were tried, in fresh roots.
[ ! -r /etc/os-release ] || . /etc/os-release
case "${ID:-}-${VERSION_ID:-}" in
debian-12)    llvm=19 qemu_riscv=qemu-system-misc  qemu_packages="qemu-user" ;;
ubuntu-22.04) llvm=15 qemu_riscv=qemu-system-misc  qemu_packages="qemu-user" ;;
ubuntu-24.04) llvm=18 qemu_riscv=qemu-system-misc  qemu_packages="qemu-user" ;;
*)            llvm=19 qemu_riscv=qemu-system-riscv qemu_packages="qemu-system-x86 qemu-system-arm qemu-system-riscv" ;;
esac
qemu_system_packages="qemu-system-x86 qemu-system-arm $qemu_riscv"

# Packages for the build, for evidence and for figures.
build_packages="cmake gcc libc6-dev make pkg-config llvm-$llvm-dev libelf-dev liblua5.4-dev libjansson-dev libhwloc-dev
libpfm4-dev liblapacke-dev"
run_packages="valgrind gnuplot-nox fonts-dejavu-core"

step()
{
    current_step=$1
    echo "== $1"
}

stop()
{
    echo "$program: $current_step: $*" >&2
    exit 1
}

# Prints the packages among its arguments that are not installed.
missing_packages()
{
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || echo "$package"
    done
}

# need_packages NAME...: installs the missing ones.
need_packages()
{
    command -v dpkg-query >/dev/null 2>&1 || stop "this is not Debian; install the contents of these packages: $*"
    missing=$(missing_packages "$@" | tr '\n' ' ')
    [ -n "$missing" ] || return 0
    echo "missing: $missing"
    [ "$(id -u)" -eq 0 ] || stop "only root installs packages; as root: apt-get install $missing"
    apt-get update -qq || stop "apt-get update failed: is there a network?"
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null ||
        stop "apt-get could not install: $missing"
}
