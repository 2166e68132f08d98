// The conversation: one block per turn, made from the events of the session's
// log. Every text that comes from outside goes in as text, never as markup.

/** How many files a question names that other programs run by themselves. */
const maxCautions = 10;

/** Makes an element with a class and a text. */
export function el(tag, className = "", text = "") {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text) node.textContent = text;
  return node;
}

export function bytes(n) {
  if (n < 1024) return `${n} B`;
  if (n < 1024 * 1024) return `${(n / 1024).toFixed(1)} KiB`;
  return `${(n / 1024 / 1024).toFixed(1)} MiB`;
}

export class Log {
  /**
   * @param root the element that scrolls
   * @param callbacks onTurn(id) for a turn whose words are not known yet,
   *   onRunning(isRunning), onEnd(sentence)
   */
  constructor(root, toEnd, callbacks) {
    this.root = root;
    this.toEnd = toEnd;
    this.callbacks = callbacks;
    this.clear("");
    root.addEventListener("scroll", () => { if (this.atEnd()) toEnd.hidden = true; });
    toEnd.addEventListener("click", () => this.scroll());
  }

  /** Empties the log for another session. */
  clear(sessionId) {
    this.sessionId = sessionId;
    this.turns = new Map();
    this.current = null;
    this.stopReason = "";
    this.root.replaceChildren();
    this.toEnd.hidden = true;
  }

  atEnd() {
    const r = this.root;
    return r.scrollHeight - r.scrollTop - r.clientHeight < 80;
  }

  scroll() {
    this.root.scrollTop = this.root.scrollHeight;
    this.toEnd.hidden = true;
  }

  /** Shows one event. */
  add(name, data) {
    const follow = this.atEnd();
    this.show(name, data);
    if (follow) this.scroll();
    else this.toEnd.hidden = false;
  }

  show(name, data) {
    if (name === "session:init") return this.begin(data);
    if (name === "log:gap") return this.gap(data);
    if (name === "changes:undone") return this.undone(data);
    const turn = this.current ?? this.block("");
    switch (name) {
      case "chat:delta":
        turn.text.appendData(data.text);
        break;
      case "chat:complete":
        turn.text.data = data.text;
        break;
      case "chat:thinking":
        this.thinking(turn).appendData(data.text);
        break;
      case "permission:request":
        this.ask(turn, data);
        break;
      case "permission:resolved":
        this.answered(turn, data);
        break;
      case "tool:result":
        this.tool(turn, data);
        break;
      case "attachment:add":
        this.sent(turn, data);
        break;
      case "turn:warning":
        this.warn(turn, data.message, data.code);
        break;
      case "turn:error":
        turn.rows.append(el("p", "row error", `${data.errorType}: ${data.message}`));
        break;
      case "usage":
        turn.usage.textContent = usage(data.totals ?? data);
        break;
      case "session:complete":
        this.stopReason = data.stopReason ?? "";
        break;
      case "process:exit":
        this.end(turn, data);
    }
  }

  begin(data) {
    this.current = this.block(data.turnId);
    this.stopReason = "";
    this.current.model.textContent = data.answeredBy ? `${data.answeredBy}, in place of ${data.model}` : data.model;
    for (const w of data.warnings ?? []) this.warn(this.current, w.message, w.code);
    this.current.state.textContent = "running…";
    this.callbacks.onRunning(true);
    if (!this.current.known) this.callbacks.onTurn(data.turnId);
  }

  /** Returns the block of a turn, making it where there is none. */
  block(id) {
    let turn = this.turns.get(id);
    if (turn) return turn;
    this.root.querySelector("#empty")?.remove();
    const node = el("article", "turn");
    turn = {
      node, known: false,
      said: el("div", "said"), chips: el("ul", "chips"), rows: el("div", "rows"),
      answer: el("div", "answer"), text: document.createTextNode(""),
      state: el("span"), model: el("span"), usage: el("span"), thoughts: null, warned: new Set(), asked: new Map(),
    };
    turn.said.hidden = true;
    turn.answer.append(turn.text);
    turn.answer.setAttribute("aria-label", "Answer");
    const foot = el("div", "foot");
    foot.append(turn.state, turn.model, turn.usage);
    if (id) {
      const manifest = el("a", "", "what the model saw");
      manifest.href = `/api/harness/session/${encodeURIComponent(this.sessionId)}/manifest?turn=${encodeURIComponent(id)}`;
      manifest.target = "_blank";
      manifest.rel = "noopener";
      foot.append(manifest);
      this.turns.set(id, turn);
    } else {
      this.current = turn; // events of a turn whose beginning is not kept
    }
    node.append(turn.said, turn.chips, turn.rows, turn.answer, foot);
    this.root.append(node);
    return turn;
  }

  /** Shows what a person sent: words, warning, files ({name, bytes, sha256?}). */
  said(id, message, files, warning) {
    const follow = this.atEnd();
    const turn = this.block(id);
    if (turn.known) return;
    turn.known = true;
    turn.said.textContent = message;
    turn.said.hidden = !message;
    for (const file of files) turn.chips.append(this.chip(file));
    if (warning) this.warn(turn, warning);
    if (follow) this.scroll();
  }

  /** Shows a warning, once: the record and the log may both have it. */
  warn(turn, message, code = "") {
    if (turn.warned.has(message)) return;
    turn.warned.add(message);
    turn.rows.append(el("p", "row warning", code ? `${code}: ${message}` : message));
  }

  chip(file) {
    const item = el("li");
    const label = file.bytes === undefined ? file.name : `${file.name} · ${bytes(file.bytes)}`;
    const chip = el(file.sha256 ? "a" : "span", "", label);
    if (file.sha256) {
      chip.href = `/api/harness/blob/${encodeURIComponent(file.sha256)}?sessionId=${encodeURIComponent(this.sessionId)}`;
      chip.download = file.name;
    }
    item.append(chip);
    return item;
  }

  thinking(turn) {
    if (!turn.thoughts) {
      const details = el("details", "thinking");
      const pre = el("pre");
      turn.thoughts = document.createTextNode("");
      pre.append(turn.thoughts);
      details.append(el("summary", "", "Reasoning"), pre);
      turn.node.insertBefore(details, turn.answer);
    }
    return turn.thoughts;
  }

  /** Says that a call waits for a person, until when if that has an end, and how to answer. */
  ask(turn, data) {
    const until = data.expiresAt ? ` until ${new Date(data.expiresAt).toLocaleString()}` : "";
    const row = el("p", "row warning", `${data.name} waits for a decision${until}: belay decision show ${data.decisionId}`);
    const runs = data.effect?.automatic ?? [];
    for (const text of runs.slice(0, maxCautions)) row.append(el("br"), `caution: ${text}`);
    if (runs.length > maxCautions) row.append(el("br"), `caution: and ${runs.length - maxCautions} more`);
    turn.asked.set(data.decisionId, row);
    turn.rows.append(row);
  }

  answered(turn, data) {
    const row = turn.asked.get(data.decisionId);
    if (!row) return;
    row.className = "row";
    row.textContent = data.verdict === "deny" ? "denied" : "allowed";
    if (data.by) row.textContent += ` by ${data.by}`;
    if (data.note) row.textContent += `: ${data.note}`;
  }

  tool(turn, data) {
    const details = el("details", "tool");
    details.append(el("summary", "", `${data.name}: ${data.ok ? "done" : "refused or failed"}`));
    if (data.output) details.append(el("pre", "", data.output + (data.truncated ? "\n… (cut)" : "")));
    turn.rows.append(details);
  }

  /** Shows a file that the agent sends to people. */
  sent(turn, data) {
    const link = el("a", "", data.filename);
    link.href = `/api/harness/blob/${encodeURIComponent(data.sha256)}?sessionId=${encodeURIComponent(this.sessionId)}`;
    link.download = data.filename;
    const row = el("p", "row", "file: ");
    row.append(link, ` (${data.mimeType}, ${bytes(data.bytes)})`);
    turn.rows.append(row);
  }

  end(turn, data) {
    const [words, className] = outcome(data, this.stopReason);
    turn.state.textContent = words;
    turn.state.className = className;
    if (data.error && !turn.rows.querySelector(".error")) {
      turn.rows.append(el("p", "row error", `${data.errorType ?? "error"}: ${data.error}`));
    }
    const calls = notPermitted(data.calls ?? {});
    if (calls) turn.rows.append(el("p", "row warning", calls));
    this.current = null;
    this.callbacks.onRunning(false);
    this.callbacks.onEnd(`The turn is over: ${words}.`);
  }

  /** Says below a turn that its file changes were taken back. */
  undone(data) {
    this.turns.get(data.turnId)?.rows.append(el("p", "row", `taken back: ${data.paths.join(", ")}`));
  }

  gap(data) {
    const why = data.reason === "reset" ? "the log is not the one that was read before" : "older events are no longer kept";
    this.root.append(el("p", "row warning", `Some events are missing here: ${why}. Going on at ${data.next}.`));
  }
}

function outcome(exit, stopReason) {
  switch (exit.exitCode) {
    case 0:
      return stopReason && stopReason !== "end_turn" ? [`cut off: ${stopReason}`, "cut"] : ["done", ""];
    case 124:
      return ["timed out", "failed"];
    case 130:
      return ["interrupted", "cut"];
  }
  return ["failed", "failed"];
}

/** Says which calls were not permitted, "" for none. */
function notPermitted(calls) {
  const parts = [[calls.refused, "refused"], [calls.expired, "not answered in time"]]
    .filter(([n]) => n).map(([n, what]) => `${n} ${what}`);
  const said = parts.length ? [`calls that were not permitted: ${parts.join(", ")}`] : [];
  if (calls.leftOut) said.push(calls.leftOut === 1 ? "1 file left out" : `${calls.leftOut} files left out`);
  return said.join("; ");
}

function usage(t) {
  const parts = [`${t.inputTokens} tokens in`, `${t.outputTokens} out`];
  if (t.cacheReadTokens) parts.push(`${t.cacheReadTokens} cached`);
  if (t.costUsd !== undefined) parts.push(`$${t.costUsd.toFixed(4)}`);
  return parts.join(" · ");
}
