#!/usr/bin/env python3
"""Every link in the pages of `make site` leads to one of its files, and to an anchor there; nothing is loaded from elsewhere.

    tests/site/links.py SITE
"""
import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.anchors, self.links = {"", "top"}, []  # of a link: where to, and whether the page loads it
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.anchors |= {attributes.get("id"), attributes.get("name")}
        # Of <link> only what is loaded: the others tell search engines and browsers what belongs together.
        loaded = tag == "link" and attributes.get("rel") in ("stylesheet", "icon", "manifest")
        self.links += [(attributes["src"], True)] if attributes.get("src") else []
        self.links += [(attributes["href"], loaded)] if attributes.get("href") else []


def main():
    site = pathlib.Path(sys.argv[1]).resolve()
    pages = {path: Page(path) for path in site.rglob("*.html")}
    failures, seen = [], 0
    for path, page in pages.items():
        for link, loaded in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                if loaded and parts.scheme not in ("data", "javascript"):
                    failures.append(f"{path.relative_to(site)} loads {link}")
                continue
            seen += 1
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            anchor = urllib.parse.unquote(parts.fragment)
            if not target.is_file() or not target.is_relative_to(site):
                failures.append(f"{path.relative_to(site)}: {link} leads nowhere")
            elif target in pages and anchor not in pages[target].anchors:
                failures.append(f"{path.relative_to(site)}: {link}: no such anchor")
    print("\n".join(failures + [f"{len(pages)} pages, {seen} links, {len(failures)} failures"]))
    return 1 if failures or seen < 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
