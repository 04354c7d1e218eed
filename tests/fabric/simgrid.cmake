# SPDX-License-Identifier: BSD-3-Clause
# SimGrid by itself, for tests that hold ours against it, and its own zones, for test_zones.c.
foreach(test against_simgrid simgrid_traps smpi zones)
    target_link_libraries(fabric_test_${test} PRIVATE PkgConfig::SIMGRID)
endforeach()
target_sources(fabric_test_zones PRIVATE ${CMAKE_CURRENT_LIST_DIR}/simgrid_zones.cpp)
set_target_properties(fabric_test_zones PROPERTIES DISABLE_PRECOMPILE_HEADERS ON) # of C, which is not its only language
