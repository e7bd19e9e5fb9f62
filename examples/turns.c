// SPDX-License-Identifier: MIT
// A turn-based game on frames: each move is one. Taking back, and looking ahead, is going back to a
// frame; no move needs a reverse. Look at the second game: X takes back the mistake of the first.
// At the end a check replays all moves, and finds the rule that depends on more than the world.
#include <kith/frames.h>
#include <kith/kith.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct mark {
    int32_t square, player; // 0 is X, 1 is O
} mark;

typedef struct match {
    int32_t to_move;
} match;

enum { MARK = 1, MATCH };

KITH_FIELDS(mark, i32(square), i32(player));
KITH_FIELDS(match, i32(to_move));
KITH_COMPONENT_AS(mark, mark, MARK, fields(mark));
KITH_SINGLETON_AS(match, match, MATCH, fields(match));
KITH_MODULE(board, mark, match);
KITH_QUERY(marks, read(mark));

typedef struct game {
    kith_world  *world;
    kith_frames *frames;
    uint64_t     frame; // the one that the world stands on
    uint32_t     looked_at;
} game;

static void read_board(kith_world *world, char *squares)
{
    memcpy(squares, ".........", 10);
    KITH_EACH(marks, m, world)
    {
        squares[m.mark->square] = "XO"[m.mark->player];
    }
}

static bool has_won(const char *squares, char player)
{
    bool won = false;
    for (const char *l = "012345678036147258048246"; *l != '\0'; l += 3) {
        won = won || (squares[l[0] - '0'] == player && squares[l[1] - '0'] == player &&
                      squares[l[2] - '0'] == player);
    }
    return won;
}

static void put_mark(kith_world *world, int32_t square)
{
    int32_t player = match_get(world)->to_move;
    mark_set(world, kith_entity_create(world), (mark){ square, player });
    match_mut(world)->to_move = !player;
}

static void move(game *g, int32_t square)
{
    put_mark(g->world, square);
    g->frame = kith_frames_save(g->frames);
}

static bool go_to(game *g, uint64_t frame)
{
    g->frame = frame;
    return kith_frames_restore(g->frames, frame);
}

// Tries every move in the world itself. Returns 1 if the player to move wins, 0 for a draw.
static int look_ahead(game *g, int32_t *best)
{
    char     squares[10];
    uint64_t here  = g->frame;
    int      score = -2;
    g->looked_at++;
    read_board(g->world, squares);
    if (has_won(squares, "OX"[match_get(g->world)->to_move])) {
        return -1;
    }
    for (int32_t square = 0; square < 9 && score < 1; square++) {
        int32_t next = 0;
        if (squares[square] == '.') {
            move(g, square);
            int found = -look_ahead(g, &next);
            go_to(g, here);
            *best = found > score ? square : *best;
            score = found > score ? found : score;
        }
    }
    return score == -2 ? 0 : score;
}

static char play(game *g, const int32_t *squares_of_x, int count)
{
    char squares[10];
    for (int i = 0; i < count; i++) {
        int32_t reply = 0;
        move(g, squares_of_x[i]);
        g->looked_at = 0;
        int score    = look_ahead(g, &reply);
        read_board(g->world, squares);
        if (strchr(squares, '.') != NULL) {
            move(g, reply);
        }
        read_board(g->world, squares);
        printf("frame %2" PRIu64 ": %.3s|%.3s|%.3s  O looked at %4u positions: %s\n", g->frame,
               squares, squares + 3, squares + 6, g->looked_at, score == 1 ? "wins" : "a draw");
    }
    return has_won(squares, 'O') ? 'O' : has_won(squares, 'X') ? 'X' : '-';
}

// Plays the move of a frame again: for kith_frames_check.
static void replay(kith_world *world, uint64_t frame, void *context)
{
    static int32_t calls; // a mistake on purpose: no frame has this
    const int32_t *moves = context;
    put_mark(world, moves[frame - 2] < 0 ? ++calls : moves[frame - 2]);
}

int main(void)
{
    game g   = { .world = kith_world_create(NULL) };
    g.frames = g.world == NULL ? NULL : kith_frames_create(g.world, NULL);
    if (g.frames == NULL || !board_register(g.world) || match_add(g.world) == NULL) {
        return 1;
    }
    g.frame    = kith_frames_save(g.frames);
    bool right = play(&g, (const int32_t[]){ 0, 5, 8, 6 }, 4) == 'O';
    printf("X takes back three moves\n");
    right = go_to(&g, g.frame - 6) && play(&g, (const int32_t[]){ 8, 7, 2, 3 }, 4) == '-' && right;

    int32_t   squares[9] = { 0 };
    kith_diff diff       = { 0 };
    for (uint64_t frame = 2; right && frame <= g.frame; frame++) {
        const kith_world *then = kith_frames_world(g.frames, frame); // to read, without going there
        squares[frame - 2]     = mark_value(then, (uint32_t)frame - 2)->square;
    }
    right = kith_frames_diff(g.frames, 1, g.frame, &diff) && diff.count > 9 && right;
    right = kith_frames_check(g.frames, 8, replay, squares).frame == 0 && right;
    printf("all moves again: the same frames. With the mistake:\n");
    squares[6]                = -1;
    kith_frames_finding found = kith_frames_check(g.frames, 8, replay, squares);
    printf("%s\n", found.text);
    return found.frame == 8 && kith_world_destroy(g.world) && right ? 0 : 1;
}
