# The text of every shipped program, assembled by an independent assembler, gives the code made from stencils.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

command -v as > /dev/null && command -v objcopy > /dev/null || skip "needs GNU as and objcopy (binutils)"

# The bytes of a section of an object, none when it has no such.
bytes_of()
{
    objcopy -O binary -j "$2" "$1" "$3" 2> /dev/null || : > "$3"
}

for machine in zen5 interlagos pentium-pro; do
    expect_exit 0 "$TRAUMA" gen traumagen-2001 data-movement-2013 ppep-2014 -m "$machine" -j2 -o "$machine"
    find "$machine" -name program.s > sources
    [ "$(wc -l < sources)" -ge 200 ] || fail "$machine has $(wc -l < sources) programs"
    while read -r source; do
        as "$source" -o other.o || fail "as refuses $source"
        for section in .text .rodata; do
            bytes_of other.o "$section" other.bytes
            bytes_of "${source%.s}.o" "$section" own.bytes
            [ -s own.bytes ] || fail "$source has no $section"
            cmp -s own.bytes other.bytes || fail "$source: $section is not what as makes of the text"
        done
    done < sources
done
