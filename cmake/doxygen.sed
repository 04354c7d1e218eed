# The project's comments as Doxygen's: before what they describe, or behind it on its line.
/SPDX-License-Identifier/d
1,2s|^/\* |/** @file\n * |
s|^( *)/\* ([^-])|\1/** \2|
s|([^ ] +)/\* |\1/**< |
