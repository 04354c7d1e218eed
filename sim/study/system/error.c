/* The error domain of this room. */
#include "study/system/error.h"

GQuark study_error_quark(void)
{
    return g_quark_from_static_string("study-error-quark");
}
