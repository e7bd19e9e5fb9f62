// SPDX-License-Identifier: MIT
// Draws the rows of two pools as they are in memory, for README.md: as filled, while a loop is
// open, and owned by a group. Every box is a row that the library reports. tools/picture.sh runs
// it.
#include <kith/kith.h>

#include <stdio.h>

enum { POSITION = 1, VELOCITY };

typedef struct vec2 {
    float x, y;
} vec2;

KITH_COMPONENT(position, vec2, POSITION);
KITH_COMPONENT(velocity, vec2, VELOCITY);
KITH_MODULE(picture, position, velocity);
KITH_QUERY(movers, write(position), read(velocity));
KITH_GROUP(bodies, own(position), own(velocity));

enum { ENTITIES = 9, LEFT = 400, STEP = 42, BOX = 36, PANEL = 128, TOP = 22 };

static void write_text(int x, int y, const char *class, const char *text)
{
    printf("<text x=\"%d\" y=\"%d\" class=\"%s\">%s</text>\n", x, y, class, text);
}

static int row_of(const kith_world *world, kith_component pool, kith_entity entity)
{
    uint32_t row = kith_component_row(world, entity, pool);
    return row == KITH_NO_ROW ? -1 : (int)row;
}

// The rows of a pool. The entities that are in both pools have a colour, a hole has a broken line.
static void draw_pool(const kith_world *world, kith_component pool, const char *name, int y)
{
    uint32_t rows = pool == POSITION ? position_rows(world) : velocity_rows(world);
    printf("<text x=\"%d\" y=\"%d\" class=\"name\">%s</text>\n", LEFT - 12, y + 23, name);
    for (uint32_t row = 0; row < rows; row++) {
        kith_entity entity = kith_component_entity(world, pool, row);
        const char *class  = entity == KITH_NULL              ? "hole"
                             : movers_contains(world, entity) ? "both"
                                                              : "alone";
        int x              = LEFT + (int)row * STEP;
        printf("<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\"/>\n",
               class, x, y, BOX, BOX);
        if (entity != KITH_NULL) {
            printf("<text x=\"%d\" y=\"%d\" class=\"%s\">%u</text>\n", x + BOX / 2, y + 23, class,
                   kith_entity_index(entity));
        }
    }
}

// A line from the row of each entity in one pool to its row in the other.
static void draw_lines(const kith_world *world, int y)
{
    kith_entity entity = kith_entity_next(world, KITH_NULL);
    for (; entity != KITH_NULL; entity = kith_entity_next(world, entity)) {
        int from = row_of(world, POSITION, entity);
        int to   = row_of(world, VELOCITY, entity);
        if (from >= 0 && to >= 0) {
            printf("<path class=\"line\" d=\"M%d %dL%d %d\"/>\n", LEFT + from * STEP + BOX / 2, y,
                   LEFT + to * STEP + BOX / 2, y + 24);
        }
    }
}

static void draw(const kith_world *world, int number, const char *const text[4])
{
    int y = TOP + number * PANEL;
    write_text(20, y + 16, "title", text[0]);
    for (int line = 1; line < 4; line++) {
        write_text(20, y + 16 + 20 * line, "faint", text[line]);
    }
    draw_pool(world, POSITION, "position", y);
    draw_pool(world, VELOCITY, "velocity", y + BOX + 24);
    draw_lines(world, y + BOX);
}

static void begin_picture(void)
{
    int width  = LEFT + ENTITIES * STEP + 14;
    int height = 3 * PANEL + 8;
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
           "height=\"%d\" role=\"img\">\n",
           width, height, width, height);
    puts("<title>Two pools in memory: as filled, while a loop is open, in a group</title>\n"
         "<style>\n"
         ".ground { fill: #ffffff; stroke: #d0d7de; }\n"
         "text { font-family: system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif; "
         "font-size: 13px; fill: #1f2328; }\n"
         ".title { font-weight: 600; font-size: 15px; }\n"
         ".name { text-anchor: end; font-family: ui-monospace, Menlo, Consolas, monospace; }\n"
         "text.both, text.alone { text-anchor: middle; }\n"
         "text.both { fill: #ffffff; }\n"
         ".faint { fill: #59636e; }\n"
         "rect.both { fill: #1f6feb; }\n"
         "rect.alone { fill: #eef1f4; stroke: #afb8c1; }\n"
         "rect.hole { fill: none; stroke: #cf222e; stroke-dasharray: 4 3; }\n"
         ".line { stroke: #1f6feb; stroke-width: 1.5; fill: none; }\n"
         "@media (prefers-color-scheme: dark) {\n"
         ".ground { fill: #15191f; stroke: #3d444d; }\n"
         "text { fill: #e6edf3; }\n"
         ".faint { fill: #9198a1; }\n"
         "rect.alone { fill: #2a313c; stroke: #656c76; }\n"
         "rect.hole { stroke: #ff7b72; }\n"
         "}\n"
         "</style>");
    printf("<rect class=\"ground\" x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"8\"/>\n",
           width - 1, height - 1);
}

int main(void)
{
    static const int moving[] = { 7, 2, 5, 4, 1, 8 };
    kith_world      *world    = kith_world_create(NULL);
    kith_entity      entities[ENTITIES];
    if (world == NULL || !picture_register(world)) {
        return 1;
    }
    for (int i = 0; i < ENTITIES; i++) {
        entities[i] = kith_entity_create(world);
        position_set(world, entities[i], (vec2){ 0, 0 });
    }
    for (size_t i = 0; i < sizeof moving / sizeof *moving; i++) {
        velocity_set(world, entities[moving[i]], (vec2){ 0, 0 });
    }
    begin_picture();
    draw(world, 0,
         (const char *[]){ "Each component has a pool", "The values lie row by row, as they were",
                           "added. A lookup leads from any entity", "to its row." });

    movers m = movers_begin(world);
    if (!movers_next(&m)) {
        return 1;
    }
    kith_entity_destroy(world, entities[2]);
    kith_entity_destroy(world, entities[5]);
    draw(world, 1,
         (const char *[]){ "A loop is open: nothing moves", "Its body has destroyed 2 and 5. They",
                           "left holes. Every pointer is still", "valid." });
    movers_end(&m);

    if (bodies_group(world) == NULL) {
        return 1;
    }
    draw(world, 2,
         (const char *[]){ "A group keeps one order", "The holes are closed. The entities with",
                           "both components come first: a loop", "gets plain arrays." });
    puts("</svg>");
    kith_world_destroy(world);
    return 0;
}
