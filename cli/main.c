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
    int (*run)(const arguments *given);
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
    { "json", "[--query QUERY] FILE",
      "Print a snapshot as JSON.\n\n"
      "  --query QUERY print the entities that match, one a line, such as \"with crew, !asleep\"\n",
      "--query", 1, 1, run_json },
    { "hash", "[--components] FILE",
      "Print the hash of a snapshot's state in hexadecimal digits.\n\n"
      "  --components  print the hash and the name of each component\n",
      "--components", 1, 1, run_hash },
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static int print_help(void)
{
    puts("usage: kith COMMAND [OPTION]... FILE...\n"
         "\n"
         "Inspects snapshots and recordings of kith worlds without the programs that wrote them.\n"
         "\n"
         "commands:");
    for (uint32_t i = 0; i < COMMANDS; i++) {
        const char *end = strchr(commands[i].help, '\n');
        printf("  %-8s%.*s\n", commands[i].name, (int)(end - commands[i].help), commands[i].help);
    }
    puts("\n"
         "The FILE - is standard input. FILE@FRAME is a frame of a recording, by its number;\n"
         "the recording alone is its newest frame, but for info and verify.\n"
         "`kith COMMAND --help` prints the options.\n"
         "\n"
         "  -h, --help    print this help\n"
         "  --version     print the version\n"
         "\n"
         "exit codes: 0 fine; 1 snapshots differ, or one is damaged; 2 anything else");
    return EXIT_FINE;
}

static int print_command_help(const command *c)
{
    printf(
        "usage: kith %s %s\n\n%s"
        "  --memory N    allocate at most N bytes for a file; default, or 0: 64 times its size,\n"
        "                at least 1 GB\n",
        c->name, c->synopsis, c->help);
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

// Splits the words into options and files.
static int parse(const command *c, char **words, uint32_t count, arguments *given)
{
    bool options = true;
    given->files = words;
    for (uint32_t i = 0; i < count; i++) {
        char *word = words[i];
        if (!options || word[0] != '-' || input_is_standard(word)) {
            given->files[given->file_count++] = word;
        } else if (strcmp(word, "--") == 0) {
            options = false;
        } else if (strcmp(word, "--memory") == 0) {
            if (++i == count || !set_memory(given, words[i])) {
                return complain(EXIT_TROUBLE, NULL, "--memory needs a number of bytes");
            }
        } else if (strcmp(word, "--query") == 0 && is_among(c->options, word)) {
            if (++i == count) {
                return complain(EXIT_TROUBLE, NULL, "--query needs a query, such as \"with crew\"");
            }
            given->query = words[i];
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

static int run_command(const command *c, char **words, uint32_t count)
{
    arguments given = { 0 };
    for (uint32_t i = 0; i < count && strcmp(words[i], "--") != 0; i++) {
        if (asks_for_help(words[i])) {
            return print_command_help(c);
        }
    }
    int code = parse(c, words, count, &given);
    return code == EXIT_FINE ? c->run(&given) : code;
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
    return complain(EXIT_TROUBLE, NULL, "there is no command %s: see kith --help", words[0]);
}

int main(int count, char **words)
{
    return end_output(run(words + (count > 0), count > 0 ? (uint32_t)count - 1 : 0));
}
