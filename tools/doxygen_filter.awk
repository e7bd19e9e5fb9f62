# SPDX-License-Identifier: MIT
# Makes the comments of the public headers doxygen's: the text at the top describes the file, a
# comment behind a field describes the field, and a declaration right below another one shares its
# comment.
FNR == 1 { print "/// \\file"; next }
/^\/\/ / && !begun { print "/" $0; next }
{ begun = 1 }
/^\/\/\/ / { comment = fresh ? comment "\n" $0 : $0; fresh = 1; print; next }
/^KITH_API/ && !fresh && comment != "" { print comment }
/^$/ || /^#/ { comment = ""; fresh = 0 }
# a field, a value of an enum
/^ .*[;,}] *\/\/ / || /^ .*= [0-9]+ *\/\/ / { sub(/ \/\/ /, " ///< ") }
{ print }
!/^[ #]/ { fresh = 0 }
