# A manifest of the previous schema is read like a new one; one of a later schema is refused, with the version that
# reads it.
. "$SOURCE/tests/e2e/lib.sh"

golden=$SOURCE/tests/golden/figure6
expect_exit 0 "$TRAUMA" gen "$golden/recipe.lua" -m "$golden/machine.lua" -o suite
manifest=$(find suite -name manifest.json | head -n 1)
[ "$(json_document "$manifest" schema)" = 2 ] || fail "the schema is not 2"
[ "$(json_document "$manifest" data/eviction_sets/0/rounds)" -ge 1 ] || fail "data.eviction_sets has no set"
expect_no_text "$manifest" conflict_groups

# Indices of the earlier versions have no hashes of manifests.
sed 's/"eviction_sets"/"conflict_groups"/; s/"schema": 2/"schema": 1/' "$manifest" >earlier.json
sed 's/"schema": 2/"schema": 3/' "$manifest" >later.json
sed 's/"manifest_hash"/"other"/' suite/suite.json >index.json
cp index.json suite/suite.json
cp earlier.json "$manifest"
expect_text "$manifest" conflict_groups
expect_exit 0 "$TRAUMA" check suite --counters bytes
expect_text out pass

cp later.json "$manifest"
expect_exit 1 "$TRAUMA" check suite --counters bytes
expect_text err "has schema 3, and this version reads 1 to 2"
expect_text err "generate it again"
