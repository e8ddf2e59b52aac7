"""Headless Chromium for tests of pages, driven over chromedriver's plain HTTP protocol: no package is needed."""

import base64
import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import contextmanager

# Without a sandbox, which containers do not allow, and without any traffic of the browser's own.
ARGUMENTS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
)  # fmt: skip
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the key of an element in WebDriver's answers
# A busy machine takes some seconds to start a browser.
SECONDS_TO_START = 60.0


def lacking():
    """Why there is no browser to test with; empty where there is one."""
    missing = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    return f"{' and '.join(missing)} not installed (apt-get install chromium chromium-driver)" if missing else ""


class Browser:
    """One window."""

    def __init__(self, address):
        self._address = address

    def ask(self, method, path, **content):
        """The value that chromedriver answers."""
        data = json.dumps(content).encode() if method == "POST" else None
        request = urllib.request.Request(
            self._address + path, data, {"Content-Type": "application/json"}, method=method
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def open(self, path):
        self.ask("POST", "/url", url=path.as_uri())

    def run(self, script):
        """What a script returns in the page."""
        return self.ask("POST", "/execute/sync", script=script, args=[])

    def find(self, selector):
        return self.ask("POST", "/element", using="css selector", value=selector)[ELEMENT]

    def click(self, selector):
        self.ask("POST", f"/element/{self.find(selector)}/click")

    def press(self, selector, keys):
        self.ask("POST", f"/element/{self.find(selector)}/value", text=keys)

    def resize(self, width, height):
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.devtools("Emulation.setDeviceMetricsOverride", **metrics)

    def prefer(self, **features):
        """Media features of the page, such as color_scheme="dark"."""
        wanted = [{"name": f"prefers-{name.replace('_', '-')}", "value": value} for name, value in features.items()]
        self.devtools("Emulation.setEmulatedMedia", features=wanted)

    def devtools(self, command, **parameters):
        return self.ask("POST", "/goog/cdp/execute", cmd=command, params=parameters)

    def picture(self, path):
        path.write_bytes(base64.b64decode(self.ask("GET", "/screenshot")))

    def printed(self):
        """The page as the bytes of a PDF file."""
        return base64.b64decode(self.ask("POST", "/print"))

    def complaints(self):
        """Messages of the console, errors and refused loads among them."""
        return [entry["message"] for entry in self.ask("POST", "/se/log", type="browser")]

    def requests(self):
        """Addresses that the page asked for."""
        events = [json.loads(entry["message"])["message"] for entry in self.ask("POST", "/se/log", type="performance")]
        return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]


@contextmanager
def browser(folder):
    """A window with a profile of its own in this folder."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    driver = subprocess.Popen(
        ["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )  # fmt: skip
    try:
        window = Browser(_session(f"http://127.0.0.1:{port}", folder))
        try:
            window.ask("POST", "/url", url="about:blank")
            window.requests()  # those of the browser's own first page
            yield window
        finally:
            window.ask("DELETE", "")
    finally:
        driver.terminate()
        driver.wait(timeout=30)


def _session(address, folder):
    options = {
        "goog:chromeOptions": {"args": [*ARGUMENTS, f"--user-data-dir={folder}"], "binary": shutil.which("chromium")},
        "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
    }
    ends = time.monotonic() + SECONDS_TO_START
    while True:
        try:
            session = Browser(address).ask("POST", "/session", capabilities={"alwaysMatch": options})
            return f"{address}/session/{session['sessionId']}"
        except urllib.error.URLError:
            if time.monotonic() > ends:
                raise
            time.sleep(0.2)
