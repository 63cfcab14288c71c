// node dev/look.mjs OUT BASE [HASH...]: pictures of views in both themes at three widths.
import { chromium } from "playwright-core";
const [out, base, ...hashes] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-quic", "--no-first-run", "--disable-component-update", "--disable-sync"] });
const widths = (process.env.WIDTHS ?? "360,1280,2560").split(",").map(Number);
const themes = (process.env.THEMES ?? "light,dark").split(",");
for (const theme of themes) for (const width of widths) {
  const page = await browser.newPage({ viewport: { width, height: width < 500 ? 780 : width > 2000 ? 1440 : 860 }, colorScheme: theme });
  page.on("console", (m) => m.type() === "error" && console.log("console:", m.text()));
  page.on("pageerror", (e) => console.log("error:", e.message));
  for (const [i, hash] of hashes.entries()) {
    await page.goto(`${base}/#/${hash}`); await page.waitForTimeout(900);
    await page.screenshot({ path: `${out}/${i}-${width}-${theme}.png`, fullPage: process.env.FULL !== "0" });
  }
  await page.close();
}
await browser.close();
