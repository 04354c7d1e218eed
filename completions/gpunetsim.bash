# SPDX-License-Identifier: BSD-3-Clause
# Completion of gpunetsim for bash: the program itself is asked what there is.
_gpunetsim()
{
    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(gpunetsim help 2> /dev/null | sed -n 's/^  gpunetsim \([a-z]*\).*/\1/p')" -- "$word")
        return
    fi
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(gpunetsim help "$command" 2> /dev/null | grep -o -- '--[a-z-]*')" -- "$word")
        return
    fi
    case $command in
    help) mapfile -t COMPREPLY < <(compgen -W "$(gpunetsim list designs 2> /dev/null | awk '{ print $1 }')" -- "$word") ;;
    list) mapfile -t COMPREPLY < <(compgen -W "scenarios machines designs workloads measures components" -- "$word") ;;
    osu) mapfile -t COMPREPLY < <(compgen -W "latency bw bibw mbw_mr" -- "$word") ;;
    esac
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word")
}
complete -o filenames -F _gpunetsim gpunetsim
