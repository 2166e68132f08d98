// The message being written: its text, files and options, and what Enter does with it.
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useDraft, useModels, usePersonas, useServer } from "../../app-state";
import { bytes } from "../../ui/format";
import { Icon } from "../../ui/icons";
import type { Draft, DraftFile, Uploader } from "./drafts";
import { modes, selectable, setOption, useOptions } from "./options";

export type How = "turn" | "steer" | "followUp";

export function Composer({ draftKey, upload, send, running = false, onInterrupt, defaults, disabled = false, autoFocus = false, children }: {
  /** Names the draft and the options: a session's id, or that of a session to be made. */
  draftKey: string; upload: Uploader; send: (how: How) => Promise<void>; running?: boolean; onInterrupt?: () => void;
  /** What an option means that is not chosen. */
  defaults: { persona: string; mode: string; model: string }; disabled?: boolean; autoFocus?: boolean; children?: ReactNode;
}) {
  const { draft, state } = useDraft(draftKey);
  const [sending, setSending] = useState(false);
  const [over, setOver] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const pick = useRef<HTMLInputElement>(null);
  const busy = state.files.some((f) => f.state === "busy");
  const ready = state.files.some((f) => f.state === "ready");
  const can = !disabled && !busy && !sending && (ready || state.text.trim() !== "");

  useEffect(() => { if (autoFocus && !matchMedia("(pointer: coarse)").matches) field.current?.focus(); }, [draftKey, autoFocus]);
  useLayoutEffect(() => {
    const f = field.current;
    if (!f) return;
    f.style.height = "auto";
    f.style.height = `${Math.min(f.scrollHeight + 2, innerHeight * 0.4)}px`;
  }, [state.text]);

  const submit = async (how: How) => {
    if (!can) return;
    setSending(true);
    try {
      await send(how);
    } finally {
      setSending(false);
      field.current?.focus();
    }
  };
  const add = (files: FileList | null | undefined) => { if (files?.length) draft.add(files, upload); };
  const enter = running ? "steer" : "turn";
  return (
    <form className={over ? "composer over" : "composer"} id="composer" aria-label="Message"
      onSubmit={(e) => { e.preventDefault(); void submit(enter); }}
      onDragOver={(e) => { if (e.dataTransfer.types.includes("Files")) { e.preventDefault(); setOver(true); } }}
      onDragLeave={(e) => { if (!e.currentTarget.contains(e.relatedTarget as Node | null)) setOver(false); }}
      onDrop={(e) => { e.preventDefault(); setOver(false); add(e.dataTransfer.files); }}>
      {children}
      <Files draft={draft} files={state.files} onRemoved={() => field.current?.focus()} />
      <label htmlFor="message" className="hidden">Message</label>
      <textarea ref={field} id="message" rows={2} value={state.text} disabled={disabled}
        placeholder={running ? "Say something into the turn" : "Say what to do"}
        onChange={(e) => draft.setText(e.target.value)}
        onPaste={(e) => { if (e.clipboardData.files.length) { e.preventDefault(); add(e.clipboardData.files); } }}
        onKeyDown={(e) => {
          if (e.key === "Escape") e.currentTarget.blur();
          if (e.key !== "Enter" || e.nativeEvent.isComposing || e.shiftKey) return;
          const asked = e.ctrlKey || e.metaKey || e.altKey;
          if (!asked && matchMedia("(pointer: coarse)").matches) return; // the on-screen keyboard has no other way to a new line
          e.preventDefault();
          void submit(running && e.altKey ? "followUp" : enter);
        }} />
      <div className="actions">
        <input ref={pick} id="pick" type="file" multiple className="hidden" tabIndex={-1} aria-hidden="true"
          onChange={(e) => { add(e.target.files); e.target.value = ""; }} />
        <button type="button" className="button plain icon attach" disabled={disabled} onClick={() => pick.current?.click()} title="Attach files" aria-label="Attach files"><Icon.clip /></button>
        <OptionFields optionKey={draftKey} defaults={defaults} />
        <div className="sends">
        {running && <button type="button" className="button danger" id="interrupt" onClick={onInterrupt}><Icon.stop /><span className="wide">Interrupt</span></button>}
        {running && <button type="button" className="button" disabled={!can} onClick={() => void submit("followUp")} title="Sent when the answer has ended (Alt Enter)">After answer</button>}
        <button type="submit" className="button primary" id="send" disabled={!can} title="Enter">
          {sending ? <span className="spin" /> : <Icon.send />}{running ? "Steer" : "Send"}
        </button>
        </div>
      </div>
      {over && <p className="drop" aria-hidden="true">Drop files to attach them</p>}
    </form>
  );
}

function Files({ draft, files, onRemoved }: { draft: Draft; files: readonly DraftFile[]; onRemoved: () => void }) {
  if (files.length === 0) return null;
  return (
    <ul className="chips" id="files" aria-label="Attachments">
      {files.map((f) => (
        <li key={f.id} className={`chip file ${f.state === "bad" ? "bad" : f.state}`}>
          {f.state === "busy" ? <span className="spin" /> : <Icon.file />}
          <span title={f.reason ?? f.name}>{f.name} · {f.state === "busy" ? "uploading…" : f.state === "bad" ? f.reason : bytes(f.bytes)}</span>
          <button type="button" className="button plain icon" aria-label={`Remove ${f.name}`} onClick={() => { draft.remove(f.id); onRemoved(); }}><Icon.close /></button>
        </li>
      ))}
    </ul>
  );
}

function OptionFields({ optionKey, defaults }: { optionKey: string; defaults: { persona: string; mode: string; model: string } }) {
  const options = useOptions(optionKey);
  const { data: personas } = usePersonas();
  const server = useServer();
  const models = useModels();
  const [model, setModel] = useState<string>();
  const { matrix, others } = selectable(personas ?? []);
  const persona = options.persona || defaults.persona;
  const mode = options.mode || defaults.mode;
  const known = [...matrix, ...others].some((p) => p.id === persona);
  const option = (p: { id: string; description?: string }) => <option key={p.id} value={p.id} title={p.description}>{p.id}</option>;
  return (
    <div className="options">
      <label><span className="hidden">Persona</span>
        <select className="quiet" id="persona" title="Persona" value={persona} onChange={(e) => setOption(optionKey, "persona", e.target.value)}>
          {!known && <option value={persona}>{persona || "Persona"}</option>}
          {matrix.length > 0 && others.length > 0
            ? <><optgroup label="Workbench">{matrix.map(option)}</optgroup><optgroup label="Others">{others.map(option)}</optgroup></>
            : [...matrix, ...others].map(option)}
        </select>
      </label>
      <label><span className="hidden">Mode</span>
        <select className="quiet" id="mode" title={modes.find((m) => m.id === mode)?.title ?? "Mode"} value={mode} onChange={(e) => setOption(optionKey, "mode", e.target.value)}>
          {!modes.some((m) => m.id === mode) && <option value={mode}>{mode}</option>}
          {modes.map((m) => <option key={m.id} value={m.id} title={m.title}>{m.label}</option>)}
        </select>
      </label>
      {server.provider === "scripted" ? null : (
        <label><span className="hidden">Model</span>
          <input className="quiet-field" id="model" title="Model" list="models" spellCheck={false} autoComplete="off" placeholder={defaults.model || server.model || "model"}
            value={model ?? options.model} onChange={(e) => setModel(e.target.value)}
            onBlur={() => { if (model !== undefined) setOption(optionKey, "model", model.trim()); setModel(undefined); }} />
          <datalist id="models">{models.map((m) => <option key={m.id} value={m.id}>{m.name}</option>)}</datalist>
        </label>
      )}
    </div>
  );
}
