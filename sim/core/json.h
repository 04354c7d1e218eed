/* JSON as text. */
#ifndef GPUNETSIM_CORE_JSON_H
#define GPUNETSIM_CORE_JSON_H

/* `text` as a JSON string, with its quotes. The caller frees it with g_free. */
char *json_string(const char *text);

#endif
