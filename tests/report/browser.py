"""A page opened in a browser, with all that it asked for and said."""

from __future__ import annotations


class Loaded:
    """A page and all that went on in it."""

    def __init__(self, browser, target):
        self.page = browser.new_page(viewport={"width": 1280, "height": 900})
        self.page.set_default_timeout(20_000)
        self.requests, self.said = [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.goto(target.as_uri())
