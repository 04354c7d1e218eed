#include "protocols/runtimes/messenger.h"

const char *const runtime_design_names[] = {NULL};
