# gns_version(SOURCE number id): the number of the last tag v1.2.3 and git's name of the commit. Where SOURCE is no
# checkout, as from a tarball, or has no tag, the file VERSION says it, whose second line `git archive` fills in.
function(gns_version source number id)
    file(STRINGS ${source}/VERSION lines)
    list(GET lines 0 version)
    list(GET lines 1 commit)
    if(commit MATCHES "Format")
        set(commit unknown)
    endif()
    if(EXISTS ${source}/.git) # a file in a worktree; a checkout that lies around the folder is another project's
        execute_process(COMMAND git describe --tags --abbrev=0 --match v[0-9]* WORKING_DIRECTORY ${source}
                        OUTPUT_VARIABLE tag ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
        execute_process(COMMAND git describe --always --dirty --exclude * WORKING_DIRECTORY ${source}
                        OUTPUT_VARIABLE described ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
        if(tag MATCHES "^v([0-9]+(\\.[0-9]+)*)$")
            set(version ${CMAKE_MATCH_1})
        endif()
        if(described)
            set(commit ${described})
        endif()
    endif()
    set(${number} ${version} PARENT_SCOPE)
    set(${id} ${commit} PARENT_SCOPE)
endfunction()
