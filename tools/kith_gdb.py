# SPDX-License-Identifier: MIT
# gdb prints entities, worlds and cursors of kith in a readable way:
#
#     (gdb) source tools/kith_gdb.py
#     (gdb) print e                  $1 = 12v3
#     (gdb) print *world             $2 = world "level" = {tick = 7, entities = 120, ...}
#     (gdb) print m                  $3 = cursor = {entity = 12v3, ...}
#
# A world needs the library's debug information. gdb loads this file by itself when it lies beside
# the library under the name of that file and "-gdb.py", and gdb may load from there
# (`add-auto-load-safe-path`). It only reads memory: it calls no function of the program.
import gdb

ERROR_PREFIX = "KITH_ERROR_"


def entity_text(number):
    """Index and version, as the messages of kith have them."""
    number = int(number)
    return "KITH_NULL" if number == 0 else "%uv%u" % (number & 0xFFFFFFFF, number >> 32)


def text_of(pointer):
    """A C string; "" for NULL."""
    return "" if int(pointer) == 0 else pointer.string(errors="replace")


class EntityPrinter:
    """A handle: index, "v", version."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return entity_text(self.value)


class WorldPrinter:
    """What a world has, and what it is doing: open loops, the running system, the latest error."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return ('world "%s"' % text_of(self.value["name"])).replace(' ""', "")

    def children(self):
        world = self.value
        table = world["entities"]
        yield "tick", int(world["tick"])
        yield "entities", int(table["count"]) - int(table["idle"])
        yield "components", self.components()
        if int(world["depth"]) != 0:
            names = [text_of(world["loops"][i]["name"]) for i in range(int(world["depth"]))]
            yield "loops", "[%s]" % ", ".join(names)
        if int(world["shared"]["held"]) != 0:
            yield "held", int(world["shared"]["held"])
        schedule = world["schedule"]
        if int(schedule) != 0 and int(schedule["running"]) != 0:
            yield "system", text_of(schedule["running"]["desc"]["name"])
        code = str(world["latest"]["error"]["code"])
        if code != "KITH_OK":
            error = world["latest"]["error"]
            yield "error", "%s in %s" % (
                code.replace(ERROR_PREFIX, "").lower(),
                text_of(error["call"]),
            )

    def components(self):
        """Names of the components, and how many rows of each are in use."""
        names = []
        for i in range(min(int(self.value["storage_count"]), 1023)):
            storage = self.value["storages"][i].dereference()
            rows = storage["pool"]["set"]["head"]["rows_"] - storage["pool"]["set"]["holes"]
            names.append("%s %u" % (text_of(storage["desc"]["name"]), int(rows)))
        return "[%s]" % ", ".join(names)

    def display_hint(self):
        return None


class CursorPrinter:
    """A typed or untyped cursor: its entity and its columns. `closed`: there is nothing to read."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        step = self.value["step_"]
        if self.value["failed"]:
            return "cursor that failed"
        return "cursor" if int(step["serial_"]) != 0 else "closed cursor"

    def children(self):
        for field in self.value.type.strip_typedefs().fields():
            if field.name == "entity":
                yield "entity", entity_text(self.value["entity"])
            elif field.name not in ("step_", "failed"):
                value = self.value[field.name]
                pointer = value.type.strip_typedefs().code == gdb.TYPE_CODE_PTR
                target = pointer and value.type.strip_typedefs().target()
                shown = (
                    pointer
                    and int(value) != 0
                    and target.strip_typedefs().code not in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_VOID)
                )
                yield field.name, value.dereference() if shown else value


def is_cursor(kind):
    """A struct whose last field is the step of a loop."""
    if kind.code != gdb.TYPE_CODE_STRUCT:
        return False
    fields = kind.fields()
    return len(fields) > 3 and fields[-1].name == "step_" and fields[0].name == "entity"


def printer_of(value):
    kind = value.type
    while kind.code == gdb.TYPE_CODE_TYPEDEF:
        if kind.name == "kith_entity":
            return EntityPrinter(value)
        kind = kind.target()
    kind = kind.unqualified()
    if kind.code == gdb.TYPE_CODE_TYPEDEF or kind.name == "kith_entity":
        return EntityPrinter(value) if kind.name == "kith_entity" else None
    if kind.name == "kith_world" and kind.fields():
        return WorldPrinter(value)
    return CursorPrinter(value) if is_cursor(kind) else None


printer_of.name = "kith"
where = gdb.current_objfile()
printers = gdb.pretty_printers if where is None else where.pretty_printers
printers[:] = [one for one in printers if getattr(one, "name", "") != "kith"] + [printer_of]
