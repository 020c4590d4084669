"""The fonts of the site, made from STIX Two: python -m companion.site.fonts NODE_MODULES book/assets

The folder holds the packages @fontsource/stix-two-math and @fontsource/stix-two-text of npm. Run by hand, when the
fonts change; their names differ from those of the originals, as is usual for what is changed.

Browsers apply only a part of what a font says about formulas. So this is put into the letters themselves, where
every engine sees it: the room to the right of a letter that leans, the size of a prime, the widths of roots.
"""

import shutil
import sys
from pathlib import Path

from fontTools import subset
from fontTools.pens.transformPen import TransformPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont

# What formulas may need: letters, Greek, accents, punctuation, letterlike signs, arrows, operators, brackets, alphabets
SIGNS = [
    *range(0x20, 0x7F),
    *range(0xA0, 0x100),
    *range(0x2C6, 0x2DE),
    *range(0x300, 0x315),
    *range(0x370, 0x400),
    *range(0x2000, 0x2070),
    *range(0x20D0, 0x20DD),
    *range(0x2100, 0x2140),
    *range(0x2190, 0x21FF),
    *range(0x2200, 0x2300),
    *range(0x2308, 0x230C),
    *range(0x239B, 0x23B4),
    *range(0x25A0, 0x25D0),
    *range(0x27E6, 0x27F0),
    *range(0x27F5, 0x2800),
    *range(0x2A00, 0x2A10),
    *range(0x2A7D, 0x2A7F),
    *range(0x2AAF, 0x2AB1),
    *range(0x1D400, 0x1D800),
]
# Chromium gives a bracket the room of its widest size: sizes above 3 em, which no formula of the book has, are left out
TALLEST = 3000
# How far below the top of a tall base the foot of a superscript is at most; STIX has 230, with which the 2 of f(T)^2
# stands an eighth of an em above that of x^2
SUPERSCRIPT_DROP = 340
# How far below the foot of its base a subscript is at least; STIX has 160, with which the i of ζ_i stands a sixth of an
# em below that of x_i. No letter reaches 250 below the line, and on the line a subscript is 210 below it.
SUBSCRIPT_DROP = -40
# How far a fraction in the text lifts its numerator and lowers its denominator. STIX has 585 for both, with which each
# hangs six pixels off its bar and touches the next line; TeX has 394 and 345, a little less than these.
NUMERATOR_UP = 430
DENOMINATOR_DOWN = 370
# The gap below the bar of a displayed root: that of roots in the text, 85. STIX has 170, with which what stands in the
# root needs the next larger sign, half a line deeper than the root itself.
ROOT_GAP = 85
# The bars of roots and fractions: one pixel at the size of the text. STIX has 68, which is now one and now two pixels.
RULE = 55
# A prime is set as a superscript, at 70 % of the size: it is drawn larger, and lower, so that it has its own size there
PRIME_SCALE = 1.45
PRIME_DROP = 430
PRIMES = (0x2032, 0x2033, 0x2034, 0x2057)


def redraw(font: TTFont, name: str, transform: tuple[float, ...], advance: float) -> None:
    """Draw a glyph anew, moved and stretched, with this advance."""
    pen = TTGlyphPen(None)
    font.getGlyphSet()[name].draw(TransformPen(pen, transform))
    glyph = pen.glyph()
    glyph.recalcBounds(font["glyf"])
    font["glyf"][name] = glyph
    font["hmtx"][name] = (round(advance), glyph.xMin)


def make_room_for_leaning_letters(font: TTFont) -> None:
    """Each italic letter gets the room that superscripts and brackets after it need, in place of a correction."""
    info = font["MATH"].table.MathGlyphInfo
    corrections = info.MathItalicsCorrectionInfo
    letters = {name for code, name in font.getBestCmap().items() if 0x1D400 <= code < 0x1D800}
    for name, value in zip(corrections.Coverage.glyphs, corrections.ItalicsCorrection, strict=True):
        if name in letters:
            advance, side = font["hmtx"][name]
            font["hmtx"][name] = (advance + value.Value, side)
            value.Value = 0


def enlarge_primes(font: TTFont) -> None:
    """Primes that have their size as superscripts."""
    for code in PRIMES:
        if name := font.getBestCmap().get(code):
            advance = font["hmtx"][name][0]
            redraw(font, name, (PRIME_SCALE, 0, 0, PRIME_SCALE, 0, -PRIME_DROP), 0.8 * PRIME_SCALE * advance)


def narrow_roots(font: TTFont) -> None:
    """All sizes of the root are as wide as the smallest, as in the fonts of TeX: engines reserve the widest."""
    variants = font["MATH"].table.MathVariants
    root = font.getBestCmap()[0x221A]
    construction = variants.VertGlyphConstruction[variants.VertGlyphCoverage.glyphs.index(root)]
    width = font["hmtx"][root][0]
    larger = [record.VariantGlyph for record in construction.MathGlyphVariantRecord]
    larger += [part.glyph for part in construction.GlyphAssembly.PartRecords]
    for name in larger:
        if font["hmtx"][name][0] > width:
            redraw(font, name, (width / font["hmtx"][name][0], 0, 0, 1, 0, 0), width)


def drop_tall_brackets(font: TTFont) -> None:
    """Sizes of brackets that no formula has."""
    variants = font["MATH"].table.MathVariants
    for construction in variants.VertGlyphConstruction:
        records = construction.MathGlyphVariantRecord
        construction.MathGlyphVariantRecord = [variant for variant in records if variant.AdvanceMeasurement < TALLEST]
        construction.MathGlyphVariantCount = len(construction.MathGlyphVariantRecord)


def rename(font: TTFont, name: str) -> None:
    """The name by which the font says what it is."""
    for record in font["name"].names:
        if record.nameID in (1, 3, 4, 6, 16):
            record.string = name.replace(" ", "") if record.nameID == 6 else name


def formulas(source: Path, target: Path) -> None:
    """The font of the formulas."""
    font = TTFont(source)
    make_room_for_leaning_letters(font)
    enlarge_primes(font)
    narrow_roots(font)
    drop_tall_brackets(font)
    constants = font["MATH"].table.MathConstants
    constants.SuperscriptBaselineDropMax.Value = SUPERSCRIPT_DROP
    constants.SubscriptBaselineDropMin.Value = SUBSCRIPT_DROP
    constants.FractionNumeratorShiftUp.Value = NUMERATOR_UP
    constants.FractionDenominatorShiftDown.Value = DENOMINATOR_DOWN
    constants.RadicalDisplayStyleVerticalGap.Value = ROOT_GAP
    constants.FractionRuleThickness.Value = RULE
    constants.RadicalRuleThickness.Value = RULE
    rename(font, "Companion Math")
    options = subset.Options(hinting=False, layout_features=["ccmp"], notdef_outline=True, flavor="woff2")
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=SIGNS)
    subsetter.subset(font)
    font.flavor = "woff2"
    font.save(target)


def main(packages: Path, assets: Path) -> None:
    """Write all fonts, and their licence."""
    texts = packages / "@fontsource/stix-two-text"
    formulas(
        packages / "@fontsource/stix-two-math/files/stix-two-math-latin-400-normal.woff2", assets / "formulas.woff2"
    )
    for kind in ("400-normal", "400-italic", "600-normal"):
        shutil.copy(texts / f"files/stix-two-text-latin-{kind}.woff2", assets / f"text-{kind}.woff2")
    shutil.copy(texts / "LICENSE", assets / "fonts.license.txt")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
