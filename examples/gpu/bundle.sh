#!/bin/sh
# Packs the command with everything it needs into one folder, for a GPU machine without the required packages, a compiler or a network:
#
#     sh examples/gpu/bundle.sh FOLDER [ARCHIVE.tar.gz]
#
#     there: sh FOLDER/check.sh RESULTS          measures this version's promises
#            FOLDER/trauma sensors               or any other command
#
# It needs x86-64 Linux with a C library no older than this machine's; it uses that machine's C library and driver libraries.
# TRAUMA names the command if it is not build/trauma; NVCC names a compiler for the plain kernel beside it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$here/../..
trauma=${TRAUMA:-$source/build/trauma}
folder=${1:?usage: sh bundle.sh FOLDER [ARCHIVE.tar.gz]}
archive=${2:-}
[ -x "$trauma" ] || { echo "$trauma is not there: build it first, or name it by TRAUMA" >&2 && exit 1; }
[ ! -e "$folder" ] || { echo "$folder is there already" >&2 && exit 1; }

mkdir -p "$folder/bin" "$folder/lib" "$folder/share/traumagen"
cp "$trauma" "$folder/bin/trauma"
strip "$folder/bin/trauma" 2>/dev/null || echo "without strip it is larger" >&2
cp -r "$source/templates" "$source/recipes" "$folder/share/traumagen/"
cp "$here/check.sh" "$here/stream.cu" "$here/matmul.cu" "$here/metrics.txt" "$folder/"

# All libraries except the C library's own, which belongs to the machine's loader.
ldd "$trauma" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' |
    grep -Ev '/(libc|libm|libdl|librt|libpthread|libresolv|libutil|ld-linux[^/]*)\.so' | while read -r library; do
    cp -L "$library" "$folder/lib/"
done
cat >"$folder/trauma" <<'WRAPPER'
#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$here/lib exec "$here/bin/trauma" "$@"
WRAPPER
chmod +x "$folder/trauma"

# The plain kernel, with CUDA's runtime linked in: that machine may lack nvcc.
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
if ! "$nvcc" -O3 -cudart static -Xcompiler -static-libstdc++,-static-libgcc -gencode 'arch=compute_80,code=[sm_80,compute_80]' \
    -gencode 'arch=compute_90,code=[sm_90,compute_90]' -o "$folder/stream" "$here/stream.cu"; then
    echo "no nvcc here: check.sh asks for one there" >&2
fi
[ -z "$archive" ] || tar -czf "$archive" -C "$(dirname "$folder")" "$(basename "$folder")"
du -sk "$folder" ${archive:+"$archive"}
