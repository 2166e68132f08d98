// Small shared parts: errors, dialogs, copying.
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { type Told, tell } from "../api/errors";
import { Icon } from "./icons";

/** Says what went wrong and what to do. It is read out at once. */
export function ErrorNotice({ error, onClose, children }: { error: unknown; onClose?: () => void; children?: ReactNode }) {
  return <ToldNotice told={tell(error)} onClose={onClose}>{children}</ToldNotice>;
}

export function ToldNotice({ told, onClose, children }: { told: Told; onClose?: (() => void) | undefined; children?: ReactNode }) {
  return (
    <div className="notice bad" role="alert">
      <div className="line">
        <strong className="grow">{told.title}</strong>
        {onClose && <button type="button" className="button plain icon" onClick={onClose} aria-label="Dismiss"><Icon.close /></button>}
      </div>
      {told.message && <p>{told.message}</p>}
      {told.items.length > 0 && <ul>{told.items.map((line) => <li key={line}>{line}</li>)}</ul>}
      {told.next && <p className="soft">{told.next}</p>}
      {children}
    </div>
  );
}

/** A modal dialog of the browser: it keeps the focus, and Escape closes it. */
export function Sheet({ title, onClose, children, footer, wide = false, text = false }: { title: string; onClose: () => void; children: ReactNode; footer?: ReactNode; wide?: boolean;
  /** Set where nothing in the dialog takes the focus, so that the keyboard can scroll it. */
  text?: boolean;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => { if (before instanceof HTMLElement) before.focus(); };
  }, []);
  // Outside of any form that opened it: Enter in a field of the dialog must not send that.
  return createPortal(
    <dialog ref={dialog} className={wide ? "sheet wide-sheet" : "sheet"} aria-labelledby={id} onClose={onClose}
      onClick={(e) => { if (e.target === dialog.current) dialog.current?.close(); }}>
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" className="button plain icon" aria-label="Close" onClick={() => dialog.current?.close()}><Icon.close /></button>
      </header>
      <div className="content" {...(text ? { tabIndex: 0, role: "region", "aria-labelledby": id } : {})}>{children}</div>
      {footer && <footer>{footer}</footer>}
    </dialog>,
    document.body,
  );
}

/** Copies a text and says so for a moment. With `what`, there is only room for its icon. */
export function CopyButton({ text, label = "Copy", what }: { text: () => string; label?: string; what?: string }) {
  const [state, setState] = useState<"" | "copied" | "failed">("");
  useEffect(() => {
    if (!state) return;
    const timer = setTimeout(() => setState(""), 2000);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = () => {
    navigator.clipboard?.writeText(text()).then(() => setState("copied"), () => setState("failed"));
    if (!navigator.clipboard) setState("failed");
  };
  return (
    <button type="button" className={what && state !== "failed" ? "button plain copy icon" : "button plain copy small"} onClick={copy} {...(what ? { title: "Copy", "aria-label": `Copy ${what}` } : {})}>
      {state === "copied" ? <Icon.check /> : <Icon.copy />}
      <span aria-live="polite" className={what && state !== "failed" ? "hidden" : undefined}>{state === "copied" ? "Copied" : state === "failed" ? "Not allowed" : label}</span>
    </button>
  );
}
