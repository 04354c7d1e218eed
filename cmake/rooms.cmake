# SPDX-License-Identifier: BSD-3-Clause
# One folder is one room is one static library. Rooms see only the rooms they name: each has an include
# folder with links to its own headers, and a target gets those of the rooms that it names and no other.

set(GNS_WARNINGS
    -Wall -Wextra -Wconversion -Wshadow -Wpointer-arith -Wcast-qual -Wvla -Wundef
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>)
if(GPUNETSIM_WERROR)
    list(APPEND GNS_WARNINGS -Werror)
endif()

# Optimised builds by gcc optimise the rooms that simulate across their borders, for the programs that simulate much
# (gns_fast). An object holds machine code, too, from which tests are linked in no more time than without. clang 14 makes
# one or the other, so its builds go without. No result changes: all that is computed with is integers, or by IEEE's rules.
set(GNS_LTO OFF)
if(GPUNETSIM_LTO AND CMAKE_BUILD_TYPE STREQUAL Release AND CMAKE_C_COMPILER_ID STREQUAL GNU
   AND NOT GPUNETSIM_SANITIZE AND NOT GPUNETSIM_COVERAGE)
    include(CheckIPOSupported)
    check_ipo_supported(RESULT GNS_LTO LANGUAGES C)
endif()
set(GNS_LTO_FLAGS -flto=auto -ffat-lto-objects)
# gcc clears and copies structs of more than a few words by "rep stos" and "rep movs", which take long to begin: 2 to 9 % of the
# time of operations from within kernels. With these flags, which x86 alone has, it stores vectors or calls the library.
set(GNS_STORE_FLAGS -mmemset-strategy=libcall:-1:noalign -mmemcpy-strategy=libcall:-1:noalign)
if(GNS_LTO)
    include(CheckCCompilerFlag)
    check_c_compiler_flag("-mmemset-strategy=libcall:-1:noalign" GNS_HAS_STORE_FLAGS)
    if(GNS_HAS_STORE_FLAGS)
        list(APPEND GNS_LTO_FLAGS ${GNS_STORE_FLAGS})
    endif()
endif()

# A room that simulates: programs are optimised together with it. libFuzzer follows which of its lines are run, but not what
# it compares, which makes tests take twice as long: it compares times and states, and words and numbers are read elsewhere.
function(gns_fast_room target)
    if(GNS_LTO)
        target_compile_options(${target} PRIVATE ${GNS_LTO_FLAGS})
    endif()
    if(GPUNETSIM_SANITIZE MATCHES fuzzer)
        target_compile_options(${target} PRIVATE -fno-sanitize-coverage=trace-cmp)
    endif()
endfunction()

# Sources of such rooms that read texts.
function(gns_reads_texts)
    if(GPUNETSIM_SANITIZE MATCHES fuzzer)
        file(GLOB sources CONFIGURE_DEPENDS ${ARGN})
        set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS -fsanitize-coverage=trace-cmp)
    endif()
endfunction()

# A program, whose rooms are optimised together as it is linked, but for those that GPUNETSIM_LTO_NOT names.
function(gns_fast target)
    if(target IN_LIST GPUNETSIM_LTO_NOT)
        gns_plain(${target})
    elseif(GNS_LTO)
        target_compile_options(${target} PRIVATE ${GNS_LTO_FLAGS})
        target_link_options(${target} PRIVATE ${GNS_LTO_FLAGS} -O3)
    endif()
endfunction()

# What is linked from machine code, such as tests; their own code is no more optimised than warnings need, and not at all under
# sanitizers, where translating takes longer than running it.
function(gns_plain target)
    if(GNS_LTO)
        target_link_options(${target} PRIVATE -fno-lto)
        target_compile_options(${target} PRIVATE -O1)
    elseif(GPUNETSIM_SANITIZE)
        target_compile_options(${target} PRIVATE -O0)
    endif()
endfunction()

# clang 14's interceptor of __tls_get_addr takes what stands before a module's thread-local variables for a header, and the leak
# check then reads wherever that points to. A sanitizer's report ends a process with a code that nothing else has: 1 is also what a
# test expects of a process that ends with a sentence. Eight callers of each allocation are enough for a report, and take a thirtieth less
# time than thirty.
if(GPUNETSIM_SANITIZE)
    set(gns_sanitizer_settings "ASAN_OPTIONS=intercept_tls_get_addr=0:exitcode=99:malloc_context_size=8;")
endif()

# Headers that nearly all sources include, translated once: a fifth of what a sanitizers' build takes. The optimised build goes without,
# so that a source which lacks one of them does not compile there; so does ccache, which would not keep such objects.
set(GNS_COMMON_HEADERS <glib.h> <inttypes.h> <math.h> <stdbool.h> <stdint.h> <stdio.h> <string.h>)
function(gns_common_headers target)
    get_target_property(kind ${target} TYPE)
    if(NOT GPUNETSIM_COMMON_HEADERS OR CMAKE_C_COMPILER_LAUNCHER)
        return()
    elseif(kind STREQUAL STATIC_LIBRARY AND NOT target MATCHES "^gpunetsim_") # those are for any address: other flags
        set(first gns_core)
    elseif(target MATCHES "_test_")
        set(first core_test_check) # a test program, since these have flags of their own
    else()
        return()
    endif()
    if(target STREQUAL first)
        target_precompile_headers(${target} PRIVATE ${GNS_COMMON_HEADERS})
    else()
        target_precompile_headers(${target} REUSE_FROM ${first})
    endif()
endfunction()

function(gns_flags target)
    target_compile_options(${target} PRIVATE ${GNS_WARNINGS} -fno-math-errno -ffp-contract=off)
    target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
    gns_common_headers(${target})
    if(GPUNETSIM_SANITIZE)
        target_compile_options(${target} PRIVATE -fsanitize=${GPUNETSIM_SANITIZE}
                               -fno-omit-frame-pointer -fno-sanitize-recover=all)
        # An empty array is NULL, and NULL + 0 in C what it is in C++; AddressSanitizer sees the rest.
        target_compile_options(${target} PRIVATE $<$<C_COMPILER_ID:Clang>:-fno-sanitize=pointer-overflow>)
        # gcc's thread sanitizer does not follow the fences inside of shared pointers, and says so each time.
        if(GPUNETSIM_SANITIZE STREQUAL thread)
            target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
        endif()
        target_link_options(${target} PRIVATE -fsanitize=${GPUNETSIM_SANITIZE})
        # At a fixed address a program has nothing to relocate as it starts: 145,000 words, most of them the coverage's.
        get_target_property(kind ${target} TYPE)
        if(GPUNETSIM_SANITIZE MATCHES address AND kind STREQUAL EXECUTABLE)
            target_link_options(${target} PRIVATE -no-pie)
        endif()
    endif()
    if(GPUNETSIM_COVERAGE)
        target_compile_options(${target} PRIVATE --coverage -fprofile-abs-path)
        target_link_options(${target} PRIVATE --coverage -Wl,--wrap=_exit)
        target_link_libraries(${target} PRIVATE exit_with_coverage)
    endif()
endfunction()

if(GPUNETSIM_COVERAGE) # what a process has run is written as it ends, also where it ends by _exit
    file(WRITE ${PROJECT_BINARY_DIR}/exit_with_coverage.c
         "void __gcov_dump(void);\n_Noreturn void __real__exit(int code);\n_Noreturn void __wrap__exit(int code);\n"
         "void __wrap__exit(int code)\n{\n    __gcov_dump();\n    __real__exit(code);\n}\n")
    add_library(exit_with_coverage STATIC ${PROJECT_BINARY_DIR}/exit_with_coverage.c)
    target_link_options(exit_with_coverage INTERFACE --coverage)
endif()

# The include folder of target `name`: links to the headers of `folder`, without those of its sub-folders.
function(gns_headers name folder)
    set(include ${PROJECT_BINARY_DIR}/include/${name})
    file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/sim ${folder}/*.h)
    file(REMOVE_RECURSE ${include})
    file(MAKE_DIRECTORY ${include})
    foreach(header ${headers})
        get_filename_component(place ${include}/${header} DIRECTORY)
        file(MAKE_DIRECTORY ${place})
        file(CREATE_LINK ${PROJECT_SOURCE_DIR}/sim/${header} ${include}/${header} SYMBOLIC)
    endforeach()
    target_include_directories(${name} PUBLIC ${include})
endfunction()

function(gns_room name)
    cmake_parse_arguments(ROOM "" "DIR" "ROOMS;NEEDS" ${ARGN})
    file(GLOB sources CONFIGURE_DEPENDS ${ROOM_DIR}/*.c)
    list(FILTER sources EXCLUDE REGEX "_module[.]c$")
    list(TRANSFORM ROOM_ROOMS PREPEND gns_)
    add_library(gns_${name} STATIC ${sources})
    gns_flags(gns_${name})
    if(NOT ROOM_DIR MATCHES "^sim/(study|script)")
        gns_fast_room(gns_${name})
    endif()
    gns_headers(gns_${name} ${ROOM_DIR})
    target_link_libraries(gns_${name} PRIVATE ${ROOM_ROOMS} ${ROOM_NEEDS})
endfunction()

# A module: a source of room `room` that the program loads when it needs it, with the library that it is linked with. It
# takes nothing from the program but by pointers, and none of a sanitizer's checks that need more than C's part of it.
function(gns_module name room)
    cmake_parse_arguments(MODULE "" "SOURCE" "NEEDS" ${ARGN})
    add_library(${name} MODULE ${MODULE_SOURCE})
    gns_flags(${name})
    if(GPUNETSIM_SANITIZE)
        target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=vptr,function,fuzzer-no-link>)
    endif()
    set_target_properties(${name} PROPERTIES PREFIX "")
    foreach(seen ${room} ${MODULE_UNPARSED_ARGUMENTS})
        target_include_directories(${name} PRIVATE $<TARGET_PROPERTY:gns_${seen},INTERFACE_INCLUDE_DIRECTORIES>)
    endforeach()
    target_link_options(${name} PRIVATE -Wl,-z,now) # what it lacks is told when it is loaded; its library's own calls may wait
    target_link_libraries(${name} PRIVATE ${MODULE_NEEDS})
    add_dependencies(gns_${room} ${name})
endfunction()

# A program is the main.c of its folder.
function(gns_program name)
    cmake_parse_arguments(PROGRAM "" "DIR" "ROOMS;NEEDS" ${ARGN})
    list(TRANSFORM PROGRAM_ROOMS PREPEND gns_)
    add_executable(${name} ${PROGRAM_DIR}/main.c)
    gns_flags(${name})
    gns_fast(${name})
    target_link_libraries(${name} PRIVATE ${PROGRAM_NEEDS} ${PROGRAM_ROOMS} PkgConfig::GLIB)
endfunction()

# Every tests/<folder>/test_*.c is a GLib test program of its own, linked with the rooms named.
function(gns_tests folder)
    cmake_parse_arguments(TESTS "" "" "ROOMS;NEEDS" ${ARGN})
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/test_*.c)
    list(TRANSFORM TESTS_ROOMS PREPEND gns_)
    add_custom_target(tests_of_${folder}) # to build these only
    foreach(source ${sources})
        get_filename_component(test ${source} NAME_WE)
        set(target ${folder}_${test})
        add_executable(${target} ${source})
        add_dependencies(tests_of_${folder} ${target})
        gns_flags(${target})
        gns_plain(${target})
        if(GPUNETSIM_SANITIZE OR GPUNETSIM_COVERAGE) # a sample: tests/sanitized.h
            target_compile_definitions(${target} PRIVATE GPUNETSIM_SANITIZED)
        endif()
        target_link_libraries(${target} PRIVATE ${TESTS_ROOMS} ${TESTS_NEEDS} PkgConfig::GLIB)
        string(REPLACE "test_" "" short ${test})
        add_test(NAME ${folder}/${short} COMMAND ${target} --tap)
        set_tests_properties(${folder}/${short} PROPERTIES
            LABELS ${folder} TIMEOUT 1200
            ENVIRONMENT "${gns_sanitizer_settings}GPUNETSIM_ROOT=${PROJECT_SOURCE_DIR};GPUNETSIM_PROGRAM=$<TARGET_FILE:gpunetsim>"
            WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
    endforeach()
endfunction()
