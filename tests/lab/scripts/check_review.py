"""The pages of `diglot review` in a real browser.

    check_review.py DIGLOT STORE [FOLDER]

Serves the store, drives Chromium through every view by pointer and keyboard, judges a sample, and reads the gold back with
`diglot eval`. Each view is also looked at 400 and 1920 pixels wide, light and dark; pictures go into FOLDER. Fails on any message of the console and any
request to another origin. Needs selenium, Chromium and its driver.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

WIDTHS = 1920, 1280, 400


class Failure(Exception):
    pass


def check(holds, what):
    if not holds:
        raise Failure(what)


def browser():
    options = webdriver.ChromeOptions()
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            options.binary_location = shutil.which(name)
            break
    for switch in ("headless=new", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking",
                   "disable-component-update", "disable-sync", "disable-dev-shm-usage", "hide-scrollbars"):
        options.add_argument("--" + switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(executable_path=shutil.which("chromedriver"))
    return webdriver.Chrome(options=options, service=service)


class Session:
    """One browser over one served store."""

    def __init__(self, diglot, store, folder):
        self.diglot, self.store, self.folder = diglot, store, folder
        self.server = subprocess.Popen([diglot, "--store", store, "review", "--reviewer", "ann"], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
        self.address = self.server.stdout.readline().strip()
        check(self.address.startswith("http://127.0.0.1:"), "no address was printed")
        self.origin = "/".join(self.address.split("/")[:3]) + "/"
        self.driver = browser()

    def close(self):
        self.driver.quit()
        self.server.terminate()
        self.server.wait(10)

    def open(self, path):
        self.driver.get(self.address + path)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        found = self.all(selector)
        check(found, f"{selector} is not on {self.driver.current_url}")
        return found[0]

    def text(self, selector):
        return self.one(selector).text

    def wait(self, holds, what):
        # What is looked at may be replaced in the same moment.
        WebDriverWait(self.driver, 20, ignored_exceptions=[StaleElementReferenceException]).until(lambda _: holds(), what)

    def follow(self, act):
        """Does what leads to another page, and waits for it."""
        old = self.one("html")
        act()
        def is_gone():
            try:
                old.tag_name
                return False
            except Exception:
                return True
        self.wait(is_gone, "no other page came")
        self.wait(lambda: self.driver.execute_script("return document.readyState") == "complete", "the page does not end")

    def press(self, key):
        self.follow(lambda: self.one("body").send_keys(key))

    def look(self, name):
        """The view in all widths and both colours: nothing sticks out, and texts can be read."""
        for width in WIDTHS:
            for colours in ("light", "dark"):
                self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                    "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
                self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
                    "features": [{"name": "prefers-color-scheme", "value": colours}]})
                spare = self.driver.execute_script(
                    "return document.documentElement.scrollWidth - document.documentElement.clientWidth")
                check(spare <= 0, f"{name} is {spare} pixels wider than {width}")
                worst = self.driver.execute_script(CONTRAST)
                check(worst["ratio"] >= 4.5, f"{name}, {colours}: {worst}")
                if self.folder:
                    self.driver.save_screenshot(str(self.folder / f"{name}-{width}-{colours}.png"))
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def quiet(self):
        """No message on the console, no request elsewhere."""
        messages = self.driver.get_log("browser")
        check(not messages, f"the console says {messages}")
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                is_own = url.startswith(self.origin) or not url.startswith(("http:", "https:", "ws:"))
                check(is_own, f"a request went to {url}")


# The least contrast of any text with what lies behind it (WCAG 2, 1.4.3).
CONTRAST = """
const parse = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
const over = (top, under) => {
  const alpha = top[3] ?? 1;
  return [0, 1, 2].map((at) => top[at] * alpha + under[at] * (1 - alpha));
};
const light = (colour) => {
  const [r, g, b] = colour.map((part) => part / 255).map((part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (element) => {
  if (!element) return matchMedia("(prefers-color-scheme: dark)").matches ? [0, 0, 0] : [255, 255, 255];
  return over(parse(getComputedStyle(element).backgroundColor), behind(element.parentElement));
};
let worst = { ratio: 99 };
for (const element of document.querySelectorAll("main *, header *")) {
  const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  if (!own || !element.checkVisibility() || element.closest("svg")) continue;
  const ground = behind(element);
  const [x, y] = [light(over(parse(getComputedStyle(element).color), ground)), light(ground)];
  const ratio = (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
  if (ratio < worst.ratio) worst = { ratio, text: element.textContent.slice(0, 40) };
}
return worst;
"""


def overview(s):
    s.open("")
    s.wait(lambda: s.all("#funnel"), "the figures do not appear")
    steps = {row.find_element(By.TAG_NAME, "th").text: row.find_element(By.CLASS_NAME, "number").text
             for row in s.all(".bars tr:not(.left)") if row.find_elements(By.CLASS_NAME, "number")}
    starts = {bar.rect["x"] for bar in s.all("section[aria-labelledby=funnel] .bar svg")}
    check(len(starts) == 1, f"the bars of the funnels start at {starts}")
    cards = [card.text for card in s.all(".card")]
    check(len(cards) == 6 and any("Judge 100 pairs" in card for card in cards), f"the cards are {cards}")
    check(int(steps["page pairs"].replace(",", "")) > 0, f"no pairs among {steps}")
    listed = subprocess.run([s.diglot, "--store", s.store, "pairs", "--format", "tsv"], capture_output=True, text=True, check=True)
    pairs = len(listed.stdout.splitlines()) - 1
    check(steps["page pairs"] == f"{pairs:,}", f"{steps['page pairs']} pairs, the command lists {pairs}")
    s.look("overview")


def hosts(s):
    s.open("hosts")
    names = [link.text for link in s.all(".list tbody a")]
    check(names, "no host is listed")
    search = s.one("input[type=search]")
    search.send_keys(names[0][:6])
    s.wait(lambda: "q=" in s.driver.current_url, "the search does not act at once")
    found = [link.text for link in s.all(".list tbody a")]
    check(names[0] in found and all(names[0][:6] in name for name in found), f"the search found {found}")
    s.look("hosts")
    pages = s.one(".list th a[href*='sort=pages']")
    s.follow(lambda: pages.click())
    check(s.all(".list th[aria-sort=descending] a[href*='sort=pages']"), "the head of a column does not sort")
    found = [link.text for link in s.all(".list tbody a")]
    s.follow(lambda: s.all(".list tbody a")[found.index(names[0])].click())
    check(s.text("h1") == names[0], "another host came")
    s.look("host")
    Select(s.one("select[name=order]")).select_by_value("low")
    s.wait(lambda: "order=low" in s.driver.current_url, "the order does not act at once")
    rows = s.all("section[aria-labelledby=pairs] tbody tr")
    scores = [float(row.find_element(By.CLASS_NAME, "number").text) for row in rows]
    check(scores and scores == sorted(scores), f"scores are not in order: {scores}")
    s.follow(lambda: s.one("a[href*='/lone?']").click())
    s.look("lone")
    s.driver.back()


def named(address):
    """The two pages that the address of a pair names."""
    fields = parse_qs(urlsplit(address).query)
    return fields["a"], fields["b"]


def pair(s):
    s.wait(lambda: s.all("section[aria-labelledby=pairs] tbody a"), "no list of pairs")
    s.follow(lambda: s.one("section[aria-labelledby=pairs] tbody a").click())
    first = s.driver.current_url
    check(len(s.all(".sides article")) == 2, "not two pages")
    piece = s.one(".bead:not(.out)")
    s.driver.execute_script("arguments[0].dispatchEvent(new PointerEvent('pointerenter'))", piece)
    lit = s.all(".bead.near")
    check(len({part.find_element(By.XPATH, "ancestor::article").get_attribute("outerHTML")[:200] for part in lit}) == 2,
          "a sentence and its partner do not light up together")
    s.one("body").send_keys("nn")
    check(len({part.get_attribute("data-bead") for part in s.all(".bead.near")} ) >= 1, "n lights nothing up")
    check(s.all(".evidence tbody tr"), "no evidence")
    s.look("pair")
    s.press("j")
    check(s.driver.current_url != first, "j does not move")
    s.press("k")
    check(named(s.driver.current_url) == named(first), "k does not move back")
    s.press("r")
    check("right by ann" in s.text("main"), "r does not mark")
    s.press("w")
    check("wrong by ann" in s.text("main") and "right by ann" not in s.text("main"), "w does not mark anew")
    s.press("z")
    check("by ann" not in s.text("main"), "z does not take back")
    s.follow(lambda: s.one(".sides .url a").click())
    check(s.all(".facts dt") and s.all(".text .block"), "nothing is known of the page, or its text is not shown")
    s.look("page")


def judge(s, what, by, size):
    s.open("judge")
    s.look("judge")
    s.one("details.more summary").click()
    s.one("input[name=size]").clear()
    s.one("input[name=size]").send_keys(str(size))
    Select(s.one("select[name=what]")).select_by_value(what)
    Select(s.one("select[name=by]")).select_by_value(by)
    s.follow(lambda: s.one("form.draw button").click())
    check("score" not in s.text("main").lower(), "a score is shown to who judges")
    s.look(f"judge-{what}")
    of = int(s.text("h1").split()[-1])
    keys = ["w", "u"] + ["r"] * of
    s.press("w")
    check(s.text("h1").startswith("2 of"), "a mark does not lead to the next pair")
    s.press("z")
    check(s.text("h1").startswith("1 of") and not s.all("main strong"), "z does not take the last mark back")
    for key in keys[:of]:
        s.press(key)
    s.wait(lambda: s.all(".strata"), "no result after the last pair")
    found = s.text("#precision")
    check("%" in found and " to " in found, f"no interval: {found}")
    s.look(f"result-{what}")
    return of, found


def pairs(s):
    s.open("")
    s.wait(lambda: s.all("#matrix"), "the figures do not appear")
    cell = s.one(".matrix td a")
    count = cell.text
    s.follow(lambda: cell.click())
    check(s.text(".paging span").endswith(f"of {count}"), f"{count} pairs in the matrix, {s.text('.paging span')} in their list")
    s.look("pairs")
    s.follow(lambda: s.one(".list tbody a").click())
    s.press("j")
    check(s.all(".steps [rel=prev]"), "no way back in the list of all hosts")


def sentences(s):
    """A chain of filters, and the command that the page shows for it: it exports as many as the page says."""
    s.open("sentences")
    s.wait(lambda: s.all("#command"), "no sentence pairs are drawn")
    whole = s.text(".chain .number")
    s.one("input[name=min]").send_keys("0.9")
    Select(s.one("select[name=c1]")).select_by_value("chars_a")
    s.one("input[name=v1]").send_keys("30")
    Select(s.one("select[name=c2]")).select_by_value("furniture")
    Select(s.one("select[name=s2]")).select_by_value("=")
    s.one("input[name=v2]").send_keys("false")
    s.wait(lambda: "furniture" in s.text("#command"), "the command does not follow the form")
    check(s.one("[data-copy]").is_displayed(), "the command cannot be copied once the form has changed")
    left = [number.text for number in s.all(".bars.chain > tbody > tr > .number")]
    check(len(left) == 4 and left[0] == whole, f"the chain leaves {left}")
    s.look("sentences")
    command = shlex.split(s.text("#command"))
    check(command[0] == "diglot", f"the command is {command}")
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "bitext.tsv")
        subprocess.run([s.diglot, *command[1:-1], file], check=True, capture_output=True)
        with open(file, encoding="utf-8") as lines:
            exported = sum(1 for _ in lines) - 1
    check(f"{exported:,}" == left[-1], f"{command} writes {exported}, the page says {left}")
    return exported


def gold(s):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([s.diglot, "--store", s.store, "review", "--gold", folder], check=True, capture_output=True)
        scores = subprocess.run([s.diglot, "--store", s.store, "eval", "--sample", "--format", "tsv", "--gold",
                                 os.path.join(folder, "review.pairs.tsv"), "--grey", os.path.join(folder, "review.grey.tsv")],
                                capture_output=True, text=True, check=True)
        lines = [line.split("\t") for line in scores.stdout.splitlines()]
        total = next(dict(zip(lines[0], line)) for line in lines if line[:2] == ["all", "micro"])
        return total


def main(diglot, store, folder=None):
    folder = Path(folder) if folder else None
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as copies:
        copy = os.path.join(copies, "sample.store")
        shutil.copytree(store, copy)
        s = Session(diglot, copy, folder)
        try:
            overview(s)
            hosts(s)
            pair(s)
            pairs(s)
            exported = sentences(s)
            of, found = judge(s, "pairs", "score", 40)
            total = gold(s)
            check((int(total["right"]), int(total["wrong"])) == (of - 2, 1), f"eval reads {total} of {of} judged pairs")
            judged, _ = judge(s, "sentences", "", 6)
            s.quiet()
        finally:
            s.close()
    print(f"review: 11 views in 3 widths and 2 colours; {exported} sentence pairs pass a chain of filters and its command; {of} pairs judged by keyboard, precision {found}; eval --sample reads "
          f"right {total['right']}, wrong {total['wrong']}; {judged} sentence pairs judged")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Failure as failure:
        sys.exit(f"review: {failure}")
