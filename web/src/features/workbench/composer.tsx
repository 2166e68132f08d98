// The message being written: its text, files and options, and what Enter does with it.
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useDraft, useInfo, useModels, usePersonas, useServer } from "../../app-state";
import { bytes } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { useNothingKept } from "../../ui/keep";
import { Menu } from "../../ui/menu";
import { ProjectPicker } from "../attachments/project-picker";
import { DraftFiles } from "./draft-files";
import type { Uploader } from "./drafts";
import { further, modes, selectable, setOption, useOptions } from "./options";
import { TurnOptions } from "./turn-options";
import { useDrop } from "./use-drop";

export type How = "turn" | "steer" | "followUp";

/** What a message may have where the server does not say, in bytes. */
const messageLimit = 1 << 20;

export function Composer({ draftKey, root, to, send, running = false, onInterrupt, defaults, disabled = false, autoFocus = false, children }: {
  /** Names the draft and the options: a session's id, or that of a session to be made. */
  draftKey: string; root: string; to: Uploader; send: (how: How) => Promise<void>; running?: boolean; onInterrupt?: () => void;
  /** What an option means that is not chosen. */
  defaults: { persona: string; mode: string; model: string }; disabled?: boolean; autoFocus?: boolean; children?: ReactNode;
}) {
  const { draft, state } = useDraft(draftKey);
  const [sending, setSending] = useState(false);
  const [choosing, setChoosing] = useState(false);
  const most = useInfo().data?.limits.messageBytes ?? messageLimit;
  const size = state.text.length > most / 4 ? new TextEncoder().encode(state.text).length : 0;
  const tooLong = size > most;
  const field = useRef<HTMLTextAreaElement>(null);
  const pick = useRef<HTMLInputElement>(null);
  const busy = state.files.some((f) => f.state === "busy");
  const ready = state.files.some((f) => f.state === "ready");
  const can = !disabled && !busy && !sending && !tooLong && (ready || state.text.trim() !== "");

  useEffect(() => { if (autoFocus && !matchMedia("(pointer: coarse)").matches) field.current?.focus(); }, [draftKey, autoFocus]);
  useLayoutEffect(() => {
    const f = field.current;
    if (!f) return;
    f.style.height = "auto";
    // What is not shown has no height.
    if (f.scrollHeight > 0) f.style.height = `${Math.min(f.scrollHeight + 2, innerHeight * 0.4)}px`;
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
  const add = (files: Iterable<File> | null | undefined) => { if (files) draft.add(files, to); };
  const lost = useNothingKept();
  const over = useDrop(disabled ? undefined : add);
  const asFile = (text: string) => add([new File([text], "message.txt", { type: "text/plain" })]);
  const enter = running ? "steer" : "turn";
  return (
    <form className="composer" id="composer" aria-label="Message"
      onSubmit={(e) => { e.preventDefault(); void submit(enter); }}>
      {children}
      <DraftFiles draft={draft} files={state.files} root={root} onRemoved={() => field.current?.focus()} />
      {tooLong && (
        <div className="notice warn" id="too-long"><span>This message has {bytes(size)}; a message takes {bytes(most)}.</span>
          <button type="button" className="button" onClick={() => { asFile(state.text); draft.setText(""); field.current?.focus(); }}>Attach it as a file</button></div>
      )}
      <label htmlFor="message" className="hidden">Message</label>
      <textarea ref={field} id="message" rows={2} value={state.text} disabled={disabled}
        placeholder={running ? "Say something into the turn" : "Say what to do"}
        onChange={(e) => draft.setText(e.target.value)}
        onPaste={(e) => {
          const pasted = e.clipboardData.getData("text/plain");
          // A spreadsheet gives what was copied as a picture, too.
          if (e.clipboardData.files.length && pasted === "") { e.preventDefault(); add(e.clipboardData.files); }
          else if (pasted.length > most) { e.preventDefault(); asFile(pasted); } // a field of that size would be slow
        }}
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
        <div className="attach">
          <Menu id="attach" label="Attach files" icon={<Icon.clip />} align="start" up disabled={disabled} items={[
            { id: "disk", label: "From this computer…", icon: <Icon.file />, act: () => pick.current?.click() },
            { id: "project", label: "From the project…", icon: <Icon.folder />, disabled: root === "", act: () => setChoosing(true) },
          ]} />
        </div>
        <OptionFields optionKey={draftKey} defaults={defaults} />
        <div className="sends">
        {running && <button type="button" className="button danger" id="interrupt" onClick={onInterrupt}><Icon.stop /><span className="wide">Interrupt</span></button>}
        {running && <button type="button" className="button" disabled={!can} onClick={() => void submit("followUp")} title="Sent when the answer has ended (Alt Enter)">After answer</button>}
        <button type="submit" className="button primary" id="send" disabled={!can} title="Enter">
          {sending ? <span className="spin" /> : <Icon.send />}{running ? "Steer" : "Send"}
        </button>
        </div>
      </div>
      {over && <p className="drop" aria-hidden="true"><span>Drop files to attach them</span></p>}
      {choosing && <ProjectPicker root={root} onClose={() => setChoosing(false)} onChosen={(paths) => { for (const path of paths) draft.addPath(`${root}/${path}`, path, to); }} />}
      {lost && <p className="small soft" role="status" id="not-kept">This browser's storage is full: what you write here is lost when you close the page.</p>}
    </form>
  );
}

function OptionFields({ optionKey, defaults }: { optionKey: string; defaults: { persona: string; mode: string; model: string } }) {
  const options = useOptions(optionKey);
  const { data: personas } = usePersonas();
  const server = useServer();
  const models = useModels();
  const [model, setModel] = useState<string>();
  const [open, setOpen] = useState(false);
  const more = further.filter((name) => options[name] !== "").length;
  const offered = selectable(personas ?? []);
  const persona = options.persona || defaults.persona;
  const mode = options.mode || defaults.mode;
  const known = offered.some((p) => p.id === persona);
  const option = (p: { id: string; description?: string }) => <option key={p.id} value={p.id} title={p.description}>{p.id}</option>;
  return (
    <div className="options">
      <label><span className="hidden">Persona</span>
        <select className="quiet" id="persona" title="Persona" value={persona} onChange={(e) => setOption(optionKey, "persona", e.target.value)}>
          {!known && <option value={persona}>{persona || "Persona"}</option>}
          {offered.map(option)}
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
            onKeyDown={(e) => { if (e.key === "Enter") { e.preventDefault(); e.currentTarget.blur(); } }} // it is no message yet
            onBlur={() => { if (model !== undefined) setOption(optionKey, "model", model.trim()); setModel(undefined); }} />
          <datalist id="models">{models.map((m) => <option key={m.id} value={m.id}>{m.name}</option>)}</datalist>
        </label>
      )}
      <button type="button" id="more-options" className="button plain options-button" onClick={() => setOpen(true)} title="Tools, limits, delegation, presets" aria-label={more > 0 ? `Options of the turn, ${more} set` : "Options of the turn"}>
        <Icon.sliders />{more > 0 && <span className="n">{more}</span>}
      </button>
      {open && <TurnOptions optionKey={optionKey} onClose={() => setOpen(false)} />}
    </div>
  );
}
