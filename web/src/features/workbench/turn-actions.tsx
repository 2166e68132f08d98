// What can be done with a turn that has ended: look at its changes, take them back,
// go on from it in another session, write its message again.
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import * as api from "../../api/client";
import { isFailure } from "../../api/http";
import { useRefresh, useShared } from "../../app-state";
import type { Turn } from "../../session/model";
import { navigate, sessionLink } from "../../route";
import { Diff } from "../../ui/diff";
import { count } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { ErrorNotice, Sheet } from "../../ui/parts";
import { announce } from "../shell/announce";

export function TurnActions({ turn, sessionId }: { turn: Turn; sessionId: string }) {
  const { drafts } = useShared();
  const refresh = useRefresh();
  const [looking, setLooking] = useState(false);
  const fork = useMutation({
    mutationFn: () => api.forkSession(sessionId, turn.id),
    onSuccess: (session) => { refresh("sessions"); navigate(sessionLink(session.sessionId)); },
  });
  if (turn.id === "" || turn.state === "running") return null;
  const files = turn.said?.files.length ?? 0; // they are not uploaded any more: a person attaches them again
  const again = turn.state !== "done" && turn.said?.message;
  return (
    <span className="turn-actions">
      {again && (
        <button type="button" className="button plain small" onClick={() => { drafts.of(sessionId).restore({ text: turn.said!.message, files: [] }); document.getElementById("message")?.focus(); }}>
          <Icon.pencil />Write again{files > 0 && `, without its ${count(files, "file")}`}
        </button>
      )}
      <button type="button" className="button plain small changes" onClick={() => setLooking(true)}>
        <Icon.undo />{turn.changedFiles.length ? count(turn.changedFiles.length, "file") : "Changes"}
      </button>
      <button type="button" className="button plain small" title="Continue from here in a new session" disabled={fork.isPending} onClick={() => fork.mutate()}><Icon.fork />Fork</button>
      {fork.error && <ErrorNotice error={fork.error} onClose={() => fork.reset()} />}
      {looking && <Changes turn={turn} sessionId={sessionId} onClose={() => setLooking(false)} />}
    </span>
  );
}

/** The changes of a turn, and the way to take them back. */
function Changes({ turn, sessionId, onClose }: { turn: Turn; sessionId: string; onClose: () => void }) {
  const refresh = useRefresh();
  const { data, error, isPending } = useQuery({
    queryKey: ["changes", sessionId, turn.id], queryFn: ({ signal }) => api.turnChanges(sessionId, turn.id, signal), staleTime: 0, retry: false,
  });
  const undo = useMutation({
    mutationFn: (runsByItself: boolean) => api.undoTurn(sessionId, turn.id, runsByItself),
    onSuccess: (done) => {
      announce(done.already ? "Taken back already." : `Taken back: ${count(done.paths?.length ?? 0, "file")}.`);
      refresh("changes");
      onClose();
    },
  });
  const files = (data ?? []).flatMap((set) => set.changes ?? []);
  // What a person applied of the turn after its undo stands.
  const standing = (data ?? []).some((set) => !set.undone && (set.changes ?? []).length > 0);
  const undone = data ? data.some((set) => set.undone) : turn.undone !== undefined;
  const risky = isFailure(undo.error, "CONTENT_CHANGED") ? false : isFailure(undo.error) && /itself/.test(`${undo.error.message} ${undo.error.hint}`);
  return (
    <Sheet title={files.length ? `Changes of this turn, ${count(files.length, "file")}` : "Changes of this turn"} onClose={onClose} footer={(
      <>
        <button type="button" className="button" onClick={onClose}>Close</button>
        {risky
          ? <button type="button" className="button danger" onClick={() => undo.mutate(true)}>Take back, also what runs by itself</button>
          : standing && <button type="button" className="button danger" id="undo" disabled={undo.isPending} onClick={() => undo.mutate(false)}><Icon.undo />Take back all</button>}
      </>
    )}>
      {error && <ErrorNotice error={error} />}
      {undo.error && <ErrorNotice error={undo.error} />}
      {isPending && <p className="soft"><span className="spin" /> Reading</p>}
      {undone && <p className="notice warn"><span>{standing ? "Some of these changes were taken back." : "These changes were taken back."}</span></p>}
      {data && files.length === 0 && <p className="soft">This turn has changed no file.</p>}
      {files.map((f, i) => <Diff key={`${i} ${f.path}`} text={f.diff} paths={[f.path]} />)}
    </Sheet>
  );
}
