# SPDX-License-Identifier: BSD-3-Clause
# Writes man pages into FOLDER from what PROGRAM says itself: a page for the program, one a command, and one with all
# parameter tables and one with all named designs.
cmake_policy(VERSION 3.25)

include(${CMAKE_CURRENT_LIST_DIR}/ask.cmake)

# Text as it stands: roff has two characters of its own, and two at the beginning of a line.
function(verbatim result text)
    string(REPLACE "\\" "\\e" text "${text}")
    string(REPLACE "-" "\\-" text "${text}")
    string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" text "${text}")
    set(${result} ".nf\n${text}\n.fi\n" PARENT_SCOPE)
endfunction()

function(page name section description body)
    file(WRITE ${FOLDER}/${name}.${section}
         ".TH ${name} ${section} \"\" \"gpunetsim ${VERSION}\"\n.SH NAME\n${name} \\- ${description}\n${body}")
endfunction()

function(page_of_topics name kinds description)
    foreach(kind ${kinds})
        names_of(topics ${kind})
        foreach(topic ${topics})
            ask(text help ${topic})
            verbatim(text "${text}")
            string(APPEND body ".SH ${topic}\n${text}")
        endforeach()
    endforeach()
    page(${name} 7 "${description}" "${body}")
endfunction()

ask(usage help)
verbatim(text "${usage}")
page(gpunetsim 1 "simulates how GPUs are networked" ".SH USAGE\n${text}.SH SEE ALSO
.BR gpunetsim\\-run (1),\n.BR gpunetsim\\-parameters (7),\n.BR gpunetsim\\-designs (7)\n")
string(REGEX MATCHALL "\n  gpunetsim [a-z-]+" commands "${usage}")
foreach(command ${commands})
    string(REGEX REPLACE ".* " "" command ${command})
    ask(text help ${command})
    string(REGEX MATCH "\n\n([^\n]+)" description "${text}")
    set(description "${CMAKE_MATCH_1}")
    verbatim(text "${text}")
    page(gpunetsim-${command} 1 "${description}" ".SH USAGE\n${text}.SH SEE ALSO\n.BR gpunetsim (1)\n")
endforeach()
page_of_topics(gpunetsim-parameters "components;workloads" "parameters of machines, designs and workloads")
page_of_topics(gpunetsim-designs "designs" "named designs of networks of GPUs")
