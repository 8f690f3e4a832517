#include "base/text.h"

#include <algorithm>

#include "base/file.h"

namespace quarto {
namespace {

constexpr std::string_view kMark8 = "\xEF\xBB\xBF", kLittleEndian = "\xFF\xFE", kBigEndian = "\xFE\xFF";
constexpr unsigned kNoCharacter = 0xFFFD;

}  // namespace

void TextDecoder::add(char byte, std::string& out) {
  if (form_ == Form::bytes) return add_byte(byte, out);
  begun_ += byte;
  if (form_ != Form::unknown) {
    if (begun_.size() < 2) return;
    const unsigned a = static_cast<unsigned char>(begun_[0]), b = static_cast<unsigned char>(begun_[1]);
    begun_.clear();
    return add_unit(form_ == Form::little_endian ? b << 8 | a : a << 8 | b, out);
  }
  if (begun_ == kMark8) {
    form_ = Form::bytes;
  } else if (begun_ == kLittleEndian) {
    form_ = Form::little_endian;
  } else if (begun_ == kBigEndian) {
    form_ = Form::big_endian;
  } else if (kMark8.starts_with(begun_) || kLittleEndian.starts_with(begun_) || kBigEndian.starts_with(begun_)) {
    return;
  } else {
    form_ = Form::bytes;
    for (const char b : begun_) add_byte(b, out);
  }
  begun_.clear();
}

void TextDecoder::add_byte(char byte, std::string& out) {
  if (return_ && byte != '\n') out += '\r';
  return_ = byte == '\r';
  if (!return_) out += byte;
}

void TextDecoder::add_unit(unsigned unit, std::string& out) {
  const bool second = unit >= 0xDC00 && unit <= 0xDFFF;
  if (surrogate_ != 0 && second) {
    add_character(0x10000 + ((surrogate_ - 0xD800) << 10) + (unit - 0xDC00), out);
    surrogate_ = 0;
    return;
  }
  if (surrogate_ != 0) add_character(kNoCharacter, out);
  surrogate_ = unit >= 0xD800 && unit <= 0xDBFF ? unit : 0;
  if (surrogate_ == 0) add_character(second ? kNoCharacter : unit, out);
}

void TextDecoder::add_character(unsigned code, std::string& out) {
  const auto rest = [&](int shift) { add_byte(static_cast<char>(0x80 | ((code >> shift) & 0x3F)), out); };
  if (code < 0x80) return add_byte(static_cast<char>(code), out);
  if (code < 0x800) {
    add_byte(static_cast<char>(0xC0 | code >> 6), out);
  } else {
    if (code < 0x10000) {
      add_byte(static_cast<char>(0xE0 | code >> 12), out);
    } else {
      add_byte(static_cast<char>(0xF0 | code >> 18), out);
      rest(12);
    }
    rest(6);
  }
  rest(0);
}

void TextDecoder::finish(std::string& out) {
  const bool cut = form_ == Form::little_endian || form_ == Form::big_endian;
  if (cut && (surrogate_ != 0 || !begun_.empty())) add_character(kNoCharacter, out);
  if (!cut) {
    for (const char b : begun_) add_byte(b, out);
  }
  if (return_) out += '\r';
  *this = TextDecoder();
}

std::string plain_text(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  TextDecoder decoder;
  for (const char byte : text) decoder.add(byte, plain);
  decoder.finish(plain);
  return plain;
}

std::string last_line(std::string_view text) {
  text = text.substr(0, text.find_last_not_of("\r\n ") + 1);
  return std::string(text.substr(text.rfind('\n') + 1));
}

std::string read_text(const std::filesystem::path& path) { return plain_text(read_file(path)); }

bool TextLines::next(std::string& line, std::size_t longest) {
  line.clear();
  constexpr int kEnd = std::char_traits<char>::eof();
  bool some = false;
  std::string part;
  const auto keep = [&] { line.append(part, 0, std::min(part.size(), longest + 1 - line.size())); };
  for (int c = in_.sbumpc(); c != kEnd; c = in_.sbumpc()) {
    some = true;
    part.clear();
    decoder_.add(static_cast<char>(c), part);
    const bool ends = part.ends_with('\n');
    if (ends) part.pop_back();
    keep();
    if (ends) return true;
  }
  part.clear();
  decoder_.finish(part);
  keep();
  return some;
}

}  // namespace quarto
