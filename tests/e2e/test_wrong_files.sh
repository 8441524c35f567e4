# A file of the wrong kind is named as what it is, with the command that takes it, instead of a complaint about its
# first line.
. "$SOURCE/tests/e2e/lib.sh"
. "$SOURCE/tests/e2e/incremental_results.sh"
. "$SOURCE/tests/e2e/interconnect_results.sh"
write_incremental results.jsonl
expect_exit 0 "$TRAUMA" fit incremental results.jsonl -o model.json

write_recipe small.lua
expect_exit 0 "$TRAUMA" gen small.lua -m zen5 -o suite -q
for command in check run gen list explain; do
    for file in model.json suite/suite.json; do
        expect_exit 2 "$TRAUMA" $command $file
        expect_text err "$file is a JSON document, but a recipe is Lua"
    done
done

# Models of processors are fitted to no GPU's results.
write_interconnect gpu.jsonl
sed -i '1s/{"name":"w9100"}/{"name":"w9100","isa":"gcn","gpu":{"arch":"gfx701"}}/' gpu.jsonl
for model in incremental ppep; do
    expect_exit 2 "$TRAUMA" fit $model gpu.jsonl
    expect_text err "gpu.jsonl has results of the GPU w9100, but $model is a model of processors; access-energy, interconnect and idle"
done
expect_exit 0 "$TRAUMA" fit interconnect gpu.jsonl
