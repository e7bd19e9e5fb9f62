// SPDX-License-Identifier: MIT
// Queries as text: every word, every error with its column, and texts that are no queries.
#include "kith_test.h"

#include <stdio.h>

#define COUNT_OF(LIST) ((uint32_t)(sizeof(LIST) / sizeof((LIST)[0])))

enum { LABEL = HIDDEN + 1, SEEN, GRAVITY, SPACED, QUOTED, WORD, UTF };

static const kith_traits seen_traits = { .row_ticks = true };
KITH_COMPONENT(label, int, LABEL);
KITH_COMPONENT_WITH(seen, int, SEEN, seen_traits);
KITH_SINGLETON(gravity, int, GRAVITY);
KITH_MODULE(more, label, seen, gravity);

typedef struct parse_world {
    test_memory memory;
    kith_world *world;
    kith_term   terms[KITH_QUERY_TERMS_MAX];
    uint32_t    errors; // of the hook
    char        said[512];
    const char *text;     // that the hook reads; NULL: none
    bool        readable; // whether it could
} parse_world;

static void record_text(const kith_world *world, const kith_error *error, void *context)
{
    parse_world *w = context;
    w->errors++;
    kith_error_text(world, error, w->said, sizeof w->said);
    if (w->text != NULL) {
        kith_query *query;
        w->readable = kith_query_parse(w->world, w->text, &query);
    }
}

static int parse_setup(void **state)
{
    parse_world              *w      = calloc(1, sizeof *w);
    const kith_component_desc tags[] = {
        { .name = "my name", .id = SPACED, .kind = KITH_KIND_TAG },
        { .name = "say \"hi\"", .id = QUOTED, .kind = KITH_KIND_TAG },
        { .name = "read", .id = WORD, .kind = KITH_KIND_TAG },
        { .name = "gr\xc3\xb6\xc3\x9f"
                  "e.x:y-z",
          .id   = UTF,
          .kind = KITH_KIND_TAG },
    };
    const kith_world_desc desc = { .allocator     = test_allocator(&w->memory),
                                   .on_error      = record_text,
                                   .error_context = w };
    w->world                   = kith_world_create(&desc);
    assert_true(game_register(w->world) && more_register(w->world));
    assert_true(kith_component_register_many(w->world, tags, COUNT_OF(tags)));
    *state = w;
    return 0;
}

static int parse_teardown(void **state)
{
    parse_world *w = *state;
    test_world_end(w->world, &w->memory);
    free(w);
    return 0;
}

#define TEST_PARSE(NAME) cmocka_unit_test_setup_teardown(NAME, parse_setup, parse_teardown)

static bool same_terms(const kith_query_desc *a, const kith_query_desc *b)
{
    bool same = a->term_count == b->term_count;
    for (uint32_t i = 0; same && i < a->term_count; i++) {
        same = a->terms[i].component == b->terms[i].component &&
               a->terms[i].role == b->terms[i].role && a->terms[i].any_list == b->terms[i].any_list;
    }
    return same;
}

// Both calls read the text as these terms.
static void check_text(parse_world *w, const char *text, const kith_query_desc *expected)
{
    kith_query_desc desc;
    kith_query     *query;
    if (!kith_query_desc_parse(w->world, text, &desc, w->terms) || !same_terms(&desc, expected)) {
        fail_msg("`%s` is read otherwise: %s", text, w->said);
    }
    assert_ptr_equal(desc.name, text);
    assert_int_equal(desc.since, 0);
    assert_true(kith_query_parse(w->world, text, &query));
    assert_true(same_terms(kith_query_describe(query), expected));
    assert_ptr_equal(kith_query_of(w->world, expected), query);
}

#define TERMS(...)                                                                                 \
    (&(const kith_query_desc){ "expected", (const kith_term[]){ __VA_ARGS__ },                     \
                               COUNT_OF(((const kith_term[]){ __VA_ARGS__ })), 0 })

// Both calls refuse the text, with this sentence.
static void check_refused(parse_world *w, const char *text, const char *sentence)
{
    char            said[512];
    kith_query_desc desc  = { "untouched", NULL, 7, 9 };
    kith_query     *query = (kith_query *)(void *)w;
    kith_world_error_clear(w->world);
    w->errors = 0;
    assert_false(kith_query_desc_parse(w->world, text, &desc, w->terms));
    assert_int_equal(w->errors, 1);
    snprintf(said, sizeof said, "kith_query_desc_parse: %s", sentence);
    assert_string_equal(w->said, said);
    assert_int_equal((int)kith_world_error(w->world).code, KITH_OK); // the world is const
    assert_true(desc.term_count == 7 && desc.terms == NULL && desc.since == 9);

    assert_false(kith_query_parse(w->world, text, &query));
    assert_null(query);
    assert_int_equal(w->errors, 2);
    snprintf(said, sizeof said, "kith_query_parse: %s", sentence);
    assert_string_equal(w->said, said);
    assert_error_says(w->world, KITH_ERROR_ARGUMENT, said);
}

// --- what is accepted ------------------------------------------------------------------------

// A typed query, and the text of its terms.
#define TYPED(NAME, ...)                                                                           \
    KITH_QUERY(NAME, __VA_ARGS__);                                                                 \
    static const char NAME##_text[] = #__VA_ARGS__

TYPED(words, write(position), read(velocity), without(frozen), optional(label), with(hidden));
TYPED(changes, optional_write(position), changed(velocity), added(seen), lead(seen));
TYPED(others, own(position), disabled(position), disabled(velocity));
TYPED(alternatives, any(position, velocity, frozen), any(label, hidden), disabled(label));

static void the_terms_of_a_typed_query_are_read_as_they_are(void **state)
{
    check_text(*state, words_text, words_desc());
    check_text(*state, changes_text, changes_desc());
    check_text(*state, others_text, others_desc());
    check_text(*state, alternatives_text, alternatives_desc());
}

static void a_word_and_a_name_are_a_term(void **state)
{
    for (kith_role role = KITH_ROLE_WITH; role <= KITH_ROLE_ADDED; role = (kith_role)(role + 1)) {
        char      text[64];
        kith_term term = { SEEN, role, role == KITH_ROLE_ANY ? SEEN : 0 };
        snprintf(text, sizeof text, "%s seen", kith_role_name(role));
        check_text(*state, text, TERMS(term));
        snprintf(text, sizeof text, "\n%s\t(\r\"seen\" ) ", kith_role_name(role));
        check_text(*state, text, TERMS(term));
    }
}

static void two_words_have_a_short_form(void **state)
{
    const kith_query_desc *expected =
        TERMS({ POSITION, KITH_ROLE_WRITE, 0 }, { VELOCITY, KITH_ROLE_READ, 0 },
              { FROZEN, KITH_ROLE_WITHOUT, 0 }, { LABEL, KITH_ROLE_OPTIONAL, 0 });
    check_text(*state, "write position, read velocity, !frozen, ?label", expected);
    check_text(*state, "write position,read velocity,!frozen,?label", expected);
    check_text(*state, " write(position) , read\nvelocity ,! frozen,? ( label ) ", expected);
}

static void names_that_are_no_identifiers_are_found(void **state)
{
    check_text(*state, "with \"my name\", !\"say \"\"hi\"\"\"",
               TERMS({ SPACED, KITH_ROLE_WITH, 0 }, { QUOTED, KITH_ROLE_WITHOUT, 0 }));
    check_text(*state,
               "with gr\xc3\xb6\xc3\x9f"
               "e.x:y-z",
               TERMS({ UTF, KITH_ROLE_WITH, 0 }));
    check_text(*state, "with read, read(seen)",
               TERMS({ WORD, KITH_ROLE_WITH, 0 }, { SEEN, KITH_ROLE_READ, 0 }));
}

static void an_empty_text_is_every_entity(void **state)
{
    parse_world          *w     = *state;
    const kith_query_desc every = { 0 };
    kith_query_desc       desc;
    check_text(w, "", &every);
    check_text(w, " \t\r\n", &every);
    assert_true(kith_query_desc_parse(w->world, NULL, &desc, w->terms));
    kith_entity_create(w->world);
    assert_int_equal(kith_view_count(w->world, &desc), 1);
}

static void a_text_has_as_many_terms_as_a_query(void **state)
{
    parse_world    *w = *state;
    char            text[64 * 16];
    char            name[8];
    size_t          length = 0;
    kith_query_desc desc;
    for (uint32_t i = 0; i < 65; i++) {
        snprintf(name, sizeof name, "n%02u", i);
        const kith_component_desc tag = { .name = name, .kind = KITH_KIND_TAG };
        assert_int_not_equal(kith_component_register(w->world, &tag), 0);
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "%s!%s", i == 0 ? "" : ",", name);
    }
    check_refused(w, text, "a query has at most 64 terms: \"n64\" at column 322");
    text[length - 5] = '\0';
    assert_true(kith_query_desc_parse(w->world, text, &desc, w->terms));
    assert_int_equal(desc.term_count, 64);
    length = (size_t)snprintf(text, sizeof text, "any(n00");
    for (uint32_t i = 1; i < 65; i++) {
        length += (size_t)snprintf(text + length, sizeof text - length, ",n%02u", i);
    }
    check_refused(w, text, "a query has at most 64 terms: \"n64\" at column 261");
}

static void the_text_is_the_name_of_the_query(void **state)
{
    parse_world *w      = *state;
    char         text[] = "write position, !frozen";
    char         explained[256];
    kith_query  *query;
    kith_query  *again;
    assert_true(kith_query_parse(w->world, text, &query));
    text[0] = 'x'; // the query has a copy
    assert_string_equal(kith_query_describe(query)->name, "write position, !frozen");
    kith_query_explain(query, explained, sizeof explained);
    assert_non_null(strstr(explained, "query \"write position, !frozen\" walks"));
    assert_true(kith_query_parse(w->world, kith_query_describe(query)->name, &again));
    assert_ptr_equal(again, query);
    assert_true(kith_query_parse(w->world, "write(position),without \"frozen\"", &again));
    assert_ptr_equal(again, query);
    assert_ptr_equal(kith_query_of(w->world, kith_query_describe(query)), query);
}

// --- what is refused -------------------------------------------------------------------------

static const char no_word_[] =
    "this is not a word of a query: with, read, write, optional, optional_write, any, without, "
    "disabled, lead, own, changed, added: ";

static void a_wrong_text_is_refused_with_its_column(void **state)
{
    static const char no_term[]  = "a term is missing; it begins with a word, ! or ?: ";
    static const char no_name[]  = "the name of a component is missing: ";
    static const char unknown[]  = "no component of this world has this name: ";
    static const char no_quote[] = "the second quote of a name is missing: ";
    static const char no_comma[] = "a comma is missing before this: ";
    static const char no_end[]   = "a ) is missing before this: ";
    static const struct {
        const char *text;
        const char *mistake;
        const char *place;
    } rows[] = {
        { "wirte position", no_word_, "\"wirte\" at column 1" },
        { "position", no_word_, "\"position\" at column 1" },
        { "Read position", no_word_, "\"Read\" at column 1" },
        { "readposition", no_word_, "\"readposition\" at column 1" },
        { "rea position", no_word_, "\"rea\" at column 1" },
        { "any velocity, label", no_word_, "\"label\" at column 15" },
        { "read position,", no_term, "\"\" at column 15" },
        { "read position, ", no_term, "\"\" at column 16" },
        { ",", no_term, "\",\" at column 1" },
        { "read position,,", no_term, "\",\" at column 15" },
        { "@read position", no_term, "\"@\" at column 1" },
        { "\"read\" position", no_term, "\"read\" at column 1" },
        { "read position, \x01", no_term, "\"\x01\" at column 16" },
        { "(read position)", no_term, "\"(\" at column 1" },
        { "read", no_name, "\"\" at column 5" },
        { " read ,", no_name, "\",\" at column 7" },
        { "!", no_name, "\"\" at column 2" },
        { "!!frozen", no_name, "\"!\" at column 2" },
        { "? !frozen", no_name, "\"!\" at column 3" },
        { "any()", no_name, "\")\" at column 5" },
        { "any(label,)", no_name, "\")\" at column 11" },
        { "read((label))", no_name, "\"(\" at column 6" },
        { "any(label", no_end, "\"\" at column 10" },
        { "any(label velocity)", no_end, "\"velocity\" at column 11" },
        { "read(label, velocity)", no_end, "\",\" at column 11" },
        { "read velocty", unknown, "\"velocty\" at column 6" },
        { "write position, read Velocity", unknown, "\"Velocity\" at column 22" },
        { "read velocit", unknown, "\"velocit\" at column 6" },
        { "read velocity2", unknown, "\"velocity2\" at column 6" },
        { "with \"my  name\"", unknown, "\"my  name\" at column 6" },
        { "with \"\"", unknown, "\"\" at column 6" },
        { "read \"velocity\"\"\"", unknown, "\"velocity\"\"\" at column 6" },
        { "with \"my name", no_quote, "\"\"\" at column 6" },
        { "with \"my name\"\"", no_quote, "\"\"\" at column 6" },
        { "with \"", no_quote, "\"\"\" at column 6" },
        { "with my name", unknown, "\"my\" at column 6" },
        { "read position read label", no_comma, "\"read\" at column 15" },
        { "read position)", no_comma, "\")\" at column 14" },
        { "read position; read label", no_comma, "\";\" at column 14" },
        { "with frozen \"my name\"", no_comma, "\"my name\" at column 13" },
    };
    for (uint32_t i = 0; i < COUNT_OF(rows); i++) {
        char sentence[512];
        snprintf(sentence, sizeof sentence, "%s%s", rows[i].mistake, rows[i].place);
        check_refused(*state, rows[i].text, sentence);
    }
}

static void terms_that_contradict_each_other_are_refused_with_their_column(void **state)
{
    static const char *const rows[][2] = {
        { "with label, read frozen",
          "a tag has no value to read or write: take `with`: \"frozen\" at column 18" },
        { "write hidden", "a flag has no value and no rows: take with, without, optional or any: "
                          "\"hidden\" at column 7" },
        { "lead hidden", "a flag has no value and no rows: take with, without, optional or any: "
                         "\"hidden\" at column 6" },
        { "?gravity",
          "a singleton belongs to the world, not to entities: \"gravity\" at column 2" },
        { "read label, ?frozen, read label",
          "a component has two terms that contradict each other: \"label\" at column 27" },
        { "with label, !label",
          "a component has two terms that contradict each other: \"label\" at column 14" },
        { "changed label, changed(label)",
          "the component has this term twice: \"label\" at column 24" },
        { "lead label, lead position",
          "a query can have one lead only: \"position\" at column 18" },
        { "lead label, read position, ?label",
          "only a component that the query requires can lead: \"label\" at column 29" },
        { "!label, changed label",
          "changed and added need a required component: \"label\" at column 17" },
        { "read seen, added label", "added needs a component with row ticks: \"label\" at column "
                                    "18" },
        { "any(label, position, label)",
          "any only reads, and is the component's only term: to write it take optional_write: "
          "\"label\" at column 22" },
    };
    for (uint32_t i = 0; i < COUNT_OF(rows); i++) {
        check_refused(*state, rows[i][0], rows[i][1]);
    }
}

static void a_long_name_is_cut_in_the_message(void **state)
{
    char        text[512]   = "read ";
    const char *digits      = "0123456789012345678901234567890123456789";
    const char *umlaut_last = "012345678901234567890123456789012345678\xc3\xb6";
    strcat(strcat(text, digits), "x");
    check_refused(*state, text,
                  "no component of this world has this name: "
                  "\"0123456789012345678901234567890123456789 ...\" at column 6");
    strcpy(text, "read \"");
    strcat(strcat(text, umlaut_last), "\"");
    check_refused(*state, text,
                  "no component of this world has this name: "
                  "\"012345678901234567890123456789012345678 ...\" at column 6");
    strcpy(text, "read ");
    memset(text + 5, 0x80, 100); // no character begins there
    text[105] = '\0';
    check_refused(*state, text, "no component of this world has this name: \" ...\" at column 6");
}

static void without_memory_there_is_no_query(void **state)
{
    parse_world *w = *state;
    kith_query  *query;
    w->memory.fail_all = true;
    assert_false(kith_query_parse(w->world, "read label", &query));
    w->memory.fail_all = false;
    assert_null(query);
    assert_error_says(w->world, KITH_ERROR_MEMORY, "kith_query_parse: ");
}

static void a_hook_finds_a_query_and_makes_none(void **state)
{
    parse_world *w = *state;
    kith_query  *query;
    assert_true(kith_query_parse(w->world, "read label", &query));
    w->text = "read label";
    kith_query_parse(w->world, "x", &query);
    assert_true(w->readable);
    w->text = "write label";
    kith_query_parse(w->world, "x", &query);
    assert_false(w->readable);
}

static void read_label(const kith_turn *turn)
{
    kith_query     *query;
    kith_query_desc desc;
    parse_world    *w = turn->context;
    assert_true(kith_query_parse(turn->world, "write position", &query));
    assert_false(kith_query_parse(turn->world, "write position, read label", &query));
    assert_error_says(turn->world, KITH_ERROR_UNDECLARED, "kith_query_parse: ");
    assert_false(kith_query_desc_parse(turn->world, "read label", &desc, w->terms));
    assert_non_null(
        strstr(w->said, "kith_query_desc_parse: the system \"reader\" did not declare"));
    assert_false(kith_query_parse(turn->world, "read label, ?position, read position", &query));
    assert_error_says(turn->world, KITH_ERROR_ARGUMENT, "\"position\" at column 29");
}

static void a_checked_system_reads_only_what_it_declared(void **state)
{
    parse_world           *w    = *state;
    const kith_component   ids  = POSITION;
    const kith_system_desc desc = {
        .name = "reader", .run = read_label, .context = w, .writes = &ids, .write_count = 1
    };
    assert_non_null(kith_system_create(w->world, &desc));
    assert_true(kith_schedule_configure(w->world, &(kith_schedule_desc){ .checked = true }));
    assert_true(kith_schedule_run(w->world, 1));
    assert_int_equal(w->errors, 3);
}

// --- texts that are no queries ---------------------------------------------------------------

static const char long_text[] = "write position, read(velocity), !frozen, ?label, any(seen, "
                                "\"my name\"), with \"say \"\"hi\"\"\", disabled position";

// The library reads no byte beyond the text, accepts only what has a plan, and says a column that
// is in the text.
static bool try_text(parse_world *w, const char *text, size_t length)
{
    char *own = malloc(length + 1); // the sanitizer knows where it ends
    memcpy(own, text, length);
    own[length] = '\0';
    kith_query_desc desc;
    bool            readable = kith_query_desc_parse(w->world, own, &desc, w->terms);
    if (readable) {
        assert_true(kith_view_count(w->world, &desc) == 0);
    } else {
        const char *column = strstr(w->said, "at column ");
        for (const char *at = column; at != NULL; at = strstr(at + 1, "at column ")) {
            column = at; // the last one: the text may have these words, too
        }
        assert_non_null(column);
        long number = strtol(column + strlen("at column "), NULL, 10);
        assert_true(number >= 1 && (size_t)number <= strlen(own) + 1);
    }
    free(own);
    return readable;
}

static void every_byte_at_every_place_is_read_or_refused(void **state)
{
    const size_t length = strlen(long_text);
    char         text[sizeof long_text + 1];
    assert_true(try_text(*state, long_text, length));
    for (size_t at = 0; at < length; at++) {
        for (int byte = 0; byte < 256; byte++) {
            memcpy(text, long_text, sizeof long_text);
            text[at] = (char)byte;
            try_text(*state, text, length);
            memmove(text + at + 1, long_text + at, length - at + 1);
            try_text(*state, text, length + 1);
        }
        try_text(*state, long_text, at);
        memmove(text, long_text, at);
        memmove(text + at, long_text + at + 1, length - at);
        try_text(*state, text, length - 1);
    }
}

// Adds a random term and its text. A term `any` goes into the parentheses of the one before it.
static void add_random_term(uint64_t *seed, kith_term *terms, uint32_t i, char *text, size_t size)
{
    static const char *const names[]  = { "position", "velocity", "health",  "frozen",     "hidden",
                                          "label",    "seen",     "gravity", "\"my name\"" };
    static const char *const spaces[] = { " ", "  ", "\n", "\t" };
    const char              *space    = spaces[test_random_below(seed, COUNT_OF(spaces))];
    kith_component           id       = 1 + test_random_below(seed, COUNT_OF(names));
    kith_role                role     = (kith_role)test_random_below(seed, KITH_ROLE_ADDED + 1);
    const char              *word     = kith_role_name(role);
    bool                     inside   = role == KITH_ROLE_ANY || test_random_below(seed, 3) == 0;
    bool  again = i > 0 && role == KITH_ROLE_ANY && terms[i - 1].role == KITH_ROLE_ANY;
    char *end   = text + strlen(text) - again; // instead of the )
    if (test_random_below(seed, 2) == 0) {
        word = role == KITH_ROLE_WITHOUT ? "!" : role == KITH_ROLE_OPTIONAL ? "?" : word;
    }
    terms[i]          = (kith_term){ id, role, role == KITH_ROLE_ANY ? id : 0 };
    terms[i].any_list = again ? terms[i - 1].any_list : terms[i].any_list;
    snprintf(end, size - (size_t)(end - text), "%s%s%s%s%s", i == 0 ? "" : ",", again ? "" : word,
             inside && !again ? "(" : space, names[id - 1], inside ? ")" : "");
}

// A random text is read exactly if kith_query_create accepts its terms.
static void random_terms_are_read_as_a_program_has_them(void **state)
{
    parse_world *w        = *state;
    uint64_t     seed     = test_seed();
    uint32_t     accepted = 0;
    for (uint32_t step = test_thinned(20000); step > 0; step--) {
        kith_term terms[5];
        char      text[256] = "";
        uint32_t  count     = test_random_below(&seed, 5);
        for (uint32_t i = 0; i < count; i++) {
            add_random_term(&seed, terms, i, text, sizeof text);
        }
        kith_query_desc       desc;
        const kith_query_desc expected = { "expected", terms, count, 0 };
        kith_query           *query    = kith_query_create(w->world, &expected);
        bool                  readable = kith_query_desc_parse(w->world, text, &desc, w->terms);
        if (readable != (query != NULL) || (readable && !same_terms(&desc, &expected))) {
            fail_msg("`%s` is read otherwise: %s", text, w->said);
        }
        accepted += readable;
        kith_query_destroy(query);
    }
    assert_true(accepted > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_PARSE(the_terms_of_a_typed_query_are_read_as_they_are),
        TEST_PARSE(a_word_and_a_name_are_a_term),
        TEST_PARSE(two_words_have_a_short_form),
        TEST_PARSE(names_that_are_no_identifiers_are_found),
        TEST_PARSE(an_empty_text_is_every_entity),
        TEST_PARSE(a_text_has_as_many_terms_as_a_query),
        TEST_PARSE(the_text_is_the_name_of_the_query),
        TEST_PARSE(a_wrong_text_is_refused_with_its_column),
        TEST_PARSE(terms_that_contradict_each_other_are_refused_with_their_column),
        TEST_PARSE(a_long_name_is_cut_in_the_message),
        TEST_PARSE(without_memory_there_is_no_query),
        TEST_PARSE(a_hook_finds_a_query_and_makes_none),
        TEST_PARSE(a_checked_system_reads_only_what_it_declared),
        TEST_PARSE(every_byte_at_every_place_is_read_or_refused),
        TEST_PARSE(random_terms_are_read_as_a_program_has_them),
    };
    return cmocka_run_group_tests_name("query_parse", tests, NULL, NULL);
}
