// SPDX-License-Identifier: MIT
// Writes a difference between a world and the model in words.
#include "loop_stage_internal.h"

const char loop_letters[LOOP_COMPONENTS + 2] = "?ABCF";

static void write_word(uint64_t word, text *out)
{
    static const char *const events[] = { "add", "set", "remove", "create", "destroy" };
    static const char *const turns[]  = { "has its turn", "enters", "leaves" };
    uint32_t                 a        = (uint32_t)(word >> 32) & 0xFFFFFF;
    uint32_t                 b        = (uint32_t)word;
    switch ((loop_entry)(word >> 56)) {
    case LOOP_LOG_RESULT:
        text_add(out, "answers %d; ", (int)b);
        break;
    case LOOP_LOG_ERROR:
        if (b != 0) {
            text_add(out, "error %u, reported %u times; ", b, a);
        }
        break;
    case LOOP_LOG_EVENT:
        text_add(out, "announces %s %c of e%d; ", events[a >> 8], loop_letters[a & 0xFF], (int)b);
        break;
    case LOOP_LOG_VISIT:
        text_add(out, "c%u visits e%d", a, (int)b);
        break;
    case LOOP_LOG_COLUMNS:
        text_add(out, " with columns %x; ", b);
        break;
    case LOOP_LOG_MISPLACED:
        text_add(out, "the column %c is not the value of e%d; ", loop_letters[a], (int)b);
        break;
    case LOOP_LOG_TURN:
        text_add(out, "e%d %s; ", (int)b, turns[a]);
        break;
    case LOOP_LOG_LEAD:
        text_add(out, "%c leads with %u rows; ", loop_letters[a], b);
        break;
    default:
        text_add(out, "destructs value %u of %c; ", b, loop_letters[a]);
    }
}

static void write_log(const char *side, const loop_log *log, text *out)
{
    text_add(out, "    // %s ", side);
    for (uint32_t i = 0; i < log->count; i++) {
        write_word(log->words[i], out);
    }
    text_add(out, "\n");
}

void loop_stage_write(const loop_stage *s, text *out)
{
    static const char *const paths[] = { "portable", "AVX2" };
    loop_numbers             numbers = { 0 };
    text_add(out, "    // %s%s; path %s, blocks of %u rows\n", s->flavour->name,
             s->listening ? "; every event has a listener" : "", paths[s->setting.path],
             s->setting.block_rows);
    for (uint32_t i = 0; i < s->step_count; i++) {
        loop_step_write(&s->steps[i], &numbers, out);
    }
    write_log("the world:", &s->log, out);
    write_log("the model:", &s->model.log, out);
    text_add(out, "    // %s\n", s->difference);
}
