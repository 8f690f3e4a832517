// What the HTML pages have in common: one self-contained file each, with inline CSS and SVG, no script, nothing loaded
// from elsewhere, for light and dark screens.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace quarto {

// The whole document. Title and subtitle are plain text; the body is HTML.
std::string html_page(const std::string& title, const std::string& subtitle, const std::string& body);

// A large figure (HTML) over what it is (plain text), for a <div class="tiles">.
std::string html_tile(const std::string& figure, const std::string& what);

// The first column and those named in `left` (by index) are aligned left, the others right. All cells are HTML. A row
// whose first cell begins with '*' (which is not shown) is set off in bold.
std::string html_table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows,
                       const std::vector<std::size_t>& left = {});

// What write() returns. Throws ReportError, "`what` not as expected: ...", where it does not find in the JSON of a
// command what it expects.
std::string from_json_of(const std::string& what, const std::function<std::string()>& write);

// "12.3%" of a share from 0 to 1.
std::string html_percent(double share);

}  // namespace quarto
