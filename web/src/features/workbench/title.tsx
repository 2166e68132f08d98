// A session's title, and the way to change it.
import { useMutation } from "@tanstack/react-query";
import * as api from "../../api/client";
import { useRefresh } from "../../app-state";
import { visible } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { ErrorNotice } from "../../ui/parts";

/** The most that a title has, in characters; the server counts 200 bytes. */
const longest = 100;

export function Title({ id, title, editing, setEditing }: { id: string; title: string; editing: boolean; setEditing: (to: boolean) => void }) {
  const refresh = useRefresh();
  const rename = useMutation({
    mutationFn: (to: string) => api.renameSession(id, to),
    onSuccess: () => { setEditing(false); refresh("session", "sessions"); },
  });
  if (!editing) {
    return (
      <>
        <h2 className="clip" title={title}>{visible(title)}</h2>
        <button type="button" className="button plain icon wide" title="Rename" aria-label="Rename the session" onClick={() => setEditing(true)}><Icon.pencil /></button>
      </>
    );
  }
  return (
    <form className="rename grow" onSubmit={(e) => { e.preventDefault(); rename.mutate(String(new FormData(e.currentTarget).get("title")).trim()); }}>
      <label className="grow"><span className="hidden">Title</span>
        <input name="title" className="field" defaultValue={title} maxLength={longest} autoFocus autoComplete="off"
          onFocus={(e) => e.currentTarget.select()} onKeyDown={(e) => { if (e.key === "Escape") setEditing(false); }} />
      </label>
      <button type="submit" className="button" disabled={rename.isPending}>Rename</button>
      {rename.error && <ErrorNotice error={rename.error} onClose={() => rename.reset()} />}
    </form>
  );
}
