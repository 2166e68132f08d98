// Everything that the model saw in a turn.
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import * as api from "../../api/client";
import type { Delivered } from "../../api/types";
import { useModelName } from "../../app-state";
import { bytes, count } from "../../ui/format";
import { CopyButton, ErrorNotice, Sheet } from "../../ui/parts";

export function ManifestSheet({ sessionId, turn, onClose }: { sessionId: string; turn: string; onClose: () => void }) {
  const modelName = useModelName();
  const { data: m, error, isPending } = useQuery({
    queryKey: ["manifest", sessionId, turn], queryFn: ({ signal }) => api.manifest(sessionId, turn, signal), staleTime: Infinity, retry: false,
  });
  return (
    <Sheet title="What the model saw" wide text onClose={onClose} footer={m && <CopyButton text={() => JSON.stringify(m, null, 2)} label="Copy as JSON" />}>
      {error && <ErrorNotice error={error} />}
      {isPending && <p className="soft"><span className="spin" /> Reading</p>}
      {m && (
        <div className="manifest" data-turn={m.turn}>
          <dl className="facts">
            <Fact name="Model">{modelName(m.model)}{m.provider !== m.model && <span className="soft"> · {m.provider}</span>}</Fact>
            <Fact name="Persona">{m.persona}</Fact>
            <Fact name="Mode">{m.mode}</Fact>
            <Fact name="Time"><time dateTime={m.time}>{new Date(m.time).toLocaleString()}</time></Fact>
            <Fact name="System prompt"><Digest value={m.systemSha256} /></Fact>
            <Fact name="Earlier turns">{count(m.history.turns, "turn")}{m.history.elided > 0 && `, ${m.history.elided} of them shortened`}</Fact>
          </dl>
          <Part title="Instructions" count={m.instructions?.length}>
            <ul className="plain-list small">
              {(m.instructions ?? []).map((s) => <li key={s.path}><code className="grow">{s.path}</code><span className="soft nowrap">{bytes(s.bytes)}{s.cut && ", cut"}</span><Digest value={s.sha256} /></li>)}
            </ul>
          </Part>
          <Part title="Attachments" count={m.attachments?.length}><Files files={m.attachments ?? []} /></Part>
          <Part title="Attachments of earlier turns" count={m.history.attachments?.length}><Files files={m.history.attachments ?? []} /></Part>
          <Part title="Files that tools showed" count={m.shown?.length}>
            <ul className="plain-list small">{(m.shown ?? []).map((s, i) => <li key={i}><span className="grow">{s.name}</span><span className="soft nowrap">{s.mimeType} · {bytes(s.bytes)}</span><Digest value={s.sha256} /></li>)}</ul>
          </Part>
          <Part title="Tools" count={m.tools?.length}><p className="chips">{(m.tools ?? []).map((t) => <code key={t} className="chip">{t}</code>)}</p></Part>
        </div>
      )}
    </Sheet>
  );
}

function Files({ files }: { files: readonly Delivered[] }) {
  return (
    <ul className="plain-list small">
      {files.map((f, i) => (
        <li key={i}>
          <span className="grow">{f.name}{f.note && <span className="soft"> · {f.note}</span>}</span>
          <span className="soft nowrap">{[f.used, f.width && `${f.width}×${f.height}`, f.pages && count(f.pages, "page"), bytes(f.bytes)].filter(Boolean).join(" · ")}</span>
          <Digest value={f.sha256} />
        </li>
      ))}
    </ul>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return <div><dt>{name}</dt><dd>{children}</dd></div>;
}

/** A part with content; without any it is left out. */
function Part({ title, count: n = 0, children }: { title: string; count: number | undefined; children: ReactNode }) {
  if (n === 0) return null;
  return <section><h3>{title} <span className="soft">{n}</span></h3>{children}</section>;
}

function Digest({ value }: { value: string }) {
  return <code className="digest soft" title={`SHA-256 ${value}`}>{value.slice(0, 8)}</code>;
}
