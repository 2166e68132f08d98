// Scrolls the nearest box that scrolls, and nothing around it: the page itself must stay.

/** Brings an element into sight, at the top of its box or in the middle. */
export function reveal(element: Element, block: "start" | "center"): void {
  const at = element.getBoundingClientRect();
  for (let box = element.parentElement; box; box = box.parentElement) {
    if (box.scrollHeight <= box.clientHeight || !/auto|scroll/.test(getComputedStyle(box).overflowY)) continue;
    const seen = box.getBoundingClientRect();
    box.scrollTop += at.top - seen.top - (block === "center" ? Math.max(0, (box.clientHeight - at.height) / 2) : 8);
    return;
  }
}
