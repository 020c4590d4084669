"""What `make.py measure-pages` counts: what a reader sees of a page with its folds closed."""

from companion.building import page_sizes

PAGE = """<article><p>Three <a href="#x">words</a> seen.</p><div class="admonition">One</div>
<details><summary>More</summary><p>Not seen <a href="#y">at all</a>.</p></details>
<button class="tick" popovertarget="z">✓</button><div popover id="z" class="claim-record">Nor this.</div>
<pre>some code</pre></article>"""


def test_the_numbers_of_a_page_are_of_what_is_seen(tmp_path, browser):
    (tmp_path / "book").mkdir()
    (tmp_path / "book/a.html").write_text(f"<meta charset='utf-8'>{PAGE}", encoding="utf-8")
    ((name, (height, *counts)),) = page_sizes.measure(tmp_path, [])
    assert name == "a" and height == page_sizes.VIEWPORT["height"]
    assert dict(zip(page_sizes.HEAD[1:], counts, strict=True)) == {
        "words": 6,
        "boxes": 1,
        "folds": 1,
        "records": 1,
        "links": 1,
        "stops": 3,
    }
    assert page_sizes.table([(name, [height, *counts])]).splitlines()[-1].split() == [
        "all",
        str(height),
        *map(str, counts),
    ]
