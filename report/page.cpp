#include "report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/json_message.h"
#include "env/notation.h"
#include "report/plot.h"
#include "report/report.h"

namespace quarto {
namespace {

using plot::escape;

constexpr const char* kStyle = R"css(
:root{color-scheme:light dark;--page:#fbfaf7;--card:#ffffff;--ink:#1d2025;--soft:#666c76;--rule:#e5e2da;--accent:#0f8a7e;
--c0:#0f8a7e;--c1:#d9672b;--c2:#4a63c9;--c3:#b0357e;--c4:#8a7a12;--c5:#5b8f2a;--c6:#7d5bb5;--c7:#7c838d}
@media (prefers-color-scheme:dark){:root{--page:#14161a;--card:#1c1f25;--ink:#e9e7e2;--soft:#9aa1ac;--rule:#30343c;
--accent:#35c2b2;--c0:#35c2b2;--c1:#f0905a;--c2:#8ea2f5;--c3:#e57fb9;--c4:#d2bf4d;--c5:#9ccf68;--c6:#b99cf0;--c7:#8b929d}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.55 system-ui,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
main{max-width:1180px;margin:0 auto;padding:36px 24px 64px}
h1{font-size:27px;line-height:1.2;margin:0 0 4px;letter-spacing:-.01em}
h2{font-size:19px;margin:42px 0 6px;letter-spacing:-.005em}h3{font-size:15px;margin:26px 0 6px}
p{margin:4px 0 12px;max-width:76ch}.soft{color:var(--soft)}
.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(168px,1fr));gap:12px;margin:18px 0 4px}
.tile{background:var(--card);border:1px solid var(--rule);border-radius:10px;padding:12px 14px}
.tile b{display:block;font-size:24px;line-height:1.25;font-variant-numeric:tabular-nums;letter-spacing:-.01em}
.tile span{color:var(--soft);font-size:13px;overflow-wrap:anywhere}
.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,460px),1fr));gap:14px;margin:12px 0}
.plots.small{grid-template-columns:repeat(auto-fill,minmax(min(100%,310px),1fr))}
figure.plot{margin:0;background:var(--card);border:1px solid var(--rule);border-radius:10px;padding:12px 14px 8px}
figure.wide{margin:12px 0;overflow-x:auto}
figcaption{font-weight:600;font-size:14px}
svg{display:block;width:100%;height:auto;font:12px system-ui,"Segoe UI",Roboto,sans-serif}
.legend{display:flex;flex-wrap:wrap;gap:2px 14px;font-size:12.5px;color:var(--soft);margin-top:2px}
.legend i{display:inline-block;width:18px;margin-right:6px;vertical-align:middle;border-top:2.5px solid var(--k)}
.legend i.dash{border-top-style:dashed}.legend svg{display:inline-block;width:26px;height:8px;margin-right:6px}
.grid{stroke:var(--rule)}.axis{stroke:var(--soft);stroke-opacity:.6}.tick,.label{fill:var(--soft)}
.curve{fill:none;stroke:var(--k);stroke-width:2;stroke-linejoin:round;stroke-linecap:round}.curve.dashed{stroke-dasharray:5 4;stroke-width:1.6}
.bar{stroke:var(--k);stroke-opacity:.45;stroke-width:2}.dot{fill:var(--k)}
.cell{fill:var(--accent)}.value{fill:var(--ink);font-size:13px;font-variant-numeric:tabular-nums}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:14px;margin:8px 0}
th,td{padding:5px 14px 5px 0;text-align:right;border-bottom:1px solid var(--rule);white-space:nowrap}
th{color:var(--soft);font-weight:600;font-size:12.5px;white-space:normal;vertical-align:bottom}td:first-child{white-space:normal}th:first-child,td:first-child,.l{text-align:left}
tr.net td{font-weight:600}
details{background:var(--card);border:1px solid var(--rule);border-radius:10px;padding:10px 14px;margin:12px 0}
summary{cursor:pointer;font-weight:600}
.contents{display:flex;flex-wrap:wrap;gap:4px 18px;list-style:none;padding:0;margin:14px 0}a{color:var(--accent)}
.lines{display:grid;grid-template-columns:repeat(auto-fill,minmax(150px,1fr));gap:12px;margin:12px 0}
@media (max-width:560px){main{padding:22px 14px 48px}.tick,.label{font-size:17px}.tile b{font-size:20px}}
pre{overflow-x:auto;font:12.5px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;margin:10px 0 4px}
)css";

}  // namespace

std::string html_page(const std::string& title, const std::string& subtitle, const std::string& body) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\"><title>{0}</title><style>{1}</style></"
      "head>\n<body><main><h1>{0}</h1>"
      "<p class=\"soft\">{2}</p>{3}</main></body></html>\n",
      escape(title), kStyle, escape(subtitle), body);
}

std::string html_tile(const std::string& figure, const std::string& what) {
  return fmt::format("<div class=\"tile\"><b>{}</b><span>{}</span></div>", figure, escape(what));
}

std::string html_table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows,
                       const std::vector<std::size_t>& left) {
  const auto cell = [&](const char* tag, std::size_t column, const std::string& text) {
    const bool is_left = std::find(left.begin(), left.end(), column) != left.end();
    return fmt::format("<{0}{1}>{2}</{0}>", tag, is_left ? " class=\"l\"" : "", text);
  };
  std::string out = "<div class=\"scroll\"><table><tr>";
  for (std::size_t c = 0; c < header.size(); ++c) out += cell("th", c, header[c]);
  out += "</tr>";
  for (const auto& row : rows) {
    const bool bold = !row.empty() && row[0].starts_with('*');
    out += bold ? "<tr class=\"net\">" : "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) out += cell("td", c, c == 0 && bold ? row[c].substr(1) : row[c]);
    out += "</tr>";
  }
  return out + "</table></div>";
}

std::string from_json_of(const std::string& what, const std::function<std::string()>& write) {
  try {
    return write();
  } catch (const nlohmann::json::exception& e) {
    throw ReportError(fmt::format("{} not as expected: {}", what, without_library_code(e.what())));
  } catch (const std::invalid_argument& e) {
    throw ReportError(fmt::format("{} not as expected: {}", what, e.what()));
  } catch (const NotationError& e) {
    throw ReportError(fmt::format("{} not as expected: {}", what, e.what()));
  }
}

std::string html_percent(double share) { return fmt::format("{:.1f}%", 100 * share); }

}  // namespace quarto
