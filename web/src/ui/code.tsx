// A block of code with its name, a copy button, and colours once they are loaded.
import { type ReactNode, useEffect, useState } from "react";
import { visible } from "./format";
import { CopyButton } from "./parts";

type Highlight = (code: string, language: string) => ReactNode;

let loaded: Promise<Highlight> | undefined;
let ready: Highlight | undefined;

/** Loads the highlighter when the first code is shown. Without it code stays plain. */
function load(): Promise<Highlight> {
  return loaded ??= import("./highlight").then((m) => ready = m.highlight);
}

/** Longer code stays plain: colours are not worth a slow page. */
const highlightLimit = 60_000;

export function Code({ code, language, label }: { code: string; language: string; label?: string }) {
  const [highlight, setHighlight] = useState<Highlight | undefined>(() => ready);
  const shown = visible(code), name = label && visible(label); // what is copied stays as it is
  const wanted = language !== "" && code.length < highlightLimit;
  useEffect(() => {
    if (!wanted || highlight) return;
    let gone = false;
    load().then((h) => { if (!gone) setHighlight(() => h); }, () => undefined);
    return () => { gone = true; };
  }, [wanted, highlight]);
  return (
    <figure className="code">
      <figcaption><span className="grow">{name ?? language}</span><CopyButton text={() => code} /></figcaption>
      <pre tabIndex={0} aria-label={name ?? (language ? `Code, ${language}` : "Code")}><code>{wanted && highlight ? highlight(shown, language) : shown}</code></pre>
    </figure>
  );
}
