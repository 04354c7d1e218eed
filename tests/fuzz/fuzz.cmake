# SPDX-License-Identifier: BSD-3-Clause
# Each fuzz_NAME.c is a target for libFuzzer, which is clang's. They are built where all rooms are
# compiled with -fsanitize=fuzzer-no-link: preset clang. tests/fuzz/run runs them.
if(NOT GPUNETSIM_SANITIZE MATCHES fuzzer)
    return()
endif()

set(fuzz_rooms views run store table system script script_study script_machine sandbox goal loggp runtimes ucx shmem ${model})
list(TRANSFORM fuzz_rooms PREPEND gns_)
set(fuzz_output ${PROJECT_BINARY_DIR}/fuzz)

file(GLOB fuzz_targets CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/fuzz_*.c)
foreach(source ${fuzz_targets})
    get_filename_component(target ${source} NAME_WE)
    add_executable(${target} ${source} ${CMAKE_CURRENT_LIST_DIR}/fuzz.c)
    gns_flags(${target})
    target_compile_definitions(${target} PRIVATE FUZZ_ROOT="${PROJECT_SOURCE_DIR}")
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    target_link_libraries(${target} PRIVATE ${fuzz_rooms} PkgConfig::GLIB PkgConfig::LUA PkgConfig::SQLITE)
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${fuzz_output})
    # As tests: one begins whenever a core is free, and none is idle while the last one runs.
    string(REPLACE "fuzz_" "" short ${target})
    # From all that longer runs have found, which tests/fuzz/keep keeps: ten seconds, twice that for those that try less than 200 inputs in one.
    set(seconds 10)
    if(short MATCHES "^(claims|store|workload)$")
        set(seconds 20)
    endif()
    add_test(NAME fuzz/${short} COMMAND ${CMAKE_CURRENT_LIST_DIR}/run ${seconds} ${short})
    set_tests_properties(fuzz/${short} PROPERTIES LABELS fuzz TIMEOUT 1200 COST 200
        ENVIRONMENT "FUZZ_SEED=1;FUZZ_BUILD=${PROJECT_BINARY_DIR}")
endforeach()

add_executable(fuzz_dictionary ${CMAKE_CURRENT_LIST_DIR}/dictionary.c)
gns_flags(fuzz_dictionary)
target_link_libraries(fuzz_dictionary PRIVATE ${fuzz_rooms} PkgConfig::GLIB)
add_custom_command(OUTPUT ${fuzz_output}/parameters.dict
    COMMAND fuzz_dictionary > ${fuzz_output}/parameters.dict
    DEPENDS fuzz_dictionary)
add_custom_target(fuzz_words ALL DEPENDS ${fuzz_output}/parameters.dict)
