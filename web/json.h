// Just enough JSON to answer the page: values are appended to one text, commas come by themselves.
//
//     Json json;
//     json.open('{').key("over").value(true).key("legal").values(squares).close('}');
//     json.text()
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>

namespace quarto::web {

class Json {
 public:
  Json& open(char bracket) {
    separate();
    text_ += bracket;
    fresh_ = true;
    return *this;
  }
  Json& close(char bracket) {
    text_ += bracket;
    fresh_ = false;
    return *this;
  }
  Json& key(std::string_view name) {
    value(name);
    text_ += ':';
    fresh_ = true;
    return *this;
  }

  Json& value(std::string_view text) {
    separate();
    text_ += '"';
    for (const char c : text) {
      if (c == '"' || c == '\\') {
        text_ += '\\';
        text_ += c;
      } else if (static_cast<unsigned char>(c) < 0x20) {
        text_ += fmt::format("\\u{:04x}", static_cast<int>(c));
      } else {
        text_ += c;
      }
    }
    text_ += '"';
    return *this;
  }
  Json& value(const char* text) { return value(std::string_view(text)); }
  Json& value(const std::string& text) { return value(std::string_view(text)); }
  Json& value(bool b) { return raw(b ? "true" : "false"); }
  Json& value(int n) { return raw(fmt::format("{}", n)); }
  Json& value(double x) { return raw(fmt::format("{}", x)); }  // finite
  Json& value(float x) { return raw(fmt::format("{}", x)); }
  template <class T>
  Json& value(const std::optional<T>& x) {
    return x ? value(*x) : raw("null");
  }
  template <class Range>
  Json& values(const Range& range) {
    open('[');
    for (const auto& x : range) value(x);
    return close(']');
  }

  const std::string& text() const { return text_; }

 private:
  Json& raw(std::string_view text) {
    separate();
    text_ += text;
    return *this;
  }
  void separate() {
    if (!fresh_) text_ += ',';
    fresh_ = false;
  }

  std::string text_;
  bool fresh_ = true;  // nothing stands before the next value that a comma would have to separate it from
};

}  // namespace quarto::web
