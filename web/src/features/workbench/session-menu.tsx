// What can be done with a session as a whole.
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import * as api from "../../api/client";
import { useRefresh } from "../../app-state";
import { navigate, sessionLink } from "../../route";
import { Icon } from "../../ui/icons";
import { Menu } from "../../ui/menu";
import { ErrorNotice, Sheet } from "../../ui/parts";
import { announce } from "../shell/announce";

export function SessionMenu({ id, title, running, onRename }: { id: string; title: string; running: boolean; onRename: () => void }) {
  const refresh = useRefresh();
  const [deleting, setDeleting] = useState(false);
  const fork = useMutation({
    mutationFn: () => api.forkSession(id, ""),
    onSuccess: (session) => { refresh("sessions"); navigate(sessionLink(session.sessionId)); announce("This is the new session."); },
  });
  return (
    <>
      <Menu id="session-menu" label="Session" icon={<Icon.more />} items={[
        { id: "rename", label: "Rename", icon: <Icon.pencil />, act: onRename },
        { id: "fork", label: "Continue in a new session", icon: <Icon.fork />, disabled: running, act: () => fork.mutate() },
        { id: "export", label: "Export as a file", icon: <Icon.down />, href: api.exportPath(id) },
        { id: "delete", label: "Delete…", icon: <Icon.trash />, danger: true, act: () => setDeleting(true) },
      ]} />
      {fork.error && <Sheet title="No new session" onClose={() => fork.reset()}><ErrorNotice error={fork.error} /></Sheet>}
      {deleting && <Delete id={id} title={title} onClose={() => setDeleting(false)} />}
    </>
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
