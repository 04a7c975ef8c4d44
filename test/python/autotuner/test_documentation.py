"""The programs of docs/tuning.md run as they stand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_the_page_on_tuning(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "tuning.md").read_text(encoding="utf-8")
    program = tmp_path / "page.py"
    program.write_text("\n".join(re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, str(program)], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert re.match(r"BLOCK=\d+, num_warps=4, num_ctas=1, num_stages=3\nscale:\n +n +blockdsl +torch\n", done.stdout)
    assert {path.name for path in (tmp_path / "plots").iterdir()} == {"scale.csv", "scale.png", "results.html"}
