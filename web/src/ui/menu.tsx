// A button with a menu, as the keyboard and screen readers know it.
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";

export interface MenuItem {
  id: string; label: string; icon?: ReactNode; danger?: boolean; disabled?: boolean;
  /** Where the item is a download. */
  href?: string; act?(): void;
}

/** Shows items below its button. Arrow keys move, Escape closes and gives the focus back. */
export function Menu({ label, icon, items, align = "end", up = false, className = "plain icon", id, disabled = false, children }: {
  label: string; icon: ReactNode; items: readonly MenuItem[]; align?: "start" | "end"; up?: boolean; className?: string; id?: string; disabled?: boolean; children?: ReactNode;
}) {
  const [open, setOpen] = useState(false);
  const own = useId();
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const entries = () => [...box.current?.querySelectorAll<HTMLElement>("[role=menuitem]:not([aria-disabled=true])") ?? []];
  const close = (back: boolean) => { setOpen(false); if (back) button.current?.focus(); };
  useEffect(() => {
    if (!open) return;
    entries()[0]?.focus();
    const outside = (e: Event) => { if (!box.current?.contains(e.target as Node)) setOpen(false); };
    addEventListener("pointerdown", outside);
    addEventListener("focusin", outside);
    return () => { removeEventListener("pointerdown", outside); removeEventListener("focusin", outside); };
  }, [open]);
  const onKey = (e: KeyboardEvent) => {
    if (!open) return;
    const all = entries();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: all[(at + 1) % all.length], ArrowUp: all.at(at - 1), Home: all[0], End: all.at(-1) }[e.key];
    if (to) to.focus();
    else if (e.key === "Escape") close(true);
    else return;
    e.preventDefault();
    e.stopPropagation();
  };
  return (
    <div className="menu" ref={box} onKeyDown={onKey}>
      <button ref={button} type="button" id={id} className={`button ${className}`} aria-label={label} title={label} aria-haspopup="menu" aria-expanded={open} aria-controls={open ? own : undefined}
        disabled={disabled} onClick={() => setOpen(!open)} onKeyDown={(e) => { if (e.key === "ArrowDown" && !open) { e.preventDefault(); setOpen(true); } }}>
        {icon}{children}
      </button>
      {open && (
        <div id={own} role="menu" aria-label={label} className={`menu-list ${align} ${up ? "up" : ""}`}>
          {items.map((item) => (item.href
            ? <a key={item.id} role="menuitem" tabIndex={-1} href={item.href} download className="menu-item" onClick={() => close(true)}>{item.icon}{item.label}</a>
            : (
              <button key={item.id} type="button" role="menuitem" tabIndex={-1} data-item={item.id} className={item.danger ? "menu-item danger" : "menu-item"} aria-disabled={item.disabled}
                onClick={() => { if (item.disabled) return; close(true); item.act?.(); }}>{item.icon}{item.label}</button>
            )))}
        </div>
      )}
    </div>
  );
}
