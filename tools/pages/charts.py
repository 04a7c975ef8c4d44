"""Bar charts as SVG, for pages that are read in light and dark, on code hosts and in the HTML.

They have their own background, because an image does not know the theme of the page around it. Text is SVG text, so
that a browser's search and a screen reader find it. figures.py provides the data.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, LABELS, PLOT = 620, 236, 300
BAR, GAP, ROW_GAP = 13, 2, 9

STYLE = """
  .ground { fill: #ffffff; stroke: #d8dce2 }
  text { font: 13px system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif; fill: #33383f }
  .title { font-size: 16px; font-weight: 600; fill: #16191d }
  .small { font-size: 12px; fill: #5b636d }
  .grid { stroke: #e3e6ea } .even { stroke: #5b636d; stroke-dasharray: 3 3 }
  .first { fill: #2a6fbb } .second, .slower { fill: #d98324 }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #16191e; stroke: #343a42 }
    text { fill: #d3d8de } .title { fill: #f3f5f7 } .small { fill: #9da5af }
    .grid { stroke: #2a2f36 } .even { stroke: #9da5af }
    .first { fill: #5b9fe3 } .second, .slower { fill: #eda24d }
  }
"""


@dataclass(frozen=True)
class Chart:
    """A bar chart of speed ratios, with a bar for each series in each row.

    ``even`` is the label of the line at ratio 1. With ``log`` the scale is logarithmic and bars begin at that line;
    otherwise they begin at zero.
    """

    title: str
    explanation: Sequence[str]
    even: str
    series: Sequence[str]
    rows: Sequence[tuple[str, Sequence[float]]]
    log: bool = False

    def svg(self) -> str:
        """Returns the file's text."""
        top = 42 + 17 * len(self.explanation) + (24 if len(self.series) > 1 else 0)
        first = top + 20
        step = len(self.series) * (BAR + GAP) + ROW_GAP
        height = first + step * len(self.rows) + 10
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
            f' role="img" aria-label="{escape(self.title)}">',
            f"<style>{STYLE}</style>",
            f'<rect class="ground" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="8"/>',
            _text(20, 30, self.title, "title"),
        ]
        parts += [_text(20, 50 + 17 * n, line, "small") for n, line in enumerate(self.explanation)]
        parts += self._legend(top - 8)
        parts += self._axis(top + 10, height - 10)
        for n, (label, values) in enumerate(self.rows):
            parts += self._row(first + n * step, label, values)
        return "\n".join([*parts, "</svg>", ""])

    def _legend(self, y: int) -> list[str]:
        if len(self.series) < 2:
            return []
        parts, x = [], 20
        for style, name in zip(("first", "second"), self.series, strict=False):
            parts.append(f'<rect class="{style}" x="{x}" y="{y - 10}" width="11" height="11" rx="2"/>')
            parts.append(_text(x + 17, y, name, "small"))
            x += 40 + round(6.2 * len(name))
        return parts

    def _ticks(self) -> list[float]:
        values = [value for _, row in self.rows for value in row]
        if not self.log:
            return [float(n) for n in range(math.ceil(max(values)) + 1)]
        low, high = math.floor(math.log2(min(*values, 1))), math.ceil(math.log2(max(values)))
        return [2.0**n for n in range(low, high + 1)]

    def _x(self, value: float) -> float:
        ticks = self._ticks()
        position = math.log2(value) if self.log else value
        low, high = (math.log2(ticks[0]), math.log2(ticks[-1])) if self.log else (ticks[0], ticks[-1])
        return round(LABELS + PLOT * (position - low) / (high - low), 1)

    def _axis(self, top: int, bottom: int) -> list[str]:
        parts = []
        for tick in self._ticks():
            x, style = self._x(tick), "even" if tick == 1 else "grid"
            parts.append(f'<line class="{style}" x1="{x}" x2="{x}" y1="{top + 2}" y2="{bottom}"/>')
            label = self.even if tick == 1 else f"{tick:g}"
            parts.append(_text(x, top - 3, label, "small", "middle"))
        return parts

    def _row(self, y: int, label: str, values: Sequence[float]) -> list[str]:
        middle = y + len(values) * (BAR + GAP) / 2 + 4
        parts = [_text(LABELS - 8, middle, label, "", "end")]
        for n, (style, value) in enumerate(zip(("first", "second"), values, strict=False)):
            ends = sorted((self._x(1.0 if self.log else 0.0), self._x(value)))
            width = max(round(ends[1] - ends[0], 1), 1)
            at = y + n * (BAR + GAP)
            style = "slower" if value < 1 and len(values) == 1 else style
            parts.append(f'<rect class="{style}" x="{ends[0]}" y="{at}" width="{width}" height="{BAR}" rx="1.5"/>')
            parts.append(_text(ends[1] + 5, at + BAR - 2, with_factor(value), "small"))
        return parts


def with_factor(value: float) -> str:
    """Formats a value with up to three digits."""
    return f"{value:.3g} x"


def _text(x: float, y: float, text: str, style: str, anchor: str = "") -> str:
    attributes = f' class="{style}"' * bool(style) + f' text-anchor="{anchor}"' * bool(anchor)
    return f'<text x="{x}" y="{y}"{attributes}>{escape(text)}</text>'
