# cmake -DINPUT=a.txt -DOUTPUT=a.cc -DHEADER=x.h -DFUNCTION=ns::f -P EmbedText.cmake
#
# Writes a C++ file whose function returns the text of a file. Text becomes raw string literals of a
# few KiB each: compilers take them many times faster than arrays of numbers.
file(READ ${INPUT} text)
if(text MATCHES "\\)HELVE\"")
  message(FATAL_ERROR "${INPUT} contains the delimiter of the raw string literal")
endif()
# CMake treats these as list syntax; keep them out of string(SUBSTRING)'s way.
string(LENGTH "${text}" length)
set(literals "")
set(at 0)
while(at LESS length)
  string(SUBSTRING "${text}" ${at} 8000 piece)
  string(APPEND literals "    R\"HELVE(${piece})HELVE\"\n")
  math(EXPR at "${at} + 8000")
endwhile()
file(WRITE ${OUTPUT}
     "#include \"${HEADER}\"\n\nstd::string_view ${FUNCTION}() {\n  static constexpr char kText[] =\n${literals};\n  return {kText, sizeof kText - 1};\n}\n")
