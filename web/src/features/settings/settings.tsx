// How the page looks, how the server is set, what it lacks, and what it has used.
import type { ReactNode } from "react";
import { useParam } from "../../route";
import { Icon } from "../../ui/icons";
import { Tabs } from "../../ui/tabs";
import { Appearance } from "./appearance";
import { Devices } from "./devices";
import { Checks, ServerSettings } from "./server";
import { Usage } from "./usage";

const parts: readonly [id: string, label: string, part: () => ReactNode][] = [
  ["", "This page", Appearance], ["server", "Server", ServerSettings], ["checks", "Checks", Checks], ["devices", "Devices", Devices], ["usage", "Usage and cost", Usage],
];

export function Settings() {
  const show = useParam("show");
  const [id, , Shown] = parts.find(([p]) => p === show) ?? parts[0]!;
  return (
    <div className="view">
      <div className="scroll">
        <div className="column settings">
          <a className="back" href="/"><Icon.back />All sessions</a>
          <h2 className="title">Settings</h2>
          <Tabs className="settings-tabs" label="Parts of the settings" current={id}>
            {parts.map(([p, label]) => <a key={p} className="tab" href={p === "" ? "/settings" : `/settings?show=${p}`} aria-current={p === id ? "page" : undefined}>{label}</a>)}
          </Tabs>
          <Shown />
        </div>
      </div>
    </div>
  );
}
