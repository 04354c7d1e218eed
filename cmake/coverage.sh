#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# cmake/coverage.sh [CTEST OPTIONS]: how many lines of sim/ the tests run, by file and by folder, counted by gcov in a build of
# its own. Slow tests are left out, but for those of calibrate, and those of whole scenarios.
set -Eeuo pipefail
cd "$(dirname "$0")/.."
. cmake/setup.sh

launcher=()
if command -v ccache > /dev/null; then
    launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
fi
gns_install_packages
gns_run "configure coverage" cmake --preset coverage "${launcher[@]}"
gns_run "build coverage" cmake --build --preset coverage
find build/coverage -name '*.gcda' -delete
# A program that may not write, or is killed as it writes, has no place for its counts: gcov says so.
export GCOV_ERROR_FILE=/dev/null
{
    ctest --test-dir build/coverage --output-on-failure -LE slow -j "$(nproc)" "$@" &&
        ctest --test-dir build/coverage --output-on-failure -R '^cli/calibrate_' "$@"
} < /dev/null ||
    echo "Some tests have failed: what they would have run is not counted." >&2
gns_show "counting lines" python3 tests/coverage.py build/coverage
