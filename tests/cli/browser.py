# SPDX-License-Identifier: BSD-3-Clause
"""A headless Chromium that is told what to do through a pipe (the DevTools protocol): real clicks, sizes, dark mode, pictures."""
import base64
import json
import os
import shutil
import subprocess

CHROMIUM = shutil.which("chromium")
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--remote-debugging-pipe"]


class Browser:
    """One page. `errors`: what its scripts raised or wrote to the console."""

    def __init__(self, profile):
        read, self.to = os.pipe()
        self.back, write = os.pipe()
        self.errors, self.count, self.come, self.session = [], 0, bytearray(), None
        # The program reads commands from descriptor 3 and answers on 4.
        command = f'exec "$@" 3<&{read} 4>&{write}'
        self.process = subprocess.Popen(["bash", "-c", command, "bash", CHROMIUM, *FLAGS, f"--user-data-dir={profile}"],
                                        pass_fds=(read, write), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(read)
        os.close(write)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def message(self):
        while b"\0" not in self.come:
            part = os.read(self.back, 1 << 20)
            if not part:
                raise EOFError("the browser has ended")
            self.come += part
        text, _, self.come = self.come.partition(b"\0")
        return json.loads(text)

    def take_event(self, message):
        if message.get("method") in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"):
            self.errors.append(json.dumps(message["params"])[:300])
        return message.get("method")

    def call(self, method, **params):
        self.count += 1
        request = {"id": self.count, "method": method, "params": params}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.to, json.dumps(request).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == self.count:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.take_event(message)

    def open(self, url, width, is_dark=False):
        scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url=url)
        while self.take_event(self.message()) != "Page.loadEventFired":
            pass

    def run(self, script):
        """What an expression, which may be a promise, comes to."""
        done = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in done:
            raise RuntimeError(json.dumps(done["exceptionDetails"])[:500])
        return done["result"].get("value")

    def wait_for(self, script):
        self.run("new Promise(done => { const look = () => (%s) ? done() : setTimeout(look, 10); look(); })" % script)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def pdf(self):
        return base64.b64decode(self.call("Page.printToPDF")["data"])

    def close(self):
        self.call("Browser.close")
        self.process.wait()
        os.close(self.to)
        os.close(self.back)
