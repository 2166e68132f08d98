// Cells that two have changed: both values, and the choice between them.
import type { Conflict } from "./edits";
import { titleOf } from "./columns";
import { CopyButton } from "../../ui/parts";

export function Conflicts({ conflicts, onDecide }: { conflicts: readonly Conflict[]; onDecide: (c: Conflict, mine: boolean) => void }) {
  return (
    <div className="notice warn conflicts" role="alert">
      <strong>Somebody else changed the same</strong>
      <ul className="plain-list">
        {conflicts.map((c) => (
          <li key={`${c.key}/${c.column}`} className="conflict" data-column={c.column}>
            <p><strong>{c.key}</strong> {titleOf(c.column)}{c.gone && " — the row is not in the register any more"}</p>
            <dl>
              <dt>before</dt><dd>{c.was || "(empty)"}</dd>
              {!c.gone && <><dt>theirs</dt><dd>{c.theirs || "(empty)"}</dd></>}
              <dt>yours</dt><dd>{c.now || "(empty)"}</dd>
            </dl>
            <p className="conflict-choice">
              {!c.gone && <button type="button" className="button keep-mine" onClick={() => onDecide(c, true)}>Keep yours</button>}
              <button type="button" className="button take-theirs" onClick={() => onDecide(c, false)}>{c.gone ? "Drop yours" : "Take theirs"}</button>
              <CopyButton text={() => c.now} label="Copy yours" />
            </p>
          </li>
        ))}
      </ul>
    </div>
  );
}
