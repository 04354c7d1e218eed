# The project's comments as Doxygen's: before what they describe, or behind it on its line.
1s|^/\* |/** @file\n * |
s|^( *)/\* ([^-])|\1/** \2|
s|([^ ] +)/\* |\1/**< |
