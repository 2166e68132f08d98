// The first message of a session that does not exist yet.
import { useState } from "react";
import * as api from "../../api/client";
import { useDraft, usePersonas, useProjectRoot, useRefresh, useServer, useShared } from "../../app-state";
import { navigate, sessionLink } from "../../route";
import { ErrorNotice } from "../../ui/parts";
import { Icon } from "../../ui/icons";
import { write } from "../../ui/keep";
import { FirstRun } from "../project/first-run";
import { Composer } from "./composer";
import type { Uploader } from "./drafts";
import { selectable, useOptions } from "./options";
import { sendTurn } from "./send";

export function Start() {
  const root = useProjectRoot();
  const key = `new:${root}`;
  const { draft } = useDraft(key);
  const options = useOptions(key);
  const { feeds, drafts } = useShared();
  const { data: personas } = usePersonas();
  const server = useServer();
  const refresh = useRefresh();
  const [error, setError] = useState<unknown>();
  const offered = selectable(personas ?? []);
  const first = offered.find((p) => p.id === "WORKING_ITEMS") ?? offered[0];
  const defaults = { persona: first?.id ?? "", mode: "direct", model: server.model };

  const to: Uploader = {
    upload: (file, signal) => api.upload({ projectRoot: root }, file, signal),
    inspect: (path) => api.inspect({ projectRoot: root }, [path]).then((all) => all[0]),
  };
  const send = async () => {
    setError(undefined);
    try {
      const session = await api.createSession(root, options.persona || defaults.persona, options.mode || defaults.mode);
      const id = session.sessionId;
      write("belay.root", root);
      // The words move along, so that a refusal leaves them in the session's message.
      drafts.of(id).restore(draft.take());
      refresh("sessions", "projects");
      navigate(sessionLink(id));
      await sendTurn(feeds.of(id), drafts.of(id), { ...options, persona: "", mode: "" }, session);
    } catch (err) {
      setError(err);
    }
  };
  return (
    <div className="view start">
      <div className="scroll">
        <div className="column">
          <a className="back" href="/"><Icon.back />All sessions</a>
          <h2 className="title">New session</h2>
          <p className="soft">{root ? <>In <code>{root}</code></> : "Choose a project folder first."}</p>
          {error !== undefined && <ErrorNotice error={error} onClose={() => setError(undefined)} />}
          <Composer draftKey={key} root={root} to={to} send={send} defaults={defaults} disabled={root === ""} autoFocus />
          <FirstRun />
        </div>
      </div>
    </div>
  );
}
