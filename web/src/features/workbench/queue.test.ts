import { expect, it } from "vitest";
import { drawn } from "../../ui/drawn.test-helper";
import { Waiting } from "./queue";

const input = (attachments: number) => ({ id: "i", message: "m", mode: "steer", time: "", attachments });

it("a message is taken back at once, and one with files after it was said that they are lost", () => {
  const done: string[] = [];
  const button = (attachments: number, asked: boolean, text: string) => {
    const { html, elements } = drawn(Waiting, { input: input(attachments), asked, busy: false, onAsk: (to: boolean) => done.push(to ? "ask" : "leave"), onTake: () => done.push("take") });
    const find = elements.find((e) => e.type === "button" && `${e.props["aria-label"] ?? ""}${[e.props.children].flat().filter((c) => typeof c === "string").join("")}`.startsWith(text));
    find!.props.onClick();
    return html;
  };
  button(0, false, "Take back");
  button(2, false, "Take back");
  expect(button(2, true, "Leave it")).toContain("Its 2 files do not come back.");
  button(2, true, "Take back without them");
  expect(done).toEqual(["take", "ask", "leave", "take"]);
});
