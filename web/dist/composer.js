// The message being written and its files.
import { el, bytes } from "./log.js";
import { upload } from "./api.js";

export class Composer {
  /** @param send called with (message, files); what it throws keeps the draft. */
  constructor({ form, message, pick, attach, sendButton, list, send, onError }) {
    Object.assign(this, { form, message, sendButton, attach, list, send, onError });
    this.files = [];
    this.sessionId = "";
    this.sending = false;
    this.running = false;
    form.addEventListener("submit", (e) => { e.preventDefault(); this.submit(); });
    message.addEventListener("keydown", (e) => {
      if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); this.submit(); }
    });
    message.addEventListener("input", () => this.refresh());
    message.addEventListener("paste", (e) => { if (e.clipboardData?.files.length) this.add(e.clipboardData.files); });
    attach.addEventListener("click", () => pick.click());
    pick.addEventListener("change", () => { this.add(pick.files); pick.value = ""; });
    for (const name of ["dragenter", "dragover"]) {
      form.addEventListener(name, (e) => { e.preventDefault(); form.classList.add("over"); });
    }
    form.addEventListener("dragleave", () => form.classList.remove("over"));
    form.addEventListener("drop", (e) => {
      e.preventDefault();
      form.classList.remove("over");
      if (e.dataTransfer?.files.length) this.add(e.dataTransfer.files);
    });
  }

  /** Makes the composer write to another session, or to none. */
  open(sessionId) {
    for (const file of this.files) file.abort.abort();
    this.files = [];
    this.sessionId = sessionId;
    this.running = false;
    this.refresh();
  }

  setRunning(running) {
    this.running = running;
    this.refresh();
  }

  refresh() {
    const open = this.sessionId !== "";
    this.message.disabled = !open;
    this.attach.disabled = !open || this.sending;
    const busy = this.files.some((f) => f.state === "busy");
    const ready = this.files.some((f) => f.state === "ready");
    this.sendButton.disabled = !open || busy || this.sending || this.running || (!ready && !this.message.value.trim());
    this.list.replaceChildren(...this.files.map((file) => this.item(file)));
  }

  item(file) {
    const item = el("li", file.state);
    const state = { busy: "uploading…", ready: bytes(file.size), bad: file.reason }[file.state];
    const remove = el("button", "", "✕");
    remove.type = "button";
    remove.setAttribute("aria-label", `Remove ${file.name}`);
    remove.addEventListener("click", () => {
      file.abort.abort();
      this.files = this.files.filter((f) => f !== file);
      this.refresh();
      this.message.focus();
    });
    item.append(el("span", "", `${file.name} · ${state}`), remove);
    return item;
  }

  /** Uploads files as soon as they are chosen. */
  add(list) {
    if (!this.sessionId) return;
    for (const source of list) {
      const file = { name: source.name, size: source.size, state: "busy", reason: "", path: "", abort: new AbortController() };
      this.files.push(file);
      upload(this.sessionId, source, file.abort.signal).then(
        (done) => { file.state = "ready"; file.path = done.path; file.sha256 = done.sha256; },
        (err) => { file.state = "bad"; file.reason = err.message; },
      ).finally(() => { if (this.files.includes(file)) this.refresh(); });
    }
    this.refresh();
  }

  async submit() {
    if (this.sendButton.disabled) return;
    const message = this.message.value;
    const files = this.files.filter((f) => f.state === "ready");
    this.sending = true;
    this.refresh();
    try {
      await this.send(message, files);
      this.message.value = "";
      this.files = this.files.filter((f) => f.state === "busy");
    } catch (err) {
      this.onError(err); // the draft and its files stay
    } finally {
      this.sending = false;
      this.refresh();
      this.message.focus();
    }
  }
}
