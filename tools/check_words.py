"""Lint of header lines, headings and commit titles.

Header lines of C++ and Python files and headings of Markdown are noun phrases: they begin with no relative clause and
no question. Commit titles are imperative. They are checked from the commit that added this file, as far as the clone
has the history; CONTRIBUTING.md has the rules.

    python tools/check_words.py                  # the tracked files, and the commits since this file exists
    python tools/check_words.py HEAD~3..HEAD     # the tracked files, and the commits of a range
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LONGEST_TITLE = 72

CLAUSE = re.compile(
    r"(?:what|where|who|whom|whose|which|whether|how|when|why|whatever|wherever|whoever|whichever|whenever|"
    r"(?:any|no|some|every)body)\b",
    re.IGNORECASE,
)

VERBS = set(
    """
    Accept Accumulate Add Address Adjust Align Allocate Allow Analyze Annotate Answer Apply Assert Assume Attach Avoid
    Await Begin Benchmark Bind Bound Break Broadcast Build Bump Cache Call Canonicalize Carry Catch Centralize Change
    Check Choose Clamp Clarify Classify Clean Clear Clone Close Collapse Collect Combine Compare Compile Complete
    Compute Configure Confine Consider Convert Copy Correct Count Cover Create Cut Deallocate Declare Decode
    Deduplicate Default Defer Define Delete Demand Deprecate Derive Describe Detect Disable Distinguish Divide Do
    Document Don't Drain Draw Drop Dump Eliminate Emit Emulate Enable Encode End Ensure Enter Erase Escape Estimate
    Evaluate Exclude Execute Exit Expand Expect Explain Export Expose Extend Extract Factor Fail Fall Favor Fetch Fill
    Find Finish Fit Fix Flatten Flush Fold Follow Forbid Force Format Forward Free Freeze Fuse Gather Generalize
    Generate Get Give Group Guard Guess Handle Hash Hide Hoist Hold Ignore Implement Import Improve Include Increase
    Infer Inherit Initialize Inline Insert Install Instantiate Interleave Interpret Interrupt Introduce Invalidate Join
    Keep Key Launch Learn Leave Let Lift Limit Link Lint List Load Lock Log Look Lower Make Map Mark Mask Match
    Materialize Measure Merge Migrate Model Move Name Narrow Normalize Note Omit Open Optimize Order Outline Overlap
    Override Pack Pad Parallelize Parse Partition Pass Peel Permit Permute Pick Pin Place Plan Port Prefer Prefetch
    Prepare Preserve Prevent Print Promote Propagate Protect Prove Provide Prune Publish Put Quote Raise Randomize
    Re-enable Reach Read Rebuild Recompute Record Recover Reduce Refactor Refer Refine Refuse Register Regroup Reject
    Relax Release Reload Remember Remove Rename Reorder Reorganize Repair Repeat Replace Report Represent Request
    Require Rescale Reserve Reset Reshape Resolve Respect Restore Restrict Retry Return Reuse Revert Revise Rewrite
    Round Run Save Say Scale Schedule Search Select Send Separate Serialize Set Share Shorten Show Shrink Shuffle
    Silence Simplify Sink Skip Sort Specialize Specify Speed Spell Split Stabilize Start State Stop Store Stream
    Strengthen Strip Structure Substitute Support Suppress Swap Switch Take Teach Tell Test Tighten Tile Time Tolerate
    Trace Track Transform Translate Transpose Treat Trim Truncate Try Tune Turn Type Unify Unload Unlock Unroll Unwrap
    Update Upgrade Use Validate Vectorize Verify Version Wait Warn Weigh Widen Wrap Write Yield
    """.split()  # noqa: SIM905
)
"""First words of titles. A verb that is missing here is added by the commit that needs it."""


def header(name: str, text: str) -> str | None:
    """Returns what the first line of a source file says of it: the text behind its name, or the docstring's line."""
    if name.endswith(".py"):
        found = re.match(r'(?:#.*\n)*[rRuU]?"""(.*)', text)
    else:
        found = re.match(r"//===-+ [^\n]*? - (.*)", text)
    return found and found[1]


def headings(text: str) -> Iterator[str]:
    """Yields the headings of a Markdown page, without comments in its blocks of code."""
    for found in re.finditer(
        r"^#+ +(.*)", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE), re.MULTILINE
    ):
        yield found[1]


def complaints_of_file(name: str, text: str) -> Iterator[str]:
    """Yields a message for each header or heading that begins with a clause."""
    lines = headings(text) if name.endswith(".md") else [header(name, text) or ""]
    for line in lines:
        if CLAUSE.match(line):
            yield f"{name}: begin with a noun phrase: {line}"


def complaints_of_title(title: str) -> Iterator[str]:
    """Yields a message for each rule that a commit title breaks."""
    if len(title) > LONGEST_TITLE:
        yield f"{len(title)} characters, at most {LONGEST_TITLE}: {title}"
    if ";" in title:
        yield f"one change without a semicolon: {title}"
    first = re.sub(r"^\[[^\]]*\] +", "", title).split(" ")[0]
    if first not in VERBS:
        yield f"begin with an imperative verb (tools/check_words.py lists them), not with '{first}': {title}"


def git(*arguments: str) -> list[str]:
    """Returns the lines of a git command's output, or none without git or a repository."""
    try:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return []
    return done.stdout.splitlines()


def titles(commits: str | None = None) -> list[str]:
    """Returns the titles of a range of commits, or of those from the commit on that added this file.

    In a shallow clone or a snapshot the oldest commit seems to have added all files, so its title is not checked.
    """
    if commits is None:
        added = git("log", "--diff-filter=A", "--format=%H", "--", "tools/check_words.py")
        if not added:
            return []
        oldest = f"{added[-1]}^" if git("rev-parse", "--verify", "--quiet", f"{added[-1]}^") else added[-1]
        commits = f"{oldest}..HEAD"
    return git("log", "--no-merges", "--format=%s", commits)


def main(arguments: list[str]) -> int:
    """Prints all complaints and returns the exit status."""
    found: list[str] = []
    for name in git("ls-files", "*.cpp", "*.h", "*.td", "*.py", "*.md"):
        if (ROOT / name).is_file():
            found += complaints_of_file(name, (ROOT / name).read_text(encoding="utf-8"))
    for title in titles(*arguments):
        found += complaints_of_title(title)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
