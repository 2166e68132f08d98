package main

// The scripts by which pages are measured. They are the same for both sides, and know of the page
// only a few names: its box for messages (#message), a question (.question).

// firstInput types into the message box as soon as there is one that takes it, and notes when the
// letter is on the screen, and how many bytes were transferred until then, with their headers.
const firstInput = `(() => {
  const bytes = () => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
    .reduce((sum, e) => sum + (e.transferSize || 0), 0);
  const look = () => {
    const box = document.querySelector("#message");
    if (box && !box.disabled && box.offsetParent !== null) {
      box.focus();
      document.execCommand("insertText", false, "x");
      if (box.value.includes("x")) {
        requestAnimationFrame(() => setTimeout(() => { window.benchFirst = {ms: performance.now(), bytes: bytes()}; }));
        return;
      }
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()`

// watchFrames notes the longest time between two frames until benchFrames.stop.
const watchFrames = `(() => {
  const seen = window.benchFrames = {count: 0, longest: 0, stop: false};
  let last = performance.now();
  const next = (now) => {
    seen.count++;
    seen.longest = Math.max(seen.longest, now - last);
    last = now;
    if (!seen.stop) requestAnimationFrame(next);
  };
  requestAnimationFrame((now) => { last = now; requestAnimationFrame(next); });
  return true;
})()`

// scrollUp scrolls the longest box that scrolls, by scrollStep pixels per frame, from its end, for some seconds.
const scrollUp = `new Promise((done) => {
  const box = [...document.querySelectorAll("*")].filter((e) => /auto|scroll/.test(getComputedStyle(e).overflowY))
    .sort((a, b) => b.scrollHeight - a.scrollHeight)[0] || document.scrollingElement;
  box.scrollTop = box.scrollHeight;
  let count = 0, longest = 0, moved = 0, begin = 0, last = 0;
  const next = (now) => {
    if (begin === 0) { begin = last = now; requestAnimationFrame(next); return; }
    count++;
    longest = Math.max(longest, now - last);
    last = now;
    const before = box.scrollTop;
    box.scrollTop -= 200;
    moved += before - box.scrollTop;
    if (now - begin < 4000) requestAnimationFrame(next);
    else done({perSecond: count * 1000 / (now - begin), longest, moved, count});
  };
  setTimeout(() => requestAnimationFrame(next), 1000);
})`

// awaitQuestion notes the time of the clock when a question is on the screen.
const awaitQuestion = `(() => {
  window.benchQuestion = 0;
  const look = () => {
    if (!document.querySelector(".question")) return;
    watch.disconnect();
    requestAnimationFrame(() => setTimeout(() => { window.benchQuestion = performance.timeOrigin + performance.now(); }));
  };
  const watch = new MutationObserver(look);
  watch.observe(document, {childList: true, subtree: true});
  return true;
})()`

// timedStep takes a step, and waits for the frame for which a condition holds: its time, and the
// longest time between two frames before it.
const timedStep = `new Promise((done) => {
  const begin = performance.now();
  let last = begin, longest = 0;
  const look = (now) => {
    if (%[2]s) { setTimeout(() => done({ms: performance.now() - begin, longest})); return; }
    longest = Math.max(longest, now - last);
    last = now;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  %[1]s;
})`

// awaitWords notes the time of the clock when a part of the page has some words.
const awaitWords = `(() => {
  window.benchWords = 0;
  const look = () => {
    if (!document.querySelector(%[1]q)?.textContent.includes(%[2]q)) return;
    watch.disconnect();
    requestAnimationFrame(() => setTimeout(() => { window.benchWords = performance.timeOrigin + performance.now(); }));
  };
  const watch = new MutationObserver(look);
  watch.observe(document, {childList: true, subtree: true, characterData: true});
  return true;
})()`
