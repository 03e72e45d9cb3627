"""Accessibility as a matrix: each page in each language and each look, in a wide and in a narrow window.

`make test-axe` checks all of it. Without AXE_PAGES each page is seen once, and its number chooses the language and the look:
as there are 8 of one and 3 of the other, 24 pages in a row see every pair.
"""

import json
import os
import urllib.request

LANGUAGES = ["en", "es", "ko", "th", "de", "fr", "ja", "ar"]
LOOKS = {
    "light": {"color_scheme": "light", "forced_colors": "none"},
    "dark": {"color_scheme": "dark", "forced_colors": "none"},
    "forced colors": {"color_scheme": "light", "forced_colors": "active"},
}
WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 320, "height": 640}
# The rules see one look in the narrow window, which has another layout.
WINDOWS = {"light": WIDE, "dark": NARROW, "forced colors": WIDE}


def cells(number):
    """The languages of a page, each with its looks."""
    looks = list(LOOKS)
    if os.environ.get("AXE_PAGES"):
        return [(language, looks) for language in LANGUAGES]
    return [(LANGUAGES[number % len(LANGUAGES)], [looks[number % len(looks)]])]


def check(tab, number, show):
    """Shows a page in each language of its number. No rule is violated, and nothing is wider than the window.

    show(language) leads the tab to the page.
    """
    found = []
    for language, looks in cells(number):
        # Without motion: a color that fades is none of the look.
        tab.page.emulate_media(reduced_motion="reduce", **LOOKS[looks[0]])
        tab.page.set_viewport_size(WIDE)
        show(language)
        for look in looks:
            tab.page.emulate_media(reduced_motion="reduce", **LOOKS[look])
            tab.page.set_viewport_size(WINDOWS[look])
            found += [(tab.page.url, language, look, *violation) for violation in tab.violations()]
        for window in (WIDE, NARROW):
            tab.page.set_viewport_size(window)
            if tab.is_too_wide():
                found.append((tab.page.url, language, "wider than the window", window["width"]))
    assert found == [], "\n".join(map(str, found))


def served(origin, prefix):
    """The paths below a prefix that a browser can open, without scripts and style sheets."""
    with urllib.request.urlopen(f"{origin}/emulator/openapi.json") as answer:
        paths = json.load(answer)["paths"]
    return {path for path, methods in paths.items()
            if "get" in methods and path.startswith(prefix) and not path.endswith((".js", ".css"))}
