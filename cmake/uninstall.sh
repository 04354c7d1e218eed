#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# uninstall.sh BUILD: removes what the last installation from this build folder put in place, and folders that it leaves empty,
# up to the prefix; of /usr and /usr/local the folders in them stay. rmdir removes no folder that still has a file in it.
set -u
manifest=$1/install_manifest.txt
if [ ! -f "$manifest" ]; then
    echo "Nothing was installed from here: $manifest is not there." >&2
    exit 1
fi
prefix=$(cat "$1/install_prefix.txt")
case $prefix in *\;*)
    echo "The files in \"$prefix\" have to be removed by hand: CMake's list of what it installed is cut at semicolons." >&2
    exit 1
esac

# Whether a folder is /usr, /usr/local or a folder in one of them.
is_kept() {
    case $1 in
        /usr | /usr/local) return 0 ;;
        /usr/local/*) in=${1#/usr/local/} ;;
        /usr/*) in=${1#/usr/} ;;
        *) return 1 ;;
    esac
    case $in in */*) return 1 ;; esac
}

while IFS= read -r file || [ -n "$file" ]; do
    case $file in "$prefix"/*) ;; *) continue ;; esac
    rm -f -- "${DESTDIR-}$file" || exit 1
    folder=${file%/*}
    while case $folder/ in "$prefix"/*) ! is_kept "$folder" ;; *) false ;; esac; do
        rmdir -- "${DESTDIR-}$folder" 2> /dev/null || break
        folder=${folder%/*}
    done
done < "$manifest"
