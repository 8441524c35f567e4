# The documentation becomes a site without a warning, and its menu has every page.
. "$SOURCE/tests/e2e/lib.sh"
need_program mkdocs
unset LC_ALL
mkdocs build --strict -f "$SOURCE/mkdocs.yml" -d "$WORK/site" >"$WORK/out" 2>"$WORK/err" || fail "mkdocs build --strict"
grep '^  - ' "$WORK/err" "$WORK/out" >"$WORK/left" || true
[ ! -s "$WORK/left" ] || fail "pages that no menu of mkdocs.yml has: $(cat "$WORK/left")"

# Links of the pages in it lead to files.
find "$WORK/site" -name '*.html' >"$WORK/pages"
while read -r page; do
    grep -o ' href="[^"#]*' "$page" | sed 's/^ href="//' | grep -v -e '^$' -e '^[a-z]*:' | sort -u | while read -r link; do
        case $link in
        /*) ;;
        *) [ -e "$(dirname "$page")/$link" ] || echo "${page#"$WORK"/}: $link" ;;
        esac
    done
done <"$WORK/pages" >"$WORK/dead"
[ ! -s "$WORK/dead" ] || fail "links that lead nowhere: $(sort -u "$WORK/dead" | head -20)"
