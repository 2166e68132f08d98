// The views of the inbox, as links.
import { useKept, useQuestions } from "../../app-state";
import { allAsks } from "./ask";

export function InboxTabs({ current }: { current: "waiting" | "kept" | "closed" }) {
  const { data } = useQuestions();
  const kept = useKept();
  const tab = (id: typeof current, href: string, label: string, n: number) => (
    <a className="tab" href={href} aria-current={current === id ? "page" : undefined}>{label}{n > 0 && <span className="n">{n}</span>}</a>
  );
  return (
    <>
      <div className="pane-head"><h2>Inbox</h2></div>
      <nav className="tabs" aria-label="Views of the inbox">
        {tab("waiting", "/inbox", "Waiting", allAsks(data).length)}
        {tab("kept", "/inbox?show=kept", "Kept", kept.rows.length)}
        {tab("closed", "/inbox?show=closed", "Closed", 0)}
      </nav>
    </>
  );
}
