"""The page of a report, as a browser sees it: it stands by itself, and says what the JSON says."""
import html.parser
import json
import os
import re
import shutil
import socket
import subprocess
import threading
import xml.etree.ElementTree as ET

import pytest

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "unit", "data")
PAGES = ["one", "usual", "hostile", "empty"]


def page(name):
    with open(os.path.join(DATA, f"report-{name}.html"), encoding="utf-8") as f:
        return f.read()


class Proxy:
    """Whatever a browser asks of the network comes here; it is written down and not answered."""

    def __init__(self):
        self.asked = []
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(5)
                try:
                    self.asked.append(connection.recv(4096).split(b"\r\n")[0].decode("latin-1"))
                except OSError:
                    pass


@pytest.fixture
def proxy():
    found = Proxy()
    yield found
    found.socket.close()


def browse(tmp_path, proxy, text, *options):
    """What headless Chromium prints of the page."""
    file = tmp_path / "page.html"
    file.write_text(text, encoding="utf-8")
    # Not every machine lets every user write to /dev/shm.
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
               "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run",
               f"--user-data-dir={tmp_path}/chromium",
               f"--proxy-server=127.0.0.1:{proxy.port}", "--proxy-bypass-list=<-loopback>", *options, f"file://{file}"]
    return subprocess.run(command, capture_output=True, timeout=120, check=True).stdout.decode("utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_well_formed(name):
    """Any XML parser reads it, so no name has broken out of its place."""
    root = ET.fromstring(page(name))
    assert not list(root.iter("script")) and not list(root.iter("img")) and not list(root.iter("link"))
    for element in root.iter():
        for key, value in element.attrib.items():
            assert not key.startswith("on"), (element.tag, key)
            if key in ("href", "src"):
                assert value.startswith("#"), value
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    for element in root.iter("a"):
        assert element.get("href")[1:] in ids


@pytest.mark.parametrize("name", PAGES)
def test_nothing_comes_from_elsewhere(name):
    """Nothing in the style is fetched, and the page's own policy forbids it."""
    text = page(name)
    style = re.search(r"<style>(.*?)</style>", text, re.S)[1]
    assert "@import" not in style and "url(" not in style
    assert set(re.findall(r"url\(([^)]*)\)", text)) <= {"#unwatched"}
    assert "default-src 'none'" in text


def test_every_drawing_and_table_says_what_it_is():
    """Drawings have titles, and tables headings, for whoever listens to the page."""
    root = ET.fromstring(page("usual"))
    for svg in root.iter("svg"):
        assert svg.find("title") is not None or svg.get("aria-hidden") == "true"
    for table in root.iter("table"):
        heads = table.findall("thead/tr/th")
        assert heads and all(th.get("scope") == "col" for th in heads)


def test_hostile_names_are_only_shown():
    """No control character and no override of the writing direction is in the page: they are spelled out."""
    text = page("hostile")
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    assert "\\x1b[2J" in text and "\\u202e" in text and "&lt;script&gt;alert(1)&lt;/script&gt;" in text


class Table(html.parser.HTMLParser):
    """The text of every cell of every row, of the page as the browser has it."""

    def __init__(self):
        super().__init__()
        self.rows, self.inside = [], False

    def handle_starttag(self, tag, attributes):
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self.inside = True
        if tag == "svg":
            self.inside = False

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.rows[-1][-1] += data


needs_chromium = pytest.mark.skipif(not shutil.which("chromium"), reason="no chromium here")


@needs_chromium
def test_a_browser_shows_the_numbers(tmp_path, proxy):
    """The rows that a browser makes of the page hold the failovers of the JSON: when, why, and how many."""
    with open(os.path.join(DATA, "report.json"), encoding="utf-8") as f:
        election = json.load(f)["elections"][0]
    dom = browse(tmp_path, proxy, page("one"), "--dump-dom")
    table = Table()
    table.feed(dom)
    for number, failover in enumerate(election["failovers"]["list"], 1):
        time = failover["time"][11:23]
        row = next(row for row in table.rows if row[:2] == [str(number), time])
        assert failover["from_identity"] in row[2] and failover["to_identity"] in row[2]
        assert row[3].startswith(failover["cause"])
        if failover["total_ms"] == [412, 412]:
            assert row[7] == "412ms"
        if failover["total_ms"] == [10840, 14140]:
            assert row[7] == "10.8 – 14.2s"  # an upper bound is rounded up
    bars = re.findall(r'<rect class="led"', dom)
    assert len(bars) >= len([s for s in election["timeline"] if s["state"] == "led"])


@needs_chromium
def test_a_browser_asks_the_network_for_nothing(tmp_path, proxy):
    """Not even for what hostile names would like (what it asks for itself aside); a page that did ask would be
    noticed."""
    browse(tmp_path, proxy, page("hostile"), "--dump-dom")
    assert not [line for line in proxy.asked if "evil.example" in line]
    browse(tmp_path, proxy, '<!DOCTYPE html><img src="http://evil.example/x.png">', "--dump-dom")
    assert [line for line in proxy.asked if "evil.example" in line]
