// Cells that two have changed: both values, and the choice between them.
import type { Conflict } from "./edits";
import { titleOf } from "./columns";
import { visible } from "../../ui/format";
import { CopyButton } from "../../ui/parts";

export function Conflicts({ conflicts, taken, onDecide, onRenumber, onDrop }: {
  conflicts: readonly Conflict[];
  /** Added rows whose id somebody else has used meanwhile. */
  taken: readonly { key: string; id: string; statement: string }[];
  onDecide: (c: Conflict, mine: boolean) => void; onRenumber: (key: string) => void; onDrop: (key: string) => void;
}) {
  return (
    <div className="notice warn conflicts" role="alert">
      <strong>Somebody else changed the same</strong>
      <ul className="plain-list">
        {taken.map((t) => (
          <li key={t.key} className="conflict" data-taken={t.id}>
            <p><strong>{t.id}</strong> Somebody else added a row with this id.</p>
            <dl><dt>yours</dt><dd>{visible(t.statement) || "(no statement)"}</dd></dl>
            <p className="conflict-choice">
              <button type="button" className="button renumber-row" onClick={() => onRenumber(t.key)}>Give yours the next id</button>
              <button type="button" className="button" onClick={() => onDrop(t.key)}>Drop yours</button>
            </p>
          </li>
        ))}
        {conflicts.map((c) => (
          <li key={`${c.key}/${c.column}`} className="conflict" data-column={c.column}>
            <p><strong>{visible(c.key)}</strong> {visible(titleOf(c.column))}{c.gone && " — the row is not in the register any more"}</p>
            <dl>
              <dt>before</dt><dd>{visible(c.was) || "(empty)"}</dd>
              {!c.gone && <><dt>theirs</dt><dd>{visible(c.theirs) || "(empty)"}</dd></>}
              <dt>yours</dt><dd>{visible(c.now) || "(empty)"}</dd>
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
