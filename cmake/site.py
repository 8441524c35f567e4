"""A hook of mkdocs: pages and files outside docs/ that pages link to are part of the site, and links lead to them there.

Links in the sources are those of the source tree, so that pages read as plain files: docs/index.md says ../recipes/README.md.
In the site docs/ is the root, and recipes/ and examples/ are folders in it.
"""
import os
import posixpath
import re

from mkdocs.structure.files import File

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LINK = re.compile(r"(\]\()([^)\s#]*)([^)]*\))")


# Parts of the menu that hold every page of a folder, and stand behind "How to".
FOLDERS = [("Gallery", "gallery")]


def on_config(config):
    nav = config["nav"]
    behind = 1 + max(index for index, part in enumerate(nav) if set(part) & {"Home", "How to"})
    for title, folder in FOLDERS:
        path = os.path.join(ROOT, "docs", folder)
        pages = sorted(name for name in os.listdir(path) if name.endswith(".md")) if os.path.isdir(path) else []
        pages.sort(key=lambda name: name != "index.md")
        if pages:
            nav.insert(behind, {title: [f"{folder}/{name}" for name in pages]})
    return config


def outside():
    """Files of the source tree beside docs/ that are part of the site."""
    found = ["CHANGELOG.md"]
    for top in ("examples", "recipes"):
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            found += [os.path.relpath(os.path.join(folder, name), ROOT) for name in names]
    found += [name for name in ("Containerfile", "LICENSE", "action.yml") if os.path.exists(os.path.join(ROOT, name))]
    return found


def on_files(files, config):
    for name in outside():
        files.append(File(name, ROOT, config["site_dir"], config["use_directory_urls"]))
    return files


def site_place(path):
    """Where a file of the source tree is in the site."""
    if path == "README.md":
        return "index.md"
    return path[len("docs/"):] if path.startswith("docs/") else path


def on_page_markdown(markdown, page, config, files):
    here = page.file.src_uri
    source = here if here in ("CHANGELOG.md",) or here.startswith(("examples/", "recipes/")) else "docs/" + here

    def moved(found):
        link = found.group(2)
        if not link or re.match(r"[a-z]+:", link):
            return found.group(0)
        target = site_place(posixpath.normpath(posixpath.join(posixpath.dirname(source), link)))
        return found.group(1) + posixpath.relpath(target, posixpath.dirname(here) or ".") + found.group(3)

    parts = re.split(r"(^```.*?^```$)", markdown, flags=re.M | re.S)
    return "".join(part if part.startswith("```") else LINK.sub(moved, part) for part in parts)


def labelled(table):
    """The table with each cell's column title in it, which narrow screens show instead of the head."""
    titles = [re.sub(r"<[^>]*>", "", cell) for cell in re.findall(r"<th[^>]*>(.*?)</th>", table, re.S)]
    rows = table.split("<tr>")
    for index, row in enumerate(rows):
        cells = iter(titles[1:])
        first = row.find("<td")
        if first < 0:
            continue
        rest = re.sub(r"<td", lambda _: f'<td data-title="{next(cells, "")}"', row[first + 3:])
        rows[index] = row[:first + 3] + rest
    return "<tr>".join(rows)


def on_page_content(html, page, config, files):
    return re.sub(r"<table>.*?</table>", lambda found: labelled(found.group(0)), html, flags=re.S)
