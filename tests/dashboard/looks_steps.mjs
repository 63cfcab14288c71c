// Screens, at every width and in both themes, fit, pass axe, and are kept as pictures.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { axe } from "./dashboard.mjs";
import { binary, open, pictures, step, visit } from "./session.mjs";

const folder = process.env.FUTURERAND_IMAGES;
/** Keeps a picture, and is content if nothing is wider than the window. */
async function fits(shot, name, width, theme) {
  await shot.screenshot({ path: `${pictures}/${name}-${width}-${theme}.png`, fullPage: true });
  const overflow = await shot.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(overflow <= 0, `${name} is ${overflow} px too wide at ${width} px`);
}

async function passesAxe(shot, name) {
  // It runs by evaluate: the content security policy of the page does not apply there.
  await shot.evaluate(readFileSync(axe, "utf8"));
  const { violations } = await shot.evaluate(() => globalThis.axe.run());
  assert.deepEqual(
    violations.map(({ id, nodes }) => `${name}: ${id} ${nodes[0].html}`),
    [],
  );
}

/** Looks at screens by name. Those in `wide` have the most room to fill where there is much. */
export function looksAt(screens, wide = []) {
  for (const theme of ["light", "dark"]) {
    step(`every screen fits every width and passes axe, ${theme}`, () => lookAt(screens, wide, theme));
  }
}

async function lookAt(screens, wide, theme) {
  for (const width of theme === "light" ? [360, 1280, 2560] : [390, 1280]) {
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
      // The screen before stays until the next frame.
      await shot.evaluate(
        () => new Promise((done) => globalThis.requestAnimationFrame(() => globalThis.requestAnimationFrame(done))),
      );
      await shot.locator("h1").waitFor();
      await shot.waitForFunction(() => !document.querySelector(".waiting, [aria-busy=true]"));
      await shot.evaluate(() => document.fonts.ready);
      await shot.waitForTimeout(100);
      await fits(shot, name, width, theme);
      if (width === 2560) continue;
      await passesAxe(shot, name);
    }
    await shot.close();
  }
}

/** The pages that `compare` writes. */
export function looksAtWrittenPages() {
  step("the pages that compare writes fit a phone and a desk, and pass axe", async () => {
    const small = [
      "compare",
      "--users",
      "20000",
      "--periods",
      "64",
      "--trials",
      "2",
      "--engine",
      "sums",
      "--seed",
      "1",
    ];
    const pages = { "compare-page": [], "sweep-page": ["--sweep", "epsilon=0.5,1,2"] };
    for (const [name, more] of Object.entries(pages)) {
      const file = `${pictures}/${name}.html`;
      execFileSync(binary, [...small, ...more, "--html", file], { timeout: 300_000 });
      for (const width of [360, 1280]) {
        const shot = await open({ viewport: { width, height: 860 } });
        await shot.setContent(readFileSync(file, "utf8"));
        await fits(shot, name, width, "light");
        // No cell of a table is cut off, and no label of a chart lies on another.
        const cut = await shot.evaluate(
          () =>
            [...document.querySelectorAll("td, th")].filter((cell) => cell.scrollWidth > cell.clientWidth + 1).length,
        );
        assert.equal(cut, 0, `${name} has ${cut} cells cut off at ${width} px`);
        const covered = await shot.evaluate(
          () =>
            [...document.querySelectorAll("svg")].flatMap((chart) => {
              const boxes = [...chart.querySelectorAll("text.label")].map((label) => label.getBoundingClientRect());
              return boxes.filter((a, i) =>
                boxes.some(
                  (b, j) =>
                    i < j && a.width > 0 && Math.abs(a.y - b.y) < 0.6 * a.height && a.x < b.right && b.x < a.right,
                ),
              );
            }).length,
        );
        assert.equal(covered, 0, `${name} has ${covered} labels on one another at ${width} px`);
        await passesAxe(shot, name);
        await shot.close();
      }
    }
  });
}

/** Writes the pictures of the README, if they are wanted. */
export function keepPictures(images) {
  step("pictures for the README", async () => {
    if (!folder) return;
    mkdirSync(folder, { recursive: true });
    for (const [name, screen, theme, width, height] of images) {
      const shot = await open({
        viewport: { width, height },
        colorScheme: theme,
      });
      await visit(screen, shot);
      await shot.locator(".waiting").first().waitFor({ state: "detached" });
      await shot.waitForTimeout(600);
      await shot.screenshot({ path: `${folder}/${name}.png` });
      await shot.close();
    }
  });
}
