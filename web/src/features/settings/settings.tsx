// How the page looks, and how the server is.
import { useChecks, useServer } from "../../app-state";
import { Icon } from "../../ui/icons";
import { ErrorNotice } from "../../ui/parts";
import { setTheme, type Theme, useTheme } from "../../ui/theme";

const themes: readonly [Theme, string][] = [["system", "As the system"], ["light", "Light"], ["dark", "Dark"]];

export function Settings() {
  const theme = useTheme();
  const server = useServer();
  const { data: checks, error } = useChecks();
  return (
    <div className="view">
      <div className="scroll">
        <div className="column settings">
          <a className="back" href="/"><Icon.back />All sessions</a>
          <h2 className="title">Settings</h2>
          <fieldset>
            <legend>Colours</legend>
            {themes.map(([id, label]) => (
              <label key={id} className="radio"><input type="radio" name="theme" checked={theme === id} onChange={() => setTheme(id)} />{label}</label>
            ))}
            <p className="soft small">Kept in this browser.</p>
          </fieldset>
          <section>
            <h3>Server</h3>
            {server.known && <p className="soft">Provider {server.provider}{server.project && <>, project <code>{server.project}</code></>}. Its settings lie in <code>config.yaml</code>; “belay config” shows them.</p>}
            {error && <ErrorNotice error={error} />}
            <ul className="checks">
              {(checks ?? []).map((c, i) => (
                <li key={`${c.name}${i}`}>
                  <span className={`chip ${c.level === "ok" ? "good" : "warn"}`}>{c.level}</span>
                  <span><strong>{c.name}</strong><br /><span className="soft">{c.detail}{c.next && ` ${c.next}`}</span></span>
                </li>
              ))}
            </ul>
            <p className="small"><a href="/docs" target="_blank" rel="noopener">The server's HTTP interface</a></p>
          </section>
        </div>
      </div>
    </div>
  );
}
