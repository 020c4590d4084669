"""The signs of print, where a page has plain text, and nowhere else."""

import pytest
from companion.site import typography


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ("by Lemma 9 and Theorem D", "by Lemma\u00a09 and Theorem\u00a0D"),
        ("the Lemma of Claim and Fig. 2.1", "the Lemma of Claim and Fig.\u00a02.1"),
        ("p &lt;= 4, q &gt;= 2, a != b, x -&gt; y", "p\u00a0≤\u00a04, q\u00a0≥\u00a02, a ≠ b, x → y"),
        ("4 k^2 W^2, (1-d)^-3, x^n", "4 k² W², (1-d)⁻³, xⁿ"),
        ("2^(m/3) points, h^{&lt;=d}, 4^L", "2<sup>m/3</sup> points, h<sup>≤d</sup>, 4<sup>L</sup>"),
        ("3.48e+04, 1e-12, 6.5e21, 0e+00", "3.48·10⁴, 10⁻¹², 6.5·10²¹, 0"),
        ("sqrt(n), sqrt(2m + 1)", "√n, √(2m + 1)"),
        ("8 eps / C^2 at rho", "8 ε / C² at ρ"),
        ("tau / W, Gamma = 9, chi_T, phi0", "τ / W, Γ = 9, χ<sub>T</sub>, φ0"),
        ("||w_j||_1 - b_j in {-1, 1}^n", "‖w<sub>j</sub>‖<sub>1</sub> − b<sub>j</sub> in {−1, 1}ⁿ"),
        (
            "||u||_inf, u_j^2 zeta_i, NS_rho(h), sum_{j in R_x}",
            "‖u‖<sub>∞</sub>, u<sub>j</sub>² ζ<sub>i</sub>, NS<sub>ρ</sub>(h), sum<sub>j in R<sub>x</sub></sub>",
        ),
        ("h_(l-1)(x)_x, constant * k^1.5", "h<sub>l-1</sub>(x)<sub>x</sub>, constant · k<sup>1.5</sup>"),
        (
            "&lt;w_j, x&gt; - b_j, -zeta, 0 &lt; a, b &gt; c",
            "⟨w<sub>j</sub>, x⟩ − b<sub>j</sub>, −ζ, 0 &lt; a, b &gt; c",
        ),
        ("1/(4 sqrt 2), sqrt |R|", "1/(4 √2), √|R|"),
        (
            "fails on 66312 of 1,157,464, x = 2 000 000, 4,096",
            "fails on 66\u202f312 of 1\u202f157\u202f464, x\u00a0=\u00a02\u202f000\u202f000, 4096",
        ),
        ("0.010 ± 0.001", "0.010\u00a0±\u00a00.001"),
        ("38% of them, 5 % less", "38\u00a0% of them, 5\u00a0% less"),
        ("pp. 10709–10724, A000609, arXiv:2406.17989", "pp. 10709–10724, A000609, arXiv:2406.17989"),
        (
            "rademacher_ball, n_jobs, a k-sparse one, the information",
            "rademacher_ball, n_jobs, a k-sparse one, the information",
        ),
        ("A000609: 4, 14, 104, 1882, 94572", "A000609: 4, 14, 104, 1882, 94572"),
        ("seed 20240101, commit 1234567, sqrt of 2", "seed 20240101, commit 1234567, sqrt of 2"),
        ("the layer&#x27;s, one's; {'a': 'b'}, x'", "the layer’s, one’s; {'a': 'b'}, x'"),
        ("the step, a rhombus, E3, e.g. 3 e", "the step, a rhombus, E3, e.g. 3 e"),
    ],
)
def test_text_is_set_as_in_print(typed, printed):
    assert typography.typeset_html(f"<p>{typed}</p>") == f"<p>{printed}</p>"


@pytest.mark.parametrize(
    "kept",
    [
        "<pre>x^2 &lt;= 1e-12 <span>Lemma 9</span></pre>",
        "<code>eps</code>",
        "<script>a^2 != 1e-3</script>",
        "<svg><text>C^2</text></svg>",
        '<a href="x?eps=1e-3&gt;=" title="Lemma 9">there</a>',
        '<dt class="sig sig-object">f(<em>tol=1e-12</em>)</dt>',
        "<math><mi>x^2</mi></math>",
        "<title>Lemma 9</title>",
    ],
)
def test_code_formulas_and_attributes_stay_as_they_are(kept):
    assert typography.typeset_html(kept) == kept


@pytest.mark.parametrize(
    "made, shown",
    [
        # the name of a cell, as far as an attribute can be
        (
            '<td data-name="4 k^2 W^2">x^2</td><td data-name="w_j">1</td>',
            '<td data-name="4 k² W²">x²</td><td data-name="w_j">1</td>',
        ),
        # a single letter in the head of a column is a variable, and a word or an operator is not
        (
            '<th scope="col">a k-sparse layer\'s E|R_x|^2, Var h</th><td>k</td>',
            '<th scope="col">a <i>k</i>-sparse layer’s E|<i>R</i><sub><i>x</i></sub>|², Var <i>h</i></th><td>k</td>',
        ),
    ],
)
def test_a_table_is_set_as_in_print(made, shown):
    assert typography.typeset_html(made) == shown


@pytest.mark.parametrize(
    "written",
    ["version 2.0 - final", "the F_beta score", "the Lambda phage", "4, 14, 104, 1882, 94572", "x^2 &lt;= eps"],
)
def test_what_an_author_wrote_keeps_its_letters(written):
    assert typography.keep_names_together(f"<p>{written}</p>") == f"<p>{written}</p>"


def test_of_what_an_author_wrote_names_and_numbers_stay_whole():
    written = "<p>Lemma 9: 1 157 464 of them, 5 %, 0.3 ± 0.1, k = 2, <code>Lemma 9</code> ∎</p>"
    nbsp, narrow = "\u00a0", "\u202f"
    shown = f"Lemma{nbsp}9: 1{narrow}157{narrow}464 of them, 5{nbsp}%, 0.3{nbsp}±{nbsp}0.1, k{nbsp}={nbsp}2"
    assert typography.keep_names_together(written) == f"<p>{shown}, <code>Lemma 9</code>{nbsp}∎</p>"


def test_variables_lean_in_a_sentence_with_computed_numbers_and_nowhere_else_in_a_paragraph():
    assert (
        typography.typeset_html('<p class="answer">k = 1, 4k²W²</p>')
        == '<p class="answer"><i>k</i>\u00a0=\u00a01, 4<i>k</i>²<i>W</i>²</p>'
    )
    assert typography.typeset_html("<p>k = 1</p>") == "<p>k\u00a0=\u00a01</p>"
