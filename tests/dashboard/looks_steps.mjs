// Every screen at every width in both themes: fits, passes axe, and is kept as a picture.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { axe } from "./dashboard.mjs";
import { metric } from "./metric_steps.mjs";
import { open, pictures, step, visit } from "./session.mjs";

const images = process.env.FUTURERAND_IMAGES;
const screens = {
  metrics: "",
  metric: `metric/${metric}`,
  silent: "metric/silent",
  empty: "metric/trial",
  protection: `metric/${metric}/protection`,
  compare: `compare?first=${metric}&second=night-light`,
  planner: "planner",
  playground: "playground",
  new: "new",
};

/** What has the most room to fill, where there is much. */
const wide = ["metrics", "metric", "planner"];

for (const theme of ["light", "dark"]) {
  step(`every screen fits every width and passes axe, ${theme}`, async () => {
    for (const width of theme === "light" ? [360, 1280, 2560] : [360, 1280]) {
      const shot = await open({
        viewport: {
          width,
          height: width < 500 ? 780 : width > 2000 ? 1440 : 860,
        },
        colorScheme: theme,
      });
      for (const [name, screen] of Object.entries(screens)) {
        if (width === 2560 && !wide.includes(name)) continue;
        await visit(screen, shot);
        await shot.locator("h1").waitFor();
        await shot.locator(".waiting").waitFor({ state: "detached" });
        await shot.evaluate(() => document.fonts.ready);
        await shot.waitForTimeout(100);
        await shot.screenshot({
          path: `${pictures}/${name}-${width}-${theme}.png`,
          fullPage: true,
        });
        const overflow = await shot.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(overflow <= 0, `${name} is ${overflow} px too wide at ${width} px`);
        if (width === 2560 || (width === 360 && theme === "dark")) continue;
        // By evaluate, which the content security policy of the page does not hold back.
        await shot.evaluate(readFileSync(axe, "utf8"));
        const { violations } = await shot.evaluate(() => globalThis.axe.run());
        assert.deepEqual(
          violations.map(({ id, nodes }) => `${name}: ${id} ${nodes[0].html}`),
          [],
        );
      }
      await shot.close();
    }
  });
}

step("pictures for the README", async () => {
  if (!images) return;
  mkdirSync(images, { recursive: true });
  for (const [name, screen, theme, width, height] of [
    ["metric-light", `metric/${metric}?estimator=hindsight`, "light", 1280, 860],
    ["metric-dark", `metric/${metric}?estimator=hindsight`, "dark", 1280, 860],
    ["metrics", "", "light", 1280, 560],
    ["planner", "planner", "dark", 1280, 860],
    ["phone", `metric/${metric}`, "light", 360, 720],
  ]) {
    const shot = await open({
      viewport: { width, height },
      colorScheme: theme,
    });
    await visit(screen, shot);
    await shot.locator(".waiting").waitFor({ state: "detached" });
    await shot.waitForTimeout(600);
    await shot.screenshot({ path: `${images}/${name}.png` });
    await shot.close();
  }
});
