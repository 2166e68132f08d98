// The options of a turn that are not always in sight: tools, limits, delegation, presets.
import { useState } from "react";
import { useTools } from "../../app-state";
import { Icon } from "../../ui/icons";
import { Sheet } from "../../ui/parts";
import { further, none, type Options, removePreset, savePreset, setOption, setOptions, useOptions, usePresets } from "./options";

export function TurnOptions({ optionKey, onClose }: { optionKey: string; onClose: () => void }) {
  const options = useOptions(optionKey);
  const tools = useTools();
  const set = (name: keyof Options, value: string) => setOption(optionKey, name, value);
  const chosen = options.tools === "" ? [] : options.tools.split(",");
  const limit = (name: keyof Options, label: string, unit: string, step: string) => (
    <label className="limit"><span>{label}</span>
      <span className="with-unit"><input className="field" type="number" min="0" step={step} inputMode="decimal" name={name} placeholder="default" value={options[name]} onChange={(e) => set(name, e.target.value)} /><span className="soft small">{unit}</span></span>
    </label>
  );
  return (
    <Sheet title="Options of a turn" onClose={onClose} footer={(
      <>
        <button type="button" className="button" id="reset-options" disabled={further.every((name) => options[name] === "")}
          onClick={() => setOptions(optionKey, { ...none, persona: options.persona, mode: options.mode, model: options.model })}>Reset</button>
        <button type="button" className="button primary" onClick={onClose}>Done</button>
      </>
    )}>
      <Presets optionKey={optionKey} options={options} />
      <fieldset className="limits"><legend>Limits</legend>
        {limit("maxTurns", "Model calls", "calls", "1")}
        {limit("maxCostUsd", "Cost", "US dollars", "0.01")}
        {limit("maxTokens", "Output", "tokens", "1")}
        {limit("minutes", "Time", "minutes", "0.5")}
      </fieldset>
      <fieldset><legend>Tools</legend>
        <label className="radio"><input type="radio" name="which-tools" checked={options.tools === ""} onChange={() => set("tools", "")} />As the persona has them</label>
        <label className="radio"><input type="radio" name="which-tools" checked={options.tools !== ""} disabled={tools.length === 0} onChange={() => set("tools", tools.join(","))} />Only these</label>
        {options.tools !== "" && (
          <div className="tool-choice">
            {tools.map((tool) => (
              <label key={tool} className="check"><input type="checkbox" checked={chosen.includes(tool)} disabled={chosen.length === 1 && chosen[0] === tool}
                onChange={() => set("tools", tools.filter((t) => chosen.includes(t) !== (t === tool)).join(","))} /><code>{tool}</code></label>
            ))}
          </div>
        )}
      </fieldset>
      <fieldset><legend>Delegation</legend>
        <label className="limit"><span>Approved as</span>
          <input className="field" name="approval" maxLength={200} placeholder="none" value={options.approval} onChange={(e) => set("approval", e.target.value)} /></label>
        <p className="soft small">Names what approves that the agent gives tasks to other agents, for example a ticket. It counts for one message.</p>
      </fieldset>
      <p className="soft small">The server decides: limits, rules and gates of its settings and of the persona hold in any case.</p>
    </Sheet>
  );
}

function Presets({ optionKey, options }: { optionKey: string; options: Options }) {
  const presets = usePresets();
  const [name, setName] = useState("");
  return (
    <fieldset className="presets"><legend>Presets</legend>
      {presets.length > 0 && (
        <ul className="chips" aria-label="Presets">
          {presets.map((p) => (
            <li key={p.name} className="chip file">
              <button type="button" className="preset" onClick={() => setOptions(optionKey, { ...p.options, approval: options.approval })}>{p.name}</button>
              <button type="button" className="button plain icon" aria-label={`Remove the preset ${p.name}`} onClick={() => removePreset(p.name)}><Icon.close /></button>
            </li>
          ))}
        </ul>
      )}
      <form className="with-unit" onSubmit={(e) => { e.preventDefault(); e.stopPropagation(); if (name.trim()) savePreset({ name: name.trim(), options }); setName(""); }}>
        <label className="grow"><span className="hidden">Name of the preset</span><input className="field" name="preset" maxLength={40} placeholder="Name" value={name} onChange={(e) => setName(e.target.value)} /></label>
        <button type="submit" className="button" disabled={name.trim() === ""}>Save as preset</button>
      </form>
      <p className="soft small">Persona, mode, model and the options here but the approval, kept in this browser.</p>
    </fieldset>
  );
}
