// Opens pages in a browser and says what a person would see: node look.mjs CHROMIUM < looks.json
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const { chromium } = createRequire(`${process.cwd()}/`)("playwright-core");
const looks = JSON.parse(readFileSync(0, "utf8"));
const browser = await chromium.launch({ executablePath: process.argv[2], args: ["--no-sandbox"] });

// Runs in the page: how wide it is, and the least contrast of any text with what lies behind it.
function seen() {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = rgba(getComputedStyle(at).backgroundColor);
      if (color[3] === 255) return color;
    }
    return [255, 255, 255, 255];
  };
  const texts = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !element.checkVisibility()) continue;
    const [a, b] = [light(rgba(getComputedStyle(element).color)), light(behind(element))];
    texts.push([(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), node.data.trim().slice(0, 40)]);
  }
  texts.sort((one, other) => one[0] - other[0]);
  return {
    contrast: texts[0],
    wide: document.documentElement.scrollWidth,
    text: document.body.innerText,
    back: getComputedStyle(document.body).backgroundColor,
    size: parseFloat(getComputedStyle(document.querySelector("dd, li, p")).fontSize),
  };
}

const answers = [];
for (const look of looks) {
  const page = await browser.newPage({
    viewport: { width: look.width, height: 800 },
    deviceScaleFactor: 1,
    colorScheme: look.scheme,
  });
  const asked = [];
  const told = [];
  page.on("request", (request) => asked.push(request.url()));
  page.on("console", (message) => told.push(message.text()));
  page.on("dialog", (dialog) => { told.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  await page.goto(look.url, { waitUntil: "load" });
  if (look.open) await page.evaluate(() => document.querySelectorAll("details").forEach((d) => (d.open = true)));
  const answer = await page.evaluate(seen);
  await page.screenshot({ path: look.shot, fullPage: true });
  answers.push({ ...answer, asked, told });
  await page.close();
}
await browser.close();
console.log(JSON.stringify(answers));
