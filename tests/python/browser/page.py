# SPDX-License-Identifier: Apache-2.0
"""A page in a browser without a window: what a reader does with the mouse, and what the page then shows."""

import asyncio
import json
import shutil
import tempfile
from pathlib import Path
from subprocess import DEVNULL, Popen
from time import monotonic
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from tornado.websocket import WebSocketClientConnection, websocket_connect

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 60.0  # seconds for anything a browser does


def browser() -> str | None:
    return next((path for name in PROGRAMS if (path := shutil.which(name))), None)


class Page:
    """One page of a browser of its own, by the browser's protocol for developers. To be closed."""

    def __init__(self, path: Path, width: int = 1200, height: int = 900) -> None:
        self._folder = tempfile.mkdtemp()
        self._loop = asyncio.new_event_loop()
        self._number = 0
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", "--no-first-run"]
        flags += [f"--user-data-dir={self._folder}", f"--window-size={width},{height}", path.resolve().as_uri()]
        self._process = Popen([str(browser()), *flags], stdout=DEVNULL, stderr=DEVNULL)
        try:
            self._socket = self._loop.run_until_complete(self._connect())
        except BaseException:
            self.close()
            raise

    async def _connect(self) -> WebSocketClientConnection:
        told, end = Path(self._folder) / "DevToolsActivePort", monotonic() + PATIENCE
        while monotonic() < end:
            await asyncio.sleep(0.1)
            if not told.exists():
                continue
            port = told.read_text().split("\n")[0]
            try:
                with urlopen(f"http://127.0.0.1:{port}/json", timeout=PATIENCE) as answer:
                    pages = [page for page in json.load(answer) if page["type"] == "page"]
            except URLError:
                continue
            if pages:
                return await websocket_connect(pages[0]["webSocketDebuggerUrl"], max_message_size=1 << 28)
        raise TimeoutError("the browser does not begin")

    def _call(self, method: str, **parameters: Any) -> Any:
        return self._loop.run_until_complete(asyncio.wait_for(self._answer(method, parameters), PATIENCE))

    async def _ask(self, method: str, parameters: dict) -> None:
        self._number += 1
        await self._socket.write_message(json.dumps({"id": self._number, "method": method, "params": parameters}))

    async def _answer(self, method: str, parameters: dict) -> Any:
        """Of this call; those before it have been answered by then."""
        await self._ask(method, parameters)
        while True:
            message = json.loads(str(await self._socket.read_message()))
            if message.get("id") == self._number:
                assert "error" not in message, message
                return message["result"]

    def value(self, script: str) -> Any:
        """What a JavaScript expression gives."""
        found = self._call("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def wait(self, script: str) -> Any:
        """The first value that counts as true."""
        end = monotonic() + PATIENCE
        while not (value := self.value(script)):
            assert monotonic() < end, f"never true: {script}"
            self._loop.run_until_complete(asyncio.sleep(0.1))
        return value

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        """`kind`: mouseMoved, mousePressed, mouseReleased, mouseWheel."""
        self._call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def drag(self, y: float, left: float, right: float) -> None:
        """From left to right in one go: a hand that rests before it moves does something else."""
        along = [left + (right - left) * step / 5 for step in range(6)]
        down = {"y": y, "button": "left", "buttons": 1, "clickCount": 1}
        self.mouse("mouseMoved", left, y)
        for kind, x in [("mousePressed", left), *(("mouseMoved", x) for x in along)]:
            self._loop.run_until_complete(self._ask("Input.dispatchMouseEvent", {"type": kind, "x": x, **down}))
        self.mouse("mouseReleased", right, y, button="left", clickCount=1)

    def click(self, x: float, y: float) -> None:
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(PATIENCE)
        self._loop.close()
        shutil.rmtree(self._folder, ignore_errors=True)
