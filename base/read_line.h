// Lines of a stream that may be hostile.
#pragma once

#include <cstddef>
#include <istream>
#include <string>

namespace quarto {

// As std::getline, but keeps no more of a line than `longest` and one character more, which shows that it is too long.
// Sets no flag of the stream; false: the input has ended.
inline bool read_line(std::istream& stream, std::string& line, std::size_t longest) {
  line.clear();
  std::streambuf& in = *stream.rdbuf();
  constexpr int kEnd = std::char_traits<char>::eof();
  int c = in.sbumpc();
  if (c == kEnd) return false;
  for (; c != kEnd && c != '\n'; c = in.sbumpc()) {
    if (line.size() <= longest) line += static_cast<char>(c);
  }
  return true;
}

}  // namespace quarto
