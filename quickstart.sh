#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# From a fresh clone on Debian 12 to the first figure: installs what is missing, builds the program, draws ComP-Net's
# Fig 8a and runs the study of README.md.
set -Eeuo pipefail
cd "$(dirname "$0")"
. cmake/setup.sh

gns_install_packages
echo "Building (a minute on two idle cores) ..."
first=
if [ ! -e build/release/build.ninja ]; then
    first=yes
    gns_run "configure" cmake --preset release -DGPUNETSIM_LTO=OFF # link-time optimisation takes longer than all else
fi
gns_run "build" cmake --build --preset release --target gpunetsim
gns_show "Fig 8a" build/release/gpunetsim run fig08a_get_latency
[ -e cp_clock.lua ] || sed -n '/^```lua/,/^```/{/^```/!p}' README.md > cp_clock.lua # or as it was changed
gns_show "the study of README.md" build/release/gpunetsim run cp_clock.lua

cat << 'END'

The first figure is out/fig08a_get_latency/figure.svg, as in README.md; the second is out/cp_clock/figure.svg.
What comes next:
  cp_clock.lua                  a study of a few lines: change it, and run it again with
                                build/release/gpunetsim run cp_clock.lua
  docs/learn/tutorial.md        a first study of your own, step by step
  build/release/gpunetsim reproduce --quick
                                the other figures and claims of the papers, in minutes: out/report-quick.html;
                                without --quick it includes the studies that take long
END
if [ -n "$first" ]; then
    cat << 'END'
This program was built without link-time optimisation, to be there sooner. Before long sweeps or reproduce, build it with:
  cmake --preset release && cmake --build --preset release --target gpunetsim
END
fi
