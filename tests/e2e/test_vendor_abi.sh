# NVIDIA's libraries are called without their headers: if these are installed, our declarations are compared with
# them, and our symbol tables with the libraries' exports. TRAUMA_VENDOR_INCLUDE: one more folder.
. "$SOURCE/tests/e2e/lib.sh"
need_program c++
echo 'int main() { return requires { 1; } ? 0 : 1; }' >modern.cpp
c++ -std=c++20 -fsyntax-only modern.cpp 2>/dev/null || skip "c++ does not know C++20"
folders="${TRAUMA_VENDOR_INCLUDE:-} /usr/local/cuda/include /usr/local/cuda/extras/CUPTI/include /usr/include"
done_with=

# header FILE: prints the folder that has it.
header()
{
    for folder in $folders; do
        [ ! -f "$folder/$1" ] || { echo "$folder" && return; }
    done
}

# symbols SOURCE: FUNCTION(field, symbol) of its table; numbers SOURCE PREFIX: NUMBER(member, number) of its tables and enums.
symbols()
{
    sed -n -e 's/^ *{"\([A-Za-z_0-9]*\)", offsetof(struct [a-z_]*, \([a-z_]*\)).*/FUNCTION(\2, \1)/p' \
        -e 's/^ *SYMBOL("\([A-Za-z_0-9]*\)", \([a-z_]*\)).*/FUNCTION(\2, \1)/p' "$SOURCE/$1"
}
numbers()
{
    grep -o '{offsetof(struct [a-z_]*, [a-z_0-9]*), [0-9]*[},]' "$SOURCE/$1" |
        sed 's/{.*, \([a-z_0-9]*\)), \([0-9]*\)[},]/NUMBER('"${2:-}"'\1, \2)/'
    sed -n 's/^enum {\(.*=.*\)};.*/\1/p' "$SOURCE/$1" | tr ',' '\n' |
        sed -n 's/^ *\([A-Z_0-9]*\) = \([0-9a-fx]*\) *$/NUMBER(\1, \2)/p'
}

# compile WHAT HEADER: checks.h against the vendor's header, if that is here.
compile()
{
    include=$(header "$2")
    [ -n "$include" ] || { echo "not compared: there is no $2 here" && return; }
    grep -q FUNCTION checks.h || fail "no symbols were found in our source"
    c++ -std=c++20 -fsyntax-only -Wno-deprecated-declarations -D"VENDOR_$1" -I. -I"$SOURCE" -isystem "$include" \
        -isystem "$(header cuda.h)" "$SOURCE/tests/runner/vendor_abi.cpp" 2>err || fail "$include/$2 says otherwise"
    done_with="$done_with $include/$2 ($(grep -c FUNCTION checks.h) functions)"
}

{
    symbols runner/devices/cuda/cuda_library.c
    numbers runner/devices/cuda/cuda_driver.c
    numbers runner/devices/cuda/cuda_module.c function_
} >checks.h
cp checks.h cuda.checks
compile CUDA cuda.h
symbols runner/devices/cupti/cupti_library.c >checks.h
cp checks.h cupti.checks
compile CUPTI cupti_range_profiler.h
{
    symbols runner/power/sensors/nvml_library.c
    numbers runner/state/gpu_clock.c
} >checks.h
cp checks.h nvml.checks
compile NVML nvml.h

# A table that says something else is found out.
if [ -n "$(header cuda.h)" ]; then
    cp cuda.checks checks.h
    sed -i 's/NUMBER(l2, 38)/NUMBER(l2, 39)/' checks.h
    ! c++ -std=c++20 -fsyntax-only -DVENDOR_CUDA -I. -I"$SOURCE" -isystem "$(header cuda.h)" \
        "$SOURCE/tests/runner/vendor_abi.cpp" 2>err || fail "a wrong number of an attribute was not seen"
    sed -e 's/FUNCTION(fill, .*/FUNCTION(fill, cuMemsetD32_v2)/' -e 's/FUNCTION(allocate, .*/FUNCTION(allocate, cuMemGetInfo_v2)/' \
        cuda.checks >checks.h
    ! c++ -std=c++20 -fsyntax-only -DVENDOR_CUDA -I. -I"$SOURCE" -isystem "$(header cuda.h)" \
        "$SOURCE/tests/runner/vendor_abi.cpp" 2>err || fail "other functions' arguments were not seen"
fi

# exported LIBRARY CHECKS: every symbol is there.
exported()
{
    [ -f "$1" ] && command -v nm >/dev/null || return 0
    nm -D --defined-only "$1" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort -u >has
    sed -n 's/^FUNCTION(.*, \(.*\))/\1/p' "$2" | sort -u >wanted
    missing=$(comm -23 wanted has)
    [ -z "$missing" ] || fail "$1 exports no $missing"
    done_with="$done_with $1"
}
for library in /usr/local/cuda/lib64/stubs/libcuda.so /usr/lib/x86_64-linux-gnu/libcuda.so.1; do
    exported "$library" cuda.checks
done
exported /usr/local/cuda/lib64/libcupti.so cupti.checks
for library in /usr/local/cuda/lib64/stubs/libnvidia-ml.so /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1; do
    exported "$library" nvml.checks
done
[ -n "$done_with" ] || skip "neither headers nor libraries of NVIDIA's are here"
echo "compared with:$done_with"
