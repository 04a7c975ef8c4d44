"""Description of the distribution, which is README.md with links that work outside of the repository.

scikit-build-core calls this when it writes the metadata of a wheel or a source distribution. Package indexes show the
text without the files beside it. With ``BLOCKDSL_REPOSITORY_URL``, such as ``https://HOST/OWNER/blockdsl``, links and
images lead there, to the version's tag; without it they are replaced by their text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)


def text(readme: str, repository: str, version: str) -> str:
    """Returns the description: no link of it is relative."""

    def replace(found: re.Match[str]) -> str:
        mark, words, target = found.groups()
        if re.match(r"https?://|#", target):
            return found[0]
        if repository:
            kind = "raw" if mark else "blob"
            return f"{mark}[{words}]({repository.rstrip('/')}/{kind}/v{version}/{target})"
        return "" if mark else words

    parts = re.split(r"(^```.*?^```)", COMMENT.sub("", readme), flags=re.DOTALL | re.MULTILINE)
    return "".join(part if part.startswith("```") else LINK.sub(replace, part) for part in parts)


def dynamic_metadata(field: str, settings: Mapping[str, Any], project: Mapping[str, Any]) -> dict[str, str]:
    """Returns the field ``readme`` for scikit-build-core."""
    del settings
    if field != "readme":
        raise RuntimeError(f"expected the field readme, got {field}")
    readme = Path("README.md").read_text(encoding="utf-8")
    repository = os.environ.get("BLOCKDSL_REPOSITORY_URL", "")
    return {"content-type": "text/markdown", "text": text(readme, repository, project["version"])}
