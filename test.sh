#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds everything with warnings as errors by both compilers and runs the tests: with clang under the address
# and undefined-behaviour sanitizers, with fuzz targets, with gcc under the thread sanitizer, and last with gcc
# optimised: all tests, which ends with ctest's own summary. What is tested next is built meanwhile, with what processor
# time the tests leave. docs/change/testing.md says what each part is for.
set -Eeuo pipefail
cd "$(dirname "$0")"
. cmake/setup.sh

# timed gns_run|gns_show STEP COMMAND...: tells how long the step took.
timed() {
    local since=$SECONDS
    "$@"
    echo "  $2: $((SECONDS - since)) s"
}

# build_beside PRESET BUILD...: begins a build, which goes on until await_build.
build_beside() {
    nice -n 19 ninja -C "build/$1" "${@:2}" > "build/build-$1.log" 2>&1 < /dev/null &
    building=$!
    trap 'kill $building 2> /dev/null || true' EXIT
}

# await_build PRESET: tells how long it still took.
await_build() {
    local since=$SECONDS
    gns_step="build $1"
    gns_log="build/build-$1.log"
    wait "$building"
    gns_log=""
    trap - EXIT
    echo "  build $1: $((SECONDS - since)) s more"
}

jobs=$(nproc)
fuzz_seconds=30
# Under the thread sanitizer: whatever forks, switches fibers or calls SimGrid, without the longest.
tsan_labels='core|fabric|models|script|study'
tsan_targets=(tests_of_core tests_of_fabric tests_of_models tests_of_script tests_of_study)
tsan_too_long='fabric/segment_against_flow|models/l2_statistical|script/sandbox'
# All that these do, killed_60_ways and invariants_thousands do among others.
contained='^cli/(killed|invariants)$'

launcher=()
if command -v ccache > /dev/null; then
    launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
fi
gns_install_packages "${gns_mpi_packages[@]}" "${gns_test_packages[@]}"

echo "With clang and sanitizers ..."
timed gns_run "configure clang" cmake --preset clang -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld "${launcher[@]}"
timed gns_run "build clang" cmake --build --preset clang
timed gns_run "configure tsan" cmake --preset tsan "${launcher[@]}"
build_beside tsan "${tsan_targets[@]}"
timed gns_show "the tests with clang" \
    ctest --test-dir build/clang --output-on-failure -LE slow -j "$jobs"
echo "Fuzzing, $fuzz_seconds s each ..."
timed gns_show "fuzzing" env FUZZ_SEED=1 tests/fuzz/run "$fuzz_seconds"

echo "With gcc and the thread sanitizer ..."
await_build tsan
timed gns_run "configure test" cmake --preset release -B build/test -DGPUNETSIM_WERROR=ON \
    -DGPUNETSIM_OTHER_PROGRAM="$PWD/build/clang/gpunetsim" "${launcher[@]}"
build_beside test
timed gns_show "the tests under the thread sanitizer" \
    ctest --test-dir build/tsan --output-on-failure -L "$tsan_labels" -E "$tsan_too_long" -j "$jobs"

echo "With gcc, optimised ..."
await_build test
echo "  up to here: $SECONDS s"
gns_show "the tests" ctest --test-dir build/test --output-on-failure -E "$contained" -j "$jobs"
