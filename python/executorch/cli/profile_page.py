"""The report of ``executorch profile`` as one HTML page that needs nothing else."""

from __future__ import annotations

import html

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; --ink: light-dark(#1b1f24, #e6e8eb); --soft: light-dark(#667085, #98a2b3);
  --paper: light-dark(#fff, #15181c); --line: light-dark(#e4e7ec, #2b3138); --bar: light-dark(#2f6fed, #6ea0ff); }}
body {{ font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 1100px; margin: 2rem auto;
  padding: 0 1rem; }}
h1 {{ font-size: 1.3rem; margin: 0; overflow-wrap: anywhere; }} h2 {{ font-size: 1rem; margin: 2rem 0 .5rem; }}
p {{ color: var(--soft); margin: .2rem 0; }}
table {{ border-collapse: collapse; width: 100%; }}
th {{ text-align: left; font-weight: 600; color: var(--soft); }}
th, td {{ padding: .25rem .6rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: baseline; }}
.n {{ text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }}
.name {{ overflow-wrap: anywhere; }} .share {{ width: 22%; }}
.share span {{ display: block; height: .7em; border-radius: 2px; background: var(--bar); min-width: 1px; }}
svg {{ width: 100%; display: block; }} svg rect {{ stroke: var(--paper); stroke-width: .5; }}
.legend {{ display: flex; flex-wrap: wrap; gap: 0 1rem; }} .legend i {{ display: inline-block; width: .8em; height: .8em;
  border-radius: 2px; margin-right: .35em; }}
@media (max-width: 700px) {{ .share, .instruction {{ display: none; }} }}
</style></head><body>
<h1>{title}</h1>
<p>{us:.1f} µs, median of {runs} runs; {between:.1f} µs of them between operators</p>
<h2>The last run</h2>
{timeline}
<h2>By time</h2>
<table><thead><tr><th class="n instruction">instruction</th><th>operator or step</th><th class="n">µs</th><th class="n">share</th>
<th class="share"></th><th class="n">GB/s</th></tr></thead><tbody>
{rows}
</tbody></table></body></html>
"""

_COLOURS = ("#2f6fed", "#12a594", "#e5881b", "#8e4ec6", "#d6409f", "#5b8c2a", "#0f8fbf", "#b54708")
_ROW_HEIGHT = 18


def _row(row: dict, largest_share: float) -> str:
    speed = "" if row["gb_per_s"] is None else f"{row['gb_per_s']:.1f}"
    return (
        f'<tr><td class="n instruction">{row["instruction"]}</td><td class="name">{html.escape(row["name"])}</td><td class="n">{row["us"]:.1f}</td>'
        f'<td class="n">{row["share"]:.1%}</td><td class="share"><span style="width:{100 * row["share"] / largest_share:.1f}%"></span></td>'
        f'<td class="n">{speed}</td></tr>'
    )


def _kind(name: str) -> str:
    """What spans of one colour share: the name without number and sizes."""
    words = [word for word in name.split() if not any(letter.isdigit() for letter in word)]
    return words[0] if words else name


def _timeline(events: list[dict]) -> str:
    """Spans as bars over time, those inside of others below them."""
    end = max((event["ts"] + event["dur"] for event in events), default=0) or 1
    colours: dict[str, str] = {}
    open_ends: list[float] = []
    depth, bars = 0, []
    for event in events:
        while open_ends and event["ts"] >= open_ends[-1]:
            open_ends.pop()
        level = len(open_ends)
        depth = max(depth, level)
        open_ends.append(event["ts"] + event["dur"])
        colour = colours.setdefault(_kind(event["name"]), _COLOURS[len(colours) % len(_COLOURS)])
        bars.append(
            f'<rect x="{1000 * event["ts"] / end:.3f}" y="{level * _ROW_HEIGHT}" width="{1000 * event["dur"] / end:.3f}" '
            f'height="{_ROW_HEIGHT}" fill="{colour}"><title>{html.escape(event["name"])}: {event["dur"]:.1f} µs</title></rect>'
        )
    height = (depth + 1) * _ROW_HEIGHT
    legend = "".join(f'<span><i style="background:{colour}"></i>{html.escape(kind)}</span>' for kind, colour in colours.items())
    return (
        f'<svg viewBox="0 0 1000 {height}" preserveAspectRatio="none" height="{height}" role="img">{"".join(bars)}</svg>\n'
        f'<p class="legend">{legend}</p>'
    )


def render(figures: dict, events: list[dict]) -> str:
    """The page: figures as ``profile.summarise`` gives them, events of one run sorted by their start."""
    largest_share = max((row["share"] for row in figures["rows"]), default=0) or 1
    return _PAGE.format(
        title=html.escape(figures["file"]), us=figures["us"], runs=figures["runs"], between=figures["between_us"],
        timeline=_timeline(events), rows="\n".join(_row(row, largest_share) for row in figures["rows"]),
    )  # fmt: skip
