"""The documentation's pages as the tests read them: commands, files, links and words.

    pages.py list                  every page, as paths from the repository
    pages.py check PAGE            runs the page's commands here, in the present folder
    pages.py links                 relative links and anchors of every page
    pages.py spelling              words that neither the British dictionary nor docs/words.txt has

SOURCE is the repository, TRAUMA the program. docs/house.md, "Pages", says what a page may hold. Faults are printed as
"PAGE:LINE: ...", and the exit code is then 1.
"""
import os
import re
import shlex
import subprocess
import sys
import unicodedata

SOURCE = os.environ["SOURCE"]
TRAUMA = os.environ.get("TRAUMA", "trauma")
LONGEST_LINE = 130
LONGEST_ROW = 300  # of a table, whose rows cannot be broken
faults = []


def fault(page, line, text):
    faults.append(f"{page}:{line}: {text}")


def all_pages():
    """README.md, CHANGELOG.md and what docs/, examples/ and recipes/ hold."""
    found = ["README.md", "CHANGELOG.md"]
    for top in ("docs", "examples", "recipes"):
        for folder, _, names in os.walk(os.path.join(SOURCE, top)):
            found += [os.path.relpath(os.path.join(folder, name), SOURCE) for name in names if name.endswith(".md")]
    return sorted(found)


def lines_of(page):
    with open(os.path.join(SOURCE, page), encoding="utf-8") as file:
        return file.read().split("\n")


class Block:
    """A fenced block: its language, its lines, the number of its first line, and the remark before its fence."""

    def __init__(self, language, first, remark):
        self.language, self.first, self.remark, self.lines = language, first, remark, []


def split(page):
    """The fenced blocks, and the lines outside them as pairs of number and text."""
    blocks, prose, block, remark = [], [], None, ""
    for number, line in enumerate(lines_of(page), 1):
        if block is not None:
            if line.strip() == "```":
                blocks.append(block)
                block, remark = None, ""
            else:
                block.lines.append(line)
        elif line.lstrip().startswith("```"):
            block = Block(line.strip()[3:].strip(), number + 1, remark)
        else:
            prose.append((number, line))
            found = re.fullmatch(r"<!-- (.*) -->", line.strip())
            if found:
                remark = found.group(1)
            elif line.strip():
                remark = ""
    if block is not None:
        fault(page, block.first - 1, "a fence that no fence ends")
    return blocks, prose


# ---- commands ----

helps = {}


def known_options(words):
    """The options of `trauma WORDS...` as its --help prints them, or None if there is no such command."""
    key = " ".join(words)
    if key not in helps:
        done = subprocess.run([TRAUMA, *words, "--help"], capture_output=True, text=True)
        found = set(re.findall(r"^ +(?:-\w, )?(--[a-z0-9-]+)", done.stdout, re.M))
        found |= set(re.findall(r"^ +(-\w), --", done.stdout, re.M))
        helps[key] = found if done.returncode == 0 else None
    return helps[key]


def check_trauma(page, line, text):
    """The command and each of its options exist."""
    try:
        words = shlex.split(text.replace("\\|", "|"), comments=True)
    except ValueError:
        words = text.split()
    for start, word in enumerate(words):
        if os.path.basename(word) == "trauma" and (start == 0 or words[start - 1] in ("&&", "||", "|", ";", "!")
                                                   or "=" in words[start - 1]):
            check_words(page, line, words[start + 1:])


def check_words(page, line, words):
    for end, word in enumerate(words):
        if word in ("&&", "||", "|", ";", "&", ">"):
            words = words[:end]
            break
    if not words or not re.fullmatch(r"[a-z]+", words[0]):
        for word in words[:1]:
            if word.startswith("-") and word not in ("--help", "--version", "-h"):
                fault(page, line, f"trauma has no option {word}")
        return
    command = words[:1]
    if known_options(command) is None:
        fault(page, line, f"trauma has no command {words[0]}")
        return
    if words[0] == "measure" and len(words) > 1 and re.fullmatch(r"[a-z]+", words[1]):
        command = words[:2]
        if known_options(command) is None:
            fault(page, line, f"trauma measure has no question {words[1]}")
            return
    for word in words[len(command):]:
        found = re.fullmatch(r"(--[a-z][a-z0-9-]*)(=.*)?|(-[a-zA-Z])\d*", word)
        if found:
            option = found.group(1) or found.group(3)
            if option not in known_options(command) | {"-h", "--help"}:
                fault(page, line, f"trauma {' '.join(command)} has no option {option}")


def commands_of(block):
    """Triples: the number of the command's line, the command, and the lines of its output."""
    found = []
    for offset, line in enumerate(block.lines):
        if found and found[-1][1].endswith("\\"):
            found[-1][1] = found[-1][1][:-1] + re.sub(r"^(> )?\s*", "", line)
        elif line.startswith("$ "):
            found.append([block.first + offset, line[2:], []])
        elif found:
            found[-1][2].append(line.rstrip())
    return found


def run(page, number, command, wanted, state):
    """One command, in the folder and with the exported variables that the one before left."""
    found = re.search(r"  # exits (\d+)$", command)
    code = int(found.group(1)) if found else 0
    script = f'[ ! -f "{state}.cd" ] || cd "$(cat "{state}.cd")"\n[ ! -f "{state}.env" ] || . "{state}.env"\n{command}\n' \
             f'code=$?\npwd >"{state}.cd"\nexport -p >"{state}.env"\nexit $code\n'
    done = subprocess.run(["sh", "-c", script], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace")
    output = [line.rstrip() for line in done.stdout.split("\n")]
    if done.returncode != code:
        tail = "\n    ".join(output[-12:])
        fault(page, number, f"exit code {done.returncode} instead of {code}: {command}\n    {tail}")
    elif wanted is not None and not same(output, wanted):
        fault(page, number, "the output of `" + command + "` is another:\n    " + "\n    ".join(output))


def same(output, wanted):
    """A line `...` stands for any number of lines."""
    def trimmed(lines):
        lines = list(lines)
        while lines and not lines[-1]:
            lines.pop()
        return lines
    pattern = "".join(r"(?:.*\n)*?" if line.strip() == "..." else re.escape(line) + "\n" for line in trimmed(wanted))
    return re.fullmatch(pattern, "".join(line + "\n" for line in trimmed(output))) is not None


def check_form(page, blocks, prose):
    for number, line in enumerate(lines_of(page), 1):
        longest = LONGEST_ROW if line.startswith("|") else LONGEST_LINE
        if len(line) > longest:
            fault(page, number, f"{len(line)} characters in a line; at most {longest}")
    text = [line for _, line in prose if line.strip() and not line.startswith("<!--")]
    if len(text) < 2 or not text[0].startswith("# "):
        fault(page, 1, "a page begins with its title, '# ...'")
    elif re.match(r"[#|>]|    |- |\d+\. ", text[1]):
        fault(page, 1, "a page's title is followed by one sentence that says what the page is for")
    for block in blocks:
        if block.language in ("sh", "bash", "shell", ""):
            fault(page, block.first - 1, "name the block's language; commands stand in a block `console`, each after '$ '")
        if block.language == "console" and not commands_of(block):
            fault(page, block.first - 1, "a block `console` without a command: begin it with '$ '")
    for number, line in prose:
        if re.match(r"(    |\t)(\$ |trauma |sh |build/trauma )", line):
            fault(page, number, "a command in an indented block: put it in a block `console`, after '$ '")
        if not re.match(r"    |\t", line):
            for span in re.findall(r"`(trauma [^`]*)`", line):
                check_trauma(page, number, span)


def check_page(page):
    blocks, prose = split(page)
    check_form(page, blocks, prose)
    here = os.getcwd()
    folder, tools, state = (os.path.join(here, name) for name in ("page", "bin", "state"))
    os.makedirs(folder)
    os.makedirs(tools)
    os.symlink(os.path.abspath(TRAUMA), os.path.join(tools, "trauma"))
    for name in ("examples", "recipes", "docs"):
        os.symlink(os.path.join(SOURCE, name), os.path.join(folder, name))
    os.environ["PATH"] = tools + os.pathsep + os.environ["PATH"]
    os.environ["HOME"] = here
    os.environ["NO_COLOR"] = "1"
    os.chdir(folder)
    count = 0
    for block in blocks:
        named = re.fullmatch(r"file: (\S+)", block.remark)
        if named:
            path = os.path.join(folder, named.group(1))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(block.lines) + "\n")
        elif block.language == "console":
            for number, command, output in commands_of(block):
                if block.remark.startswith("not run:"):
                    check_trauma(page, number, command)
                else:
                    count += 1
                    run(page, number, command, output if block.remark == "output: compared" else None, state)
    print(f"{page}: {count} commands run")


# ---- links ----

def plain_text(heading):
    heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[`*]", "", heading).strip()


def anchors_of(page):
    """The anchors that both GitHub's pages and the site's have for the page's headings."""
    found = {}
    for number, line in split(page)[1]:
        heading = re.match(r"#+ +(.*?)\s*#*$", line)
        if heading:
            text = plain_text(heading.group(1)).lower()
            theirs = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
            ours = re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", ascii_text).strip())
            if theirs in found:
                found[theirs] = None
            else:
                found[theirs] = number if theirs == ours else None
        for name in re.findall(r'<a (?:id|name)="([^"]+)"', line):
            found[name] = number
    return found


def check_links():
    anchors = {page: anchors_of(page) for page in all_pages()}
    faults.clear()
    count = 0
    for page in all_pages():
        blocks, prose = split(page)
        text = "\n".join(re.sub(r"`[^`]*`", "``", line) for _, line in prose)
        numbers = [number for number, _ in prose]
        for found in re.finditer(r"\]\(\s*<?([^)\s>]*)>?[^)]*\)|(?:src|href)=\"([^\"]*)\"", text):
            link = found.group(1) if found.group(1) is not None else found.group(2)
            line = numbers[text.count("\n", 0, found.start())]
            if re.match(r"[a-z]+:", link):
                continue
            count += 1
            target, _, anchor = link.partition("#")
            path = os.path.normpath(os.path.join(os.path.dirname(page), target)) if target else page
            if path.startswith("..") or not os.path.exists(os.path.join(SOURCE, path)):
                fault(page, line, f"the link to {link} leads nowhere")
            elif anchor and path.endswith(".md"):
                known = anchors.get(path) or anchors_of(path)
                if anchor not in known:
                    fault(page, line, f"{path} has no heading for #{anchor}")
                elif known[anchor] is None:
                    fault(page, line, f"#{anchor} of {path}: the site and GitHub differ; use a plain heading that occurs once")
    print(f"{count} links")


# ---- spelling ----

def words_only(prose):
    """The prose without code, addresses, remarks and link targets, line by line."""
    text = "\n".join("" if re.match(r"(    |\t)", line) and not re.match(r"\s*([-*]|\d+\.) ", line) and code else line
                     for line, code in indented(prose))
    text = re.sub(r"<!--.*?-->", lambda found: "\n" * found.group(0).count("\n"), text, flags=re.S)
    text = re.sub(r"(`+)(?:(?!\1).|\n)*?\1", lambda found: " " + "\n" * found.group(0).count("\n"), text)
    text = re.sub(r"\]\([^)]*\)", lambda found: "] " + "\n" * found.group(0).count("\n"), text)
    text = re.sub(r"<[^>\n]*>|https?://\S+", " ", text)
    text = re.sub(r"[\w./+-]*\d[\w./+-]*|\w[\w-]*(?:[./]\w[\w-]*)+", " ", text)  # L2, mine.lua, examples/gpu
    text = re.sub(r"\b(\w+)['’]s\b", r"\1", text)
    return text.split("\n")


def indented(prose):
    """Each line, and whether it belongs to an indented block of code: after an empty line, and not in a list."""
    code, empty, listed = False, True, False
    for _, line in prose:
        inside = line.startswith(("    ", "\t"))
        if re.match(r"([-*]|\d+\.) ", line):
            listed = True
        elif line.strip() and not inside and not line.startswith(" "):
            listed = False
        code = inside and not listed and (code or empty)
        empty = not line.strip()
        yield line, code


def check_spelling():
    listed = lines_of("docs/words.txt")
    if listed[-1] == "":
        listed.pop()
    for number, (before, after) in enumerate(zip(listed, listed[1:]), 2):
        if before.encode() >= after.encode():
            fault("docs/words.txt", number, f"'{after}' stands after '{before}': LC_ALL=C sort -u -o docs/words.txt docs/words.txt")
    for page in all_pages():
        blocks, prose = split(page)
        text = words_only(prose)
        done = subprocess.run(["hunspell", "-d", "en_GB", "-i", "utf-8", "-p", os.path.join(SOURCE, "docs/words.txt"), "-l"],
                              input="\n".join(text), capture_output=True, text=True)
        if done.returncode != 0:
            fault(page, 1, f"hunspell: {done.stderr.strip()}")
        unknown = set(done.stdout.split())
        for (number, _), line in zip(prose, text):
            for word in sorted(unknown):
                if re.search(r"(?<![\w'])" + re.escape(word) + r"(?![\w])", line):
                    fault(page, number, f"'{word}' is not in the dictionary; correct it, or add it to docs/words.txt")
    print(f"{len(all_pages())} pages")


def main():
    what = sys.argv[1] if len(sys.argv) > 1 else ""
    if what == "list":
        print("\n".join(all_pages()))
    elif what == "check" and len(sys.argv) == 3:
        check_page(sys.argv[2])
    elif what == "links":
        check_links()
    elif what == "spelling":
        check_spelling()
    else:
        print(__doc__, file=sys.stderr)
        return 2
    for text in faults:
        print(text)
    return 1 if faults else 0


sys.exit(main())
