# SPDX-License-Identifier: BSD-3-Clause
# Completion of gpunetsim for bash: the program itself is asked what there is.
_gpunetsim_parameters()
{
    gpunetsim help "$1" 2> /dev/null | awk -v component="$1" '/^parameter /{ on = 1; next } !NF { on = 0 } on { print component "." $1 "=" }'
}
_gpunetsim()
{
    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(gpunetsim help 2> /dev/null | sed -n 's/^  gpunetsim \([a-z-]*\).*/\1/p')" -- "$word")
        return
    fi
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(gpunetsim help "$command" 2> /dev/null | grep -o -- '--[a-z-]*')" -- "$word")
        return
    fi
    case ${COMP_WORDS[COMP_CWORD - 1]} in
    --design) command=list-designs ;;
    -s | --set) command=list-components ;;
    esac
    case $command in
    list-designs) mapfile -t COMPREPLY < <(compgen -W "$(gpunetsim list designs 2> /dev/null | awk 'NR > 1 { print $1 }')" -- "$word"); return ;;
    list-components) compopt -o nospace 2> /dev/null
        [[ $word == *.* ]] && mapfile -t COMPREPLY < <(compgen -W "$(_gpunetsim_parameters "${word%%.*}")" -- "$word") && return
        mapfile -t COMPREPLY < <(compgen -W "$(_gpunetsim_parameters machine | sed 's/^machine\.//'; gpunetsim list components 2> /dev/null | awk 'NR > 1 && $1 != "machine" { print $1 "." } END { print "design." }')" -- "$word"); return ;;
    new) [ "$COMP_CWORD" -eq 2 ] && mapfile -t COMPREPLY < <(compgen -W "machine study" -- "$word") && return ;;
    params) mapfile -t COMPREPLY < <(compgen -W "$(gpunetsim list machines 2> /dev/null | awk 'NR > 1 { print $1 }')" -- "$word") ;;
    help) mapfile -t COMPREPLY < <(compgen -W "$(for l in components designs workloads measures; do gpunetsim list $l 2> /dev/null | awk 'NR > 1 { print $1 }'; done)" -- "$word") ;;
    list) mapfile -t COMPREPLY < <(compgen -W "scenarios machines designs workloads measures components" -- "$word") ;;
    export) [ "$COMP_CWORD" -eq 2 ] && mapfile -t COMPREPLY < <(compgen -W "goal goal-binary chakra program" -- "$word") && return ;;
    import) [ "$COMP_CWORD" -eq 2 ] && mapfile -t COMPREPLY < <(compgen -W "topology" -- "$word") && return ;;
    collective) mapfile -t COMPREPLY < <(compgen -W "all_reduce all_gather reduce_scatter broadcast alltoall dispatch combine" -- "$word") ;;
    osu) mapfile -t COMPREPLY < <(compgen -W "latency bw bibw mbw_mr" -- "$word") ;;
    esac
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word")
}
complete -o filenames -F _gpunetsim gpunetsim
