# SPDX-License-Identifier: BSD-3-Clause
# Writes the reference into FOLDER/html with Doxygen: commands, parameters and designs as PROGRAM tells them, and the
# headers of SOURCE. Warnings are in FOLDER/warnings.txt.
cmake_policy(VERSION 3.25)
set(ROOT ${SOURCE})
include(${CMAKE_CURRENT_LIST_DIR}/ask.cmake)

find_program(doxygen doxygen)
if(NOT doxygen)
    message(FATAL_ERROR "doxygen is not installed (Debian package doxygen)")
endif()

# A page with a section for each topic, as `gpunetsim help TOPIC` prints it.
function(page name title)
    set(text "# ${title} {#${name}}\n\n")
    foreach(topic ${ARGN})
        ask(said help ${topic})
        string(APPEND text "## ${topic}\n\n```{.txt}\n${said}```\n\n")
    endforeach()
    file(WRITE ${FOLDER}/pages/${name}.md "${text}")
endfunction()

ask(usage help)
string(REGEX MATCHALL "\n  gpunetsim [a-z-]+" commands "${usage}")
list(TRANSFORM commands REPLACE ".* " "")
page(commands "Commands" ${commands})
foreach(kind components workloads designs)
    names_of(topics ${kind})
    string(SUBSTRING ${kind} 0 1 first)
    string(TOUPPER ${first} first)
    string(SUBSTRING ${kind} 1 -1 rest)
    page(${kind} "${first}${rest}" ${topics})
endforeach()
file(WRITE ${FOLDER}/pages/reference.md "# gpunetsim ${VERSION}

- @subpage commands of the program
- @subpage components of machines, with their parameters
- @subpage workloads, with their arguments
- @subpage designs that have names
- gpunetsim.h, the C interface for other programs
- the headers of all rooms, under Files
")
file(MAKE_DIRECTORY ${FOLDER})
configure_file(${SOURCE}/cmake/Doxyfile.in ${FOLDER}/Doxyfile @ONLY)
execute_process(COMMAND ${doxygen} ${FOLDER}/Doxyfile COMMAND_ERROR_IS_FATAL ANY)
message(STATUS "The reference is in ${FOLDER}/html/index.html")
