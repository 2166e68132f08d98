// The first message of a session that does not exist yet.
import { useEffect, useState } from "react";
import * as api from "../../api/client";
import { useDraft, usePersonas, useProjectRoot, useProjects, useRefresh, useServer, useShared } from "../../app-state";
import { navigate, sessionLink, useParam } from "../../route";
import { ErrorNotice } from "../../ui/parts";
import { Icon } from "../../ui/icons";
import { keepRoot } from "../../ui/keep";
import { ToPipeline } from "../project/old-address";
import { FirstRun } from "../project/first-run";
import { Composer } from "./composer";
import type { Uploader } from "./drafts";
import { approvalUsed, inWorkbench, sameAgent, selectable, setOption, setOptions, useOptions } from "./options";
import { sendTurn } from "./send";

/** An agent in the address is preselected. One that works in the pipeline leads there (specification, 14.2). */
export function Start() {
  const asked = useParam("persona");
  const start = <NewSession key={asked} asked={asked} />;
  return asked === "" || inWorkbench(asked) ? start : <ToPipeline agent={asked}>{start}</ToPipeline>;
}

function NewSession({ asked }: { asked: string }) {
  const root = useProjectRoot();
  const key = `new:${root}`;
  const { draft } = useDraft(key);
  const options = useOptions(key);
  const { feeds, drafts } = useShared();
  const { data: personas } = usePersonas();
  const server = useServer();
  const projects = useProjects();
  const refresh = useRefresh();
  const [error, setError] = useState<unknown>();
  const offered = selectable(personas ?? []);
  const named = asked ? offered.find((p) => sameAgent(p.id) === sameAgent(asked)) ?? personas?.find((p) => p.id === asked) : undefined;
  const first = named ?? offered.find((p) => p.id === "WORKING_ITEMS") ?? offered[0];
  const defaults = { persona: first?.id ?? "", mode: "direct", model: server.model };
  // A link counts once: what a person chooses afterwards holds.
  const linked = named?.id;
  useEffect(() => { if (linked) setOption(key, "persona", linked); }, [key, linked]);

  const to: Uploader = {
    upload: (file, signal) => api.upload({ projectRoot: root }, file, signal),
    inspect: (path) => api.inspect({ projectRoot: root }, [path]).then((all) => all[0]),
  };
  const send = async () => {
    setError(undefined);
    try {
      const session = await api.createSession(root, options.persona || defaults.persona, options.mode || defaults.mode);
      const id = session.sessionId;
      keepRoot(root);
      // The words move along, so that a refusal leaves them in the session's message.
      drafts.of(id).restore(draft.take());
      setOptions(id, { ...options, persona: "", mode: "" }); // the session has these two
      approvalUsed(key, options.approval);
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
          {root ? <p className="soft">In <code>{root}</code></p> : projects.error ? <ErrorNotice error={projects.error} /> : projects.data && <p className="soft">Choose a project folder first.</p>}
          {error !== undefined && <ErrorNotice error={error} onClose={() => setError(undefined)} />}
          <Composer draftKey={key} root={root} to={to} send={send} defaults={defaults} disabled={root === ""} autoFocus />
          <FirstRun />
        </div>
      </div>
    </div>
  );
}
