import { beforeEach, expect, it, vi } from "vitest";
import { drawn } from "../../ui/drawn.test-helper";
import { emptyStorage } from "../../ui/storage.test-helper";
import { Draft, validDraft } from "./drafts";
import { takeBack, Waiting } from "./queue";

let kept: Record<string, string>;
beforeEach(() => { kept = emptyStorage(); });

const file = (name: string, origin?: string) => ({ name, bytes: 3, kind: "text", mimeType: "text/plain", sha256: "aa11", ...(origin ? { origin } : {}) });
const input = (attachments: number, items: ReturnType<typeof file>[] = []) => ({ id: "i", message: "m", mode: "steer", time: "", attachments, items });

it("a message is taken back at once, and one whose files are lost after that was said", () => {
  const done: string[] = [];
  const button = (waiting: ReturnType<typeof input>, asked: boolean, text: string) => {
    const { html, elements } = drawn(Waiting, { input: waiting, asked, busy: false, onAsk: (to: boolean) => done.push(to ? "ask" : "leave"), onTake: () => done.push("take") });
    const find = elements.find((e) => e.type === "button" && `${e.props["aria-label"] ?? ""}${[e.props.children].flat().filter((c) => typeof c === "string").join("")}`.startsWith(text));
    find!.props.onClick();
    return html;
  };
  button(input(0), false, "Take back");
  button(input(1, [file("a.md", "/p/a.md")]), false, "Take back");
  button(input(2), false, "Take back");
  expect(button(input(2), true, "Leave it")).toContain("Its 2 files do not come back.");
  expect(button(input(3, [file("a.md", "/p/a.md"), file("b.md", "/p/b.md")]), true, "Take back without")).toContain("1 of its 3 files does not come back. Attach it again.");
  expect(done).toEqual(["take", "take", "ask", "leave", "take"]);
});

it("the files of a message that is taken back are in the draft again", async () => {
  const draft = new Draft("s");
  draft.setText("later");
  takeBack(input(2, [file("a.md", "/p/.belay/uploads/u/a.md"), file("b.md")]), draft, { upload: () => Promise.reject(new Error("again")), inspect: async () => undefined });
  await vi.waitFor(() => expect(draft.get().files[0]?.state).toBe("ready"));
  expect(draft.get()).toMatchObject({ text: "m\n\nlater", files: [{ name: "a.md", state: "ready", path: "/p/.belay/uploads/u/a.md", sha256: "aa11" }] });
  expect(validDraft(kept["belay.draft.s"]!).files).toHaveLength(1);
});
