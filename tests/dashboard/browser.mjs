// A browser of this machine without network requests of its own.
import { existsSync } from "node:fs";
import { chromium } from "./dashboard.mjs";

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export const launch = () =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? places.find(existsSync),
    timeout: 180_000, // on a busy machine
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-quic",
      "--no-first-run",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
