# SPDX-License-Identifier: MIT
# Makes one C program of a guide's code blocks; reads the file twice.
# Blocks marked "c" come first, then main with the blocks marked "c body".
FNR == 1 && NR != 1 { second = 1; print "int main(void)\n{" }
/^```c$/            { on = !second; next }
/^```c body$/       { on = second; next }
/^```/              { on = 0; next }
on                  { print }
END                 { print "return 0;\n}" }
