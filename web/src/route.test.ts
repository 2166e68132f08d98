import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { amend, amendLater, asks, projectLink } from "./route";

// What amend needs of a browser.
let entry = new URL("http://localhost/");
Object.assign(globalThis, {
  location: { get pathname() { return entry.pathname; }, get search() { return entry.search; } },
  history: { replaceState(_state: unknown, _title: string, to: string) { entry = new URL(to, entry); } },
  dispatchEvent: () => true,
});
const pipeline = projectLink("p_1", "pipeline");

describe("the state of a view in the address", () => {
  beforeEach(() => { entry = new URL(pipeline, entry); });

  it("takes the place of the view's entry", () => {
    amend(pipeline, `${pipeline}?category=TASK`);
    expect(entry.pathname + entry.search).toBe(`${pipeline}?category=TASK`);
  });

  it("does so where the address is spelled in another way", () => {
    entry = new URL("/p/p_1/d/PKG-01::DEL-01-01/", entry);
    const whole = projectLink("p_1", "d", "PKG-01::DEL-01-01");
    amend(whole, `${whole}?show=register`);
    expect(entry.search).toBe("?show=register");
  });

  // A view runs an effect when the person has gone back already.
  it("does not take the place of the view that is shown now", () => {
    entry = new URL(projectLink("p_1"), entry);
    amend(pipeline, `${pipeline}?category=TASK`);
    expect(entry.pathname + entry.search).toBe(projectLink("p_1"));
  });
});

describe("what is typed", () => {
  beforeEach(() => { vi.useFakeTimers(); entry = new URL(pipeline, entry); });
  afterEach(() => { vi.useRealTimers(); });

  it("is in the address once, a moment after the last key", () => {
    const replaced = vi.spyOn(history, "replaceState");
    let giveUp = () => {};
    for (const typed of ["b", "be", "bel"]) {
      giveUp();
      giveUp = amendLater(pipeline, `${pipeline}?q=${typed}`);
      vi.advanceTimersByTime(100);
    }
    expect(replaced).not.toHaveBeenCalled();
    vi.advanceTimersByTime(250);
    expect(replaced).toHaveBeenCalledTimes(1);
    expect(entry.search).toBe("?q=bel");
  });

  it("is not in the address of a view to which the person has gone meanwhile", () => {
    amendLater(pipeline, `${pipeline}?q=bel`);
    entry = new URL(projectLink("p_1"), entry);
    vi.advanceTimersByTime(250);
    expect(entry.search).toBe("");
  });
});

describe("a fragment", () => {
  it("asks for something with a code or an old place, and not as a place in the text", () => {
    expect(["#code=abc", "#session=s1", "#root=%2Fp", "", "#", "#code=", "#main"].map(asks)).toEqual([true, true, true, false, false, false, false]);
  });
});
