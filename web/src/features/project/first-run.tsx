// What a person sees who has no session yet: a working example, in one click.
import { everywhere, useSessions } from "../../app-state";
import { ScaffoldButton, TryExample } from "./making";

export function FirstRun() {
  const { known, total } = useSessions(everywhere);
  if (!known || total > 0) return null;
  return (
    <section className="first-run" aria-labelledby="first-run-title">
      <h3 id="first-run-title">New here?</h3>
      <p className="soft">The example is a small bridge with deliverables, registers, workflows and a plan. It is copied to a folder <code>belay-example</code> in your home folder, and you can delete it.</p>
      <p className="line"><TryExample primary /><ScaffoldButton /></p>
    </section>
  );
}
