# Operations that consume loads, as numbers and as vectors, on every ISA: each dependent one reads what was loaded, no
# other does, and the two kinds share no register; programs still hit their rates.
. "$SOURCE/tests/e2e/lib.sh"
need_program qemu-x86_64

cat >dependent.lua <<'LUA'
local operations = { add = add, sub = sub, xor = xor, mul = mul, fadd = fadd, fmul = fmul, fdiv = fdiv, fsqrt = fsqrt, fma = fma }
benchmark {
  name   = "dependent",
  sweep  = { op = { "add", "sub", "xor", "mul", "fadd", "fmul", "fdiv", "fsqrt", "fma" }, width = { 4, 8, 16, 32, 64 } },
  kernel = function(p)
    return { load { miss_rate = { L1 = 0.25 }, width = p.width }, operations[p.op] { count = 3, dependents = 1, width = p.width } }
  end,
}
LUA

# flows MACHINE PROGRAM: what is wrong with the program's data flow; nothing if all is right. A dependent operation has one
# line or two, the last of which is marked; its result is that line's first register, on x86-64 its last.
flows()
{
    awk -v machine="$1" '
        BEGIN {
            x86 = machine !~ /neoverse|spacemit/
            comment = machine ~ /neoverse/ ? "//" : "#"
        }
        # The registers of a line in their order, views of one register under one name.
        function registers(text, list,    count, name) {
            count = 0
            sub(comment ".*", "", text)
            sub(/^ *[a-z0-9_.]+ */, "", text)
            while (match(text, /[a-z]+[0-9]*[a-z]*/)) {
                name = substr(text, RSTART, RLENGTH)
                text = substr(text, RSTART + RLENGTH)
                sub(/^[xyz]mm/, "v", name)
                if (machine ~ /neoverse/) {
                    sub(/^[qzds]/, "v", name)
                    sub(/^w/, "x", name)
                }
                list[++count] = name == "ecx" ? "rcx" : name
            }
            return count
        }
        function holds(list, count, name,    i) {
            for (i = 1; i <= count; i++)
                if (list[i] == name) return 1
            return 0
        }
        /^trauma_loop:/ { loop = 1; next }
        loop && /trauma_loop/ { loop = 0 }
        !loop { next }
        /unit [0-9]+, behaviour 1/ {
            count = registers($0, line)
            value = line[x86 ? count : 1]
            loads++
            before = ""
            next
        }
        index($0, comment " dependent") {
            count = registers($0, line)
            lines = registers(before, earlier)
            if (!holds(line, count, value) && !holds(earlier, lines, value)) {
                print "a dependent operation does not read " value ": " $0
                exit
            }
            consumes[line[x86 ? count : 1]] = 1
            dependents++
            before = ""
            next
        }
        loads > 0 {
            count = registers(before, line)
            for (i = 1; i <= count; i++)
                plain[line[i]] = 1
            before = $0
        }
        END {
            for (name in consumes)
                if (name in plain) print name " is of dependent and of independent operations"
            if (loads == 0 || dependents != loads) print dependents + 0 " dependents, " loads + 0 " loads"
        }' "$2"
}

judge()
{
    machine=$1
    shift
    expect_exit 0 "$TRAUMA" gen dependent.lua -m "$machine" --set "width=$1" --seed 3 -o "suite-$machine" -q
    for folder in "suite-$machine"/dependent/*; do
        said=$(flows "$machine" "$folder/program.s")
        [ -z "$said" ] || fail "$folder: $said"
    done
    expect_exit 0 "$TRAUMA" check dependent.lua -m "$machine" --set "width=$1" --filter 'op=(add|fma|fsqrt)' --json
    expect_same "$(json "$WORK/out" verdict | grep -v "^observed$" | sort -u | tr '\n' ' ')" "$2" "verdicts on $machine"
}

judge fx-8320 4,8,16 "pass pass (code) "
judge zen5 32 "pass pass (code) "
[ -z "$(command -v qemu-aarch64)" ] || judge neoverse-v1 4,8,16,32 "pass pass (code) "
[ -z "$(command -v qemu-riscv64)" ] || judge spacemit-x60 8,16,32 "pass pass (code) "
expect_exit 0 "$TRAUMA" gen dependent.lua -m zen5 --set width=64 -o suite-64 -q
for folder in suite-64/dependent/*; do
    said=$(flows zen5 "$folder/program.s")
    [ -z "$said" ] || fail "$folder: $said"
done

# A load too narrow for the vector, or too wide for the number, is refused with the width that works.
for pair in '16 32 32' '4 16 16'; do
    set -- $pair
    echo "benchmark { name = 'no', kernel = function() return {
        load { served_by = { L1 = 1 }, width = $1 }, fma { width = $2, dependents = 1 } } end }" >no.lua
    expect_exit 3 "$TRAUMA" gen no.lua -m zen5 -o no
    expect_text err "the load before it has $1 bytes, and operations of $2 bytes consume loads of $3 bytes"
done
echo "benchmark { name = 'no', kernel = function() return { load { served_by = { L1 = 1 } }, shift { dependents = 1 } } end }" >no.lua
expect_exit 3 "$TRAUMA" gen no.lua -m zen5 -o no
expect_text err "shift{} of 8 bytes has no form that consumes a load; add{} and fma{} have one"
