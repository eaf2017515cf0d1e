"""Words, names and entities of the text that labels refer to."""

import glob
import gzip
import os
import re
from collections import Counter

WORD = re.compile(r"[^\W_]+|[^\w\s]|_")
PARTY = "@party"
# Words that join the parts of one name: "Percy de Rolo", "Council of Tal'Dorei".
JOINING = {"de", "of", "the", "von", "van"}
PLAYERS = {
    "laura": "vex", "liam": "vax", "marisha": "keyleth", "taliesin": "percy", "travis": "grog", "sam": "scanlan",
    "ashley": "pike", "orion": "tiberius",
}
ALIASES = {
    "vex'ahlia": "vex", "vex ahlia": "vex", "vax'ildan": "vax", "vax ildan": "vax", "percival": "percy",
    "percy de rolo": "percy", "percival de rolo": "percy", "vox machina": PARTY, "the party": PARTY,
    "taryon": "tary", "taryon darrington": "tary",
}
TITLES = {"lord", "lady", "sir", "king", "queen", "sovereign", "captain", "master", "mister", "miss", "arcanist", "guardian", "the"}


def words(text):
    """Returns the words and punctuation marks of a text with their offsets."""
    return [(match.group(), match.start(), match.end()) for match in WORD.finditer(text)]


class Corpus:
    """The lines of all episodes, and which of their words are names."""

    def __init__(self, folder):
        self.lines = {}
        for part in ("summaries", "transcripts"):
            for path in sorted(glob.glob(os.path.join(folder, part, "*.txt.gz"))):
                lines = gzip.open(path, "rt", encoding="utf-8").read().split("\n")
                self.lines[os.path.basename(path)[:6] + part[0].upper()] = lines
        large, inside, small = Counter(), Counter(), Counter()
        for lines in self.lines.values():
            for line in lines:
                text = line.partition(": ")[2] or line
                for match in re.finditer(r"[^\W\d_]+", text):
                    word = match.group()
                    (large if word[0].isupper() else small)[word.lower()] += 1
                    if word[0].isupper() and re.search(r"[\w,;'’-]\s*$", text[: match.start()]):
                        inside[word.lower()] += 1
        # A name has a capital inside sentences too, and hardly ever stands without one.
        self.names = {
            word for word, count in large.items()
            if small[word] < 0.15 * count and inside[word] > 0.25 * count and word not in ("i", "o")
        }

    def mentions(self, tokens):
        """Returns the names among the tokens as pairs of first token and token behind the last."""
        found, at = [], 0
        while at < len(tokens):
            if not self.is_name(tokens[at][0]):
                at += 1
                continue
            end = at + 1
            while end < len(tokens):
                if self.is_name(tokens[end][0]):
                    end += 1
                # The apostrophe inside a name: "Vax'ildan", but not "Vax's".
                elif (tokens[end][0] in "'’-" and end + 1 < len(tokens) and tokens[end][1] == tokens[end - 1][2]
                      and tokens[end + 1][1] == tokens[end][2] and len(tokens[end + 1][0]) > 1
                      and tokens[end + 1][0] not in ("ll", "re", "ve", "em")):
                    end += 2
                elif (tokens[end][0] in JOINING and end + 1 < len(tokens) and self.is_name(tokens[end + 1][0])):
                    end += 2
                elif (tokens[end][0] == "of" and end + 2 < len(tokens) and tokens[end + 1][0] == "the"
                      and self.is_name(tokens[end + 2][0])):
                    end += 3
                else:
                    break
            found.append((at, end))
            at = end
        return found

    def is_name(self, word):
        return word[0].isupper() and word.lower() in self.names


def normal(name):
    """Returns a name in the form in which names are compared."""
    name = re.sub(r"[’`]", "'", name.strip().lower())
    name = re.sub(r"'s$", "", name)
    name = re.sub(r"^the ", "", name) if name != "the party" else name
    return ALIASES.get(name, name)


def same(one, other):
    """Returns whether two normal names mean one entity: they are equal, or the words of one are among those of the other."""
    if one == other:
        return True
    if PARTY in (one, other):
        return False
    one, other = (set(re.findall(r"[^\W_]+", name)) - TITLES for name in (one, other))
    return bool(one) and bool(other) and (one <= other or other <= one)
