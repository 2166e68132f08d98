// What can be done with a session as a whole.
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import * as api from "../../api/client";
import { useDraft, useRefresh } from "../../app-state";
import { navigate, sessionLink } from "../../route";
import { Icon } from "../../ui/icons";
import { Menu } from "../../ui/menu";
import { ErrorNotice, Sheet } from "../../ui/parts";
import { announce } from "../shell/announce";
import { compactKey } from "./send";

export function SessionMenu({ id, title, running, fresh, onRename, onCompact }: {
  id: string; title: string; running: boolean;
  /** Set while nothing was said yet. */
  fresh: boolean;
  onRename: () => void; onCompact: () => void;
}) {
  const refresh = useRefresh();
  const [open, setOpen] = useState<"" | "compact" | "delete">("");
  const fork = useMutation({
    mutationFn: () => api.forkSession(id, ""),
    onSuccess: (session) => { refresh("sessions"); navigate(sessionLink(session.sessionId)); announce("This is the new session."); },
  });
  return (
    <>
      <Menu id="session-menu" label="Session" icon={<Icon.more />} items={[
        { id: "rename", label: "Rename", icon: <Icon.pencil />, act: onRename },
        { id: "fork", label: "Continue in a new session", icon: <Icon.fork />, disabled: running, act: () => fork.mutate() },
        { id: "compact", label: "Free the context…", icon: <Icon.archive />, disabled: running || fresh, act: () => setOpen("compact") },
        { id: "export", label: "Export as a file", icon: <Icon.down />, href: api.exportPath(id) },
        { id: "delete", label: "Delete…", icon: <Icon.trash />, danger: true, act: () => setOpen("delete") },
      ]} />
      {fork.error && <Sheet title="No new session" onClose={() => fork.reset()}><ErrorNotice error={fork.error} /></Sheet>}
      {open === "compact" && <Compact id={id} onCompact={onCompact} onClose={() => setOpen("")} />}
      {open === "delete" && <Delete id={id} title={title} onClose={() => setOpen("")} />}
    </>
  );
}

function Compact({ id, onCompact, onClose }: { id: string; onCompact: () => void; onClose: () => void }) {
  const { draft, state } = useDraft(compactKey(id));
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []); // once the sheet is open
  return (
    <Sheet title="Free the context?" onClose={onClose} footer={(
      <>
        <button type="button" className="button" onClick={onClose}>Leave it</button>
        <button type="submit" form="compact-form" className="button primary" id="compact"><Icon.archive />Summarise</button>
      </>
    )}>
      <p>The model summarises all turns so far and is sent the summary in their place from then on. You keep every turn.</p>
      <form id="compact-form" onSubmit={(e) => { e.preventDefault(); onClose(); onCompact(); }}>
        <label className="compact-keep">What the summary must keep
          <input ref={field} className="field" name="keep" autoComplete="off" maxLength={2000} value={state.text} placeholder="what is needed to go on" onChange={(e) => draft.setText(e.target.value)} />
        </label>
      </form>
    </Sheet>
  );
}

function Delete({ id, title, onClose }: { id: string; title: string; onClose: () => void }) {
  const refresh = useRefresh();
  const remove = useMutation({
    mutationFn: () => api.deleteSession(id),
    onSuccess: () => { announce("The session is deleted."); navigate("/"); refresh("sessions", "projects"); },
  });
  return (
    <Sheet title="Delete this session?" onClose={onClose} footer={(
      <>
        <button type="button" className="button" onClick={onClose}>Keep it</button>
        <button type="button" className="button danger" id="delete" disabled={remove.isPending} onClick={() => remove.mutate()}><Icon.trash />Delete</button>
      </>
    )}>
      <p><strong className="words">{title}</strong></p>
      <p className="soft">Its messages, its attachments and the record for taking changes back are removed. Files of the project stay as they are.</p>
      {remove.error && <ErrorNotice error={remove.error} />}
    </Sheet>
  );
}
