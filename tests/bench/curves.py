"""Draws the curves of measure_growth.py as one page of SVG: both axes by powers of ten, electop beside its floor."""
import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT, ACROSS = 420, 280, 3
LEFT, RIGHT, ABOVE, BELOW = 62, 24, 40, 44
LINES = ("floor", 0, "#8a8f98", "5 4"), ("electop", 1, "#c2410c", "none")
STYLE = """text { font: 11px sans-serif; fill: #1f2328; } .title { font-size: 13px; font-weight: bold; }
.heading { font-size: 18px; font-weight: bold; } .grid { stroke: #e4e7eb; } .axis { fill: none; stroke: #6e7781; }
.no { fill: #6e7781; }"""


def number(power):
    return f"{10 ** power:,}" if 0 <= power < 6 else f"{10.0 ** power:g}"


def text(x, y, what, anchor="middle", kind="", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}"{more}>{escape(what)}</text>'


class Axis:
    """From a power of ten to another, on so many pixels."""

    def __init__(self, values, begin, end):
        self.low, self.high = math.floor(math.log10(min(values)) + 1e-9), math.ceil(math.log10(max(values)) - 1e-9)
        self.high += self.high == self.low
        self.begin, self.end = begin, end

    def at(self, value):
        return self.begin + (self.end - self.begin) * (math.log10(value) - self.low) / (self.high - self.low)

    def powers(self):
        return range(self.low, self.high + 1)


def draw(curve):
    """A panel, at its own origin. What is nothing cannot be drawn on these axes."""
    lines = [(*line, [(size, pair[line[1]]) for size, pair in sorted(curve.points.items()) if pair[line[1]] > 0]) for line in LINES]
    drawn = [point for line in lines for point in line[-1]]
    out = [text(WIDTH / 2, 18, curve.title, kind="title")]
    if not drawn:
        return out + [text(WIDTH / 2, HEIGHT / 2, "nothing was measured", kind="no")]
    x = Axis([size for size, _ in drawn], LEFT, WIDTH - RIGHT)
    y = Axis([value for _, value in drawn], HEIGHT - BELOW, ABOVE)
    for power in x.powers():
        at = x.at(10.0 ** power)
        out += [f'<path class="grid" d="M{at:.1f} {y.begin}V{y.end}"/>', text(at, y.begin + 15, number(power))]
    for power in y.powers():
        at = y.at(10.0 ** power)
        out += [f'<path class="grid" d="M{x.begin} {at:.1f}H{x.end}"/>', text(x.begin - 6, at + 4, number(power), "end")]
    out += [f'<path class="axis" d="M{x.begin} {y.end}V{y.begin}H{x.end}"/>',
            text((x.begin + x.end) / 2, HEIGHT - 10, curve.sizes),
            text(14, (y.begin + y.end) / 2, curve.unit, more=f' transform="rotate(-90 14 {(y.begin + y.end) / 2})"')]
    for i, (name, _, colour, dashes, points) in enumerate(lines):
        place = [(x.at(size), y.at(value)) for size, value in points]
        out += [f'<polyline fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}" points="'
                + " ".join(f"{px:.1f},{py:.1f}" for px, py in place) + '"/>']
        out += [f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3" fill="{colour}"><title>{escape(f"{name}, {size:,}: {value:.4g} {curve.unit}")}'
                "</title></circle>" for (px, py), (size, value) in zip(place, points)]
        out += [f'<path d="M{LEFT + 6 + 70 * i} 30h20" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}"/>',
                text(LEFT + 30 + 70 * i, 34, name, "start")]
    return out


def page(curves, heading):
    rows = -(-len(curves) // ACROSS)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{ACROSS * WIDTH}" height="{rows * HEIGHT + 50}">',
           f'<title>{escape(heading)}</title><style>{STYLE}</style><rect width="100%" height="100%" fill="white"/>',
           text(16, 30, heading, "start", "heading")]
    for i, curve in enumerate(curves):
        out += [f'<g transform="translate({i % ACROSS * WIDTH} {50 + i // ACROSS * HEIGHT})">', *draw(curve), "</g>"]
    return "\n".join(out + ["</svg>", ""])
