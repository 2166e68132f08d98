import { createRoot } from "react-dom/client";
import { exchange } from "./api/client";
import { App } from "./app";
import { asks, takeFragment } from "./route";
import { applyTheme } from "./ui/theme";
import "./ui/tokens.css";
import "./ui/controls.css";
import "./ui/text.css";
import "./features/shell/shell.css";
import "./features/workbench/workbench.css";
import "./features/inbox/inbox.css";

async function start(): Promise<void> {
  applyTheme();
  // The code of a one-time link is traded for the cookie before anything is asked.
  const { code } = takeFragment();
  let failure: unknown;
  if (code) await exchange(code).catch((err: unknown) => { failure = err; });
  createRoot(document.getElementById("page")!).render(<App failure={failure} />);
}

// A link that is pasted into this tab changes the fragment alone. It counts as in a new tab.
addEventListener("hashchange", () => { if (asks(location.hash)) location.reload(); });
void start();
