import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const sources = new URL("../", import.meta.url);
const names = readdirSync(sources, { recursive: true, encoding: "utf8" }).map((name) => name.replaceAll("\\", "/"));
const read = (name: string) => readFileSync(new URL(name, sources), "utf8");
/** The view that a file belongs to; what all views share is one. */
const viewOf = (name: string) => /^features\/([^/]+)/.exec(name)?.[1] ?? "shared";

// Styles of a view stay when another one is shown. A rule without a class that
// only its own view has changes the others, and which one wins depends on what was looked at before.
it("the styles of a view that is loaded later change no other view", () => {
  const first = [...read("main.tsx").matchAll(/"\.\/(.+\.css)"/g)].map((m) => m[1]!);
  const users = new Map<string, Set<string>>();
  for (const name of names.filter((n) => n.endsWith(".tsx"))) {
    for (const [, words] of read(name).matchAll(/className=(?:\{[^}]*?)?["`]([^"`]*)["`]/g)) {
      for (const word of words!.split(/[^\w-]+/)) users.set(word, (users.get(word) ?? new Set()).add(viewOf(name)));
    }
  }
  // The views of a project are drawn in its frame, and runs bring the styles of the pipeline.
  const hosts: Record<string, string[]> = { project: [...new Set(names.map(viewOf))], pipeline: ["runs"] };
  const wrong: string[] = [];
  for (const name of names.filter((n) => n.endsWith(".css") && !first.includes(n))) {
    const view = viewOf(name), rules = read(name).replace(/\/\*[^]*?\*\/|:(?:is|has|not|where)\([^()]*\)/g, "");
    for (const [, selectors] of rules.matchAll(/([^{}]+)\{/g)) {
      for (const selector of selectors!.split(",")) {
        // Where one class is of this view alone, so is the rule.
        const sharing = [...selector.matchAll(/\.([a-z][\w-]*)/g)].map(([, word]) => users.get(word!) ?? new Set<string>());
        const others = [...sharing[0] ?? []].filter((v) => v !== view && !hosts[view]?.includes(v) && sharing.every((views) => views.has(v)));
        if (others.length > 0) wrong.push(`${name}: ${selector.trim()} also holds for ${others.join(", ")}`);
      }
    }
  }
  expect(wrong).toEqual([]);
});

// A state of an element (.item.open) gets what a rule for the word alone (.open) says elsewhere. The styles
// of text are made for that.
it("the state of an element has no name that has styles of its own in another file", () => {
  const alone = new Map<string, string>(), states: [string, string][] = [];
  for (const name of names.filter((n) => n.endsWith(".css"))) {
    for (const [, selectors] of read(name).replace(/\/\*[^]*?\*\//g, "").matchAll(/([^{}]+)\{/g)) {
      for (const selector of selectors!.split(",").map((s) => s.trim())) {
        if (/^\.[\w-]+$/.test(selector) && name !== "ui/tokens.css") alone.set(selector.slice(1), name);
        for (const [, word] of selector.matchAll(/\.[\w-]+\.([\w-]+)/g)) states.push([name, word!]);
      }
    }
  }
  expect(states.filter(([name, word]) => alone.has(word) && alone.get(word) !== name)).toEqual([]);
});
