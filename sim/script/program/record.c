/* SPDX-License-Identifier: BSD-3-Clause */
/* The values that parties report: a measure is the mean of the values recorded under its name; several times also give their
 * least, median, 99th percentile and greatest. */
#include <math.h>
#include <string.h>

#include "script/program/program_parts.h"
#include "study/model/value.h"

static bool is_name(const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return length > 0 && length <= 64 && name[length] == '\0' && !g_ascii_isdigit(*name);
}

static struct program_record *find_record(lua_State *L, struct program_run *run, const char *name,
                                          const struct value *value)
{
    for (int i = 0; i < run->record_count; i++)
        if (strcmp(run->records[i].name, name) == 0)
            return &run->records[i];
    if (!is_name(name))
        script_fail(L, "record: \"%s\" is no name of letters, digits and _", name);
    if (run->record_count == PROGRAM_RECORDS)
        script_fail(L, "a program records at most %d measures", PROGRAM_RECORDS);
    struct program_record *record = &run->records[run->record_count++];
    *record = (struct program_record){
        .name = g_strdup(name), .is_number = value->kind != VALUE_QUANTITY, .unit = value->unit};
    record->info =
        (struct stat_info){record->name, unit_base_suffix(record->unit), "recorded by the program"};
    if (!record->is_number)
        record->values = stat_histogram_new(world_sim(run->world)->stats, "program", &record->info);
    return record;
}

static bool read_value(lua_State *L, int index, struct value *value)
{
    *value = (struct value){.kind = VALUE_NUMBER};
    if (lua_type(L, index) == LUA_TNUMBER) {
        value->number = lua_tonumber(L, index);
        return isfinite(value->number);
    }
    value->kind = VALUE_TEXT;
    value->text = (char *)(uintptr_t)lua_tostring(L, index);
    return lua_type(L, index) == LUA_TSTRING && value_to_quantity(value);
}

int party_record(lua_State *L, struct lua_party *lua)
{
    struct program_party *party = program_party_of(lua);
    struct value value;
    if (lua_type(L, 2) != LUA_TSTRING || !read_value(L, 3, &value))
        script_fail(
            L,
            "record needs a name and a quantity or a number, as in me:record(\"latency\", me:now())");
    struct program_record *record = find_record(L, party->run, lua_tostring(L, 2), &value);
    bool is_alike = record->is_number ? value.kind == VALUE_NUMBER
                                      : value.kind == VALUE_QUANTITY && value.unit == record->unit;
    if (!is_alike)
        script_fail(L, "record: \"%s\" was recorded as a %s before", record->name,
                    record->is_number ? "number" : unit_kind_name(record->unit));
    if (!record->is_number && value.quantity < 0)
        script_fail(L, "record: \"%s\" cannot be negative", record->name);
    record->count++;
    if (record->is_number) {
        record->sum += value.number;
        stat_unit(&record->units, value.number);
    } else {
        stat_record(record->values, value.quantity);
    }
    return 0;
}

void records_reset(struct program_run *run)
{
    for (int i = 0; i < run->record_count; i++) {
        struct program_record *record = &run->records[i];
        record->count = 0;
        record->sum = 0;
        record->units = (struct stat_units){.count = 0};
        if (record->values)
            stat_histogram_reset(record->values);
    }
}

static void add_mean(struct workload_result *result, const struct program_record *record)
{
    const char *name = g_intern_string(record->name);
    if (record->is_number)
        workload_add_mean_ratio(result, name, record->sum / (double)record->count, &record->units);
    else
        workload_add_mean_quantity(result, name, record->unit,
                                   (int64_t)(record->values->sum / record->values->count),
                                   &record->values->units);
}

void records_report(const struct program_run *run, struct workload_result *result)
{
    for (int i = 0; i < run->record_count; i++) {
        const struct program_record *record = &run->records[i];
        const struct stat_histogram *values = record->values;
        if (record->count == 0)
            continue;
        if (record->count == 1 || record->is_number) {
            add_mean(result, record);
            continue;
        }
        workload_add_histogram(result, record->name, record->unit, values);
        if (record->unit == UNIT_TIME)
            workload_add_percentiles(result, record->name, values, run->program->spec.percentiles);
    }
}

void records_clear(struct program_run *run)
{
    for (int i = 0; i < run->record_count; i++)
        g_free(run->records[i].name);
}
