// A tab that is older than its server offers to reload. Drafts are kept.
import { useContext, useEffect, useRef, useState } from "react";
import { LiveContext } from "../../app-state";

/** The script that an index page loads, "" for none. */
export function scriptOf(html: string): string { return /\/assets\/index-[\w-]+\.js/.exec(html)?.[0] ?? ""; }

/** Asks for the index page when the server is back, and when a part of the page is gone. */
function useNewer(): boolean {
  const live = useContext(LiveContext);
  const was = useRef(false);
  const [newer, setNewer] = useState(false);
  useEffect(() => {
    const check = async () => {
      const own = document.querySelector<HTMLScriptElement>("script[src*='/assets/index-']")?.getAttribute("src") ?? "";
      const html = await fetch("/", { cache: "no-store" }).then((res) => (res.ok ? res.text() : ""), () => "");
      const served = scriptOf(html);
      if (own !== "" && served !== "" && served !== own) setNewer(true);
    };
    if (live && was.current) void check();
    was.current ||= live;
    const gone = () => void check();
    addEventListener("vite:preloadError", gone);
    return () => removeEventListener("vite:preloadError", gone);
  }, [live]);
  return newer;
}

export function UpdateBanner() {
  if (!useNewer()) return null;
  return (
    <p className="update small" role="status" id="update">
      <span>The server has another version of this page. What you have written is kept.</span>
      <button type="button" className="button" onClick={() => location.reload()}>Reload</button>
    </p>
  );
}
