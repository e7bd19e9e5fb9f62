// SPDX-License-Identifier: MIT
// kith: inspects snapshots and recordings without the program that wrote them. cli/kith.1 is the
// manual.
#include "command.h"
#include "input.h"
#include "say.h"

#include "kith/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct command {
    const char *name;
    const char *synopsis; // behind the name
    const char *help;
    const char *options; // separated by spaces
    uint32_t    least;   // number of files
    uint32_t    most;
    int (*run)(const arguments *given); // NULL: prints the help
} command;

static const command commands[] = {
    { "info", "[--chunks] FILE",
      "Print what is in a snapshot: tick, entities, components with their fields, chunks.\n"
      "Of a damaged one, print what can be read.\n"
      "Of a recording, print its frames and what changed in each.\n\n"
      "  --chunks      list each chunk with its offset and size\n",
      "--chunks", 1, 1, run_info },
    { "verify", "[--quiet] FILE...",
      "Check whether snapshots are whole and valid; if not, print why and at which byte.\n"
      "Of a recording, check every frame, and whether its end is cut off.\n\n"
      "  --quiet       print nothing for valid ones\n",
      "--quiet", 1, UINT32_MAX, run_verify },
    { "diff", "[--all] [--quiet] FILE FILE",
      "Print the differences of two snapshots, down to the field, one a line.\n\n"
      "  --all         print all differences, not only the first 20\n"
      "  --quiet       print none: the exit code is the answer\n",
      "--all --quiet", 2, 2, run_diff },
    { "json", "[--entity ENTITY | --query QUERY] [--component NAME]... [--pretty] FILE",
      "Print a snapshot as JSON.\n\n"
      "  --entity ENTITY\n"
      "                print this entity alone, such as 12v3\n"
      "  --query QUERY print the entities that match, one a line, such as \"with crew, !asleep\"\n"
      "  --component NAME\n"
      "                print only components that are given so, and entities that have one\n"
      "  --pretty      print a member on each line, indented\n",
      "--entity --query --component --pretty", 1, 1, run_json },
    { "load-json", "--like FILE IN.json OUT.kith",
      "Make a snapshot of JSON.\n\n"
      "  --like FILE   the snapshot that describes the components. The new one is like it: "
      "entities,\n"
      "                values and singletons are those of the JSON; free handles, settings, and "
      "the\n"
      "                order of what is in both stay. An entity that the JSON adds must have a\n"
      "                handle that is free in FILE and not older than FILE's.\n",
      "--like", 2, 2, run_load_json },
    { "hash", "[--components] FILE",
      "Print the hash of a snapshot's state in hexadecimal digits.\n\n"
      "  --components  print the hash and the name of each component\n",
      "--components", 1, 1, run_hash },
    { "help", "[COMMAND]", "Print the commands, or the options of one.\n", "", 0, 1, NULL },
};

enum { COMMANDS = sizeof commands / sizeof *commands, NAME_WIDTH = 11 };

// Options that a word follows.
static const struct {
    const char *name;
    const char *needs;
} valued[] = {
    { "--memory", "a number of bytes" },
    { "--query", "a query, such as \"with crew\"" },
    { "--entity", "an entity, such as 12v3" },
    { "--component", "the name of a component" },
    { "--like", "a snapshot" },
};

enum { VALUED = sizeof valued / sizeof *valued };

// --- help ------------------------------------------------------------------------------------

static void print_usage(const char *rest)
{
    say_coloured("usage:", COLOUR_BOLD);
    printf(" kith %s", rest);
}

static int print_help(void)
{
    print_usage(
        "COMMAND [OPTION]... FILE...\n"
        "\n"
        "Inspects snapshots and recordings of kith worlds without the programs that wrote them.\n"
        "\n");
    say_coloured("commands:", COLOUR_BOLD);
    putchar('\n');
    for (uint32_t i = 0; i < COMMANDS; i++) {
        const char *end = strchr(commands[i].help, '\n');
        say_text("  ");
        say_coloured(commands[i].name, COLOUR_BLUE);
        printf("%*s%.*s\n", (int)(NAME_WIDTH - strlen(commands[i].name)), "",
               (int)(end - commands[i].help), commands[i].help);
    }
    puts("\n"
         "The FILE - is standard input. FILE@FRAME is a frame of a recording, by its number;\n"
         "the recording alone is its newest frame, but for info and verify.\n"
         "`kith help COMMAND` prints the options.\n"
         "\n"
         "  -h, --help    print this help\n"
         "  --version     print the version\n"
         "\n"
         "exit codes: 0 fine; 1 snapshots differ, or one is damaged; 2 anything else");
    return EXIT_FINE;
}

static int print_command_help(const command *c)
{
    print_usage(c->name);
    printf(" %s\n\n%s", c->synopsis, c->help);
    if (c->run != NULL) {
        puts("  --memory N    allocate at most N bytes for a file; default, or 0: 64 times its "
             "size,\n"
             "                at least 1 GB");
    }
    return EXIT_FINE;
}

static const command *find_command(const char *name)
{
    for (uint32_t i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i].name, name) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

// Whether `word` is one of the words in `options`.
static bool is_among(const char *options, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = options; (at = strstr(at, word)) != NULL; at += length) {
        if ((at == options || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

static void set_option(arguments *given, const char *word)
{
    given->all        = given->all || strcmp(word, "--all") == 0;
    given->quiet      = given->quiet || strcmp(word, "--quiet") == 0;
    given->components = given->components || strcmp(word, "--components") == 0;
    given->chunks     = given->chunks || strcmp(word, "--chunks") == 0;
    given->pretty     = given->pretty || strcmp(word, "--pretty") == 0;
}

static bool set_memory(arguments *given, const char *word)
{
    char              *end;
    unsigned long long bytes = strtoull(word, &end, 10);
    given->memory            = bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
    return word[0] >= '0' && word[0] <= '9' && *end == '\0';
}

static bool asks_for_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

// Returns the option if a word follows it in this command, or NULL.
static const char *find_valued(const command *c, const char *word, const char **needs)
{
    for (uint32_t i = 0; i < VALUED; i++) {
        if (strcmp(valued[i].name, word) == 0 && (i == 0 || is_among(c->options, word))) {
            *needs = valued[i].needs;
            return valued[i].name;
        }
    }
    return NULL;
}

static bool set_valued(arguments *given, const char *option, char *value)
{
    if (strcmp(option, "--memory") == 0) {
        return set_memory(given, value);
    }
    if (strcmp(option, "--component") == 0) {
        given->names[given->name_count++] = value;
        return true;
    }
    char **to = strcmp(option, "--query") == 0    ? &given->query
                : strcmp(option, "--entity") == 0 ? &given->entity
                                                  : &given->like;
    *to       = value;
    return true;
}

// Splits the words into options and files. `names` has room for as many.
static int parse(const command *c, char **words, uint32_t count, arguments *given)
{
    bool options = true;
    given->files = words;
    for (uint32_t i = 0; i < count; i++) {
        char       *word  = words[i];
        const char *needs = NULL;
        if (!options || word[0] != '-' || input_is_standard(word)) {
            given->files[given->file_count++] = word;
        } else if (strcmp(word, "--") == 0) {
            options = false;
        } else if (find_valued(c, word, &needs) != NULL) {
            if (++i == count || !set_valued(given, word, words[i])) {
                return complain(EXIT_TROUBLE, NULL, "%s needs %s", word, needs);
            }
        } else if (is_among(c->options, word)) {
            set_option(given, word);
        } else {
            return complain(EXIT_TROUBLE, NULL, "%s has no option %s: see kith %s --help", c->name,
                            word, c->name);
        }
    }
    if (given->file_count < c->least || given->file_count > c->most) {
        return complain(EXIT_TROUBLE, NULL, "usage: kith %s %s", c->name, c->synopsis);
    }
    return EXIT_FINE;
}

static int complain_unknown(const char *name)
{
    return complain(EXIT_TROUBLE, NULL, "there is no command %s: see kith --help", name);
}

// Prints the help of the command that is given, or of all.
static int run_help(const arguments *given)
{
    const command *about = given->file_count == 0 ? NULL : find_command(given->files[0]);
    if (about != NULL) {
        return print_command_help(about);
    }
    return given->file_count == 0 ? print_help() : complain_unknown(given->files[0]);
}

static int run_command(const command *c, char **words, uint32_t count)
{
    arguments given = { 0 };
    for (uint32_t i = 0; i < count && strcmp(words[i], "--") != 0; i++) {
        if (asks_for_help(words[i])) {
            return print_command_help(c);
        }
    }
    given.names = calloc((size_t)count + 1, sizeof *given.names);
    if (given.names == NULL) {
        return complain(EXIT_TROUBLE, NULL, "there is not enough memory");
    }
    int code = parse(c, words, count, &given);
    if (code == EXIT_FINE) {
        code = c->run == NULL ? run_help(&given) : c->run(&given);
    }
    free(given.names);
    return code;
}

static int run(char **words, uint32_t count)
{
    const command *c = count == 0 ? NULL : find_command(words[0]);
    if (c != NULL) {
        return run_command(c, words + 1, count - 1);
    }
    if (count == 0) {
        return complain(EXIT_TROUBLE, NULL, "a command is missing: see kith --help");
    }
    if (asks_for_help(words[0])) {
        return print_help();
    }
    if (strcmp(words[0], "--version") == 0) {
        printf("kith %d.%d.%d\n", KITH_VERSION_MAJOR, KITH_VERSION_MINOR, KITH_VERSION_PATCH);
        return EXIT_FINE;
    }
    return complain_unknown(words[0]);
}

int main(int count, char **words)
{
    return end_output(run(words + (count > 0), count > 0 ? (uint32_t)count - 1 : 0));
}
