// How the server is set and where each setting comes from; what this machine lacks.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import * as api from "../../api/client";
import { useChecks, useServer } from "../../app-state";
import { ErrorNotice } from "../../ui/parts";

export function ServerSettings() {
  const { data, error, isPending } = useQuery({ queryKey: ["settings"], queryFn: ({ signal }) => api.settings(signal), staleTime: Infinity, retry: false });
  const server = useServer();
  const [words, setWords] = useState("");
  const [own, setOwn] = useState(true);
  const rows = data ?? [];
  const set = rows.filter((row) => row.origin !== undefined && row.origin !== "default");
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = (own && wanted.length === 0 ? set : rows).filter((row) => wanted.every((w) => `${row.key} ${row.doc ?? ""}`.toLowerCase().includes(w)));
  return (
    <section>
      {server.known && <p className="soft">Provider {server.provider}{server.project && <>, project <code>{server.project}</code></>}.</p>}
      {error && <ErrorNotice error={error} />}
      {data && (
        <div className="listing-head">
          <label className="grow"><span className="hidden">Search settings</span><input id="search-settings" type="search" className="field" placeholder="Search settings" value={words} onChange={(e) => setWords(e.target.value)} /></label>
          <span className="segments" role="group" aria-label="Which settings">
            <button type="button" className="segment small" aria-pressed={own} onClick={() => setOwn(true)}>Set here ({set.length})</button>
            <button type="button" className="segment small" aria-pressed={!own} onClick={() => setOwn(false)}>All ({rows.length})</button>
          </span>
        </div>
      )}
      {data && shown.length === 0 && <p className="soft">{wanted.length > 0 ? "No setting fits." : "Everything is at its default."}</p>}
      {shown.length > 0 && (
        <ul className="settings-table">
          {shown.map((row) => (
            <li key={row.key} data-setting={row.key}>
              <code>{row.key}</code>
              <code className="value">{String(row.value ?? "") || "—"}</code>
              <span className={row.origin === "default" ? "soft small origin" : "chip accent origin"} title={[row.origin, row.default && `Default: ${row.default}`].filter(Boolean).join("\n")}><span>{shortOrigin(row.origin ?? "")}</span></span>
              {row.doc && <span className="doc soft small">{row.doc}</span>}
            </li>
          ))}
        </ul>
      )}
      {!isPending && !error && <p className="small soft">The settings lie in <code>config.yaml</code> and are read when the server starts. <a href="/docs" target="_blank" rel="noopener">The server's HTTP interface</a></p>}
    </section>
  );
}

/** Of a place in a file, the file's name and the line: its folder is in the title. */
const shortOrigin = (origin: string) => /[^/\\]+:\d+$/.exec(origin)?.[0] ?? origin;

export function Checks() {
  const { data, error, isPending } = useChecks();
  return (
    <section>
      <p className="soft small">As “belay doctor” says it.</p>
      {error && <ErrorNotice error={error} />}
      {isPending && <p className="soft"><span className="spin" /> Looking</p>}
      <ul className="checks">
        {(data ?? []).map((c, i) => (
          <li key={`${c.name}${i}`}>
            <span className={`chip ${c.level === "ok" ? "good" : c.level === "problem" ? "bad" : "warn"}`}>{c.level}</span>
            <strong>{c.name}</strong><span className="soft">{c.detail}{c.next && <><br />{c.next}</>}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
