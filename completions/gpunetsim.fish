# SPDX-License-Identifier: BSD-3-Clause
# Completion of gpunetsim for fish: the program itself is asked what there is.
function __gpunetsim_commands
    gpunetsim help 2> /dev/null | string replace -rf '^  gpunetsim ([a-z-]+).*' '$1'
end
function __gpunetsim_options
    gpunetsim help (commandline -opc)[2] 2> /dev/null | string match -ra -- '--[a-z-]+'
end
function __gpunetsim_settings
    set -l word (commandline -ct)
    if string match -q '*.*' -- $word
        set -l component (string split -f1 . -- $word)
        gpunetsim help $component 2> /dev/null | awk -v component=$component '/^parameter /{ on = 1; next } !NF { on = 0 } on { print component "." $1 "=" }'
    else
        gpunetsim help machine 2> /dev/null | awk '/^parameter /{ on = 1; next } !NF { on = 0 } on { print $1 "=" }'
        gpunetsim list components 2> /dev/null | awk 'NR > 1 && $1 != "machine" { print $1 "." } END { print "design." }'
    end
end
complete -c gpunetsim -n __fish_use_subcommand -f -a '(__gpunetsim_commands)'
complete -c gpunetsim -n 'not __fish_use_subcommand; and string match -q -- "-*" (commandline -ct)' -f -a '(__gpunetsim_options)'
complete -c gpunetsim -n '__fish_seen_subcommand_from help' -f -a "(for l in components designs workloads measures; gpunetsim list \$l 2> /dev/null | tail -n +2 | string split -f1 ' '; end)"
complete -c gpunetsim -n '__fish_seen_subcommand_from new' -f -a 'machine study'
complete -c gpunetsim -n '__fish_seen_subcommand_from params' -a "(gpunetsim list machines 2> /dev/null | tail -n +2 | string split -f1 ' ')"
complete -c gpunetsim -l design -x -a "(gpunetsim list designs 2> /dev/null | tail -n +2 | string split -f1 ' ')"
complete -c gpunetsim -s s -l set -x -a '(__gpunetsim_settings)'
complete -c gpunetsim -n '__fish_seen_subcommand_from list' -f -a 'scenarios machines designs workloads measures components'
complete -c gpunetsim -n '__fish_seen_subcommand_from export' -a 'goal goal-binary chakra program'
complete -c gpunetsim -n '__fish_seen_subcommand_from import' -a topology
complete -c gpunetsim -n '__fish_seen_subcommand_from collective' -f -a 'all_reduce all_gather reduce_scatter broadcast alltoall dispatch combine'
complete -c gpunetsim -n '__fish_seen_subcommand_from osu' -f -a 'latency bw bibw mbw_mr'
