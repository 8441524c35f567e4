# Builds the Python package for the tests that need it, once for a build folder:
#     . "$SOURCE/tests/python_package.sh"
#     python_tools BUILD     a virtual environment with what builds it, BUILD/tools/python; false, with the reason, without
#     python_wheel BUILD     the wheel, of the sources as they are; its path in $wheel
python_tools()
{
    python_tools=$1/tools/python
    [ ! -e "$python_tools/ready" ] || return 0
    python3 -m venv "$python_tools" || return 1
    timeout 300 "$python_tools/bin/pip" install --quiet scikit-build-core pandas || return 1
    touch "$python_tools/ready"
}

# As others may build it at the same time, one after another. With ccache nothing is compiled that the program without
# sanitizers was compiled of, as its folder lies as deep and sources are named from there.
python_wheel()
{
    mkdir -p "$1/wheel"
    launcher=$(command -v ccache || true)
    (
        flock 9
        CMAKE_C_COMPILER_LAUNCHER=$launcher CMAKE_BUILD_PARALLEL_LEVEL=2 "$python_tools/bin/pip" wheel "$SOURCE" --quiet \
            --no-deps --no-build-isolation -w "$1/wheel" -C build-dir="$1-wheel" -C cmake.build-type=RelWithDebInfo
    ) 9>"$1/wheel/lock" || return 1
    wheel=$(find "$1/wheel" -maxdepth 1 -name 'traumagen-*.whl' | head -n 1)
}
