// Text as other programs write it: with a byte order mark, in UTF-16 with one, with lines that end in "\r\n", with or
// without an end of the last line. What reads text takes it through this, and sees UTF-8 and '\n'.
#pragma once

#include <cstddef>
#include <filesystem>
#include <istream>
#include <string>
#include <string_view>

namespace quarto {

// For text that comes in pieces. A byte that may belong to a mark, a character or an end of line waits for the next.
class TextDecoder {
 public:
  void add(char byte, std::string& out);
  void finish(std::string& out);  // at the end of the text

 private:
  enum class Form { unknown, bytes, little_endian, big_endian };

  void add_byte(char byte, std::string& out);
  void add_unit(unsigned unit, std::string& out);
  void add_character(unsigned code, std::string& out);

  Form form_ = Form::unknown;
  std::string begun_;       // of a mark or a unit of UTF-16
  unsigned surrogate_ = 0;  // the first of a pair
  bool return_ = false;     // after '\r'
};

std::string plain_text(std::string_view text);

// The last line that is not blank, without blanks at its end.
std::string last_line(std::string_view text);

// plain_text() of read_file() (file.h).
std::string read_text(const std::filesystem::path& path);

// The lines of a stream that may be hostile.
class TextLines {
 public:
  explicit TextLines(std::istream& stream) : in_(*stream.rdbuf()) {}
  // Keeps no more of a line than `longest` and one byte more, which shows that it is too long. False: the input has
  // ended. Sets no flag of the stream.
  bool next(std::string& line, std::size_t longest);

 private:
  std::streambuf& in_;
  TextDecoder decoder_;
};

}  // namespace quarto
