// What this browser keeps: colours, diffs, notifications.
import { useState } from "react";
import { setDiffStyle, useDiffStyle } from "../../ui/diff-style";
import { forgetAll } from "../../ui/keep";
import { setTheme, type Theme, useTheme } from "../../ui/theme";
import { announce } from "../shell/announce";
import { type Notifying, setNotifying, useNotifying } from "../shell/notify";

const themes: readonly [Theme, string][] = [["system", "As the system"], ["light", "Light"], ["dark", "Dark"]];

const notifyText: Record<Notifying, string> = {
  on: "Shown while this page is open and you look elsewhere.", off: "Shown while this page is open and you look elsewhere.",
  denied: "This browser denies them to this page. Its settings for the address allow them again.",
  missing: "This browser shows none for this page. On a computer they need HTTPS or localhost; phones have none for pages.",
};

export function Appearance() {
  const theme = useTheme();
  const diff = useDiffStyle();
  const notify = useNotifying();
  const [forgot, setForgot] = useState(false);
  return (
    <>
      <fieldset>
        <legend>Colours</legend>
        <div className="radios">
          {themes.map(([id, label]) => (
            <label key={id} className="radio"><input type="radio" name="theme" checked={theme === id} onChange={() => setTheme(id)} />{label}</label>
          ))}
        </div>
      </fieldset>
      <fieldset>
        <legend>Diffs</legend>
        <div className="radios">
          <label className="radio"><input type="radio" name="diff" checked={diff === "unified"} onChange={() => setDiffStyle("unified")} />Unified</label>
          <label className="radio"><input type="radio" name="diff" checked={diff === "split"} onChange={() => setDiffStyle("split")} />Side by side</label>
        </div>
      </fieldset>
      <fieldset>
        <legend>Notifications</legend>
        <label className="radio"><input type="checkbox" id="notify" checked={notify === "on"} disabled={notify === "denied" || notify === "missing"} onChange={(e) => void setNotifying(e.target.checked)} />When an agent asks</label>
        <p className="soft small">{notifyText[notify]}</p>
      </fieldset>
      <fieldset>
        <legend>What this browser keeps</legend>
        <p className="soft small">Drafts, presets, widths and choices. The server has none of it, and nothing else depends on it.</p>
        <p><button type="button" id="forget" className="button danger" onClick={() => { forgetAll(); setForgot(true); announce("Forgotten."); }}>Forget all of it</button></p>
        {forgot && <p className="small" role="status">Forgotten. It takes effect when the page is loaded again.</p>}
      </fieldset>
    </>
  );
}
