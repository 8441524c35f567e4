# Completion, manual pages and help are made from one table: every command and option is in all three.
. "$SOURCE/tests/e2e/lib.sh"
cd "$WORK"

words() # WORD...: what the program offers
{
    expect_exit 0 "$TRAUMA" completion words -- "$@"
    cut -f 1 "$WORK/out"
}

offers() # TEXT WORD...: the text is among what follows
{
    offer=$1
    shift
    words "$@" >offered
    grep -qxF -e "$offer" offered || fail "'$offer' is not offered after '$*': $(head offered)"
}

# ---- every command, and every option of each, as --help has them ----
words "" | grep -v "^-" >commands
"$TRAUMA" --help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' >overview
while read -r command; do
    grep -qx "$command" commands || fail "completion lacks the command $command"
    "$TRAUMA" "$command" --help >help
    sed -n 's/^ *\(-[a-z], \)\{0,1\}--\([a-z-]*\).*/--\2/p' help | sort -u >options
    words "$command" -- - >offered
    sort -u offered >sorted
    diff options sorted >differences || fail "options of $command: $(cat differences)"
    "$TRAUMA" man "$command" >page
    while read -r option; do
        grep -qF -e "$(printf '%s' "$option" | sed 's/-/\\-/g')" page || fail "the manual of $command lacks $option"
    done <options
    "$TRAUMA" help "$command" >asked
    cmp -s asked help || fail "help $command is not $command --help"
done <overview
expect_same "$(wc -l <overview | tr -d ' ')" "$(($(wc -l <commands) - 1))" "commands beside help"

# ---- values ----
offers bandwidth/streams run band
offers bandwidth check band
offers zen5 gen -m ze
offers zen5 machine show ze
offers given run --order ""
offers given run --order =
offers given run --order = gi
offers plan,qemu check --counters plan,q
offers ppep fit ""
offers :files plot ""
offers instruction measure ""
offers --figure machine probe --fig
expect_same "$(words run --order zzz)" "" "nothing begins so"
expect_same "$(words nothing "")" "" "no such command"
expect_exit 2 "$TRAUMA" completion tcsh
expect_text err "bash, zsh or fish"

# ---- the shells themselves ----
PATH="$(dirname "$TRAUMA"):$PATH"
if command -v bash >/dev/null 2>&1; then
    cat >try.bash <<'SCRIPT'
source <(trauma completion bash)
complete -p trauma >/dev/null || exit 1
try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _trauma; printf '%s\n' "${COMPREPLY[@]}"; }
touch here.jsonl
try trauma run --res
try trauma check -m pentium-p
try trauma plot here
try trauma run --order = r
SCRIPT
    expect_exit 0 bash try.bash
    expect_same "$(tr '\n' ' ' <"$WORK/out")" "--resume pentium-pro here.jsonl random " "bash completes"
fi
if command -v zsh >/dev/null 2>&1; then
    cat >try.zsh <<'SCRIPT'
autoload -U compinit && compinit -u -D
source <(trauma completion zsh)
[[ ${_comps[trauma]} == _trauma ]] || exit 1
_describe() { print -l -- ${(P)4}; }
_files() { print files; }
try() { local -a words; words=("$@"); local CURRENT=$#words; _trauma; }
try trauma run --res
try trauma check -m pentium-p
SCRIPT
    expect_exit 0 zsh -f try.zsh
    expect_same "$(cut -c 1-11 "$WORK/out" | tr '\n' ' ')" "--resume:co pentium-pro files " "zsh completes"
fi
if command -v fish >/dev/null 2>&1; then
    expect_exit 0 env HOME="$WORK" fish --no-config -c \
        'trauma completion fish | source; complete -C "trauma run --res"; complete -C "trauma check -m pentium-p"'
    expect_same "$(cut -f 1 "$WORK/out" | tr '\n' ' ')" "--resume pentium-pro " "fish completes"
fi

# ---- manual pages ----
mkdir pages
expect_exit 0 "$TRAUMA" man -o pages
expect_same "$(find pages -name 'trauma-*.1' | wc -l | tr -d ' ')" \
    "$(($(wc -l <overview) + $("$TRAUMA" completion words -- measure "" | wc -l)))" "pages of commands"
for text in TRAUMA_ROOT TRAUMA_POWER NO_COLOR "EXIT STATUS"; do
    grep -qF "$text" pages/trauma.1 || fail "trauma.1 lacks $text"
done
if command -v groff >/dev/null 2>&1; then
    for page in pages/*.1; do
        groff -man -Tutf8 -ww -z "$page" 2>"$WORK/err" || fail "groff refuses $page"
        expect_empty err
    done
    groff -man -Tascii pages/trauma-gen.1 | sed 's/.\x08//g; s/\x1b\[[0-9;]*m//g' >shown
    grep -q -- "-o, --output PATH" shown || fail "the page of gen shows no --output: $(cat shown)"
fi
expect_exit 2 "$TRAUMA" man nothing
expect_exit 2 "$TRAUMA" help nothing

# ---- the list of all recipes, of which two may have a benchmark of one name ----
expect_exit 0 "$TRAUMA" list
expect_text out bandwidth/latency
expect_text out measure/latency
! grep -v '^trauma: warning: ' err || fail "the list of all says what no one asked for"

# ---- styles: only on a terminal, and not with NO_COLOR ----
# script may end before its program's output is through, so a few tries.
on_terminal() # FILE: the table as a terminal gets it
{
    for try in 1 2 3 4 5; do
        (sleep $try) | script -qec "'$TRAUMA' list" /dev/null >"$1" 2>&1 || true
        grep -q ppep-2014 "$1" && return 0
    done
    return 1
}
if command -v script >/dev/null 2>&1 && on_terminal styled && NO_COLOR=1 on_terminal plain; then
    grep -q "$(printf '\033')\[4m" styled || fail "a terminal gets no style"
    grep -q "$(printf '\033')\[4m" plain && fail "NO_COLOR is ignored"
else
    echo "styles are not looked at: no script, or it shows nothing"
fi
exit 0
